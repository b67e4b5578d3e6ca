//! A document with the position of every value: the same for JSON and for YAML.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use crate::model::Position;

/// A value and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it starts.
    pub at: Position,
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Object(Object),
}

/// An object. Every name stands once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    /// In the order in which the names first stand in the text.
    pub members: Vec<Member>,
    /// Names that stood there before and lost to a later one of the same name.
    pub shadowed: Vec<(String, Position)>,
}

/// A named value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where the name starts.
    pub at: Position,
    /// Its value.
    pub value: Node,
}

impl Object {
    /// Of members as they stand in the text. Of equal names the last wins, in the place of the first, as
    /// `JSON.parse` does.
    pub fn new(all: Vec<Member>) -> Object {
        let mut object = Object::default();
        let mut places: HashMap<String, usize> = HashMap::with_capacity(all.len());
        for member in all {
            match places.get(&member.name) {
                Some(&place) => {
                    let before = std::mem::replace(&mut object.members[place], member);
                    object.shadowed.push((before.name, before.at));
                }
                None => {
                    places.insert(member.name.clone(), object.members.len());
                    object.members.push(member);
                }
            }
        }
        object
    }

    /// The member of that name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.member(name).map(|member| &member.value)
    }

    /// The value of that name, if it is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    /// The value of that name, if it is a boolean.
    pub fn bool(&self, name: &str) -> Option<bool> {
        self.get(name)?.bool()
    }
}

impl Node {
    /// If it is a text.
    pub fn text(&self) -> Option<&str> {
        if let Kind::Text(text) = &self.kind { Some(text) } else { None }
    }

    /// If it is a boolean.
    pub fn bool(&self) -> Option<bool> {
        if let Kind::Bool(value) = self.kind { Some(value) } else { None }
    }

    /// If it is a number.
    pub fn number(&self) -> Option<f64> {
        if let Kind::Number(number) = &self.kind { number.as_f64() } else { None }
    }

    /// If it is a list.
    pub fn list(&self) -> Option<&[Node]> {
        if let Kind::List(list) = &self.kind { Some(list) } else { None }
    }

    /// If it is an object.
    pub fn object(&self) -> Option<&Object> {
        if let Kind::Object(object) = &self.kind { Some(object) } else { None }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.kind == Kind::Null
    }

    /// What it is, in words.
    pub fn word(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }

    /// Without positions.
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(list) => Value::Array(list.iter().map(Node::value).collect()),
            Kind::Object(object) => {
                let members = object.members.iter().map(|member| (member.name.clone(), member.value.value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}

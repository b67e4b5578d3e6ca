//! Fields of lines that never make a line unreadable: of another type than expected they count as absent.
//!
//! Owns the leniency. Must not know which fields there are.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// A string field; anything else counts as absent.
#[derive(Debug, Default, Clone)]
pub struct Str<'a>(pub Option<Cow<'a, str>>);

impl Str<'_> {
    /// The text, where there is one.
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The text, empty where absent.
    pub fn text(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether it is that text.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_deref() == Some(text)
    }
}

/// Visits whatever comes; what is not wanted is skipped and counts as absent.
macro_rules! skip_others {
    ($out:expr; $($method:ident: $ty:ty),*) => {
        $(fn $method<E: de::Error>(self, _: $ty) -> Result<Self::Value, E> { Ok($out) })*
        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> { Ok($out) }
    };
}

macro_rules! skip_seq {
    ($out:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($out)
        }
    };
}

macro_rules! skip_map {
    ($out:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($out)
        }
    };
}

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for V<'a> {
            type Value = Str<'a>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E: de::Error>(self, v: &'de str) -> Result<Str<'a>, E> {
                Ok(Str(Some(Cow::Borrowed(v))))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Str<'a>, E> {
                Ok(Str(Some(Cow::Owned(v.to_owned()))))
            }
            skip_others!(Str(None); visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
            skip_seq!(Str(None));
            skip_map!(Str(None));
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

/// A boolean field; anything but `true` counts as `false`.
#[derive(Debug, Default, Clone, Copy)]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E: de::Error>(self, v: bool) -> Result<Flag, E> {
                Ok(Flag(v))
            }
            skip_others!(Flag(false); visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
            skip_seq!(Flag(false));
            skip_map!(Flag(false));
        }
        deserializer.deserialize_any(V)
    }
}

/// A number field; anything else counts as absent.
#[derive(Debug, Default, Clone, Copy)]
pub struct Number(pub Option<f64>);

impl Number {
    /// As milliseconds, where it is a number that makes sense as such.
    pub fn millis(self) -> Option<u32> {
        self.0.filter(|n| *n >= 0.0 && *n <= f64::from(u32::MAX)).map(|n| n as u32)
    }

    /// As an exit code.
    pub fn code(self) -> Option<i32> {
        self.0.filter(|n| n.abs() <= f64::from(i32::MAX)).map(|n| n as i32)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Number, E> {
                Ok(Number(Some(v as f64)))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Number, E> {
                Ok(Number(Some(v as f64)))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Number, E> {
                Ok(Number(Some(v)))
            }
            skip_others!(Number(None); visit_bool: bool, visit_str: &str);
            skip_seq!(Number(None));
            skip_map!(Number(None));
        }
        deserializer.deserialize_any(V)
    }
}

/// An object field; anything else counts as absent.
#[derive(Debug, Clone)]
pub struct Object<T>(pub Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Object(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for V<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Object(Some(value)))
            }
            skip_others!(Object(None); visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
            skip_seq!(Object(None));
        }
        deserializer.deserialize_any(V(PhantomData))
    }
}

pub(super) use {skip_map, skip_others};

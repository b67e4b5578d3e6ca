//! The paths that a piece of Rust source mentions, with `crate` and `super` resolved.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Every path of at least two segments in a file's code, `use` trees spread out, comments, strings and
/// `#[cfg(test)]` items left out. Paths into the crate start with `crate`.
///
/// `module` is the file's own module path without `crate` (`["engine", "select"]`).
pub fn paths(source: &str, module: &[String]) -> Vec<Vec<String>> {
    let tokens = TokenStream::from_str(source).expect("source parses as tokens");
    let mut found = Vec::new();
    walk(&tokens.into_iter().collect::<Vec<_>>(), module, &mut found);
    found
}

fn walk(tokens: &[TokenTree], module: &[String], found: &mut Vec<Vec<String>>) {
    let mut at = 0;
    while at < tokens.len() {
        if is_cfg_test(tokens, at) {
            at = item_end(tokens, at + 2);
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(word) if word == "mod" => {
                if let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
                    (tokens.get(at + 1), tokens.get(at + 2))
                {
                    let inner = [module, &[name.to_string()]].concat();
                    walk(&body.stream().into_iter().collect::<Vec<_>>(), &inner, found);
                    at += 3;
                    continue;
                }
                at += 1;
            }
            TokenTree::Ident(_) => {
                let (raw, next) = path_at(tokens, at, Vec::new());
                at = next;
                found.extend(raw.into_iter().filter(|path| path.len() > 1).map(|path| resolve(path, module)));
            }
            TokenTree::Group(group) => {
                walk(&group.stream().into_iter().collect::<Vec<_>>(), module, found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// `#[cfg(test)]` at `at`?
fn is_cfg_test(tokens: &[TokenTree], at: usize) -> bool {
    let (Some(TokenTree::Punct(hash)), Some(TokenTree::Group(group))) = (tokens.get(at), tokens.get(at + 1)) else {
        return false;
    };
    hash.as_char() == '#' && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// Behind the item that starts at `at`: after its `;` or its braces.
fn item_end(tokens: &[TokenTree], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            _ => {}
        }
    }
    at
}

/// The path, or the paths of a `use` tree, that start at `at`, and the place behind.
fn path_at(tokens: &[TokenTree], mut at: usize, mut prefix: Vec<String>) -> (Vec<Vec<String>>, usize) {
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) => prefix.push(word.to_string()),
            Some(TokenTree::Punct(star)) if star.as_char() == '*' && !prefix.is_empty() => {
                prefix.push("*".to_owned());
                return (vec![prefix], at + 1);
            }
            Some(TokenTree::Group(tree)) if tree.delimiter() == Delimiter::Brace => {
                return (use_tree(&tree.stream().into_iter().collect::<Vec<_>>(), &prefix), at + 1);
            }
            _ => return (vec![prefix], at),
        }
        at += 1;
        if !is_path_separator(tokens, at) {
            return (vec![prefix], at);
        }
        at += 2;
    }
}

fn use_tree(tokens: &[TokenTree], prefix: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if matches!(&tokens[at], TokenTree::Punct(punct) if punct.as_char() == ',') {
            at += 1;
            continue;
        }
        let (paths, next) = path_at(tokens, at, prefix.to_vec());
        found.extend(paths);
        // `as name` and anything else up to the comma.
        at = next.max(at + 1);
        while at < tokens.len() && !matches!(&tokens[at], TokenTree::Punct(punct) if punct.as_char() == ',') {
            at += 1;
        }
    }
    found
}

fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == ':');
    colon(tokens.get(at)) && colon(tokens.get(at + 1))
}

fn resolve(path: Vec<String>, module: &[String]) -> Vec<String> {
    let up = path.iter().take_while(|segment| *segment == "super").count();
    let own = usize::from(path[0] == "self");
    let up_after_self = path[own..].iter().take_while(|segment| *segment == "super").count();
    if own == 0 && up == 0 {
        return path;
    }
    let depth = module.len().checked_sub(up_after_self).expect("no more `super` than modules");
    let mut full = vec!["crate".to_owned()];
    full.extend_from_slice(&module[..depth]);
    full.extend_from_slice(&path[own + up_after_self..]);
    full
}

#[test]
fn paths_are_found_however_they_are_written() {
    let check = |source: &str, expect: &[&str]| {
        let module = ["engine".to_owned(), "select".to_owned()];
        let found: Vec<String> = paths(source, &module).iter().map(|path| path.join("::")).collect();
        assert_eq!(found, expect, "{source}");
    };
    check("use crate::ui;", &["crate::ui"]);
    check("use crate::{model::{Event, Step as S}, ui};", &["crate::model::Event", "crate::model::Step", "crate::ui"]);
    check("fn f() { crate::ui::draw::all(); }", &["crate::ui::draw::all"]);
    check("fn f() { log!(\"{}\", crate::ui::X); }", &["crate::ui::X"]);
    check("use super::super::ui::List;", &["crate::ui::List"]);
    check("use super::Row;", &["crate::engine::Row"]);
    check("use self::inner::Row;", &["crate::engine::select::inner::Row"]);
    check("mod inner { use super::super::super::ui::*; }", &["crate::ui::*"]);
    check("use std::{fs, process::{self, Command}};", &["std::fs", "std::process::self", "std::process::Command"]);
    check("// crate::ui\n/// [`crate::ui`]\nconst A: &str = \"crate::ui\";", &[]);
    check("#[cfg(test)] mod tests { use crate::ui; } use crate::model;", &["crate::model"]);
    check("#[cfg(test)] mod tests; use crate::model;", &["crate::model"]);
}

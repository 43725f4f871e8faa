// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value as TOML again: for values that are set elsewhere, under another key, and for documents in which values were set.

use crate::node::{Entries, Node, Value};
use crate::{Document, Item};
use std::fmt::Write;

impl Item<'_> {
    /// The value as one line of TOML, such that [`crate::Document::set_value`] takes it back unchanged.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        write_node(self.node, &mut out);
        out
    }
}

impl Document {
    /// The document as TOML, with what was set in it and without comments. Tables at its top have a header; what is below them is written
    /// with dots.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let (mut values, mut headed) = (Entries::default(), Vec::new());
        for entry in &self.entries.0 {
            match tables(&entry.node) {
                Some((brackets, tables)) => headed.push((brackets, &entry.key, tables)),
                None => values.0.push(entry.clone()),
            }
        }
        write_below(&values, "", &mut out);
        for ((open, close), key, tables) in headed {
            for table in tables {
                out.push_str(if out.is_empty() { "" } else { "\n" });
                out.extend([open, &key_of(key), close, "\n"]);
                write_below(table, "", &mut out);
            }
        }
        out
    }
}

/// The tables that have a header, and its brackets: a table, or the elements of a list of tables.
fn tables(node: &Node) -> Option<((&'static str, &'static str), Vec<&Entries>)> {
    fn table(node: &Node) -> Option<&Entries> {
        match &node.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }
    match &node.value {
        Value::Table(entries) => Some((("[", "]"), vec![entries])),
        Value::List(items) if !items.is_empty() => {
            let all: Option<Vec<&Entries>> = items.iter().map(table).collect();
            all.map(|all| (("[[", "]]"), all))
        }
        _ => None,
    }
}

/// A line for each value, tables as keys with dots.
fn write_below(entries: &Entries, prefix: &str, out: &mut String) {
    for entry in &entries.0 {
        let key = format!("{prefix}{}", key_of(&entry.key));
        match &entry.node.value {
            Value::Table(below) if !below.0.is_empty() => write_below(below, &format!("{key}."), out),
            _ => {
                out.extend([&key, " = "]);
                write_node(&entry.node, out);
                out.push('\n');
            }
        }
    }
}

/// A key, in quotes if it must be.
fn key_of(key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    match bare {
        true => key.to_owned(),
        false => quoted(key),
    }
}

fn write_node(node: &Node, out: &mut String) {
    match &node.value {
        Value::Text(text) => write_text(text, out),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::Real(text) | Value::Date(text) => out.push_str(text),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_node(item, out);
            }
            out.push(']');
        }
        Value::Table(entries) => {
            out.push('{');
            for (index, entry) in entries.0.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { " " });
                write_text(&entry.key, out);
                out.push_str(" = ");
                write_node(&entry.node, out);
            }
            out.push_str(" }");
        }
    }
}

/// A text as a string of TOML, which `{:?}` makes only of some texts.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_text(text, &mut out);
    out
}

/// A basic string: quotes, backslashes and control characters escaped.
fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            c if c.is_control() => {
                write!(out, "\\u{:04X}", c as u32).expect("writing to a String cannot fail");
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use crate::Document;

    #[test]
    fn a_value_survives_being_set_elsewhere() {
        let text =
            "a = { n = -3, x = 1.5, t = \"q\\\"b\\\\ \\u0007\", l = [true, [\"8 MiB\", 1979-05-27]], \"a b\" = {} }\n";
        let mut doc = Document::parse("f.toml", text).expect("is TOML");
        let written = doc.root().item("a", "").expect("there").to_toml();
        doc.set_value("b", &written).expect("is a value");
        assert_eq!(doc.root().item("b", "").expect("there").to_toml(), written);
        let b = doc.root().table("b").expect("a table");
        assert_eq!((b.text("t"), b.integer("n", -9..=9i32)), (Ok("q\"b\\ \u{7}"), Ok(-3)));
    }

    #[test]
    fn a_document_is_written_with_what_was_set_in_it() {
        let text = "# what it is\nl = []\n[core]\nclock = \"2 GHz\"\n[core.\"a b\"]\ne = {}\nd.f = 1\n[[task]]\nname = \"a\"\n\
                    parameters = { bytes = \"1 MiB\", of = [{ x = 1 }, { }] }\n[[task]]\nname = \"b\"\n[none]\n";
        let mut doc = Document::parse("f.toml", text).expect("is TOML");
        for assignment in ["core.clock=3 GHz", "task.1.core=2", "seed=7", "new.table.key=open"] {
            doc.set(assignment).expect("can be set");
        }
        let expected = "l = []\nseed = 7\n\n[core]\nclock = \"3 GHz\"\n\"a b\".e = { }\n\"a b\".d.f = 1\n\n[[task]]\nname = \"a\"\n\
                        parameters.bytes = \"1 MiB\"\nparameters.of = [{ \"x\" = 1 }, { }]\n\n[[task]]\nname = \"b\"\ncore = 2\n\n\
                        [none]\n\n[new]\ntable.key = \"open\"\n";
        assert_eq!(doc.to_toml(), expected);
        let again = Document::parse("f.toml", expected).expect("is TOML");
        assert_eq!(again.to_toml(), expected);
    }
}

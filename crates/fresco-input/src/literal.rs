// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value as TOML again: for values that are set elsewhere, under another key.

use crate::Item;
use crate::node::{Node, Value};
use std::fmt::Write;

impl Item<'_> {
    /// The value as one line of TOML, such that [`crate::Document::set_value`] takes it back unchanged.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        write_node(self.node, &mut out);
        out
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
}

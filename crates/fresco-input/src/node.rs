// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tree a document becomes: plain values, each of which knows where it stands.

use crate::InputError;
use toml::de::{DeTable, DeValue};

/// Where a value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A line of the file, counted from 1.
    Line(u32),
    /// A `--set` option, named by its text.
    Override(String),
}

impl Place {
    /// An error at this place of `file`.
    pub fn error(&self, file: &str, found: impl Into<String>) -> InputError {
        match self {
            Self::Line(line) => InputError::new(file, found).at_line(*line),
            Self::Override(text) => InputError::new(format!("--set {text}"), found),
        }
    }

    /// The place as it is named within a sentence.
    pub fn describe(&self) -> String {
        match self {
            Self::Line(line) => format!("line {line}"),
            Self::Override(text) => format!("--set {text}"),
        }
    }
}

/// One value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Value,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i128),
    /// A number with a point or an exponent, as written.
    Real(String),
    Boolean(bool),
    /// A date or time, as TOML prints it; no input of ours wants one.
    Date(String),
    List(Vec<Node>),
    Table(Entries),
}

/// A table's entries, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries(pub Vec<Entry>);

/// One `key = value`.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub node: Node,
}

impl Entries {
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.node)
    }
}

impl Node {
    /// The value in words: `the integer 4`, `the text "abc"`, `a list`.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("the text {:?}", shorten(text)),
            Value::Integer(number) => format!("the integer {number}"),
            Value::Real(text) => format!("the number {}", shorten(text)),
            Value::Boolean(value) => format!("{value}"),
            Value::Date(text) => format!("the date or time {text}"),
            Value::List(items) if items.is_empty() => "an empty list".to_owned(),
            Value::List(items) if items.len() == 1 => "a list of one element".to_owned(),
            Value::List(items) => format!("a list of {} elements", items.len()),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}

/// At most 60 characters of what a user wrote, so that an error stays readable.
pub(crate) fn shorten(text: &str) -> String {
    match cut(text) {
        whole if whole.len() == text.len() => text.to_owned(),
        start => format!("{start}…"),
    }
}

/// The first 60 characters.
pub(crate) fn cut(text: &str) -> &str {
    match text.char_indices().nth(60) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// Turns byte offsets of one text into places.
pub(crate) enum Placer {
    /// A file: the offsets at which its lines begin.
    Lines(Vec<usize>),
    /// A `--set` option: every offset is the same place.
    Override(String),
}

impl Placer {
    /// Places within a file's text.
    pub fn lines(text: &str) -> Self {
        let after_breaks = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(at, _)| at + 1);
        Self::Lines(std::iter::once(0).chain(after_breaks).collect())
    }

    pub fn at(&self, offset: usize) -> Place {
        match self {
            Self::Lines(starts) => Place::Line(starts.partition_point(|start| *start <= offset) as u32),
            Self::Override(text) => Place::Override(text.clone()),
        }
    }
}

/// The entries of a parsed table. The parser bounds the depth of nesting (80), hence of this recursion.
pub(crate) fn entries(table: &DeTable<'_>, file: &str, placer: &Placer) -> Result<Entries, InputError> {
    // The parser's own table is sorted by key; the spans bring the order of the file back.
    let mut in_order: Vec<_> = table.iter().collect();
    in_order.sort_by_key(|(key, _)| key.span().start);
    let mut entries = Entries::default();
    for (key, value) in in_order {
        let node = node(value.get_ref(), placer.at(value.span().start), file, placer).map_err(|error| {
            let below = if error.field.is_empty() {
                String::new()
            } else {
                format!(".{}", error.field)
            };
            let field = format!("{}{below}", key.get_ref());
            error.in_field(field)
        })?;
        entries.0.push(Entry {
            key: key.get_ref().clone().into_owned(),
            node,
        });
    }
    Ok(entries)
}

/// One value of the parsed document.
pub(crate) fn node(value: &DeValue<'_>, place: Place, file: &str, placer: &Placer) -> Result<Node, InputError> {
    let value = match value {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => {
                let found = format!("found the integer {}", shorten(&number.to_string()));
                return Err(place
                    .error(file, found)
                    .allowed("an integer of at most 64 bits")
                    .help("write a smaller one"));
            }
        },
        DeValue::Float(number) => Value::Real(number.as_str().to_owned()),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            let items = items
                .iter()
                .map(|item| node(item.get_ref(), placer.at(item.span().start), file, placer));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Value::Table(entries(table, file, placer)?),
    };
    Ok(Node { place, value })
}

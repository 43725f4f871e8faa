// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cannot be read in a document: the field's path, what was found there, what is allowed, in plain words. The reader of JSON
//! says what is wrong, not where: that is found by mending one place after the other until it says something else.

use serde_json::Value;
use std::collections::VecDeque;

/// Places that are tried.
const MOST_TRIALS: usize = 256;

/// What the reader of JSON says of a document; `None` if it can be read.
pub type Outcome = fn(&Value) -> Option<String>;

/// What is wrong with `data`, and where: in `part` of it, a path that begins with `data`. `message` is what the reader said of its text, `outcome` what it says of a
/// value, and `fields` are those that are allowed.
pub fn misread(data: &Value, part: &str, message: &str, (outcome, fields): (Outcome, &str)) -> Misread {
    let told = outcome(data).unwrap_or_else(|| without_line(message).to_owned());
    Wrong::of(&told).place((data, outcome), part, fields)
}

/// What is wrong, and where.
pub struct Misread {
    /// The path of the field.
    pub path: String,
    /// What was found there.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

/// A document, and what the reader says of it.
type Document<'d> = (&'d Value, Outcome);

/// What the reader of JSON complains of.
enum Wrong<'m> {
    /// There is no such field.
    Missing(&'m str),
    /// A word that is none of these.
    Word(&'m str, Vec<&'m str>),
    /// A value, as the reader calls it, in place of another kind.
    Value(&'m str, &'m str),
    /// Something else.
    Other(&'m str),
}

impl<'m> Wrong<'m> {
    fn of(message: &'m str) -> Self {
        if let Some(field) = message.strip_prefix("missing field ") {
            return Self::Missing(field.trim_matches('`'));
        }
        if let Some((word, known)) = message
            .strip_prefix("unknown variant ")
            .and_then(|rest| rest.split_once(", expected "))
        {
            return Self::Word(word.trim_matches('`'), known.split('`').skip(1).step_by(2).collect());
        }
        let of_value = ["invalid type: ", "invalid value: "]
            .iter()
            .find_map(|start| message.strip_prefix(start));
        if let Some((found, expected)) = of_value.and_then(|rest| rest.rsplit_once(", expected ")) {
            return Self::Value(found, expected);
        }
        // A list in place of an object, or one of another length.
        let of_length = message.strip_prefix("invalid length ");
        match of_length.and_then(|rest| rest.rsplit_once(", expected ")) {
            Some((_, expected)) => Self::Value("sequence", expected),
            None => Self::Other(message),
        }
    }

    /// Looks for the place below `part`, which is known to be wrong.
    fn place(&self, data: Document<'_>, part: &str, fields: &str) -> Misread {
        match self {
            Self::Missing(field) => {
                let found = places(data.0, part).find_map(|(path, pointer, value)| {
                    value.as_object().filter(|object| !object.contains_key(*field))?;
                    let told = mended(data, &pointer, |value| value[*field] = Value::Null)?;
                    Some((path, told))
                });
                let (path, told) = found.unwrap_or((part.to_owned(), None));
                let expected = told
                    .as_deref()
                    .and_then(|told| told.rsplit_once(", expected "))
                    .map(|(_, words)| kind(words));
                Misread {
                    path: format!("{path}.{field}"),
                    found: "found no such field, and it is required".to_owned(),
                    allowed: expected.unwrap_or("it in its place".to_owned()),
                }
            }
            Self::Word(word, known) => Misread {
                path: self.value(data, part, |value| value.as_str() == Some(word), &Value::from(known[0])),
                found: format!("found {word:?}"),
                allowed: known.join(", "),
            },
            Self::Value(found, expected) => Misread {
                path: self.value(data, part, |value| called(value) == *found, &example(expected)),
                found: format!("found {}", plain(found)),
                allowed: kind(expected),
            },
            Self::Other(message) => Misread {
                path: part.to_owned(),
                found: format!("found what cannot be read: {message}"),
                allowed: fields.to_owned(),
            },
        }
    }

    /// The path of the value that `is_meant`: of several the one without which nothing is wrong, or else the lowest without which the
    /// reader complains of something else.
    fn value(&self, data: Document<'_>, part: &str, is_meant: impl Fn(&Value) -> bool, better: &Value) -> String {
        let mut best = None;
        for (path, pointer, _) in places(data.0, part).filter(|(_, _, value)| is_meant(value)) {
            match mended(data, &pointer, |value| *value = better.clone()) {
                Some(None) => return path,
                Some(_) => best = Some(path),
                None => best = best.or(Some(path)),
            }
        }
        best.unwrap_or_else(|| part.to_owned())
    }
}

/// What the reader says of `data` with one value changed, if that is something else.
fn mended((data, outcome): Document<'_>, pointer: &str, mend: impl FnOnce(&mut Value)) -> Option<Option<String>> {
    let mut other = data.clone();
    mend(other.pointer_mut(pointer)?);
    let told = outcome(&other);
    (told != outcome(data)).then_some(told)
}

/// Paths, pointers and values of `part` of `data` and of all below, the upper ones first; no more than are tried.
fn places<'v>(data: &'v Value, part: &str) -> impl Iterator<Item = (String, String, &'v Value)> + use<'v> {
    let pointer = part
        .trim_start_matches("data")
        .replace(['.', '['], "/")
        .replace(']', "");
    let first = data.pointer(&pointer).map(|value| (part.to_owned(), pointer, value));
    let mut queue = VecDeque::from_iter(first);
    std::iter::from_fn(move || {
        let (path, pointer, value) = queue.pop_front()?;
        match value {
            Value::Object(fields) => queue.extend(
                fields
                    .iter()
                    .map(|(key, value)| (format!("{path}.{key}"), format!("{pointer}/{key}"), value)),
            ),
            Value::Array(list) => queue.extend(
                list.iter()
                    .enumerate()
                    .map(|(i, value)| (format!("{path}[{i}]"), format!("{pointer}/{i}"), value)),
            ),
            _ => {}
        }
        Some((path, pointer, value))
    })
    .take(MOST_TRIALS)
}

/// What the reader of JSON calls a value.
fn called(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("boolean `{value}`"),
        Value::Number(number) if number.is_f64() => format!("floating point `{number}`"),
        Value::Number(number) => format!("integer `{number}`"),
        Value::String(text) => format!("string {text:?}"),
        Value::Array(_) => "sequence".to_owned(),
        Value::Object(_) => "map".to_owned(),
    }
}

/// What it calls a value, in plain words: the value itself.
fn plain(called: &str) -> String {
    match called {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        _ => {
            let value = ["boolean ", "floating point ", "integer ", "string "]
                .iter()
                .find_map(|kind| called.strip_prefix(kind));
            value.unwrap_or(called).trim_matches('`').to_owned()
        }
    }
}

/// What it expects, in plain words.
fn kind(expected: &str) -> String {
    match expected {
        "u64" | "usize" => format!("a whole number from 0 to {}", u64::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "a string" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "string or map" => "a text or an object".to_owned(),
        _ if expected.starts_with("struct ")
            || expected.starts_with("internally tagged enum ")
            || expected == "a map" =>
        {
            "an object with fields".to_owned()
        }
        _ if expected.contains("enum ") => "a name".to_owned(),
        _ if expected.starts_with("an array of length ") => expected.replacen("an array of length", "a list of", 1),
        other => other.to_owned(),
    }
}

/// A value of the kind that is expected.
fn example(expected: &str) -> Value {
    if let Some(length) = expected
        .strip_prefix("an array of length ")
        .and_then(|length| length.parse().ok())
    {
        return Value::Array(vec![Value::Array(Vec::new()); std::cmp::min(length, MOST_TRIALS)]);
    }
    match expected {
        "u64" | "usize" | "u32" => Value::from(0),
        "a sequence" => Value::Array(Vec::new()),
        "a boolean" => Value::Bool(false),
        _ => Value::from(""),
    }
}

/// A message without `at line 1 column 2`.
fn without_line(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(told, _)| told)
}

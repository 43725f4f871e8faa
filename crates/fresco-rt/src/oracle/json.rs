// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading records and comparing trees of answers.

use serde_json::Value;

use super::{Difference, RecordError};
use crate::task::Task;
use crate::time::Time;

/// A record and its id, for errors that say where.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    value: &'a Value,
    id: &'a str,
}

impl<'a> Record<'a> {
    /// A record; its `id`, if it has one, is text.
    pub fn new(value: &'a Value) -> Self {
        Record {
            value,
            id: value.get("id").and_then(Value::as_str).unwrap_or_default(),
        }
    }

    /// The record's id, empty if it has none.
    pub fn id(&self) -> &'a str {
        self.id
    }

    /// The record itself.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// An error about a field of this record.
    pub fn error(&self, field: &str, message: impl ToString) -> RecordError {
        RecordError {
            record: self.id.to_owned(),
            field: field.to_owned(),
            message: message.to_string(),
        }
    }

    /// A field that must be there.
    pub fn field(&self, name: &str) -> Result<&'a Value, RecordError> {
        self.value
            .get(name)
            .ok_or_else(|| self.error(name, "the field is missing"))
    }

    /// A time: an integer from 0 to 2⁶⁴ − 1.
    pub fn time(&self, name: &str) -> Result<Time, RecordError> {
        self.as_time(self.field(name)?, name)
    }

    /// Tasks: `{id, phi, p, e, D}` each, with ids of text or numbers.
    pub fn tasks(&self, name: &str) -> Result<Vec<Task>, RecordError> {
        let list = self
            .field(name)?
            .as_array()
            .ok_or_else(|| self.error(name, "a list of tasks is needed"))?;
        list.iter()
            .enumerate()
            .map(|(i, task)| {
                let path = |part: &str| format!("{name}[{i}].{part}");
                let time = |part: &str| self.as_time(task.get(part).unwrap_or(&Value::Null), &path(part));
                let id = match task.get("id") {
                    Some(Value::String(id)) => id.clone(),
                    Some(Value::Number(id)) => id.to_string(),
                    _ => return Err(self.error(&path("id"), "a text or a number is needed")),
                };
                Task::new(&id, time("phi")?, time("p")?, time("e")?, time("D")?)
                    .map_err(|error| self.error(&format!("{name}[{i}]"), error))
            })
            .collect()
    }

    fn as_time(&self, value: &Value, path: &str) -> Result<Time, RecordError> {
        value.as_u64().ok_or_else(|| {
            self.error(
                path,
                format!("found {value}; a whole number from 0 to 18446744073709551615 is needed"),
            )
        })
    }
}

/// Adds a difference for every leaf of `expected` that `found` does not equal, and for every part of `found` that is
/// recorded as something else; fields of `found` that are not recorded are passed over.
pub fn compare(record: &str, path: &str, expected: &Value, found: &Value, differences: &mut Vec<Difference>) {
    match (expected, found) {
        (Value::Object(fields), Value::Object(answers)) => {
            for (name, value) in fields {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                compare(
                    record,
                    &path,
                    value,
                    answers.get(name).unwrap_or(&Value::Null),
                    differences,
                );
            }
        }
        (Value::Array(items), Value::Array(answers)) if items.len() == answers.len() => {
            for (i, (value, answer)) in items.iter().zip(answers).enumerate() {
                compare(record, &format!("{path}[{i}]"), value, answer, differences);
            }
        }
        _ if expected == found => {}
        _ => differences.push(Difference {
            record: record.to_owned(),
            field: path.to_owned(),
            expected: expected.to_string(),
            found: found.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_have_paths() {
        let mut found = Vec::new();
        let recorded = json!({"a": [1, {"b": true}], "c": null});
        compare(
            "x",
            "",
            &recorded,
            &json!({"a": [1, {"b": false}], "c": null, "d": 3}),
            &mut found,
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "x: a[1].b: expected true, found false");
        compare("x", "", &recorded, &json!({"a": [1]}), &mut found);
        assert_eq!(found[1].field, "a");
        assert_eq!(found.len(), 2, "an absent field equals a recorded null");
    }

    #[test]
    fn wrong_fields_are_named() {
        let value = json!({"id": "x", "W": [{"id": 1, "phi": 0, "p": 5, "e": 9, "D": 5}], "n": -1});
        let record = Record::new(&value);
        assert_eq!(record.time("m").unwrap_err().to_string(), "x: m: the field is missing");
        assert!(record.time("n").unwrap_err().message.starts_with("found -1;"));
        assert_eq!(record.tasks("W").unwrap_err().field, "W[0]");
    }
}

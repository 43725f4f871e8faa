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
        Record::named(value, value.get("id").and_then(Value::as_str).unwrap_or_default())
    }

    /// A record under the name that its file gives it.
    pub fn named(value: &'a Value, id: &'a str) -> Self {
        Record { value, id }
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
            help: String::new(),
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

    /// Tasks: `{id, phi, p, e, D}` each, with ids of text or numbers that differ, and perhaps `mem`, which
    /// [`memory`](Self::memory) reads. Other keys are errors.
    pub fn tasks(&self, name: &str) -> Result<Vec<Task>, RecordError> {
        let mut tasks: Vec<Task> = Vec::new();
        for (i, task) in self.list_of_tasks(name)?.iter().enumerate() {
            let at = format!("{name}[{i}]");
            let path = |part: &str| format!("{at}.{part}");
            let fields = task.as_object().ok_or_else(|| {
                let found = format!("found {}; a task is an object", brief(task));
                self.error(&at, found).cured(TASK)
            })?;
            if let Some(key) = fields.keys().find(|key| !TASK_KEYS.contains(&key.as_str())) {
                let message = format!("found the key {key:?}; a task has {}", TASK_KEYS.join(", "));
                return Err(self.error(&path(key), message).cured("rename or remove this key"));
            }
            let time = |part: &str| {
                let value = fields.get(part).ok_or_else(|| {
                    let message = "the field is missing; a whole number is needed";
                    self.error(&path(part), message).cured(TASK)
                })?;
                self.as_time(value, &path(part))
            };
            let id = match fields.get("id") {
                Some(Value::String(id)) => id.clone(),
                Some(Value::Number(id)) => id.to_string(),
                found => {
                    let found = brief(found.unwrap_or(&Value::Null));
                    let message = format!("found {found}; a text or a number is needed");
                    return Err(self.error(&path("id"), message).cured(TASK));
                }
            };
            if let Some(first) = tasks.iter().position(|task| task.name == id) {
                let message = format!("found {id:?} again, as {name}[{first}] has it; each task has an id of its own");
                return Err(self.error(&path("id"), message).cured("rename one of the two tasks"));
            }
            let task = Task::new(&id, time("phi")?, time("p")?, time("e")?, time("D")?);
            tasks.push(task.map_err(|error| self.error(&at, error).cured("correct the times of this task"))?);
        }
        Ok(tasks)
    }

    /// The tasks `W1` and `W2` of two servers, with ids that differ through both.
    pub fn workloads(&self) -> Result<[Vec<Task>; 2], RecordError> {
        let workloads = [self.tasks("W1")?, self.tasks("W2")?];
        for (i, task) in workloads[1].iter().enumerate() {
            if let Some(first) = workloads[0].iter().position(|other| other.name == task.name) {
                let found = format!("found {:?} again, as W1[{first}] has it", task.name);
                let message = format!("{found}; each task has an id of its own");
                let error = self.error(&format!("W2[{i}].id"), message);
                return Err(error.cured("rename one of the two tasks"));
            }
        }
        Ok(workloads)
    }

    /// `mem` of each task, 0 where it has none.
    pub fn memory(&self, name: &str) -> Result<Vec<u64>, RecordError> {
        let tasks = self.list_of_tasks(name)?.iter().enumerate();
        tasks
            .map(|(i, task)| {
                let memory = task.get("mem");
                memory.map_or(Ok(0), |units| self.as_time(units, &format!("{name}[{i}].mem")))
            })
            .collect()
    }

    fn list_of_tasks(&self, name: &str) -> Result<&'a Vec<Value>, RecordError> {
        let value = self.field(name)?;
        value.as_array().ok_or_else(|| {
            let message = format!("found {}; a list of tasks is needed", brief(value));
            self.error(name, message).cured(TASK)
        })
    }

    /// A time somewhere in this record.
    pub fn as_time(&self, value: &Value, path: &str) -> Result<Time, RecordError> {
        value.as_u64().ok_or_else(|| {
            let needed = "a whole number from 0 to 18446744073709551615 is needed";
            let error = self.error(path, format!("found {}; {needed}", brief(value)));
            match value.as_f64() {
                Some(number) if number < 0.0 => error.cured("write it without the sign, or start from a later instant"),
                Some(_) => error.cured("count in a smaller unit, so that all times are whole numbers"),
                None => error.cured("write a number, without quotes"),
            }
        })
    }
}

/// Keys of a task.
const TASK_KEYS: [&str; 6] = ["id", "phi", "p", "e", "D", "mem"];

/// What a task looks like.
const TASK: &str = r#"write a task as {"id": "a", "phi": 0, "p": 20, "e": 4, "D": 20}"#;

/// A value as it is shown to people: long ones are cut.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
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

    #[test]
    fn tasks_are_told_apart_and_hold_nothing_else() {
        let refused = |tasks: Value| {
            let value = json!({"W": tasks});
            let record = Record::new(&value);
            let error = record.tasks("W").and(record.memory("W")).unwrap_err();
            assert!(!error.help.is_empty(), "{error}");
            (error.field, error.message)
        };
        let task = |id: &str| json!({"id": id, "phi": 0, "p": 5, "e": 1, "D": 5});
        let (field, message) = refused(json!([task("a"), task("b"), task("a")]));
        assert_eq!(field, "W[2].id");
        assert!(message.contains("W[0]"), "{message}");
        let with = |key: &str, value: Value| {
            let mut task = task("a");
            task[key] = value;
            json!([task])
        };
        let (field, message) = refused(with("deadline", json!(5)));
        assert_eq!(field, "W[0].deadline");
        assert!(message.contains("id, phi, p, e, D, mem"), "{message}");
        assert_eq!(refused(with("phi", json!(-5))).0, "W[0].phi");
        assert_eq!(refused(with("mem", json!(-1))).0, "W[0].mem");
        assert_eq!(refused(with("e", json!(1.5))).0, "W[0].e");
        assert_eq!(refused(with("id", json!([1]))).0, "W[0].id");
        assert_eq!(refused(json!({"id": 1})).0, "W");
        assert_eq!(refused(json!([7])).0, "W[0]");
        let short = json!([{"id": "a", "p": 5, "e": 1, "D": 5}]);
        assert_eq!(refused(short).0, "W[0].phi");
    }
}

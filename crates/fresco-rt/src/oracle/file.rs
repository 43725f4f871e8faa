// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a file holds: a list of records, one record, or worked examples by name.

use serde_json::{Map, Value};

use super::examples::{self, Example};
use super::{Difference, RecordError, compare_record};

/// Something in a file that is compared by itself.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Where it stands in the file: `record 3 (ce-201-2)`, or the names that lead to it, `counterexamples.rm_ub_text`.
    pub place: String,
    kind: Kind<'a>,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    Record(&'a Value),
    Example(Example<'a>),
}

impl Entry<'_> {
    /// Computes every recorded answer again and returns those that differ.
    ///
    /// # Errors
    /// If an input is missing or impossible.
    pub fn compare(&self) -> Result<Vec<Difference>, RecordError> {
        match &self.kind {
            Kind::Record(record) => compare_record(record),
            Kind::Example(example) => example.compare(),
        }
    }
}

/// What a file holds, in its order (worked examples in the order of their names).
///
/// # Errors
/// If it is empty or neither list nor object, if two records have the same `id`, or if a worked example is of no known kind.
pub fn entries(file: &Value) -> Result<Vec<Entry<'_>>, RecordError> {
    match file {
        Value::Array(records) if !records.is_empty() => list(records),
        Value::Object(fields) if is_record(fields) => list(std::slice::from_ref(file)),
        Value::Object(named) if !named.is_empty() && named.values().all(Value::is_object) => {
            let found = examples::of(named)?.into_iter();
            Ok(found
                .map(|example| Entry {
                    place: example.name().to_owned(),
                    kind: Kind::Example(example),
                })
                .collect())
        }
        Value::Object(_) => list(std::slice::from_ref(file)),
        _ => Err(RecordError {
            record: String::new(),
            field: String::new(),
            message: "found neither a list of records nor a record nor worked examples by name".to_owned(),
            help: "give a JSON list of at least one object, or one object".to_owned(),
        }),
    }
}

/// Whether an object is a record itself, rather than a file of worked examples.
fn is_record(fields: &Map<String, Value>) -> bool {
    ["id", "W1", "tasks", "candidates", "cands"]
        .iter()
        .any(|key| fields.contains_key(*key))
}

fn list(records: &[Value]) -> Result<Vec<Entry<'_>>, RecordError> {
    let id = |record: &Value| record.get("id").and_then(Value::as_str).map(str::to_owned);
    let mut seen = std::collections::BTreeMap::new();
    let mut entries = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let id = id(record);
        if let Some(id) = &id
            && let Some(first) = seen.insert(id.clone(), index)
        {
            let message = format!(
                "found {id:?} again, as record {} has it; each record has its own",
                first + 1
            );
            return Err(RecordError {
                record: format!("record {}", index + 1),
                field: "id".to_owned(),
                message,
                help: "rename or remove one of the two records".to_owned(),
            });
        }
        let place = match id.as_deref() {
            None | Some("") => format!("record {}", index + 1),
            Some(id) => format!("record {} ({id})", index + 1),
        };
        entries.push(Entry {
            place,
            kind: Kind::Record(record),
        });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_are_lists_records_or_examples() {
        let places = |file: Value| -> Vec<String> {
            let found = entries(&file).unwrap();
            found.into_iter().map(|entry| entry.place).collect()
        };
        assert_eq!(places(json!([{"id": "a"}, {}])), ["record 1 (a)", "record 2"]);
        assert_eq!(places(json!({"id": "a", "W1": [], "W2": []})), ["record 1 (a)"]);
        assert_eq!(
            places(json!({"x": {"cands": []}, "more": {"y": {"cands": []}}})),
            ["more.y", "x"]
        );
    }

    #[test]
    fn twins_and_empty_files_are_refused() {
        let error = entries(&json!([{"id": "a"}, {"id": "b"}, {"id": "a"}])).unwrap_err();
        assert_eq!((error.record.as_str(), error.field.as_str()), ("record 3", "id"));
        assert!(error.message.contains("record 1") && !error.help.is_empty());
        for file in [json!([]), json!(7)] {
            assert!(
                entries(&file).unwrap_err().message.starts_with("found neither"),
                "{file}"
            );
        }
        let error = entries(&json!({"x": {"unknown": {}}, "y": {"z": 3}})).unwrap_err();
        assert_eq!(error.record, "x.unknown");
    }
}

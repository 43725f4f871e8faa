// SPDX-License-Identifier: MIT OR Apache-2.0
//! Oracle files: records of task sets with the answers of an independent program, recomputed and compared field by field.
//!
//! Only answers that are unique by definition are compared; witnesses and placements, of which there are many, are checked.
//! [`entries`] takes a file apart: a list of records, one record, or worked examples under their names ([`examples`]).

pub mod examples;
pub mod executive;
mod file;
pub mod json;
pub mod servers;

pub use file::{Entry, entries};

use std::fmt;

use serde_json::Value;

/// One field of a record where the recomputed answer is not the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The record's `id`.
    pub record: String,
    /// Path of the field inside the record, dots between levels: `sim.edf_idle.misses`, `table.sbf[3]`.
    pub field: String,
    /// The recorded answer, as JSON.
    pub expected: String,
    /// The answer computed here, as JSON; for a witness, why it is none.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}: expected {}, found {}",
            self.record, self.field, self.expected, self.found
        )
    }
}

/// A record that cannot be compared: a field is missing, has another type, or holds no possible value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// The record's `id`, or its name in a file of worked examples; empty if it has none.
    pub record: String,
    /// Path of the field.
    pub field: String,
    /// What was found and what is allowed.
    pub message: String,
    /// What to do about it; empty where the message says enough.
    pub help: String,
}

impl RecordError {
    /// The same with what to do about it.
    pub fn cured(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.record, self.field, self.message)
    }
}

impl std::error::Error for RecordError {}

/// Computes every recorded answer of a record again and returns those that differ. A record with `W1` and `W2` is one of
/// servers, one with `candidates` or `cands` one of executives.
///
/// # Errors
/// If it is neither, or an input is missing or impossible.
pub fn compare_record(record: &Value) -> Result<Vec<Difference>, RecordError> {
    let has = |key: &str| record.get(key).is_some();
    if has("W1") && has("W2") {
        servers::compare_record(record)
    } else if has("candidates") || has("cands") {
        executive::compare_record(record)
    } else {
        Err(RecordError {
            record: record.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
            field: String::new(),
            message: "found a record of no known kind; allowed: one with `W1` and `W2`, or with `candidates`"
                .to_owned(),
            help: String::new(),
        })
    }
}

/// Compares everything in a file.
///
/// # Errors
/// [`entries`]; the first record that cannot be compared.
pub fn compare_file(file: &Value) -> Result<Vec<Difference>, RecordError> {
    let mut differences = Vec::new();
    for entry in entries(file)? {
        differences.extend(entry.compare()?);
    }
    Ok(differences)
}

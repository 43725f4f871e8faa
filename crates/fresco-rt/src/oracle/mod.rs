// SPDX-License-Identifier: MIT OR Apache-2.0
//! Oracle files: records of task sets with the answers of an independent program, recomputed and compared field by field.
//!
//! Only answers that are unique by definition are compared; witnesses and placements, of which there are many, are checked.

pub mod executive;
pub mod json;
pub mod servers;

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
    /// The record's `id`, empty if it has none.
    pub record: String,
    /// Path of the field.
    pub field: String,
    /// What was found and what is allowed.
    pub message: String,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.record, self.field, self.message)
    }
}

impl std::error::Error for RecordError {}

/// Compares every record of a file: a list of records, or one record, of servers (told by their `W1`) or executives.
///
/// # Errors
/// The first record that cannot be compared.
pub fn compare_file(file: &Value) -> Result<Vec<Difference>, RecordError> {
    let records = file.as_array().map_or(std::slice::from_ref(file), Vec::as_slice);
    let mut differences = Vec::new();
    for record in records {
        let found = match record.get("W1") {
            Some(_) => servers::compare_record(record)?,
            None => executive::compare_record(record)?,
        };
        differences.extend(found);
    }
    Ok(differences)
}

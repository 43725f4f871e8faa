// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading a plan from its JSON document.

use super::{Plan, SCHEMA};
use fresco_input::InputError;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The part of the document that a plan is read from; its schema is looked at before, its provenance is for people.
#[derive(Deserialize)]
struct Document {
    data: Plan,
}

impl Plan {
    /// Reads the document that `fresco plan` writes.
    ///
    /// # Errors
    /// The file cannot be read, holds no JSON, no plan of [`SCHEMA`], or a plan with fields that are unknown, missing or
    /// of another kind. Whether the plan is sound is for [`crate::check()`] to say.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, InputError> {
        let path = path.as_ref();
        let text = fresco_input::read_file(path)?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// As [`Plan::load`], from a text; `file` is the name that errors give.
    ///
    /// # Errors
    /// As [`Plan::load`].
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let cure = "give the JSON that `fresco plan` writes";
        let document: Value = serde_json::from_str(text).map_err(|error| {
            InputError::new(file, format!("found no JSON: {error}"))
                .at_line(error.line() as u32)
                .cure(cure)
        })?;
        let schema = document.get("schema").and_then(Value::as_str);
        if schema != Some(SCHEMA) {
            let found = schema.map_or("found no schema".to_owned(), |schema| {
                format!("found the schema {schema:?}")
            });
            return Err(InputError::new(file, found)
                .in_field("schema")
                .allowed(format!("{SCHEMA:?}"))
                .cure(cure));
        }
        // From the text once more: a value does not know its line.
        let read = serde_json::from_str(text);
        read.map(|Document { data }| data).map_err(|error| {
            InputError::new(file, format!("found a plan that cannot be read: {error}"))
                .at_line(error.line() as u32)
                .in_field("data")
                .allowed(format!("the fields of {SCHEMA}, as docs/file-formats.md lists them"))
                .cure(cure)
        })
    }
}

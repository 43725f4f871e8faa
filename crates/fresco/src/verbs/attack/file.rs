// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of `--replay`: what stands in it, and whether it fits the scenario.

use fresco_input::{InputError, read_file};
use fresco_scenario::reading::{Outcome, beyond, misread};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// What a document has.
const PARTS: [&str; 3] = ["schema", "provenance", "data"];

/// A document that was read, of one of the schemas that are known.
pub struct File {
    /// Its name.
    name: String,
    text: String,
    pub schema: String,
    data: Value,
}

impl File {
    /// Reads a file with a document of one of these schemas.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn read(path: &Path, schemas: &[&str]) -> Result<Self, InputError> {
        let name = path.display().to_string();
        let text = read_file(path)?;
        let file = Self {
            name,
            text,
            schema: String::new(),
            data: Value::Null,
        };
        let document = fresco_bound_check::parse(&file.text).map_err(|error| {
            let error_here = InputError::new(file.name.clone(), format!("found no JSON: {error}"));
            error_here
                .at_line(error.line() as u32)
                .allowed("a file that `fresco attack --out` wrote")
                .help("search once more")
        })?;
        let schema = document["schema"].as_str().unwrap_or_default();
        if !schemas.contains(&schema) {
            return Err(file.wrong("schema", document["schema"].to_string(), schemas.join(", ")));
        }
        let mut parts = document.as_object().into_iter().flat_map(|parts| parts.keys());
        if let Some(other) = parts.find(|part| !PARTS.contains(&part.as_str())) {
            return Err(file.wrong(other, "an unknown field", PARTS.join(", ")));
        }
        Ok(Self {
            schema: schema.to_owned(),
            data: document["data"].clone(),
            ..file
        })
    }

    /// An error in a field: what was found there, and what is allowed.
    pub fn wrong(&self, field: impl Into<String>, found: impl Into<String>, allowed: impl Into<String>) -> InputError {
        InputError::new(self.name.clone(), format!("found {}", found.into()))
            .in_field(field)
            .allowed(allowed)
            .help("search once more, or name the scenario of the file with the same --set")
    }

    /// Its data.
    ///
    /// # Errors
    /// Fields that are unknown, missing or of another kind.
    pub fn data<T: Serialize + DeserializeOwned>(&self) -> Result<T, InputError> {
        let read: T = T::deserialize(&self.data).map_err(|error| {
            let outcome: Outcome = |value| T::deserialize(value).err().map(|error| error.to_string());
            let fields = "the fields of attacks, as docs/file-formats.md lists them";
            let wrong = misread(&self.data, "data", &error.to_string(), (outcome, fields));
            InputError::new(self.name.clone(), wrong.found)
                .in_field(wrong.path)
                .allowed(wrong.allowed)
                .help("search once more")
        })?;
        let again = serde_json::to_value(&read).unwrap_or_default();
        match beyond(&self.data, &again, "data", |_| &[]) {
            None => Ok(read),
            Some(unknown) => Err(self.wrong(unknown.path, "an unknown field", unknown.known.join(", "))),
        }
    }

    /// Checks that no task is attacked twice.
    ///
    /// # Errors
    /// The second of a name.
    pub fn check_each_once(&self, names: &[&str]) -> Result<(), InputError> {
        let mut numbered = names.iter().enumerate();
        match numbered.find(|(number, name)| names[..*number].contains(name)) {
            None => Ok(()),
            Some((number, name)) => Err(self.wrong(
                format!("data.tasks[{number}].name"),
                format!("{name:?} once more"),
                "each task once",
            )),
        }
    }

    /// Checks that what stands at `field` is what follows from the scenario.
    ///
    /// # Errors
    /// The first value that is another.
    pub fn check<T: Serialize>(&self, field: &str, found: &T, of_scenario: &T) -> Result<(), InputError> {
        let value = |of: &T| serde_json::to_value(of).unwrap_or_default();
        match difference(&value(found), &value(of_scenario), field) {
            None => Ok(()),
            Some((field, found, allowed)) => {
                Err(self.wrong(field, found, format!("{allowed}, which the scenario has there")))
            }
        }
    }
}

/// The first place in which two values differ, and both values there.
fn difference(one: &Value, other: &Value, path: &str) -> Option<(String, String, String)> {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            let mut pairs = a.iter().zip(b.values());
            pairs.find_map(|((key, a), b)| difference(a, b, &format!("{path}.{key}")))
        }
        // Lists of plain values are told whole.
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() && a.iter().any(Value::is_object) => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(i, (a, b))| difference(a, b, &format!("{path}[{i}]")))
        }
        (Value::Array(a), Value::Array(b)) if a != b && b.iter().any(Value::is_object) => Some((
            path.to_owned(),
            format!("{} of them", a.len()),
            format!("{} of them", b.len()),
        )),
        _ if one == other => None,
        _ => Some((path.to_owned(), one.to_string(), other.to_string())),
    }
}

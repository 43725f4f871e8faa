// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading a plan from its JSON document.

use super::fields::unknown;
use super::misread;
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

/// What a document has.
const PARTS: [&str; 3] = ["schema", "provenance", "data"];

impl Plan {
    /// Reads the document that `fresco plan` writes.
    ///
    /// # Errors
    /// The file cannot be read, holds no JSON, no plan of [`SCHEMA`], or a plan with fields that are unknown, missing or
    /// of another kind. Whether the plan is sound is for `fresco check` to say.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, InputError> {
        let path = path.as_ref();
        let text = fresco_input::read_file(path)?;
        Self::parse(&fresco_input::file_name(path), &text)
    }

    /// As [`Plan::load`], from a text; `file` is the name that errors give.
    ///
    /// # Errors
    /// As [`Plan::load`].
    pub fn parse(file: &str, text: &str) -> Result<Self, InputError> {
        let help = "give the JSON that `fresco plan` writes";
        let document: Value = serde_json::from_str(text).map_err(|error| {
            InputError::new(file, format!("found no JSON: {error}"))
                .at_line(error.line() as u32)
                .help(help)
        })?;
        let schema = document.get("schema").and_then(Value::as_str);
        if schema != Some(SCHEMA) {
            let found = schema.map_or("found no schema".to_owned(), |schema| {
                format!("found the schema {schema:?}")
            });
            return Err(InputError::new(file, found)
                .in_field("schema")
                .allowed(format!("{SCHEMA:?}"))
                .help(help));
        }
        let others = document.as_object().into_iter().flat_map(|parts| parts.keys());
        if let Some(other) = others.into_iter().find(|part| !PARTS.contains(&part.as_str())) {
            return Err(InputError::new(file, "found an unknown field")
                .in_field(other)
                .allowed(PARTS.join(", "))
                .help(help));
        }
        let Some(data) = document.get("data") else {
            return Err(InputError::new(file, "found no such field, and it is required")
                .in_field("data")
                .allowed("the plan")
                .help(help));
        };
        // From the text once more: a value does not know its line.
        let read =
            serde_json::from_str(text).map_err(|error| misread::error(file, error.line(), data, &error.to_string()));
        let Document { data: plan } = read?;
        names(file, &plan)?;
        commands(file, data)?;
        match unknown(data, &plan) {
            None => Ok(plan),
            Some(field) => Err(InputError::new(file, "found an unknown field")
                .in_field(field.path)
                .allowed(match field.known.is_empty() {
                    true => "no field".to_owned(),
                    false => field.known.join(", "),
                })
                .help(match field.meant {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => "remove it: nothing would heed it".to_owned(),
                })),
        }
    }
}

/// Checks that the plan and its tasks have names, by which results and folders are told apart.
fn names(file: &str, plan: &Plan) -> Result<(), InputError> {
    let tasks = plan.tasks.iter().enumerate();
    let tasks = tasks.map(|(number, task)| (format!("data.tasks[{number}].name"), &task.name));
    let mut all = std::iter::once(("data.name".to_owned(), &plan.name)).chain(tasks);
    match all.find(|(_, name)| name.trim().is_empty()) {
        None => Ok(()),
        Some((field, name)) => Err(InputError::new(file, format!("found {name:?}"))
            .in_field(field)
            .allowed("a name")
            .help("name it")),
    }
}

/// Checks that the commands of tasks are such that a program can be started, as the reader of scenarios does.
fn commands(file: &str, data: &Value) -> Result<(), InputError> {
    let tasks = data.get("tasks").and_then(Value::as_array).into_iter().flatten();
    for (number, task) in tasks.enumerate() {
        let Some(words) = task.get("command").and_then(Value::as_array) else {
            continue;
        };
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let wrong = match words.first() {
            None | Some(&"") => "found no program",
            Some(_) if words.iter().any(|word| word.contains('\0')) => "found a zero byte, at which a word would end",
            Some(_) => continue,
        };
        return Err(InputError::new(file, wrong)
            .in_field(format!("data.tasks[{number}].command"))
            .allowed("a program and its arguments, [\"./control\", \"--fast\"]")
            .help("name the program, or leave out the field"));
    }
    Ok(())
}

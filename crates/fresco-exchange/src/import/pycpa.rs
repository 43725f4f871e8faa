// SPDX-License-Identifier: MIT OR Apache-2.0
//! Event models of pyCPA: `{"unit": "us", "tasks": [{"name", "P", "J", "dmin", "phi", "wcet", "deadline", "core"}]}`, or CSV with these
//! columns. A script of Python is none of these.

use super::check::numbered;
use super::raw::{Given, Place, Raw, Source, clipped, unit_of};
use super::{ImportOptions, csv, push};
use crate::amount::Unit;
use fresco_input::InputError;
use serde_json::Value;

/// What the document has, and a task of it.
const PARTS: [&str; 3] = ["name", "unit", "tasks"];
const FIELDS: [&str; 9] = ["name", "P", "J", "dmin", "phi", "wcet", "deadline", "core", "priority"];

/// Reads JSON, or else CSV.
pub fn read(source: &Source<'_>, options: &ImportOptions, notes: &mut Vec<String>) -> Result<Vec<Raw>, InputError> {
    match source.text.trim_start().starts_with(['{', '[']) {
        true => json(source, options, notes),
        false => csv::read(source, options, csv::Names::Pycpa),
    }
}

fn json(source: &Source<'_>, options: &ImportOptions, notes: &mut Vec<String>) -> Result<Vec<Raw>, InputError> {
    let document: Value = serde_json::from_str(source.text).map_err(|error| {
        InputError::new(
            source.file,
            format!("column {}: found no JSON: {error}", error.column()),
        )
        .at_line(error.line() as u32)
        .allowed("an object with the list \"tasks\", or CSV")
        .help("write it as `python3 SCRIPT --json` of an exported script does")
    })?;
    let wrong = |field: &str, found: &str, allowed: &str| {
        source
            .error(&Place::Field(field.to_owned()), field, format!("found {found}"))
            .allowed(allowed)
            .help("docs/exchange.md has an example")
    };
    let Some(parts) = document.as_object() else {
        return Err(wrong("", "a list", "an object with the list \"tasks\""));
    };
    if let Some(other) = parts.keys().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(wrong(&clipped(other), "an unknown field", &PARTS.join(", ")));
    }
    let unit = match parts.get("unit") {
        None => None,
        Some(unit) => {
            let known = unit.as_str().and_then(Unit::of);
            Some(known.ok_or_else(|| wrong("unit", &clipped(&unit.to_string()), "\"ns\", \"us\", \"ms\" or \"s\""))?)
        }
    };
    if let (Some(own), Some(asked)) = (unit, options.unit)
        && own != asked
    {
        let found = format!("{:?}, and --unit {}", own.name(), asked.name());
        return Err(wrong("unit", &found, "one unit"));
    }
    let unit = unit_of(source, unit.or(options.unit))?;
    let Some(tasks) = parts.get("tasks").and_then(Value::as_array) else {
        return Err(wrong("tasks", "no such list", "a list of tasks"));
    };
    let mut raws = Vec::new();
    let mut with_priority = 0;
    for (number, task) in tasks.iter().enumerate() {
        let Some(fields) = task.as_object() else {
            return Err(wrong(
                &format!("tasks[{number}]"),
                "no object",
                "an object with name, P and wcet",
            ));
        };
        if let Some(other) = fields.keys().find(|field| !FIELDS.contains(&field.as_str())) {
            let field = format!("tasks[{number}].{}", clipped(other));
            return Err(wrong(&field, "an unknown field", &FIELDS.join(", ")));
        }
        with_priority += usize::from(fields.contains_key("priority"));
        let mut raw = Raw::at(numbered("tasks", number, ""), ["P", "wcet"]);
        raw.name = match fields.get("name") {
            None => None,
            Some(Value::String(name)) => Some(Given {
                value: name.clone(),
                shown: name.clone(),
                field: "name".to_owned(),
                place: numbered("tasks", number, "name"),
            }),
            Some(other) => {
                return Err(wrong(
                    &format!("tasks[{number}].name"),
                    &clipped(&other.to_string()),
                    "a text",
                ));
            }
        };
        let text = |field: &str| match fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(value)) => Ok(Some(value.to_string())),
            Some(other) => {
                let path = format!("tasks[{number}].{field}");
                Err(wrong(&path, &clipped(&other.to_string()), "a number"))
            }
        };
        let time = |field: &str| {
            let text = text(field)?;
            let place = numbered("tasks", number, field);
            text.map(|text| source.time(&text, unit, field, place)).transpose()
        };
        raw.period = time("P")?;
        raw.arrival_jitter = time("J")?;
        raw.min_distance = time("dmin")?;
        raw.phase = time("phi")?;
        raw.wcet = time("wcet")?;
        raw.deadline = time("deadline")?;
        raw.core = match text("core")? {
            Some(text) => Some(source.count(&text, "core", numbered("tasks", number, "core"))?),
            None => None,
        };
        push(source, &mut raws, raw)?;
    }
    if with_priority > 0 {
        notes.push(format!(
            "priority of {with_priority} tasks: plan.policy of the scenario says who goes first"
        ));
    }
    Ok(raws)
}

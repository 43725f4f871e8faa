// SPDX-License-Identifier: MIT OR Apache-2.0
//! `program` and `parameters` of a task.

use fresco_input::{Document, InputError, Table, quoted};
use fresco_load::{ProgramKind, ProgramSpec};
use std::path::Path;

/// Parameters that say how long a program runs, which a scenario says otherwise.
const LENGTHS: [&str; 2] = ["passes", "warmup"];

/// The program of a task with its parameters; `None` if it names none and need not. It runs without end: how long is said
/// by `[warm_up]` and `[measure]`, or by its jobs.
///
/// # Errors
/// No such program, parameters that it does not take or without a program, a length of its own.
pub(super) fn read(task: &Table<'_>, is_required: bool) -> Result<Option<ProgramSpec>, InputError> {
    if !is_required && !task.has("program") {
        if task.has("parameters") {
            return Err(task
                .error_at("parameters", "found parameters without a program")
                .allowed("program and parameters, or neither")
                .help("name the program"));
        }
        return Ok(None);
    }
    let kind = fresco_load::program_of(task)?;
    let spec = match task.opt_table("parameters")? {
        Some(table) => {
            refuse_unknown(&table, kind)?;
            kind.read(&table)?
        }
        None => {
            let none = Document::parse(&task.error("").file, "[parameters]")?;
            let read = kind.read(&none.root().table("parameters")?);
            read.map_err(|error| {
                let path = format!("{}.{}", task.path(), error.field);
                let help = format!("add {} = … to this [[task]]", error.field);
                let missing = task.error(error.found.clone()).in_field(path);
                missing.allowed(error.allowed.clone()).help(help)
            })?
        }
    };
    Ok(Some(spec.endless()))
}

/// The parameters of a task as lines of TOML, as a plan has them: a file that the program reads is named as seen from the
/// working directory, not from `trace_dir`.
///
/// # Errors
/// They are no table.
pub(crate) fn parameters_as_toml(
    task: &Table<'_>,
    program: &ProgramSpec,
    trace_dir: &Path,
) -> Result<String, InputError> {
    let Some(table) = task.opt_table("parameters")? else {
        return Ok(String::new());
    };
    let mut lines = String::new();
    let file = program.kind().parameters().find(|parameter| parameter.is_file());
    for key in table.keys() {
        let value = match program.file() {
            Some(name) if file.is_some_and(|file| file.name == key) => quoted(&trace_dir.join(name).to_string_lossy()),
            _ => table.item(key, "")?.to_toml(),
        };
        lines += &format!("{key} = {value}\n");
    }
    Ok(lines)
}

/// Refuses lengths of the program's own and keys that are none of its parameters, and names those that may be set.
fn refuse_unknown(parameters: &Table<'_>, program: &ProgramKind) -> Result<(), InputError> {
    let names: Vec<&str> = program.parameters().map(|parameter| parameter.name).collect();
    if let Some(key) = LENGTHS
        .into_iter()
        .find(|key| names.contains(key) && parameters.has(key))
    {
        let error = parameters.error_at(key, "found a length of the program's own");
        let allowed = "[warm_up] and [measure] of the scenario, which hold for all tasks";
        return Err(error
            .allowed(allowed)
            .help("remove it, and write [measure] passes = … instead"));
    }
    let Some(key) = parameters.keys().find(|key| !names.contains(key)) else {
        return Ok(());
    };
    let allowed: Vec<&str> = names.into_iter().filter(|name| !LENGTHS.contains(name)).collect();
    let help = match fresco_input::closest(key, allowed.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("remove it; fresco sim --programs explains those of {}", program.name),
    };
    let error = parameters.error_at(key, format!("found no parameter of {}", program.name));
    Err(error.allowed(allowed.join(", ")).help(help))
}

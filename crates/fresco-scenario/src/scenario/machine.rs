// SPDX-License-Identifier: MIT OR Apache-2.0
//! `machine`, with the values that a scenario has in place of its file's.

use super::assignment::Assignment;
use super::place::moved;
use crate::plan::PlannedMachine;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;
use std::path::{Path, PathBuf};

/// A machine and where it came from.
pub(crate) struct MachineRead {
    pub machine: Machine,
    /// Its file, unless it is built in.
    pub path: Option<PathBuf>,
    /// How it is named and what is changed in its file.
    pub planned: PlannedMachine,
}

/// What of a machine a scenario may set: tables as they stand in the machine's file, and single values.
pub(crate) const OF_MACHINE: &[&str] = &[
    "cores",
    "page",
    "core",
    "l1",
    "l1i",
    "l2",
    "llc",
    "topology",
    "coherence",
    "fabric",
    "memory",
    "calibration",
];

/// Those that are single values.
const VALUES_OF_MACHINE: &[&str] = &["cores", "page", "calibration"];

/// A key that a built-in machine lacks only because of what the scenario sets beside it, at the place of that: of the values set in its table the one whose key
/// begins most alike, as `page` and `page_idle` do.
fn needed_by(error: InputError, assignments: &[Assignment]) -> InputError {
    let table = |key: &str| key.rsplit_once('.').map(|(table, _)| table.to_owned());
    let alike = |key: &str| {
        std::iter::zip(key.bytes(), error.field.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let beside = assignments.iter().filter(|one| table(&one.key) == table(&error.field));
    match beside.max_by_key(|one| alike(&one.key)) {
        None => error,
        Some(assignment) => assignment.needs(&error),
    }
}

/// Reads `machine`, or `default` where none is named. `directory` is that of the file.
///
/// # Errors
/// None is named and there is no default; there is no such machine; a value in place of its file's does not suit it.
pub(crate) fn read(root: &Table<'_>, directory: &Path, default: Option<&str>) -> Result<MachineRead, InputError> {
    let name = match (root.opt_text("machine")?, default) {
        (Some(name), _) | (None, Some(name)) => name,
        (None, None) => root.text("machine")?,
    };
    let is_path = fresco_machine::is_path(name);
    let path = match fresco_input::is_standard_input(name) {
        true => Some(PathBuf::from(name)),
        false => is_path.then(|| directory.join(name)),
    };
    let given = path
        .as_ref()
        .map_or_else(|| name.to_owned(), |path| path.display().to_string());
    let mut assignments = Vec::new();
    for key in OF_MACHINE.iter().filter(|key| root.has(key)) {
        if VALUES_OF_MACHINE.contains(key) {
            let item = root.item(key, "")?;
            assignments.push(Assignment::new(key, &item, &format!("`{key}`")));
        } else {
            let table = root.table(key)?;
            assignments.extend(Assignment::all_in(&table, key, &format!("[{key}]"))?);
        }
    }
    let changes: Vec<_> = assignments.iter().map(|a| (a.key.clone(), a.value.clone())).collect();
    let machine = fresco_machine::load_with(&given, &changes).map_err(|error| {
        let error = assignments
            .iter()
            .fold(error, |error, assignment| assignment.relocate(error));
        let error = match error.file.starts_with("built-in machine ") && error.found == "missing" {
            true => needed_by(error, &assignments),
            false => error,
        };
        match error.file.starts_with("machine ") {
            // The scenario's line is of more use than the name that stands there.
            true => moved(&error, &root.error_at("machine", ""), error.found.clone()),
            false => error,
        }
    })?;
    let planned = PlannedMachine {
        given,
        name: machine.name.clone(),
        digest: machine.text_digest.clone(),
        changes,
    };
    Ok(MachineRead { machine, path, planned })
}

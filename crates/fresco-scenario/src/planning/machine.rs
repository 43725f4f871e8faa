// SPDX-License-Identifier: MIT OR Apache-2.0
//! `machine`, with the values of `[memory]` in place of its file's.

use crate::plan::PlannedMachine;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;
use std::path::Path;

/// The machine of a set that names none: that of the refresh chapters.
const DEFAULT: &str = "ss-rtmc";

/// A value of `[memory]`, and an error at its place, to be told instead of one at the change that it becomes.
struct Change {
    key: String,
    value: String,
    place: InputError,
}

/// Loads the machine.
pub(super) fn read(root: &Table<'_>, directory: &Path) -> Result<(Machine, PlannedMachine), InputError> {
    let name = root.opt_text("machine")?.unwrap_or(DEFAULT);
    if fresco_input::is_standard_input(name) {
        // Who checks the plan has another standard input.
        let error = root.error_at("machine", "found \"-\"");
        let error = error.allowed("a built-in machine, or the path of a machine file");
        return Err(error.help("write the machine into a file, and name that"));
    }
    let is_path = name.contains('/') || name.ends_with(".toml");
    let given = match is_path {
        true => directory.join(name).display().to_string(),
        false => name.to_owned(),
    };
    let mut found = Vec::new();
    if let Some(memory) = root.opt_table("memory")? {
        for (key, item) in memory.leaves("memory")? {
            let (value, place) = (item.to_toml(), item.error(""));
            found.push(Change { key, value, place });
        }
    }
    let changes: Vec<_> = found.iter().map(|c| (c.key.clone(), c.value.clone())).collect();
    let machine = fresco_machine::load_with(&given, &changes).map_err(|error| {
        let of_name = error.file.starts_with("machine ");
        let own = |change: &&Change| error.file == format!("--set {}={}", change.key, change.value);
        match found.iter().find(own) {
            Some(change) => error.moved_to(&change.place),
            None if of_name => error.moved_to(&root.error_at("machine", "").in_field("machine")),
            None => error,
        }
    })?;
    let planned = PlannedMachine {
        given,
        name: machine.name.clone(),
        digest: machine.text_digest.clone(),
        changes,
    };
    Ok((machine, planned))
}

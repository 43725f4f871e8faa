// SPDX-License-Identifier: MIT OR Apache-2.0
//! `machine`, with the values of `[memory]` in place of its file's.

use crate::plan::PlannedMachine;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;
use std::path::Path;

/// The machine of a set that names none: that of the refresh chapters.
const DEFAULT: &str = "ss-rtmc";

/// Loads the machine.
pub(super) fn read(root: &Table<'_>, directory: &Path) -> Result<(Machine, PlannedMachine), InputError> {
    let name = root.opt_text("machine")?.unwrap_or(DEFAULT);
    let is_path = name.contains('/') || name.ends_with(".toml");
    let given = match is_path {
        true => directory.join(name).display().to_string(),
        false => name.to_owned(),
    };
    let mut changes = Vec::new();
    if let Some(memory) = root.opt_table("memory")? {
        leaves(&memory, "memory", &mut changes)?;
    }
    let machine = fresco_machine::load_with(&given, &changes)?;
    let planned = PlannedMachine {
        given,
        name: machine.name.clone(),
        digest: machine.text_digest.clone(),
        changes,
    };
    Ok((machine, planned))
}

/// The values below a table that are no tables, with their dotted keys.
fn leaves(table: &Table<'_>, prefix: &str, found: &mut Vec<(String, String)>) -> Result<(), InputError> {
    for key in table.keys() {
        let item = table.item(key, "")?;
        let path = format!("{prefix}.{key}");
        if item.is_table() {
            leaves(&item.table()?, &path, found)?;
        } else {
            found.push((path, item.to_toml()));
        }
    }
    Ok(())
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values that a scenario sets elsewhere in itself: from its sweep, its variants, the command line.

use super::place::moved;
use fresco_input::{Document, InputError, Item, Table};

/// `key = value`, and where that was written.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    /// Dotted key; a task is named, not numbered: `task.foreground.banks`.
    pub key: String,
    /// TOML.
    pub value: String,
    /// File and line of the value, for errors.
    place: InputError,
    /// What set it: `variant "samebank"`, `the sweep`.
    setter: String,
}

impl Assignment {
    /// Sets `key` to the value of `item`.
    pub fn new(key: &str, item: &Item<'_>, setter: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: item.to_toml(),
            place: item.error(""),
            setter: setter.to_owned(),
        }
    }

    /// All values below `table`, under keys that begin with `prefix`.
    pub fn all_in(table: &Table<'_>, prefix: &str, setter: &str) -> Result<Vec<Self>, InputError> {
        let mut found = Vec::new();
        for (key, item) in leaves(table, prefix)? {
            found.push(Self::new(&key, &item, setter));
        }
        Ok(found)
    }

    /// Applies it to the document it came from.
    pub fn apply(&self, document: &mut Document) -> Result<(), InputError> {
        let key = numbered(document, &self.key)?;
        document
            .set_value(&key, &self.value)
            .map_err(|error| self.relocate(error))
    }

    /// An error that came of this value, at the line where it was written instead of under the name of an override.
    /// Errors of other origin stay as they are.
    pub fn relocate(&self, error: InputError) -> InputError {
        let Some(label) = error.file.strip_prefix("--set ") else {
            return error;
        };
        let (label, whole) = match label.strip_suffix('…') {
            Some(cut) => (cut, false),
            None => (label, true),
        };
        // The reader names an override `key=value`, the key with the number of the task; cut off if it is long.
        let Some((key, value)) = label.split_once('=') else {
            return error;
        };
        let last = |key: &str| key.rsplit('.').next().map(str::to_owned);
        let same_value = if whole {
            self.value == value
        } else {
            self.value.starts_with(value)
        };
        if !same_value || last(key) != last(&self.key) {
            return error;
        }
        moved(&error, &self.place, format!("{} (set by {})", error.found, self.setter))
    }
}

/// The values below a table that are no tables, with their dotted keys.
pub(crate) fn leaves<'d>(table: &Table<'d>, prefix: &str) -> Result<Vec<(String, Item<'d>)>, InputError> {
    let mut found = Vec::new();
    for key in table.keys() {
        let item = table.item(key)?;
        let path = if prefix.is_empty() {
            key.to_owned()
        } else {
            format!("{prefix}.{key}")
        };
        if item.is_table() {
            found.extend(leaves(&item.table()?, &path)?);
        } else {
            found.push((path, item));
        }
    }
    Ok(found)
}

/// The key as the document knows it: tasks by number. `task.foreground.banks` becomes `task.0.banks`.
///
/// # Errors
/// There is no task of this name.
pub(crate) fn numbered(document: &Document, key: &str) -> Result<String, InputError> {
    let Some((name, rest)) = key.strip_prefix("task.").and_then(|rest| rest.split_once('.')) else {
        return Ok(key.to_owned());
    };
    let tasks = document.root().array_of_tables("task")?;
    let names: Vec<&str> = tasks.iter().filter_map(|task| task.text("name").ok()).collect();
    match names.iter().position(|known| *known == name) {
        Some(number) => Ok(format!("task.{number}.{rest}")),
        None => {
            let error = InputError::new(document.file(), format!("found the task {name:?}")).in_field(key);
            let cure = match fresco_input::closest(name, names.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => "name a task of the scenario".to_owned(),
            };
            Err(error.allowed(names.join(", ")).cure(cure))
        }
    }
}

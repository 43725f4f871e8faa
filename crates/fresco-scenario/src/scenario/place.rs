// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors at a place that was remembered.

use fresco_input::{InputError, Table};

/// An error at the file, line and field of `place`.
pub fn error_at(place: &InputError, found: impl Into<String>) -> InputError {
    InputError::at_place(place, found)
}

/// The same error at another place, and perhaps with more to say about what was found.
pub fn moved(error: &InputError, place: &InputError, found: String) -> InputError {
    let moved = error.moved_to(place);
    InputError::at_place(&moved, found)
        .allowed(moved.allowed.clone())
        .help(moved.help.clone())
        .of_kind(moved.kind)
}

/// Of two places in which a name is given, that of the mistake: the second, unless `--set` gave the first and the file the second. `root` is
/// the file's own table.
pub fn of_second<'p>(first: &'p InputError, second: &'p InputError, root: &Table<'_>) -> &'p InputError {
    let file = root.error("").file.clone();
    match first.file != file && second.file == file {
        true => first,
        false => second,
    }
}

/// Where memory was asked for, for errors that are found later: at the first of `keys` of `table` that the command line, the
/// sweep or a variant sets, else at the table. `name` is its dotted path, by name. No key counts as asked for.
pub(super) fn asked_at(table: &Table<'_>, name: String, keys: &[&str]) -> InputError {
    let written = table.error("").in_field(name);
    let set = |key: &&str| Some(table.error_at(key, "")).filter(|place| place.file != written.file);
    keys.iter().find_map(set).unwrap_or(written)
}

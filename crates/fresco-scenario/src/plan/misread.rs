// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cannot be read in a plan's document.

use super::Plan;
use super::fields::part_misread;
use crate::reading::misread;
use fresco_input::InputError;
use serde::Deserialize;
use serde_json::Value;

/// The error of a document of which `data` is no plan; `message` is what the reader of JSON says of it.
pub(super) fn error(file: &str, line: usize, data: &Value, message: &str) -> InputError {
    let part = part_misread(data);
    let fields = "the fields of a plan, as docs/file-formats.md lists them";
    let wrong = misread(data, &part, message, (outcome, fields));
    let error = InputError::new(file, wrong.found).allowed(wrong.allowed);
    // Of parts that are told apart by their kind the reader knows but the last line.
    let by_kind = ["data.schedule", "data.refresh", "data.proofs", "data.high"];
    match by_kind.iter().any(|start| wrong.path.starts_with(start)) {
        true => error,
        false => error.at_line(line as u32),
    }
    .in_field(wrong.path)
    .help("mend the field, or plan again: `fresco plan` writes it")
}

/// What the reader of JSON says of a plan; `None` if it is one.
fn outcome(data: &Value) -> Option<String> {
    Plan::deserialize(data).err().map(|error| error.to_string())
}

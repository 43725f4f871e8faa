// SPDX-License-Identifier: MIT OR Apache-2.0
//! A verb's result on standard output: JSON for programs, tables for people, what was run under both.

use crate::failure::Failure;
use fresco_report::{Document, Provenance, ReportError, Table};
use serde::Serialize;
use std::io::Write;

/// Prints `data` as a JSON document of `schema` if `json`, else the tables, one after the other.
pub fn print<T: Serialize>(
    json: bool,
    schema: &str,
    provenance: &Provenance,
    data: &T,
    tables: impl FnOnce() -> Result<Vec<Table>, ReportError>,
) -> Result<(), Failure> {
    let bytes = match json {
        true => {
            let document = Document {
                schema,
                provenance,
                data,
            };
            document.to_bytes()?
        }
        false => text(&tables()?, crate::terminal_width(), provenance).into_bytes(),
    };
    std::io::stdout().lock().write_all(&bytes)?;
    Ok(())
}

/// The tables with an empty line between them; what was run under the last.
fn text(tables: &[Table], width: usize, provenance: &Provenance) -> String {
    let parts: Vec<String> = tables
        .iter()
        .enumerate()
        .map(|(index, table)| match index + 1 == tables.len() {
            true => table.to_text_with(width, provenance),
            false => table.to_text(width),
        })
        .collect();
    parts.join("\n")
}

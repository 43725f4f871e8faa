// SPDX-License-Identifier: MIT OR Apache-2.0
//! A verb's result on standard output: JSON for programs, tables for people, what was run under both.

use crate::failure::Failure;
use fresco_report::{Document, Provenance, ReportError, Table};
use fresco_streams::{Stream, was_open};
use rustix::io::Errno;
use serde::Serialize;
use std::io::{self, Write};

/// Prints `data` as a JSON document of `schema` if `json`, else the tables, one after the other.
pub fn print<T: Serialize>(
    json: bool,
    schema: &str,
    provenance: &Provenance,
    data: &T,
    tables: impl FnOnce() -> Result<Vec<Table>, ReportError>,
) -> Result<(), Failure> {
    if json {
        let document = Document {
            schema,
            provenance,
            data,
        };
        return write(document.to_bytes()?);
    }
    write_text(&text(&tables()?, crate::terminal_width(), provenance))
}

/// Writes a text for people: names from files may hold characters that a terminal obeys, which are written as escapes.
///
/// # Errors
/// As [`write()`].
pub fn write_text(text: &str) -> Result<(), Failure> {
    let is_obeyed = |c: char| c.is_control() && c != '\n';
    if !text.contains(is_obeyed) {
        return write(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match is_obeyed(c) {
            true => plain.extend(c.escape_default()),
            false => plain.push(c),
        }
    }
    write(plain)
}

/// Writes to standard output, all of it at once: what cannot be written is told, down to the last byte.
///
/// # Errors
/// Standard output is closed, its reader has gone away, the disk is full.
pub fn write(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    check_open()?;
    let mut out = io::stdout().lock();
    out.write_all(bytes.as_ref())?;
    out.flush()?;
    Ok(())
}

/// Makes sure that there is a standard output.
///
/// # Errors
/// The program was started without one.
pub fn check_open() -> Result<(), Failure> {
    match was_open(Stream::Output) {
        true => Ok(()),
        false => Err(io::Error::from(Errno::BADF).into()),
    }
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

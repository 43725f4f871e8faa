// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map detect --method registers`: the map that the registers of memory controllers describe, from a dump.

use crate::failure::Outcome;
use crate::verbs::map::functions::MapView;
use crate::{output, provenance};
use fresco_detect::registers::{Dump, map_of};
use fresco_input::{InputError, read_file};
use fresco_report::InputFile;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// What is reported: schema `fresco-map-registers/1`.
#[derive(Debug, Serialize)]
struct Report {
    /// The dump.
    file: String,
    /// Banks of the whole memory.
    banks: u32,
    /// As `fresco map show` has it.
    map: MapView,
}

/// Decodes the dump and shows the map.
pub fn run(dump: Option<&Path>, json: bool) -> Outcome {
    let Some(path) = dump else {
        return Err(InputError::new("--method registers", "found no dump of registers")
            .allowed("--dump FILE: what `lspci -xxxx` prints, as root; registers of the running machine are not read")
            .cure("dump them: sudo lspci -xxxx > dump.txt")
            .into());
    };
    let file = path.display().to_string();
    let text = read_file(path)?;
    let map = map_of(&Dump::parse(&text, &file)?)?;
    let mut provenance = provenance::of_this_run(None);
    provenance.inputs = vec![InputFile::new(file.clone(), provenance::digest(&text))];
    let report = Report {
        banks: map.organisation().banks_total(),
        map: MapView::of_machine(&map),
        file,
    };
    output::print(json, "fresco-map-registers/1", &provenance, &report, || {
        report
            .map
            .tables(&format!("Address map by the registers in {}", report.file))
    })?;
    Ok(ExitCode::SUCCESS)
}

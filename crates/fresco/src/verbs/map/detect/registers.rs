// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map detect --method registers`: the map that the registers of memory controllers describe, of this machine or from a dump.

use super::proved;
use crate::failure::{Failure, Outcome};
use crate::verbs::map::functions::MapView;
use crate::{output, outputs, provenance};
use fresco_detect::registers::{Dump, family_of, map_of};
use fresco_input::{InputError, file_name, read_file};
use fresco_linux::probe::{Conditions, pci_functions};
use fresco_report::InputFile;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// What is reported: schema `fresco-map-registers/1`.
#[derive(Debug, Serialize)]
struct RegistersReport {
    /// The dump, or where registers were read.
    file: String,
    /// Banks of the whole memory.
    banks: u32,
    /// As `fresco map show` has it.
    map: MapView,
}

/// The registers of the machine whose `sys` and `proc` are in `root`.
fn of_machine(root: &Path) -> Dump {
    let name = root.join("sys/bus/pci/devices").display().to_string();
    Dump::of_functions(pci_functions(root), &name)
}

/// Returns true if the registers of the machine are those of a family that is decoded.
pub fn family_is_here(root: &Path) -> bool {
    family_of(&of_machine(root)).is_some()
}

/// Says which processor it is whose registers are not decoded.
fn here(error: InputError, dump: &Dump, root: &Path) -> InputError {
    if family_of(dump).is_some() {
        return error;
    }
    let processor = Conditions::read(&root.join("proc")).family;
    let of = match processor.as_str() {
        "" => String::new(),
        processor => format!(" (this is {processor})"),
    };
    InputError::new(dump.file().to_owned(), format!("{}{of}", error.found))
        .allowed(error.allowed.clone())
        .help(error.help.clone())
}

/// Decodes the dump, or the registers of the machine in `root`, and shows the map.
pub fn run(dump: Option<&Path>, root: &Path, json: bool) -> Outcome {
    let mut provenance = provenance::of_this_run(None);
    let mut kept = Ok(());
    let (map, file) = match dump {
        Some(path) => {
            let file = file_name(path);
            let text = read_file(path)?;
            provenance.inputs = vec![InputFile::new(file.clone(), provenance::digest(&text))];
            (map_of(&Dump::parse(&text, &file)?)?, file)
        }
        None => {
            if !root.is_dir() {
                let found = match root.exists() {
                    true => "found a file",
                    false => "found no such directory",
                };
                return Err(InputError::new(root.display().to_string(), found)
                    .in_field("--root")
                    .allowed("a directory that holds a machine's sys and proc")
                    .help("name the directory that these were copied into")
                    .into());
            }
            let dump = of_machine(root);
            let map = map_of(&dump).map_err(|error| here(error, &dump, root))?;
            if root == Path::new("/") {
                kept = super::kept(proved::read_from_registers(&map, &provenance));
            }
            (map, dump.file().to_owned())
        }
    };
    let report = RegistersReport {
        banks: map.organisation().banks_total(),
        map: MapView::of_machine(&map),
        file,
    };
    let printed = output::print(json, "fresco-map-registers/1", &provenance, &report, || {
        report
            .map
            .tables(&format!("Address map by the registers in {}", report.file))
    });
    outputs::all([kept.map_err(Failure::from), printed])?;
    Ok(ExitCode::SUCCESS)
}

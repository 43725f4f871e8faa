// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a result was made of, as its provenance names it: machines and traces, each with its digest.

use fresco_input::{InputError, file_name};
use fresco_load::trace::digest_of_file;
use fresco_machine::Machine;
use fresco_report::{InputFile, Provenance};
use fresco_scenario::Scenario;
use std::path::Path;

/// Digest of a text, as machine files have it.
pub fn digest(text: &str) -> String {
    fresco_machine::digest(text, &[])
}

/// A machine with its digest; `given` is how the user named it, which tells the file if it is one.
pub fn machine_file(machine: &Machine, given: &str) -> InputFile {
    let path = (given != machine.name && !fresco_machine::is_text(given)).then(|| Path::new(given));
    named_machine(&machine.name, path, &machine.text_digest)
}

/// A machine by name and, unless it is built in, file.
pub fn named_machine(name: &str, path: Option<&Path>, digest: &str) -> InputFile {
    match path {
        Some(path) => InputFile::new(format!("{name} ({})", file_name(path)), digest),
        None => InputFile::new(name, digest),
    }
}

/// Adds the machines and traces of a scenario.
///
/// # Errors
/// A trace cannot be read.
pub fn add_files(provenance: &mut Provenance, scenario: &Scenario) -> Result<(), InputError> {
    for machine in scenario.machines() {
        let file = named_machine(&machine.name, machine.path.as_deref(), &machine.digest);
        add(&mut provenance.machine_files, file);
    }
    for trace in scenario.traces() {
        let file = InputFile::new(trace.name, digest_of_file(&trace.path)?);
        add(&mut provenance.inputs, file);
    }
    Ok(())
}

/// Adds a file unless it is there.
pub fn add(files: &mut Vec<InputFile>, file: InputFile) {
    if !files.contains(&file) {
        files.push(file);
    }
}

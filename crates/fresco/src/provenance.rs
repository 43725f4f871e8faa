// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was run: version, command line, seed, machine files. Stands in everything the program prints as a result.

use fresco_report::{InputFile, Provenance};

/// The provenance of this invocation.
pub fn of_this_run(seed: u64) -> Provenance {
    let mut words = vec!["fresco".to_owned()];
    words.extend(std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())));
    Provenance::new(env!("CARGO_PKG_VERSION"), &words.join(" "), seed)
}

/// A machine file with its digest.
pub fn machine_file(machine: &fresco_machine::Machine) -> InputFile {
    InputFile::new(&machine.name, &machine.text_digest)
}

/// A file that was read, with its size: enough to notice another one of the same name.
pub fn input_file(path: &std::path::Path) -> InputFile {
    let size = std::fs::metadata(path).map_or_else(|_| "a stream".to_owned(), |file| format!("{} bytes", file.len()));
    InputFile::new(path.display().to_string(), size)
}

/// A word as a shell would have to be given it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What pages cost on the kernel of `kernel/`, as `scripts/kernel-test cost` recorded it: instructions, counted in QEMU.

mod read;
mod state;

use fresco_input::{InputError, file_name, is_standard_input, read_file};
use fresco_report::InputFile;
use serde::Serialize;
use state::State;
use std::path::Path;

/// The record that is part of the program, and where it is in the source.
const BUILTIN: (&str, &str) = (
    "kernel/measured/cost.toml",
    include_str!("../../../../kernel/measured/cost.toml"),
);

/// A record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// The file it was read from, with its digest.
    pub file: InputFile,
    /// Checksum of the patches, as `scripts/kernel-state` prints it.
    pub state: String,
    /// Names of the patches, in order.
    pub patches: Vec<String>,
    /// The kernel that was patched.
    pub kernel: String,
    /// What compiled it.
    pub compiler: String,
    /// What it ran in.
    pub qemu: String,
    /// What was typed.
    pub command: String,
    /// Checks that it is of the patches that this program comes with; else says how it is not.
    pub remark: String,
    /// Page faults, by setting.
    #[serde(skip)]
    pub faults: Vec<Fault>,
    /// Page allocations alone, by policy and size.
    #[serde(skip)]
    pub allocations: Vec<Allocation>,
    /// Programs' starts, by policy and number of colors.
    #[serde(skip)]
    pub starts: Vec<Start>,
}

/// Instructions per page of memory that is used and given back.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which colors of how many, or which kernel.
    pub setting: String,
    /// First use.
    pub fault: u64,
    /// Use after it was given back once.
    pub recycled: u64,
    /// Giving back.
    pub unmap: u64,
    /// The most expensive fault.
    pub longest: u64,
}

/// Instructions of a page allocation, when so much is allocated.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// `buddy` on the kernel without the patches, `colored` in four of sixteen banks.
    pub policy: &'static str,
    /// How much.
    pub size_mib: u32,
    /// Of one page.
    pub mean: u64,
    /// The most expensive.
    pub longest: u64,
}

/// Instructions of a program's start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// `unpatched` kernel, `uncolored` program, `colored`, `ahead`: colored with pages allocated ahead.
    pub policy: &'static str,
    /// How many colors; 0 without.
    pub colors: u32,
    /// Of `exec`, pages allocated ahead included.
    pub exec: u64,
    /// Per page, at the first use.
    pub first: u64,
    /// Per page, after all were given back.
    pub again: u64,
    /// The most expensive fault.
    pub longest: u64,
}

impl Record {
    /// The record of a file; without one, that which is part of the program.
    ///
    /// # Errors
    /// The file cannot be read, or is no such record.
    pub fn load(file: Option<&Path>) -> Result<Self, InputError> {
        let (name, text) = match file {
            Some(path) => (file_name(path), read_file(path).map_err(|error| missing(path, error))?),
            None => (BUILTIN.0.to_owned(), BUILTIN.1.to_owned()),
        };
        let digest = fresco_machine::digest(&text, &[]);
        read::record(InputFile::new(name, digest), &text, &State::present())
    }

    /// What was measured, with what, and whether that is what there is now: a line each.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let patches = self.patches.len();
        vec![
            ("record", format!("{} (digest {})", self.file.name, self.file.digest)),
            (
                "kernel",
                format!("{}, {patches} patches, state {}", self.kernel, self.state),
            ),
            (
                "measured",
                format!("{}; {}; {}", self.command, self.qemu, self.compiler),
            ),
            ("state", self.remark.clone()),
        ]
    }
}

/// Where there is no file yet, one can be made.
fn missing(path: &Path, error: InputError) -> InputError {
    match path.exists() || is_standard_input(path) {
        true => error,
        false => error.help("check the path; scripts/kernel-test cost writes a record to out/kernel-cost.toml"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_record_is_sound() {
        let record = Record::load(None).expect("it is sound");
        assert!(record.faults.iter().any(|row| row.setting == "unpatched"));
        assert_eq!(record.allocations.len(), 2 * crate::experiments::SIZES_MIB.len());
        assert!(!record.starts.is_empty() && !record.patches.is_empty());
    }
}

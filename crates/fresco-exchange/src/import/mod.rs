// SPDX-License-Identifier: MIT OR Apache-2.0
//! Task sets of other tools as scenarios that `fresco plan` reads.

mod check;
mod cheddar;
mod csv;
mod pycpa;
mod raw;
mod scenario;
mod schedcat;
mod xml;

use crate::amount::Unit;
use crate::times::Times;
use fresco_input::{InputError, MAX_TEXT_BYTES, larger};
use raw::{Raw, Source};

/// Most tasks of a set that are read.
const MOST_TASKS: usize = 100_000;

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Importer {
    /// XML of SchedCAT.
    Schedcat,
    /// XML of Cheddar, versions 2 and 3.
    Cheddar,
    /// A line for each task.
    Csv,
    /// Event models P, J, dmin, as JSON or CSV.
    Pycpa,
}

impl Importer {
    /// Every format with its name.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("schedcat", Self::Schedcat),
        ("cheddar", Self::Cheddar),
        ("csv", Self::Csv),
        ("pycpa", Self::Pycpa),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.into_iter().find(|&(_, importer)| importer == self);
        named.expect("every importer has a name").0
    }
}

/// How to import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The unit of numbers without one. SchedCAT's are microseconds if nothing is said, others have to be told.
    pub unit: Option<Unit>,
}

/// A task set that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// A name for the scenario, if it is to have one.
    pub name: Option<String>,
    /// The tasks, in the order of the file; one or more.
    pub tasks: Vec<ImportedTask>,
    /// What of the file was left out, as it says nothing of times.
    pub notes: Vec<String>,
}

/// A task that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedTask {
    /// Unique name.
    pub name: String,
    /// When it runs.
    pub times: Times,
    /// Its core: of all tasks, or of none.
    pub core: Option<u32>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
}

/// Reads a task set; `file` is the name that errors give.
///
/// # Errors
/// Text that is none of the format; numbers that are none, negative, or finer than a nanosecond; times that make no task, names that are
/// missing, used twice, or none of a scenario; what a scenario cannot say, such as shared resources and precedence.
pub fn import(importer: Importer, file: &str, text: &str, options: &ImportOptions) -> Result<Imported, InputError> {
    if text.len() as u64 > MAX_TEXT_BYTES {
        return Err(larger(file, &format!("{} bytes", text.len())).help("split the set"));
    }
    let source = Source { file, text };
    let mut notes = Vec::new();
    let raws = match importer {
        Importer::Schedcat => schedcat::read(&source, options, &mut notes)?,
        Importer::Cheddar => cheddar::read(&source, options, &mut notes)?,
        Importer::Csv => csv::read(&source, options, csv::Names::Plain)?,
        Importer::Pycpa => pycpa::read(&source, options, &mut notes)?,
    };
    Ok(Imported {
        name: None,
        tasks: check::tasks(&source, raws)?,
        notes,
    })
}

/// Adds a task, unless there are too many.
fn push(source: &Source<'_>, raws: &mut Vec<Raw>, raw: Raw) -> Result<(), InputError> {
    if raws.len() == MOST_TASKS {
        let found = format!("more than {MOST_TASKS} tasks");
        return Err(source
            .error(&raw.place, "task", format!("found {found}"))
            .allowed(format!("{MOST_TASKS} tasks at most"))
            .help("split the set")
            .too_large());
    }
    raws.push(raw);
    Ok(())
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco loop` has recorded in a directory, and a scenario that replays it.

use super::points;
use crate::scenarios;
use clap::ValueEnum;
use fresco_input::{Document, InputError, file_name, quoted, read_file};
use fresco_report::InputFile;
use fresco_scenario::{Setup, Source};
use fresco_system::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The file that says what is in the directory.
pub const FILE: &str = "recordings.json";
/// Its schema.
pub const SCHEMA: &str = "fresco-recordings/1";

/// All recordings of a directory.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recordings {
    /// [`SCHEMA`].
    pub schema: String,
    /// The tool and its version.
    pub tool: String,
    /// The command line.
    pub command: String,
    /// The scenario's file, and its digest.
    pub scenario: String,
    /// Digest of the scenario's file, as reports have it.
    pub digest: String,
    /// The kernel's file, and its digest.
    pub kernel: String,
    /// XXH64 of the kernel's file.
    pub kernel_digest: String,
    /// The emulator.
    pub emulator: String,
    /// How programs got their colors.
    #[serde(default)]
    pub colors_by: ColorsBy,
    /// MiB of the virtual machine.
    pub memory_mib: u32,
    /// Instructions after the begin of each program that are left out.
    pub skip: u64,
    /// Instructions of each processor that were to be recorded.
    pub instructions: u64,
    /// Each set of programs and colors that the scenario has.
    pub recordings: Vec<Recording>,
}

/// How programs in the virtual machine get their colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorsBy {
    /// fresco run
    #[default]
    Run,
    /// The file cpuset.colors of a control group for each program
    Cgroup,
    /// Calls of mmap, as programs for TintMalloc make them
    Calls,
}

/// Programs that ran at the same time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// What ran: by task its processor, its colors and its command.
    pub ran: BTreeMap<String, Ran>,
    /// By task, its trace.
    pub traces: BTreeMap<String, Trace>,
}

/// What a task was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ran {
    /// Its processor.
    pub cpu: u32,
    /// Its colors, as `fresco run` has them; `None` without.
    pub colors: Option<String>,
    /// Whether it got pages of no other colors.
    pub strict: bool,
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// The trace of a processor.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Its file, in the directory.
    pub file: String,
    /// Instructions.
    pub instructions: u64,
    /// Loads and stores in the trace.
    pub accesses: u64,
    /// How the program ended, if it did: `status 0`, `signal 9`.
    pub ended: Option<String>,
}

impl Recordings {
    /// Reads the directory's file.
    ///
    /// # Errors
    /// There is none, or it is none of this schema.
    pub fn read(directory: &Path) -> Result<Self, InputError> {
        let path = directory.join(FILE);
        let text = read_file(&path)?;
        let file = file_name(&path);
        let read: Self = serde_json::from_str(&text).map_err(|error| {
            InputError::new(&file, format!("found {error}"))
                .allowed(format!("what fresco loop writes ({SCHEMA})"))
                .help("record it again")
        })?;
        match read.schema == SCHEMA {
            true => Ok(read),
            false => Err(InputError::new(&file, format!("found schema {:?}", read.schema))
                .allowed(SCHEMA)
                .help("record it again")),
        }
    }

    fn of(&self, setup: &Setup) -> Result<Option<&Recording>, InputError> {
        let ran = points::ran(setup)?;
        Ok(self.recordings.iter().find(|recording| recording.ran == ran))
    }
}

/// A scenario whose tasks need no program, as they have commands.
///
/// # Errors
/// As of [`scenarios::load`].
pub fn read(name: &str, overrides: &[String]) -> Result<(Scenario, InputFile), InputError> {
    let (source, file) = scenarios::source(name)?;
    let document = Document::parse(&source.file, &source.text)?;
    let mut all = overrides.to_vec();
    for task in document.root().array_of_tables("task")? {
        if !task.has("program") {
            all.push(format!("task.{}.program={}", task.text("name")?, quoted("idle")));
        }
    }
    Ok((
        Scenario::of(&Source::of_text(&source.file, source.text, &source.directory)?, &all)?,
        file,
    ))
}

/// The scenario, with the recordings of a directory in place of its programs.
///
/// # Errors
/// As of [`read`]; a point was not recorded, or its traces do not fit the machine.
pub fn load(name: &str, overrides: &[String], directory: &Path) -> Result<(Scenario, InputFile), InputError> {
    let recordings = Recordings::read(directory)?;
    let (mut scenario, file) = read(name, overrides)?;
    scenario.replay(|setup, copy| {
        let trace = recordings
            .of(setup)?
            .and_then(|recording| recording.traces.get(&copy.name));
        let missing = || {
            let found = format!("found no recording of {:?} with these programs and colors", copy.name);
            InputError::new(file_name(directory.join(FILE)), found)
                .allowed("what was recorded of the same scenario")
                .help("record it with fresco loop")
        };
        let path = directory.join(&trace.ok_or_else(missing)?.file);
        // Relative paths of a scenario start elsewhere.
        std::path::absolute(&path).map_err(|error| InputError::new(file_name(&path), error.to_string()))
    })?;
    Ok((scenario, file))
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is noted while a trace runs: latencies, waits, and, if wanted, every command.

use crate::latencies::Latencies;
use crate::whole::{WholeFile, unwritable};
use fresco_dram::Cycle;
use fresco_input::InputError;
use fresco_memory::checker::{self, Checker};
use fresco_memory::{Access, Command, Completion, Observer, Wait};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Counts completions; writes commands.
pub(super) struct Watch {
    pub reads: Latencies,
    pub writes: Latencies,
    /// Sums over all reads.
    pub wait: Wait,
    commands: Option<CommandFile>,
    checker: Option<Checker>,
}

/// A command trace in the making.
struct CommandFile {
    path: PathBuf,
    file: BufWriter<WholeFile>,
    error: Option<io::Error>,
}

/// The option that names it.
const COMMANDS: &str = "--commands";

impl Watch {
    pub fn new(commands: Option<&Path>, checker: Option<Checker>) -> Result<Self, InputError> {
        let commands = commands.map(CommandFile::create).transpose()?;
        Ok(Self {
            reads: Latencies::default(),
            writes: Latencies::default(),
            wait: Wait::default(),
            commands,
            checker,
        })
    }

    /// The verdict of the timing checker on a run that ended at `end`, if it was asked for.
    pub fn verdict(&mut self, end: Cycle) -> Option<checker::CheckerReport> {
        self.checker.take().map(|checker| checker.finish(end))
    }

    pub fn close(&mut self) -> Result<(), InputError> {
        self.commands.take().map_or(Ok(()), CommandFile::finish)
    }
}

impl Observer for Watch {
    fn completed(&mut self, completion: &Completion) {
        let latency = completion.done - completion.arrived;
        match completion.access {
            Access::Write => self.writes.record(latency),
            Access::Read => {
                self.reads.record(latency);
                self.wait.queue += completion.wait.queue;
                self.wait.bank += completion.wait.bank;
                self.wait.bus += completion.wait.bus;
                self.wait.refresh += completion.wait.refresh;
                self.wait.service += completion.wait.service;
            }
        }
    }

    fn command(&mut self, command: &Command) {
        if let Some(checker) = &mut self.checker {
            checker.observe(&command.into());
        }
        if let Some(commands) = &mut self.commands
            && commands.error.is_none()
        {
            commands.error = writeln!(commands.file, "{command}").err();
        }
    }
}

impl CommandFile {
    fn create(path: &Path) -> Result<Self, InputError> {
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(WholeFile::create(COMMANDS, path)?),
            error: None,
        })
    }

    fn finish(self) -> Result<(), InputError> {
        let flushed = match self.error {
            Some(error) => Err(error),
            None => self.file.into_inner().map_err(io::IntoInnerError::into_error),
        };
        flushed
            .map_err(|error| unwritable(COMMANDS, &self.path, &error))?
            .finish()
    }
}

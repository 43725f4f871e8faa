// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is noted while a trace runs: latencies, waits, and, if wanted, every command.

use crate::latencies::Latencies;
use fresco_dram::Cycle;
use fresco_input::{InputError, create_beside};
use fresco_memory::checker::{self, Checker};
use fresco_memory::{Access, Command, Completion, Observer, Wait};
use std::fs::{File, OpenOptions};
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

/// A command trace in the making: written beside its place, and put there when it is whole, or else removed.
struct CommandFile {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    error: Option<io::Error>,
    whole: bool,
}

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
        // A pipe or device is written as it comes.
        let made = match path.exists() && !path.is_file() {
            true => OpenOptions::new()
                .write(true)
                .open(path)
                .map(|file| (path.to_owned(), path.to_owned(), file)),
            false => create_beside(path),
        };
        let (path, partial, file) = made.map_err(|error| unwritable(path, &error))?;
        Ok(Self {
            path,
            partial,
            file: BufWriter::new(file),
            error: None,
            whole: false,
        })
    }

    fn finish(mut self) -> Result<(), InputError> {
        let flushed = self.error.take().map_or_else(|| self.file.flush(), Err);
        let moved = flushed.and_then(|()| match self.partial == self.path {
            true => Ok(()),
            false => std::fs::rename(&self.partial, &self.path),
        });
        self.whole = moved.is_ok();
        moved.map_err(|error| unwritable(&self.path, &error))
    }
}

impl Drop for CommandFile {
    fn drop(&mut self) {
        if !self.whole && self.partial != self.path {
            // What is left of a failed run is of no use, and nothing can be done if it stays.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> InputError {
    InputError::new(path.display().to_string(), format!("cannot be written: {error}"))
        .in_field("--commands")
        .allowed("a file in a directory that exists and may be written")
        .help("name another file")
}

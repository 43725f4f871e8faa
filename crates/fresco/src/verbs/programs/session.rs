// SPDX-License-Identifier: MIT OR Apache-2.0
//! One program: its input, its recording by `fresco record` in a process of its own, and what is known of it then.

use super::measure;
use crate::stop::Stop;
use fresco_load::trace::digest_of_file;
use fresco_load::trace::ftrace::recorded::RecordedFile;
use fresco_machine::Machine;
use fresco_programs::{Entry, Gallery, Measured, Recipe, work};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

/// How often to look whether the recorder is over.
const PATIENCE: Duration = Duration::from_millis(50);

/// What programs are recorded into, and measured on.
pub struct Session<'a> {
    /// The directory of the gallery.
    pub directory: &'a Path,
    /// The machine, and how the user named it.
    pub machine: (&'a Machine, &'a str),
    /// Versions of packages.
    pub packages: &'a BTreeMap<String, String>,
    pub stop: &'a Stop,
    /// The recipes are those of quick recordings.
    pub quick: bool,
}

/// Why a program is not in the gallery.
pub enum Without {
    /// It failed, in words.
    Failed(String),
    /// The user stopped it.
    Stopped,
}

impl From<String> for Without {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl Session<'_> {
    /// Records a program and measures it.
    ///
    /// # Errors
    /// In words.
    pub fn record(&self, recipe: &Recipe) -> Result<Entry, Without> {
        let place = self.directory.join("work").join(&recipe.name);
        work::prepare(recipe, &place)?;
        if self.stop.is_asked() {
            return Err(Without::Stopped);
        }
        let words = work::words(recipe, &place)?;
        // Under another name until it is known to be what was asked for.
        let new = std::path::absolute(self.directory.join(format!("{}.new.ftrace", recipe.name)))
            .map_err(|error| error.to_string())?;
        let made = self.run(recipe, &place, &new, &words);
        let made = made.and_then(|()| self.account(recipe, &new, &words));
        let entry = made.inspect_err(|_| {
            let _ = std::fs::remove_file(&new);
        })?;
        let trace = fresco_programs::trace(self.directory, &recipe.name);
        std::fs::rename(&new, &trace).map_err(|error| format!("{}: cannot be written: {error}", trace.display()))?;
        Gallery::keep(self.directory, &entry).map_err(|error| error.to_string())?;
        Ok(entry)
    }

    /// Measures what is recorded already.
    ///
    /// # Errors
    /// In words.
    pub fn measure_again(&self, entry: &Entry) -> Result<Entry, Without> {
        let trace = fresco_programs::trace(self.directory, &entry.name);
        let entry = Entry {
            measured: Some(self.measure(&trace, entry.thread)?),
            ..entry.clone()
        };
        Gallery::keep(self.directory, &entry).map_err(|error| error.to_string())?;
        Ok(entry)
    }

    /// Misses of a thread of a trace.
    fn measure(&self, trace: &Path, thread: u16) -> Result<Measured, Without> {
        let told = |error: fresco_input::InputError| error.to_string();
        let file = RecordedFile::open(trace).map_err(told)?;
        let of_thread = file.trailer().threads.iter().find(|totals| totals.thread == thread);
        let accesses = of_thread.map_or(0, |totals| totals.counts.accesses());
        let (machine, given) = self.machine;
        let measured = measure::alone(machine, given, trace, thread, accesses, self.stop).map_err(told)?;
        measured.ok_or(Without::Stopped)
    }

    fn run(&self, recipe: &Recipe, place: &Path, new: &PathBuf, words: &[std::ffi::OsString]) -> Result<(), Without> {
        let program = std::env::current_exe().map_err(|error| format!("where is fresco? {error}"))?;
        let mut recorder = Command::new(program);
        recorder.arg("record").arg("--quiet").arg("-o").arg(new);
        recorder.args(["--skip", &recipe.skip.to_string()]);
        recorder
            .args(["--instructions", &recipe.instructions.to_string(), "--"])
            .args(words);
        let mut command =
            work::set_up(recorder, recipe, place).map_err(|error| format!("{}: {error}", place.display()))?;
        let mut child = command.spawn().map_err(|error| format!("fresco record: {error}"))?;
        let status = self.wait(&mut child)?;
        // A program that ends by itself within the part that is recorded has its own status.
        match new.is_file() {
            true => Ok(()),
            false => {
                let said = std::fs::read_to_string(place.join("program.err")).unwrap_or_default();
                let last = said
                    .lines()
                    .rev()
                    .find(|line| !line.trim().is_empty())
                    .unwrap_or("nothing is said");
                Err(format!("it was not recorded ({status}): {last}").into())
            }
        }
    }

    fn wait(&self, child: &mut Child) -> Result<ExitStatus, Without> {
        let mut told = false;
        loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                return match self.stop.is_asked() {
                    true => Err(Without::Stopped),
                    false => Ok(status),
                };
            }
            if self.stop.is_asked() && !told {
                told = true;
                // Ctrl-C has reached it already; SIGTERM and a closed terminal may not have.
                if let Some(pid) = rustix::process::Pid::from_raw(child.id() as i32) {
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
                }
            }
            std::thread::sleep(PATIENCE);
        }
    }

    /// What is known of a trace.
    fn account(&self, recipe: &Recipe, trace: &Path, words: &[std::ffi::OsString]) -> Result<Entry, Without> {
        let told = |error: fresco_input::InputError| error.to_string();
        let file = RecordedFile::open(trace).map_err(told)?;
        let trailer = file.trailer();
        let counts = trailer.counts();
        let most = trailer.threads.iter().max_by_key(|totals| totals.counts.instructions);
        let Some(most) = most.filter(|_| counts.accesses() > 0) else {
            return Err("it ended before the part that is recorded".to_owned().into());
        };
        let dependences = trailer.dependences();
        let measured = self.measure(trace, most.thread)?;
        let versions = recipe
            .packages
            .iter()
            .filter_map(|name| self.packages.get_key_value(name));
        Ok(Entry {
            schema: "fresco-program/1".to_owned(),
            name: recipe.name.clone(),
            stands_for: recipe.stands_for.clone(),
            recipe: recipe.digest().map_err(told)?,
            packages: versions
                .map(|(name, version)| (name.clone(), version.clone()))
                .collect(),
            command: words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            instructions: counts.instructions,
            loads: counts.loads,
            stores: counts.stores,
            threads: trailer.threads.len() as u64,
            thread: most.thread,
            bytes: std::fs::metadata(trace).map_or(0, |metadata| metadata.len()),
            pages: trailer.pages_by_kind().iter().sum(),
            dependent_percent: (dependences.loads > 0)
                .then(|| dependences.near[1] as f64 * 100.0 / dependences.loads as f64),
            trace: digest_of_file(trace).map_err(told)?,
            quick: self.quick,
            measured: Some(measured),
        })
    }
}

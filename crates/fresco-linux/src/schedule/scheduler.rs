// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco-scheduler`, the program of `kernel/schedulers` that loads a scheduler and ends it when it ends itself.

use crate::sys::{Signals, end_with_parent};
use rustix::fs::{MemfdFlags, OFlags, fcntl_getfl, fcntl_setfl, memfd_create};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const NAME: &str = "fresco-scheduler";
/// Names the program, where it lies elsewhere.
const ENVIRONMENT: &str = "FRESCO_SCHEDULER";
/// What its first line begins with, once the kernel has the scheduler.
const RUNS: &str = "fresco-scheduler: fresco_table runs ";
/// The kernel verifies and loads the scheduler in less than a second.
const LONGEST_START: Duration = Duration::from_secs(60);
/// It fetches its last records before it ends.
const LONGEST_END: Duration = Duration::from_secs(5);
const GLANCE: Duration = Duration::from_millis(10);
/// The longest explanation of it that is read, ...
const MOST_BYTES: u64 = 64 << 10;
/// ... and told, in characters.
const MOST_TOLD: usize = 2000;

/// Where the program is: named by `FRESCO_SCHEDULER`, beside `program`, or in one of the folders of `path`.
///
/// # Errors
/// In words, where it was looked for.
pub fn find_scheduler(program: Option<&Path>, path: &OsStr) -> Result<PathBuf, String> {
    let is_program = |file: &Path| {
        file.metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if let Some(named) = std::env::var_os(ENVIRONMENT) {
        let named = PathBuf::from(named);
        let found = match named.metadata() {
            Ok(_) if is_program(&named) => return Ok(named),
            Ok(file) if file.is_dir() => "which is a directory".to_owned(),
            Ok(_) => "which may not be executed".to_owned(),
            Err(error) => error.to_string(),
        };
        return Err(format!(
            "{ENVIRONMENT}: found {}, {found}; allowed: {NAME}, the program of kernel/schedulers; name it, or unset {ENVIRONMENT}",
            named.display()
        ));
    }
    let beside = program.map(|program| program.with_file_name(NAME));
    let folders = std::env::split_paths(path).map(|folder| folder.join(NAME));
    beside
        .into_iter()
        .chain(folders)
        .find(|file| is_program(file))
        .ok_or_else(|| {
            format!(
                "{NAME}: found neither beside fresco nor on PATH; allowed: the program of kernel/schedulers; build it \
             (cargo build --release --manifest-path kernel/schedulers/Cargo.toml), or name it in {ENVIRONMENT}"
            )
        })
}

/// The program, which loads the scheduler.
#[derive(Debug)]
pub struct Scheduler {
    child: Child,
    told: BufReader<ChildStderr>,
}

/// It has loaded it, and runs; with what it says from now on.
#[derive(Debug)]
pub struct Ready {
    /// Its process.
    pub child: Child,
    told: BufReader<ChildStderr>,
}

impl Scheduler {
    /// Starts it with a table. Signals that the caller holds back are its to handle; it is told to end with the caller.
    ///
    /// # Errors
    /// In words, why it cannot be started.
    pub fn start(program: &Path, table: &str, records: Option<&Path>, held: &Signals) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", program.display());
        let file = memfd_create("fresco-table", MemfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
        let mut file = File::from(file);
        file.write_all(table.as_bytes()).map_err(failed)?;
        let mut command = Command::new(program);
        // Opened anew it is read from its begin.
        command.args(["table", "/proc/self/fd/0"]);
        if let Some(records) = records {
            command.arg("--records").arg(records);
        }
        command.stdin(file).stdout(Stdio::null()).stderr(Stdio::piped());
        end_with_parent(&mut command);
        held.release_in(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        let told = child
            .stderr
            .take()
            .ok_or_else(|| format!("{}: it has no standard error", program.display()))?;
        // Whoever waits for what it says waits for signals as well.
        let flags = fcntl_getfl(&told).map_err(|error| failed(error.into()))?;
        fcntl_setfl(&told, flags | OFlags::NONBLOCK).map_err(|error| failed(error.into()))?;
        Ok(Self {
            child,
            told: BufReader::new(told),
        })
    }

    /// Waits until the kernel has it, for a minute at most, and no longer than until one of the signals comes that `held` holds back.
    ///
    /// # Errors
    /// It has ended, and what it said; it takes too long; the signal. It does not run any more then.
    pub fn ready(mut self, held: &Signals) -> Result<Ready, NotReady> {
        let failed = |error: std::io::Error| NotReady::Failed(format!("{NAME}: {error}"));
        let begun = Instant::now();
        let mut first = Vec::new();
        let why = loop {
            let room = MOST_BYTES.saturating_sub(first.len() as u64);
            match self.told.by_ref().take(room).read_until(b'\n', &mut first) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => break Some(failed(error)),
                Ok(_) => break None,
            }
            if let Some(signal) = held.next(GLANCE).filter(|&signal| signal != 0) {
                break Some(NotReady::Told(signal));
            }
            if begun.elapsed() > LONGEST_START {
                break Some(NotReady::Failed(format!(
                    "{NAME}: it has not loaded the table within {} s; try it by itself: {NAME} table FILE, of fresco export PLAN --to sched-ext",
                    LONGEST_START.as_secs()
                )));
            }
        };
        if why.is_none() && first.starts_with(RUNS.as_bytes()) {
            return Ok(Ready {
                child: self.child,
                told: self.told,
            });
        }
        let said = match why {
            Some(_) => String::new(),
            // It ends by itself once it has said why.
            None => {
                let status = ended_by_itself(&mut self.child);
                let said = one_line(&format!("{}{}", String::from_utf8_lossy(&first), rest(&mut self.told)));
                match (said.is_empty(), status) {
                    (false, _) => said,
                    (true, Some(status)) => format!("{NAME}: {status}, without a word"),
                    (true, None) => format!("{NAME}: it has closed its standard error, and goes on"),
                }
            }
        };
        let _ = self.child.kill();
        let _ = self.child.wait();
        Err(why.unwrap_or(NotReady::Failed(said)))
    }
}

/// Why the kernel has no scheduler.
#[derive(Debug, PartialEq, Eq)]
pub enum NotReady {
    /// In words.
    Failed(String),
    /// This process was told to end, by this signal.
    Told(i32),
}

/// Its status, if it ends soon.
fn ended_by_itself(child: &mut Child) -> Option<ExitStatus> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if begun.elapsed() < LONGEST_END => std::thread::sleep(GLANCE),
            _ => return None,
        }
    }
}

/// What it says from now on.
#[derive(Debug)]
pub struct LastWords(BufReader<ChildStderr>);

impl Ready {
    /// Its process, and what it will say.
    pub fn divided(self) -> (Child, LastWords) {
        (self.child, LastWords(self.told))
    }
}

impl LastWords {
    /// In one line, as far as it has said it.
    pub fn line(mut self) -> String {
        one_line(&rest(&mut self.0))
    }
}

/// Ends the scheduler, if it has not ended, once it has written its records; Linux's own goes on. Returns what it complains of.
pub fn end_scheduler(child: &mut Child, words: LastWords) -> Option<String> {
    let told = Pid::from_raw(child.id().cast_signed()).map(|pid| kill_process(pid, Signal::TERM));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(None) if told == Some(Ok(())) && begun.elapsed() < LONGEST_END => std::thread::sleep(GLANCE),
            Ok(None) => {
                let _ = child.kill();
                break child.wait();
            }
            status => break status.and_then(|status| status.map_or_else(|| child.wait(), Ok)),
        }
    };
    match status {
        Ok(status) if status.success() => None,
        Ok(status) => Some(match words.line() {
            said if said.is_empty() => status.to_string(),
            said => said,
        }),
        Err(error) => Some(error.to_string()),
    }
}

fn rest(told: &mut BufReader<ChildStderr>) -> String {
    let mut bytes = Vec::new();
    let _ = told.by_ref().take(MOST_BYTES).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// In one line, without what a terminal would take for more than text.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    lines.join("; ").chars().map(plain).take(MOST_TOLD).collect()
}

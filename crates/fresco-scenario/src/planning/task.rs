// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[task]]`: timing, memory, what it executes.

use super::options::Options;
use super::place::WorkPlace;
use crate::plan::Work;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;
use fresco_rt::{Task, TaskError, Time};

/// A task as the user describes it.
#[derive(Clone, Debug)]
pub struct TaskSpec {
    /// Unique name.
    pub name: String,
    /// Its timing; `None` for a batch task, which has no period.
    pub timing: Option<Task>,
    /// Memory of one instance, in bytes; at least a page.
    pub memory: u64,
    /// Data that one job leaves to the next, in bytes (g).
    pub global: u64,
    /// The core it is bound to; `None` to have it chosen.
    pub core: Option<u32>,
    /// The color it must have; `None` to have it chosen.
    pub color: Option<usize>,
    /// What it executes.
    pub work: Work,
    /// The program that it is on a real machine, with its arguments; empty if none is named.
    pub command: Vec<String>,
    /// Where the file says so.
    pub place: WorkPlace,
}

/// Longest phase, period, deadline: a thousand seconds.
const MOST_PS: u64 = 1_000_000_000_000_000;
/// Memory of a task of which nothing is said.
const DEFAULT_MEMORY: u64 = 64 << 10;

impl TaskSpec {
    /// Reads one table; the caller finishes it.
    pub(super) fn read(table: &Table<'_>, machine: &Machine, options: &Options) -> Result<Self, InputError> {
        let name = printable(table, table.text("name")?)?;
        let most = machine.memory.organisation.total_bytes();
        let memory = table.opt_size("memory", 1..=most)?.unwrap_or(DEFAULT_MEMORY);
        let memory = memory.next_multiple_of(machine.page_bytes).min(most);
        Ok(Self {
            timing: timing(table, &name)?,
            name,
            memory,
            global: table.opt_size("global", 0..=memory)?.unwrap_or(0),
            core: table.opt_integer("core", 0..=options.cores - 1)?,
            color: table.opt_integer("color", 0..=1u32)?.map(|color| color as usize),
            work: work(table)?,
            command: command(table)?,
            place: WorkPlace::read(table)?,
        })
    }
}

/// `command`: a program that can be named, and its arguments.
fn command(table: &Table<'_>) -> Result<Vec<String>, InputError> {
    let words = table.texts("command")?;
    let wrong = table.has("command") && words.first().is_none_or(String::is_empty);
    if wrong || words.iter().any(|word| word.contains('\0')) {
        return Err(table
            .error_at("command", "found no program")
            .allowed("a program and its arguments, [\"./control\", \"--fast\"]")
            .help("name the program, or leave out the key"));
    }
    Ok(words)
}

/// A name that can be shown: that of a task, or of the set.
///
/// # Errors
/// It is empty, too long, or has control characters.
pub(super) fn printable(table: &Table<'_>, name: &str) -> Result<String, InputError> {
    if name.is_empty() || name.len() > 60 || name.contains(char::is_control) {
        let error = table.error_at("name", format!("found the name {name:?}"));
        return Err(error
            .allowed("1 to 60 printable characters")
            .help("choose another name"));
    }
    Ok(name.to_owned())
}

/// Phase, period, WCET and deadline, if there is a period.
fn timing(table: &Table<'_>, name: &str) -> Result<Option<Task>, InputError> {
    let duration = |key: &str| table.opt_item(key).map(|item| item.whole_ns(0..=MOST_PS)).transpose();
    let (phase, period) = (duration("phase")?, duration("period")?);
    let (wcet, deadline) = (duration("wcet")?, duration("deadline")?);
    let Some(period) = period else {
        let stray = [("phase", phase), ("wcet", wcet), ("deadline", deadline)];
        if let Some((key, _)) = stray.into_iter().find(|(_, value)| value.is_some()) {
            let error = table.error_at(key, format!("found a {key} without a period"));
            return Err(error
                .allowed("period and wcet, for a periodic task; neither of them for a batch task")
                .help("add the period"));
        }
        return Ok(None);
    };
    let allowed = "a time such as \"3 ms\", longer than 0";
    let wcet = match wcet {
        Some(wcet) => wcet,
        None => table.item("wcet", allowed)?.whole_ns(1..=MOST_PS)?,
    };
    Task::new(name, phase.unwrap_or(0), period, wcet, deadline.unwrap_or(period))
        .map(Some)
        .map_err(|error| refuse(table, error))
}

/// The error of impossible times, at the key that is wrong.
fn refuse(table: &Table<'_>, error: TaskError) -> InputError {
    let ns = |time: Time| fresco_input::format_duration(time.saturating_mul(1000));
    let (key, found, allowed, help) = match error {
        TaskError::ZeroPeriod => (
            "period",
            "found 0".to_owned(),
            "longer than 0".to_owned(),
            "give the task a period",
        ),
        TaskError::ZeroWcet => (
            "wcet",
            "found 0".to_owned(),
            "longer than 0".to_owned(),
            "give the longest execution time of a job",
        ),
        TaskError::DeadlineBeyondPeriod(deadline, period) => (
            "deadline",
            format!("found {}, beyond the period", ns(deadline)),
            format!("at most the period, {}", ns(period)),
            "shorten the deadline: a job must end before the next is released",
        ),
        TaskError::WcetBeyondDeadline(wcet, deadline) => (
            "wcet",
            format!("found {}, a utilisation over 1", ns(wcet)),
            format!("at most the deadline, {}", ns(deadline)),
            "shorten the execution time, or lengthen deadline and period",
        ),
    };
    table.error_at(key, found).allowed(allowed).help(help)
}

/// `program` with its `parameters`; names and values are checked when the program is built.
fn work(table: &Table<'_>) -> Result<Work, InputError> {
    let parameters = table.opt_item("parameters");
    let Some(name) = table.opt_text("program")? else {
        return match parameters {
            Some(item) => Err(item
                .error("found parameters without a program")
                .allowed("program and parameters, or neither")
                .help("name the program")),
            None => Ok(Work::Synthetic),
        };
    };
    let mut text = String::new();
    if let Some(parameters) = table.opt_table("parameters")? {
        for key in parameters.keys() {
            let item = parameters.item(key, "")?;
            text.push_str(&format!("{key} = {}\n", item.to_toml()));
        }
    }
    Ok(Work::Program {
        name: name.to_owned(),
        parameters: text,
    })
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a planner needs of a task.

use crate::Paging;
use crate::plan::Work;
use crate::scenario::task::DEFAULT_MEMORY;
use crate::scenario::task::JobLines;
use crate::scenario::{Task, program};
use fresco_input::{InputError, Table, format_size};
use fresco_load::Setting;
use std::path::Path;

/// A task as the user describes it. Of a task with several cores each copy is one.
#[derive(Clone, Debug)]
pub struct TaskSpec {
    /// Unique name.
    pub name: String,
    /// Its timing; `None` for a batch task, which has no period.
    pub timing: Option<fresco_rt::Task>,
    /// What a job takes in high mode at most; `None` if the task is dropped there, or if no task is of high criticality.
    pub wcet_high: Option<fresco_rt::Time>,
    /// Memory of one instance, in bytes; at least a page.
    pub memory: u64,
    /// Data that one job leaves to the next, in bytes (g).
    pub global: u64,
    /// Lines that a job moves at most; `None` if nothing is said.
    pub lines: Option<JobLines>,
    /// The core it is bound to; `None` to have it chosen.
    pub core: Option<u32>,
    /// The color it must have; `None` to have it chosen.
    pub color: Option<usize>,
    /// The colors of its memory, where the scenario gives them ([`Method::Partition`](crate::plan::Method::Partition)).
    pub colors: Option<PageColors>,
    /// What it executes.
    pub work: Work,
    /// Cycles in a thousand instructions in which its core goes on with none; `None` for those of its program.
    pub stalls: Option<u32>,
    /// When its pages get their frames.
    pub pages: Paging,
    /// The number of the program of several threads that it is a thread of, by the task's place in the file.
    pub team: Option<usize>,
    /// The program that it is on a real machine, with its arguments; empty if none is named.
    pub command: Vec<String>,
}

/// Colors that pages are taken from, ascending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageColors {
    /// Bank colors.
    pub banks: Vec<u32>,
    /// LLC colors; `None` for all.
    pub llc: Option<Vec<u32>>,
}

/// The copies of a task, the one at `number` of the file; `cores` are those that the plan uses.
///
/// # Errors
/// A core that the plan does not use; a program that cannot be built, or that needs more than the task's memory.
pub(super) fn copies(
    task: &Task,
    table: &Table<'_>,
    number: usize,
    cores: u32,
    trace_dir: &Path,
) -> Result<Vec<TaskSpec>, InputError> {
    refuse_core(task, table, cores)?;
    if task.timing.is_some() {
        refuse_team(task, table)?;
    }
    let team = team(task, table, number)?;
    let memory = task.bytes.unwrap_or(DEFAULT_MEMORY);
    let touched = touched(task, trace_dir)?;
    let spec = |name: String, core: Option<u32>| -> Result<TaskSpec, InputError> {
        Ok(TaskSpec {
            timing: timing(task, &name),
            wcet_high: task.wcet_high,
            name,
            memory,
            global: task.global,
            lines: task.lines,
            core,
            color: task.color,
            colors: None,
            work: work(task, table, (touched, memory), trace_dir)?,
            stalls: task.stalls,
            pages: task.paging,
            team,
            command: task.command.clone(),
        })
    };
    match task.cores.is_empty() {
        true => Ok(vec![spec(task.name.clone(), None)?]),
        false => (0..task.cores.len())
            .map(|copy| spec(task.copy_name(copy), Some(task.cores[copy])))
            .collect(),
    }
}

/// The timing of a copy, which bears its name.
pub(super) fn timing(task: &Task, name: &str) -> Option<fresco_rt::Task> {
    task.timing.clone().map(|timing| fresco_rt::Task {
        name: name.to_owned(),
        ..timing
    })
}

/// Refuses a core that the plan does not use.
pub(super) fn refuse_core(task: &Task, table: &Table<'_>, cores: u32) -> Result<(), InputError> {
    let Some(core) = task.cores.iter().find(|core| **core >= cores) else {
        return Ok(());
    };
    let key = if table.has("core") { "core" } else { "cores" };
    let error = table.error_at(key, format!("found {core}"));
    Err(error
        .allowed(format!("0 to {}, the cores of the plan", cores - 1))
        .help("choose another core, or raise plan.cores"))
}

/// Threads of a task's program in a plan: one for each core if it is a team, else one alone.
fn threads(task: &Task) -> u32 {
    let is_team = task.program.as_ref().is_some_and(|program| program.kind().is_team());
    if is_team { task.cores.len().max(1) as u32 } else { 1 }
}

/// The number of the program whose threads the copies of a task are, if they are threads: that of the task.
///
/// # Errors
/// It is a program on a real machine, too, where a plan starts a process for each of its tasks.
pub(super) fn team(task: &Task, table: &Table<'_>, number: usize) -> Result<Option<usize>, InputError> {
    let is_team = threads(task) > 1;
    if is_team && !task.command.is_empty() {
        let error = table.error_at("command", "found the command of a program of several threads");
        return Err(error
            .allowed("a command where each task is a process of its own")
            .help("remove it, or give the task one core"));
    }
    Ok(is_team.then_some(number))
}

/// Refuses threads of one program that has deadlines.
fn refuse_team(task: &Task, table: &Table<'_>) -> Result<(), InputError> {
    if let Some(program) = task.program.as_ref().filter(|_| threads(task) > 1) {
        let found = format!("found {} threads of {}", task.cores.len(), program.kind().name);
        return Err(table
            .error_at("cores", found)
            .allowed("one core for a program of several threads: no plan counts for how long they wait for each other")
            .help("give it one core or no period, or simulate the scenario without a plan: fresco sim"));
    }
    Ok(())
}

/// Bytes that a task's program touches, which is built once to see that it can be; 0 without a program.
fn touched(task: &Task, trace_dir: &Path) -> Result<u64, InputError> {
    let Some(spec) = &task.program else {
        return Ok(0);
    };
    let setting = Setting {
        trace_dir: trace_dir.to_owned(),
        ..Setting::default()
    };
    let threads = spec.build(&setting, threads(task))?;
    Ok(threads[0].footprint().iter().map(|area| area.bytes).sum())
}

/// The program with its parameters; it touches so many bytes of so many that the task has.
///
/// # Errors
/// The task has too few.
pub(super) fn work(
    task: &Task,
    table: &Table<'_>,
    (bytes, memory): (u64, u64),
    trace_dir: &Path,
) -> Result<Work, InputError> {
    let Some(spec) = &task.program else {
        return Ok(Work::Synthetic);
    };
    let name = spec.kind().name;
    if bytes > memory {
        return Err(table
            .error_at("memory", format!("found {} of memory", format_size(memory)))
            .allowed(format!("at least {bytes} bytes: what {name} touches"))
            .help("raise memory, or give the program smaller data"));
    }
    Ok(Work::Program {
        name: name.to_owned(),
        parameters: program::parameters_as_toml(table, spec, trace_dir)?,
    })
}

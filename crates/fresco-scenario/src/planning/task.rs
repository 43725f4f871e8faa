// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a planner needs of a task.

use crate::Paging;
use crate::plan::Work;
use crate::scenario::task::DEFAULT_MEMORY;
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
    /// Memory of one instance, in bytes; at least a page.
    pub memory: u64,
    /// Data that one job leaves to the next, in bytes (g).
    pub global: u64,
    /// The core it is bound to; `None` to have it chosen.
    pub core: Option<u32>,
    /// The color it must have; `None` to have it chosen.
    pub color: Option<usize>,
    /// The colors of its memory, where the scenario gives them ([`Method::Partition`](crate::plan::Method::Partition)).
    pub colors: Option<PageColors>,
    /// What it executes.
    pub work: Work,
    /// When its pages get their frames.
    pub pages: Paging,
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

/// The copies of a task; `cores` are those that the plan uses.
///
/// # Errors
/// A core that the plan does not use; a program that cannot be built, or that needs more than the task's memory.
pub(super) fn copies(
    task: &Task,
    table: &Table<'_>,
    cores: u32,
    trace_dir: &Path,
) -> Result<Vec<TaskSpec>, InputError> {
    refuse_core(task, table, cores)?;
    refuse_team(task, table)?;
    let memory = task.bytes.unwrap_or(DEFAULT_MEMORY);
    let spec = |name: String, core: Option<u32>| -> Result<TaskSpec, InputError> {
        Ok(TaskSpec {
            timing: timing(task, &name),
            name,
            memory,
            global: task.global,
            core,
            color: task.color,
            colors: None,
            work: work(task, table, memory, trace_dir)?,
            pages: task.paging,
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

/// Refuses threads of one program.
pub(super) fn refuse_team(task: &Task, table: &Table<'_>) -> Result<(), InputError> {
    if let Some(program) = task.program.as_ref().filter(|program| program.kind().is_team())
        && task.cores.len() > 1
    {
        let found = format!("found {} threads of {}", task.cores.len(), program.kind().name);
        return Err(table
            .error_at("cores", found)
            .allowed("one core for a program of several threads: no plan counts for how long they wait for each other")
            .help("give it one core, or simulate the scenario without a plan: fresco sim"));
    }
    Ok(())
}

/// The program with its parameters, built once to see that it can be.
pub(super) fn work(task: &Task, table: &Table<'_>, memory: u64, trace_dir: &Path) -> Result<Work, InputError> {
    let Some(spec) = &task.program else {
        return Ok(Work::Synthetic);
    };
    let name = spec.kind().name;
    let setting = Setting {
        trace_dir: trace_dir.to_owned(),
        ..Setting::default()
    };
    let threads = spec.build(&setting, 1)?;
    let bytes: u64 = threads[0].footprint().iter().map(|area| area.bytes).sum();
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

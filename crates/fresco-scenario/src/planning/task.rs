// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a planner needs of a task.

use crate::plan::Work;
use crate::scenario::task::DEFAULT_MEMORY;
use crate::scenario::{Task, program};
use fresco_input::{InputError, Table, format_size};
use fresco_load::Setting;

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
    /// What it executes.
    pub work: Work,
    /// The program that it is on a real machine, with its arguments; empty if none is named.
    pub command: Vec<String>,
}

/// The copies of a task; `cores` are those that the plan uses.
///
/// # Errors
/// A core that the plan does not use; a program that cannot be built, or that needs more than the task's memory.
pub(super) fn copies(task: &Task, table: &Table<'_>, cores: u32) -> Result<Vec<TaskSpec>, InputError> {
    if let Some(core) = task.cores.iter().find(|core| **core >= cores) {
        let key = if table.has("core") { "core" } else { "cores" };
        let error = table.error_at(key, format!("found {core}"));
        return Err(error
            .allowed(format!("0 to {}, the cores of the plan", cores - 1))
            .help("choose another core, or raise plan.cores"));
    }
    if let Some(program) = task.program.as_ref().filter(|program| program.kind().is_team())
        && task.cores.len() > 1
    {
        let found = format!("found {} threads of {}", task.cores.len(), program.kind().name);
        return Err(table
            .error_at("cores", found)
            .allowed("one core for a program of several threads: no plan counts for how long they wait for each other")
            .help("give it one core, or simulate the scenario without a plan: fresco sim"));
    }
    let memory = task.bytes.unwrap_or(DEFAULT_MEMORY);
    let spec = |name: String, core: Option<u32>| -> Result<TaskSpec, InputError> {
        Ok(TaskSpec {
            timing: task.timing.clone().map(|timing| fresco_rt::Task {
                name: name.clone(),
                ..timing
            }),
            name,
            memory,
            global: task.global,
            core,
            color: task.color,
            work: work(task, table, memory)?,
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

/// The program with its parameters, built once to see that it can be.
fn work(task: &Task, table: &Table<'_>, memory: u64) -> Result<Work, InputError> {
    let Some(spec) = &task.program else {
        return Ok(Work::Synthetic);
    };
    let name = spec.kind().name;
    let threads = spec.build(&Setting::default(), 1)?;
    let bytes: u64 = threads[0].footprint().iter().map(|area| area.bytes).sum();
    if bytes > memory {
        return Err(table
            .error_at("memory", format!("found {} of memory", format_size(memory)))
            .allowed(format!("at least {bytes} bytes: what {name} touches"))
            .help("raise memory, or give the program smaller data"));
    }
    Ok(Work::Program {
        name: name.to_owned(),
        parameters: program::parameters_as_toml(table)?,
    })
}

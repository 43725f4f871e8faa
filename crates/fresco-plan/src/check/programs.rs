// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that what each task runs exists and stays within the memory that the plan gives the task.

use super::report::{CheckReport, Violation, holds};
use crate::plan::{Plan, PlannedTask, Work};
use fresco_load::{ProgramSpec, Setting};

pub(super) fn check(plan: &Plan, report: &mut CheckReport) -> Result<(), Violation> {
    for (number, task) in plan.tasks.iter().enumerate() {
        let place = format!("tasks[{number}] ({})", task.name);
        holds! { !task.name.is_empty(), &place, "has no name" }
        holds! { !task.name.contains(char::is_control), &place, "has a name with characters that cannot be printed" }
        if let Some(bytes) = touched(task).map_err(|fact| Violation::new(format!("{place}.work"), fact))? {
            let memory = task.memory_bytes;
            holds! { bytes <= memory, format!("{place}.work"), "touches {bytes} bytes, the task has {memory}" }
        }
    }
    report
        .facts
        .push("every task's program stays within its memory".to_owned());
    Ok(())
}

/// Bytes that the program of a task touches; `None` where only its trace tells, which may be elsewhere now.
fn touched(task: &PlannedTask) -> Result<Option<u64>, String> {
    let words = |error: fresco_input::InputError| error.to_string();
    match &task.work {
        Work::Synthetic => {
            // What such a task is run as.
            let parameters = format!("bytes = '{} B'", task.memory_bytes);
            ProgramSpec::parse("random", &parameters).map_err(words)?;
            Ok(None)
        }
        Work::Program { name, parameters } => {
            let program = ProgramSpec::parse(name, parameters).map_err(words)?;
            if program.file().is_some() {
                return Ok(None);
            }
            let threads = program.build(&Setting::default(), 1).map_err(words)?;
            Ok(Some(threads[0].footprint().iter().map(|area| area.bytes).sum()))
        }
    }
}

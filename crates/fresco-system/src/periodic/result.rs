// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what a schedule showed to the results of a scenario.

use super::experiment::warm;
use crate::multitask::{MultitaskResult, TaskOutcome};
use crate::results::{CacheCounts, JobsResult, Measured, Pages, RunResult, TaskResult};
use crate::scenario::RunSpec;
use fresco_dram::Ps;
use fresco_frames::Coloring;
use fresco_input::InputError;

/// The results of one run.
///
/// # Errors
/// The checker found DRAM commands that no device allows.
pub(super) fn of(spec: &RunSpec, outcome: MultitaskResult) -> Result<RunResult, InputError> {
    let end = outcome.horizon_ns * 1000;
    let mut commands_checked = None;
    if let Some(verdict) = &outcome.checker {
        if !verdict.clean {
            let found = format!("found DRAM commands that no device allows: {}", verdict.report);
            return Err(InputError::new("the checker of DRAM commands", found)
                .cure("a fault of the simulator: please report it"));
        }
        commands_checked = Some(verdict.commands);
    }
    let (regulation, cores) = outcome.regulation.map(|all| (all.rules, all.cores)).unzip();
    let cores = cores.unwrap_or_default();
    let tasks = outcome.tasks.into_iter().enumerate();
    let tasks = tasks.map(|(copy, task)| {
        let result = task_result(spec, copy, task, end);
        let budget = cores.iter().find(|budget| budget.core == result.core);
        TaskResult {
            regulation: budget.map(|budget| budget.budget.clone()),
            ..result
        }
    });
    Ok(RunResult {
        point: spec.point_number,
        repetition: spec.repetition,
        seed: spec.seed,
        from_ps: 0,
        to_ps: end,
        tasks: tasks.collect(),
        controllers: outcome.controllers,
        regulation,
        commands_checked,
        timeline: Some(outcome.timeline),
    })
}

fn task_result(spec: &RunSpec, number: usize, outcome: TaskOutcome, end: Ps) -> TaskResult {
    let setup = &spec.point.setup;
    let copy = &setup.copies[number];
    let timing = setup.tasks[copy.task].timing.as_ref();
    let ended = outcome.jobs.iter().filter(|job| job.end_ps.is_some());
    let pass_times = match timing {
        Some(_) => ended.map(|job| job.execution_ps).collect(),
        None => Vec::new(),
    };
    // Pages that are mapped before time 0 fault in no time.
    let faults = (outcome.allocation.alloc.calls, outcome.page_faults.count);
    let measured = Measured {
        phase: (0, end),
        // 0 if jobs of higher priority never left it the core: all its jobs are missed then.
        run_time: outcome.executing_ps,
        banks: outcome.banks.first().cloned().unwrap_or_else(|| "none".to_owned()),
        llc: match &copy.coloring {
            Coloring::Explicit { llc, .. } | Coloring::Automatic { llc, .. } => llc.as_ref(),
            Coloring::Off => None,
        },
        passes: outcome.passes,
        pass_times,
        instructions: outcome.instructions,
        operations: outcome.operations,
        caches: CacheCounts::default(),
        write_backs: outcome.write_backs,
        pages: Pages {
            by_bank: outcome.pages_by_bank,
            ..Pages::new(
                setup,
                &outcome.allocation,
                faults,
                outcome.page_faults.time_ps,
                outcome.pages_moved,
            )
        },
        recorder: outcome.recorder,
    };
    TaskResult {
        thread: outcome.thread,
        jobs: timing.map(|timing| JobsResult::new(timing, outcome.jobs, warm(setup, timing), end)),
        ..TaskResult::new(setup, number, measured)
    }
}

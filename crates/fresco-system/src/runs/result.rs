// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what a schedule showed to the results of a scenario.

use super::experiment::warm;
use crate::multitask::{JobRecord, MultitaskResult, TaskOutcome};
use crate::results::{CacheCounts, JobsResult, Measured, Pages, RunResult, TaskResult};
use fresco_dram::Ps;
use fresco_frames::Coloring;
use fresco_input::InputError;
use fresco_scenario::{RunSpec, Setup};

/// The results of one run.
///
/// # Errors
/// The checker found DRAM commands that no device allows.
pub(crate) fn of(spec: &RunSpec, outcome: MultitaskResult) -> Result<RunResult, InputError> {
    let (from_ps, end) = outcome.counted_ps;
    let is_recorded = spec.point.setup.is_periodic() || outcome.timeline.recorded_ps > 0;
    let mut commands_checked = None;
    if let Some(verdict) = &outcome.checker {
        if !verdict.clean {
            let found = format!("found DRAM commands that no device allows: {}", verdict.report);
            return Err(InputError::new("the checker of DRAM commands", found).internal());
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
        from_ps,
        to_ps: end,
        tasks: tasks.collect(),
        controllers: outcome.controllers,
        regulation,
        commands_checked,
        timeline: is_recorded.then_some(outcome.timeline),
    })
}

fn task_result(spec: &RunSpec, number: usize, mut outcome: TaskOutcome, end: Ps) -> TaskResult {
    let setup = &spec.point.setup;
    let timing = setup.tasks[setup.copies[number].task].timing.as_ref();
    let jobs = std::mem::take(&mut outcome.jobs);
    let measured = match outcome.measured.take() {
        Some(measured) => measured,
        None => whole_run(setup, number, outcome, &jobs, end),
    };
    TaskResult {
        jobs: timing.map(|timing| JobsResult::new(timing, jobs, warm(setup, timing), end)),
        ..TaskResult::new(setup, number, measured)
    }
}

/// What was counted of a copy that shares its core: from time 0 to the end.
fn whole_run(setup: &Setup, number: usize, outcome: TaskOutcome, jobs: &[JobRecord], end: Ps) -> Measured {
    let copy = &setup.copies[number];
    let pass_times = match setup.tasks[copy.task].timing {
        Some(_) => {
            let ended = jobs.iter().filter(|job| job.end_ps.is_some());
            ended.map(|job| job.execution_ps).collect()
        }
        None => Vec::new(),
    };
    // Pages that are mapped before time 0 fault in no time.
    let faults = (outcome.allocation.alloc.calls, outcome.page_faults.count);
    let (time, moved) = (outcome.page_faults.time_ps, outcome.pages_moved);
    Measured {
        phase: (0, end),
        // 0 if jobs of higher priority never left it the core: all its jobs are missed then.
        run_time: outcome.executing_ps,
        banks: outcome.banks.into_iter().next().unwrap_or_default(),
        llc: match &copy.coloring {
            Coloring::Explicit { llc, .. } | Coloring::Automatic { llc, .. } => llc.clone(),
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
            ..Pages::new(&setup.frames.cost, &outcome.allocation, faults, time, moved)
        },
        recorder: outcome.recorder,
        thread: outcome.thread,
    }
}

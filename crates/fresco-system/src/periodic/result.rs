// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what a schedule showed to the results of a scenario.

use super::experiment::warm;
use crate::multitask::{MultitaskResult, TaskOutcome};
use crate::results::{CacheCounts, JobsResult, Pages, RunResult, Spread, TaskResult, ns, ratio};
use crate::scenario::RunSpec;
use fresco_dram::Ps;
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
    let tasks = outcome.tasks.into_iter().enumerate();
    let tasks = tasks.map(|(copy, task)| task_result(spec, copy, task, end));
    Ok(RunResult {
        point: spec.point_number,
        repetition: spec.repetition,
        seed: spec.seed,
        from_ps: 0,
        to_ps: end,
        tasks: tasks.collect(),
        controllers: outcome.controllers,
        regulation: None,
        commands_checked,
        timeline: Some(outcome.timeline),
    })
}

fn task_result(spec: &RunSpec, copy: usize, outcome: TaskOutcome, end: Ps) -> TaskResult {
    let setup = &spec.point.setup;
    let (machine, copy) = (&setup.machine, &setup.copies[copy]);
    let task = &setup.tasks[copy.task];
    // 0 if jobs of higher priority never left it the core: all its jobs are missed then.
    let time = outcome.executing_ps;
    let cycles = time as f64 * f64::from(machine.core.mhz) / 1e6;
    let lines = outcome.reads.count - outcome.reads.joined + outcome.write_backs;
    let line_bytes = machine.memory.timing.burst_length * u64::from(machine.memory.organisation.bus_bytes);
    let ended = outcome.jobs.iter().filter(|job| job.end_ps.is_some());
    let passes: Vec<f64> = match &task.timing {
        Some(_) => ended.map(|job| ns(job.execution_ps)).collect(),
        None => Vec::new(),
    };
    let llc = match &copy.coloring {
        fresco_frames::Coloring::Explicit { llc, .. } | fresco_frames::Coloring::Automatic { llc, .. } => llc.as_ref(),
        fresco_frames::Coloring::Off => None,
    };
    let jobs = task.timing.as_ref();
    let jobs = jobs.map(|timing| JobsResult::new(timing, outcome.jobs, warm(setup, timing), end));
    TaskResult {
        name: outcome.name,
        core: copy.core,
        node: machine.topology.node_of_core[copy.core as usize],
        program: task.program.name.to_owned(),
        role: task.role,
        banks: outcome.banks.first().cloned().unwrap_or_else(|| "none".to_owned()),
        llc_colors: llc.map_or_else(|| "all".to_owned(), ToString::to_string),
        from_ps: 0,
        to_ps: end,
        run_time_ps: time,
        passes: outcome.passes,
        pass_time_ns: (!passes.is_empty()).then(|| Spread::of(passes)),
        instructions: outcome.instructions,
        operations: outcome.operations,
        instructions_per_cycle: ratio(outcome.instructions as f64, cycles),
        access_time_ns: ratio(ns(time), outcome.operations as f64),
        reads: outcome.reads,
        caches: CacheCounts::default(),
        write_backs: outcome.write_backs,
        bandwidth_bytes_per_s: ratio((lines * line_bytes) as f64, time as f64 * 1e-12),
        pages: pages(setup, &outcome.allocation),
        thread: None,
        jobs,
        regulation: None,
        recorder: outcome.recorder,
    }
}

/// Pages are mapped before time 0, so that none of them faults within the run.
fn pages(setup: &crate::scenario::Setup, stats: &fresco_frames::TaskStats) -> Pages {
    let cost = &setup.frames.cost;
    let faults = stats.alloc.calls;
    let per_page = |time: Ps| ratio(ns(time), faults as f64);
    Pages {
        faults,
        faults_measured: 0,
        allocation_ns: per_page(cost.ps(cost.cycles_of(faults, &stats.alloc.total))),
        allocation_max_ns: ns(cost.ps(stats.alloc.worst_cycles)),
        fault_ns: 0.0,
        remote: stats.remote,
        spilled: stats.spilled,
        recolored: 0,
    }
}

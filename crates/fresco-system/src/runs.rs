// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs of a scenario: each as an [`crate::experiment::Experiment`], and how long it lasts.
//!
//! Without periodic tasks each task has its core alone, and the run has phases: it lasts until all have been measured. With
//! them the first ready job of a core runs (`policy.scheduler`), a task without a period when no job is ready, and the run
//! has a horizon: jobs released within the warm-up run but are not counted. Memory is refreshed by the machine's own policy.

use crate::experiment::{Experiment, Instance, Phases, Regulation, Schedule, TaskSpec, Timing, Work};
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_scenario::allocator;
use fresco_scenario::{Extent, RunSpec, Setup, error_at};

/// Picoseconds of a nanosecond.
const NS: Ps = 1000;

/// What a run of `spec` does.
pub(crate) fn experiment(spec: &RunSpec) -> Result<Experiment, InputError> {
    let setup = &spec.point.setup;
    let mut tasks = Vec::new();
    for copy in &setup.copies {
        let task = &setup.tasks[copy.task];
        let timing = task.timing.clone().map_or(Timing::Batch, Timing::Periodic);
        let work = Work::Program {
            program: setup.program(copy.task).clone(),
            trace_dir: setup.trace_dir().to_owned(),
        };
        let instance = Instance {
            memory: Some(allocator::of_task(setup, copy)),
            ..Instance::new(0, copy.coloring.clone())
        };
        tasks.push(TaskSpec {
            role: task.role,
            paging: task.paging,
            team: setup.program(copy.task).kind().is_team().then_some(copy.task),
            start: task.start,
            stalls: task.stalls,
            ways: task.ways,
            place: Some(task.place.clone()),
            ..TaskSpec::new(copy.name.clone(), copy.core, timing, work, instance)
        });
    }
    let horizon_ns = if setup.is_periodic() {
        checked_horizon(setup)?
    } else {
        0
    };
    let schedule = Schedule::Plain {
        policy: setup.scheduler.policy,
    };
    Ok(Experiment {
        dynamic: setup.dynamic.clone(),
        phases: (!setup.is_periodic()).then_some(Phases {
            fill: setup.fill,
            warm_up: setup.warm_up,
            measure: setup.measure,
        }),
        tasks,
        agents: setup.agents.clone(),
        recorded: setup.recorded,
        rows: setup.rows.clone(),
        horizon_ns,
        seed: spec.seed,
        check: setup.check,
        record_ns: recorded(spec, horizon_ns) / NS,
        // A task that has its core alone has it from the beginning.
        context_switch_ns: match setup.is_periodic() {
            true => setup.scheduler.context_switch_ns,
            false => 0,
        },
        regulation: setup.bandwidth.clone().map(|budgets| Regulation {
            budgets,
            counted_from: timings(setup).map(|task| warm(setup, task)).max().unwrap_or(0),
        }),
        ..Experiment::new(setup.machine.clone(), schedule, setup.frames)
    })
}

/// Periods of what recurs most slowly that are kept for a chart.
const PERIODS_SHOWN: u64 = 3;
/// Refresh intervals (tREFI) that are kept where nothing else recurs: a chart has some eight pixels for each.
const REFRESHES_SHOWN: u64 = 128;

/// Length of the part of a run whose timeline is kept, in picoseconds. If the scenario does not say: three periods of the
/// slowest periodic task; without any, where it is asked for, three periods of the budgets of bandwidth, or 128 refresh
/// intervals.
fn recorded(spec: &RunSpec, horizon_ns: u64) -> Ps {
    let setup = &spec.point.setup;
    if setup.is_periodic() {
        let longest = timings(setup).map(|task| task.period).max().unwrap_or(0);
        let length = setup.timeline.unwrap_or(PERIODS_SHOWN * longest * NS);
        return length.min(horizon_ns * NS);
    }
    let timing = &setup.machine.memory.timing;
    setup.timeline.unwrap_or_else(|| match &setup.bandwidth {
        _ if !spec.timeline => 0,
        Some(budgets) => PERIODS_SHOWN * budgets.period,
        None => timing.clock.to_ps(REFRESHES_SHOWN * timing.refi.max(1)),
    })
}

/// The timings of the periodic tasks.
fn timings(setup: &Setup) -> impl Iterator<Item = &fresco_rt::Task> {
    setup.tasks.iter().filter_map(|task| task.timing.as_ref())
}

/// Jobs of a task that are released before are not counted.
pub(crate) fn warm(setup: &Setup, task: &fresco_rt::Task) -> Ps {
    match setup.warm_up {
        Extent::Jobs(jobs) => jobs
            .saturating_mul(task.period)
            .saturating_add(task.phase)
            .saturating_mul(NS),
        Extent::Time(time) => time,
        Extent::Passes(_) | Extent::Operations(_) => unreachable!("phases of periodic tasks are jobs or times"),
    }
}

/// The horizon in nanoseconds.
///
/// # Errors
/// It is too far away.
fn checked_horizon(setup: &Setup) -> Result<u64, InputError> {
    let horizon_ns = horizon(setup) / NS;
    if horizon_ns > Experiment::LONGEST_NS {
        let longest = setup.tasks.iter().filter(|task| task.timing.is_some());
        let longest = longest.max_by_key(|task| task.timing.as_ref().map(|timing| timing.phase + timing.period));
        let place = longest.map_or_else(|| &setup.tasks[0].place, |task| &task.place);
        return Err(error_at(place, "found a run of more than 1000 s")
            .allowed("phases, periods and jobs that are over after 1000 s")
            .help("let it have fewer jobs, or a shorter phase or period"));
    }
    Ok(horizon_ns)
}

/// When the run ends: each periodic task has had the jobs of its measured phase, or the time is over.
fn horizon(setup: &Setup) -> Ps {
    let end = |task: &fresco_rt::Task| {
        let warm = warm(setup, task);
        match setup.measure {
            Extent::Jobs(jobs) => {
                // The first release that counts.
                let before = warm.saturating_sub(task.phase * NS).div_ceil(task.period * NS);
                let jobs = before.saturating_add(jobs).saturating_mul(task.period);
                jobs.saturating_add(task.phase).saturating_mul(NS)
            }
            Extent::Time(time) => warm.saturating_add(time),
            Extent::Passes(_) | Extent::Operations(_) => unreachable!("phases of periodic tasks are jobs or times"),
        }
    };
    timings(setup).map(end).max().expect("a task is periodic")
}

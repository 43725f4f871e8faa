// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many runs at once. Runs share nothing, so the number of threads changes no result.

use crate::experiment::Experiment;
use crate::results::{RunResult, ScenarioResult};
use crate::{RunSpec, Scenario, experiment, runs};
use fresco_input::InputError;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How far a batch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs that are over.
    pub done: usize,
    /// Runs altogether.
    pub total: usize,
}

/// Makes one run.
///
/// # Errors
/// What the scenario's own checks could not foresee: page frames or colors are used up in the middle, a trace is
/// damaged, a program's own result is wrong, the checker found DRAM commands that no device allows.
pub fn run(spec: &RunSpec) -> Result<RunResult, InputError> {
    made(spec, &runs::experiment(spec)?)
}

/// Makes one run, which is this experiment.
///
/// # Errors
/// As [`run`].
pub(crate) fn made(spec: &RunSpec, experiment: &Experiment) -> Result<RunResult, InputError> {
    let result = made_unless(spec, experiment, &|| false)?;
    Ok(result.expect("nobody gives it up"))
}

/// As [`made`]; `None` if the run is given up.
fn made_unless(
    spec: &RunSpec,
    experiment: &Experiment,
    is_given_up: &dyn Fn() -> bool,
) -> Result<Option<RunResult>, InputError> {
    let Some(outcome) = experiment::run_unless(experiment, is_given_up)? else {
        return Ok(None);
    };
    let result = RunResult {
        point: spec.point_number,
        repetition: spec.repetition,
        ..RunResult::new(experiment, outcome, |task| runs::warm(&spec.point.setup, task))
    };
    match &result.checker {
        Some(verdict) if !verdict.clean => {
            let found = format!("found DRAM commands that no device allows: {}", verdict.report);
            Err(InputError::new("the checker of DRAM commands", found).internal())
        }
        _ => Ok(Some(result)),
    }
}

/// Makes all runs of a scenario on `threads` threads (0: one per processor) and puts their results together.
/// `progress` is called after each run, from any thread.
///
/// # Errors
/// The error of the first run, in order, that has one; see [`run`]. Runs after it may not be made.
pub fn run_all(
    scenario: &Scenario,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<ScenarioResult, InputError> {
    let result = run_until(scenario, threads, progress, &|| false)?;
    Ok(result.expect("nobody has stopped it"))
}

/// As [`run_all`], but begins no more runs when `stop` says so: then the result is that of the largest scenario that was
/// made whole, with fewer values on one axis or fewer repetitions; `None` if there is not even that.
///
/// # Errors
/// As [`run_all`].
pub fn run_until(
    scenario: &Scenario,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<ScenarioResult>, InputError> {
    run_unless_given_up(scenario, threads, progress, stop, &|| false)
}

/// As [`run_until`], and runs that have begun are not ended but given up when `is_given_up` says so, within milliseconds. They count as
/// not made.
///
/// # Errors
/// As [`run_all`].
pub fn run_unless_given_up(
    scenario: &Scenario,
    threads: usize,
    progress: &(dyn Fn(Progress) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
    is_given_up: &(dyn Fn() -> bool + Sync),
) -> Result<Option<ScenarioResult>, InputError> {
    let specs = scenario.runs();
    let total = specs.len();
    let done = AtomicUsize::new(0);
    let failed = AtomicUsize::new(usize::MAX);
    let make = |(number, spec): (usize, &RunSpec)| {
        // Runs before a failed one go on, so that the first error is the same whatever the threads do.
        if failed.load(Ordering::Relaxed) < number || stop() {
            return None;
        }
        let made = |experiment| made_unless(spec, &experiment, is_given_up);
        let result = runs::experiment(spec).and_then(made).transpose()?;
        if result.is_err() {
            failed.fetch_min(number, Ordering::Relaxed);
        }
        progress(Progress {
            done: done.fetch_add(1, Ordering::Relaxed) + 1,
            total,
        });
        Some(result)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| {
        let found = format!("cannot start {threads} threads: {error}");
        InputError::new("the number of threads", found).help("use fewer threads")
    })?;
    let results: Vec<Option<Result<RunResult, InputError>>> =
        pool.install(|| specs.par_iter().enumerate().with_max_len(1).map(make).collect());
    let runs: Vec<Option<RunResult>> = results.into_iter().map(Option::transpose).collect::<Result<_, _>>()?;
    let made: Vec<bool> = runs.iter().map(Option::is_some).collect();
    let Some((part, numbers)) = scenario.made_part(&made) else {
        return Ok(None);
    };
    // The numbers ascend.
    let kept = runs
        .into_iter()
        .enumerate()
        .filter(|(number, _)| numbers.binary_search(number).is_ok());
    let kept = kept.filter_map(|(_, run)| run).collect();
    Ok(Some(ScenarioResult::new(&part, kept, total)))
}

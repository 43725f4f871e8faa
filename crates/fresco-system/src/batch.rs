// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many runs at once. Runs share nothing, so the number of threads changes no result.

use crate::experiment::{Experiment, Timing};
use crate::results::{RunResult, ScenarioResult};
use crate::store::{Kept, Store};
use crate::{Role, RunSpec, Scenario, experiment, runs};
use fresco_dram::Ps;
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

/// Later than the end of any run, in picoseconds.
pub(crate) const NEVER_BEGINS: Ps = 1_000 * Experiment::LONGEST_NS;

/// Makes one run in which a single copy is at work, in the partition that it has in the scenario and without budgets. The others and devices
/// have their memory, so that it has the page frames and the data that it has beside them, and do nothing.
///
/// `None` if the run is given up.
///
/// # Errors
/// As [`run`].
pub fn run_alone(spec: &RunSpec, copy: usize, is_given_up: &dyn Fn() -> bool) -> Result<Option<RunResult>, InputError> {
    let mut experiment = runs::experiment(spec)?;
    experiment.heeds_order = true;
    for (number, task) in experiment.tasks.iter_mut().enumerate() {
        if number == copy {
            task.role = Role::Measured;
        } else {
            task.role = Role::Background;
            task.start = NEVER_BEGINS;
            task.timing = Timing::Batch;
        }
    }
    experiment.agents.iter_mut().for_each(|agent| agent.enabled = false);
    experiment.dynamic = None;
    experiment.regulation = None;
    made_unless(spec, &experiment, is_given_up)
}

/// As [`made`]; `None` if the run is given up.
pub(crate) fn made_unless(
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
    let batch = Batch {
        threads,
        progress,
        ..Batch::default()
    };
    Ok(batch.run(scenario)?.expect("nobody has stopped it"))
}

/// Makes all runs of a scenario on the calling thread, one after the other, and puts their results together: for callers that have
/// threads of their own, each with scenarios. `None` if it is given up.
///
/// # Errors
/// The error of the first run that has one; see [`run`]. Those after it are not made.
pub fn run_here(scenario: &Scenario, is_given_up: &dyn Fn() -> bool) -> Result<Option<ScenarioResult>, InputError> {
    let specs = scenario.runs();
    let mut made = Vec::with_capacity(specs.len());
    for spec in &specs {
        match made_unless(spec, &runs::experiment(spec)?, is_given_up)? {
            Some(run) => made.push(run),
            None => return Ok(None),
        }
    }
    Ok(Some(ScenarioResult::new(scenario, made, specs.len())))
}

/// How the runs of a scenario are made.
#[derive(Clone, Copy)]
pub struct Batch<'b> {
    /// Runs at the same time; 0: one per processor.
    pub threads: usize,
    /// If there are two threads or more for each run, its memory controllers have one where they can
    /// ([`fresco_memory::MemorySystem::run_beside`]). Slower where that many processors are not idle.
    pub beside: bool,
    /// Called after each run, from any thread.
    pub progress: &'b (dyn Fn(Progress) + Sync),
    /// Once it says so no more runs are begun.
    pub stop: &'b (dyn Fn() -> bool + Sync),
    /// Once it says so those that have begun are not ended but given up, within milliseconds. They count as not made.
    pub is_given_up: &'b (dyn Fn() -> bool + Sync),
    /// Where results are looked for before a run is made, and kept afterwards.
    pub store: Option<&'b dyn Store>,
}

impl Default for Batch<'_> {
    fn default() -> Self {
        Self {
            threads: 0,
            beside: false,
            progress: &|_| {},
            stop: &|| false,
            is_given_up: &|| false,
            store: None,
        }
    }
}

impl Batch<'_> {
    /// Makes the runs and puts their results together. Where it is stopped the result is that of the largest scenario that was made whole,
    /// with fewer values on one axis or fewer repetitions; `None` if there is not even that.
    ///
    /// # Errors
    /// As [`run_all`].
    pub fn run(&self, scenario: &Scenario) -> Result<Option<ScenarioResult>, InputError> {
        let specs = scenario.runs();
        let total = specs.len();
        let done = AtomicUsize::new(0);
        let failed = AtomicUsize::new(usize::MAX);
        let files = || scenario.traces().into_iter().map(|trace| trace.path);
        let kept = self.store.map(|store| Kept::new(store, files()));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|error| {
            let found = format!("cannot start {} threads: {error}", self.threads);
            InputError::new("the number of threads", found).help("use fewer threads")
        })?;
        let beside = self.beside && self.threads >= 2 * total;
        let make = |(number, spec): (usize, &RunSpec)| {
            // Runs before a failed one go on, so that the first error is the same whatever the threads do.
            if failed.load(Ordering::Relaxed) < number || (self.stop)() {
                return None;
            }
            let result = self.made(spec, kept.as_ref(), beside).transpose()?;
            if result.is_err() {
                failed.fetch_min(number, Ordering::Relaxed);
            }
            (self.progress)(Progress {
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                total,
            });
            Some(result)
        };
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

    /// One run, as it was kept or made, `beside` if it has two processors; `None` if it is given up.
    fn made(&self, spec: &RunSpec, kept: Option<&Kept<'_>>, beside: bool) -> Result<Option<RunResult>, InputError> {
        let mut experiment = runs::experiment(spec)?;
        let known = kept.and_then(|kept| kept.key(spec, &experiment).map(|key| (kept, key)));
        if let Some(run) = known.as_ref().and_then(|(kept, key)| kept.get(key, spec)) {
            return Ok(Some(run));
        }
        experiment.beside = beside;
        let made = made_unless(spec, &experiment, self.is_given_up)?;
        if let (Some((kept, key)), Some(run)) = (&known, &made) {
            kept.put(key, run);
        }
        Ok(made)
    }
}

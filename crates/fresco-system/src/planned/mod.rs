// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan on the simulated machine: the experiment that it is, what it promises, and whether that held.

mod budgets;
mod modes;
mod promises;
mod setup;
#[cfg(test)]
mod tests;

pub use promises::{Promise, promised};

use crate::experiment::{self, RunOutcome};
use crate::results::{RunResult, ScenarioResult};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_scenario::plan::Plan;

/// How a plan is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Length of the run in ns; `None` for one in which everything repeats, within limits.
    pub horizon_ns: Option<u64>,
    /// Seed of page frames and programs.
    pub seed: u64,
    /// Length of the beginning that is recorded in detail, in ns.
    pub record_ns: u64,
    /// Judge every DRAM command by the independent checker.
    pub check: bool,
    /// Begin with the switch from ordinary refresh (E34), not with refresh in its rhythm.
    pub from_switch_on: bool,
    /// When a plan of two criticality levels changes to high mode, in ns: from there on, at the latest, every job of a synthetic task of high criticality takes
    /// its WCET of high mode. `None` for low mode alone.
    pub mode_change_ns: Option<u64>,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            horizon_ns: None,
            seed: 1,
            record_ns: 128_000_000,
            check: true,
            from_switch_on: false,
            mode_change_ns: None,
        }
    }
}

/// Simulates a plan on its machine: the result has one point, without axes, and one run, whose promises are those of the plan.
///
/// # Errors
/// A plan that cannot be run on the machine, or a program that cannot be built.
pub fn simulate(plan: &Plan, machine: &Machine, run: Run) -> Result<ScenarioResult, InputError> {
    let result = simulate_unless(plan, machine, run, &|| false)?;
    Ok(result.expect("nobody gives it up"))
}

/// As [`simulate`], but asks every few milliseconds whether the run is given up: then there is no result.
///
/// # Errors
/// As of [`simulate`].
pub fn simulate_unless(
    plan: &Plan,
    machine: &Machine,
    run: Run,
    is_given_up: &dyn Fn() -> bool,
) -> Result<Option<ScenarioResult>, InputError> {
    let experiment = setup::of(plan, machine, run)?;
    let Some(outcome) = experiment::run_unless(&experiment, is_given_up)? else {
        return Ok(None);
    };
    let promises = promises::of(plan, experiment.mode_change.as_ref(), &outcome);
    let result = RunResult {
        promises,
        not_looked_at: promises::not_looked_at(plan, experiment.mode_change.as_ref()),
        ..RunResult::new(&experiment, outcome, |_| 0)
    };
    let threads: Vec<Option<usize>> = experiment.tasks.iter().map(|task| task.team).collect();
    Ok(Some(ScenarioResult::of_plan(plan, machine, &threads, result)))
}

/// When schedule and refresh of high mode begin if the mode of a plan changes at `at_ns`, in ns: at the first multiple of its retention time from there on.
///
/// # Errors
/// The plan has no high mode, or no retention time.
pub fn high_mode_begins(plan: &Plan, at_ns: u64) -> Result<u64, InputError> {
    modes::begin(plan, at_ns)
}

/// As [`simulate`], but all that the engine counted.
///
/// # Errors
/// As [`simulate`].
pub fn outcome(plan: &Plan, machine: &Machine, run: Run) -> Result<RunOutcome, InputError> {
    experiment::run(&setup::of(plan, machine, run)?)
}

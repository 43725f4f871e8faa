// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flat lock-aware scheduling (F28): no servers, the first ready job whose color is unlocked runs.
//!
//! For tasks with known phases the test is exact, by simulation until the state repeats. It holds for shorter execution times
//! too: each job has a fixed set of forbidden instants, and the instants taken by the `k` jobs of highest priority shrink when
//! an execution time does. It does not hold for sporadic arrivals, nor for shorter bursts (E32). On several cores with tasks
//! bound to them, test each core under the same locks.

use crate::patience::Patience;
use crate::policy::Policy;
use crate::simulation::{Dispatch, Horizon, Miss, Outcome, Simulation, SimulationError};
use crate::task::Task;
use crate::toplevel::Locks;

/// Outcome of the flat test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlatVerdict {
    /// No job misses, ever; holds the run that shows it.
    Schedulable(Outcome),
    /// A job misses.
    Missed(Miss),
    /// Neither a miss nor a repeated state within [`MAX_REPEATS`] repeats.
    Undecided,
}

/// Longest run, in repeats of everything periodic.
pub const MAX_REPEATS: u64 = 32;

/// Tests tasks of any number of colors on one core.
///
/// # Errors
/// If workloads and locks have different numbers of colors, or the common multiple of all periods is too long to run.
pub fn flat_test(workloads: &[&[Task]], policy: Policy, locks: &Locks) -> Result<FlatVerdict, SimulationError> {
    flat_test_while(workloads, policy, locks, Patience::ENDLESS)
}

/// As [`flat_test`], as long as the patience lasts.
///
/// # Errors
/// As [`flat_test`]; [`SimulationError::Stopped`].
pub fn flat_test_while(
    workloads: &[&[Task]],
    policy: Policy,
    locks: &Locks,
    patience: Patience<'_>,
) -> Result<FlatVerdict, SimulationError> {
    let simulation = Simulation::new(workloads.to_vec(), policy, Dispatch::Flat, Some(locks))?.while_patient(patience);
    let once = simulation.horizon()?;
    let mut repeats = once.repeats;
    while repeats <= MAX_REPEATS {
        let outcome = simulation.run_until_miss(Horizon { repeats, ..once })?;
        if let Some(miss) = outcome.first_miss {
            return Ok(FlatVerdict::Missed(miss));
        }
        if outcome.converged {
            return Ok(FlatVerdict::Schedulable(outcome));
        }
        repeats *= 2;
    }
    Ok(FlatVerdict::Undecided)
}

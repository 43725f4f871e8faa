// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task runs in which server (CRS-16): by all subsets while they are few, by local search above.

use super::candidates::Candidates;
use super::full::full_budgets_of;
use super::rest::rest_of_table;
use super::{Found, Space};
use crate::budget::Family;
use crate::demand::utilization_q64;
use crate::policy::Policy;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::TopLevelError;

/// Memory of the tasks, and how much each color holds (F7 for two colors of one server each).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryNeed {
    /// Bytes of each task, in the order of the tasks.
    pub bytes: Vec<u64>,
    /// Bytes of each color.
    pub capacity: [u64; 2],
}

/// Tasks by workload, and the servers for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Indices of the tasks of each workload, ascending; workload `c` is the one whose memory has color capacity `c`.
    pub workloads: [Vec<usize>; 2],
    /// The servers, and which workload runs in which.
    pub found: Found,
}

/// Finds two workloads and servers for them by [`rest_of_table`]; at most `attempts` partitions are tried.
///
/// First come the splits by period (short periods in one workload, long ones in the other), then, for few tasks, all subsets, else
/// what one move or one swap makes of the splits, most even first. `None` means that none of these works, which proves
/// nothing for more than eight tasks.
///
/// # Errors
/// [`rest_of_table`].
pub fn partition(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    space: &Space,
    attempts: usize,
) -> Result<Option<Partition>, TopLevelError> {
    first_that(tasks, memory, space, attempts, |sets| {
        rest_of_table(sets, policy, space, true)
    })
}

/// As [`partition`], with servers whose budgets are always full ([`full_budgets`](super::full_budgets)): those of the periodic
/// resource, or of its linear bound.
///
/// # Errors
/// [`full_budgets`](super::full_budgets).
pub fn partition_full(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    family: Family,
    space: &Space,
    attempts: usize,
) -> Result<Option<Partition>, TopLevelError> {
    first_that(tasks, memory, space, attempts, |sets| {
        full_budgets_of(sets, policy, family, space)
    })
}

/// The first partition for which servers are found.
fn first_that(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    space: &Space,
    attempts: usize,
    servers: impl Fn([&[Task]; 2]) -> Result<Option<Found>, TopLevelError>,
) -> Result<Option<Partition>, TopLevelError> {
    if hopeless(tasks, space) {
        return Ok(None);
    }
    for side in Candidates::new(tasks, memory).take(attempts) {
        let chosen = |wanted: bool| (0..tasks.len()).filter(|&i| side[i] == wanted).collect::<Vec<usize>>();
        let workloads = [chosen(false), chosen(true)];
        let sets = workloads
            .clone()
            .map(|indices| indices.iter().map(|&i| tasks[i].clone()).collect::<Vec<Task>>());
        if let Some(found) = servers([&sets[0], &sets[1]])? {
            return Ok(Some(Partition { workloads, found }));
        }
    }
    Ok(None)
}

/// Whether no partition can work: the load exceeds what the handlers leave, or a job released with a lock cannot wait for its
/// end, whichever color it has.
fn hopeless(tasks: &[Task], space: &Space) -> bool {
    let locks = &space.locks;
    let handlers: Time = 2 * (locks.lock_cost() + locks.unlock_cost());
    let left = (u128::from(locks.retention().saturating_sub(handlers)) << 64) / u128::from(locks.retention());
    let shortest = (0..locks.colors().len())
        .map(|color| locks.window_length(color))
        .min()
        .unwrap_or(0);
    utilization_q64(tasks).0 > left + 1 || tasks.iter().any(|task| task.deadline - task.wcet < shortest)
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task runs in which server (CRS-16): by all subsets while they are few, by local search above.

use super::candidates::Candidates;
use super::full::full_budgets_of;
use super::rest::{Past, rest_of_frame};
use super::{Found, Sought, Space};
use crate::budget::Family;
use crate::demand::utilization_q64;
use crate::patience::Attempts;
use crate::policy::Policy;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Frame, Locks, TopLevelError};

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

/// Finds two workloads and servers for them by [`rest_of_table`](super::rest_of_table); at most `attempts` partitions are tried.
///
/// First come the splits by period (short periods in one workload, long ones in the other), then, for few tasks, all subsets, else
/// what one move or one swap makes of the splits, most even first: for more than eight tasks that is not all.
///
/// # Errors
/// [`rest_of_table`](super::rest_of_table); [`TopLevelError::Stopped`].
pub fn partition<'a>(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    space: &Space,
    attempts: impl Into<Attempts<'a>>,
) -> Result<Sought<Partition>, TopLevelError> {
    let frame = Frame::new(&space.locks, space.locks.retention()).costing(space.slice);
    let mut past = Past::default();
    if hopeless(tasks, space) {
        return Ok(Sought::Nowhere);
    }
    first_that(
        tasks,
        memory,
        attempts.into(),
        |_| true,
        |sets| rest_of_frame(&frame, &mut past, sets, policy, space, true),
    )
}

/// As [`partition`], with servers whose budgets are always full ([`full_budgets`](super::full_budgets)): those of the periodic
/// resource, or of its linear bound.
///
/// # Errors
/// [`full_budgets`](super::full_budgets).
pub fn partition_full<'a>(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    family: Family,
    space: &Space,
    attempts: impl Into<Attempts<'a>>,
) -> Result<Sought<Partition>, TopLevelError> {
    if hopeless(tasks, space) {
        return Ok(Sought::Nowhere);
    }
    first_that(
        tasks,
        memory,
        attempts.into(),
        |_| true,
        |sets| full_budgets_of(sets, policy, family, space),
    )
}

/// The first partition for which servers are found, of those whose sides suit.
pub(crate) fn first_that<E: From<TopLevelError>>(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    attempts: Attempts<'_>,
    suits: impl Fn(&[bool]) -> bool,
    mut servers: impl FnMut([&[Task]; 2]) -> Result<Option<Found>, E>,
) -> Result<Sought<Partition>, E> {
    let mut candidates = Candidates::new(tasks, memory);
    let mut tried = 0;
    for (number, side) in candidates.by_ref().take(attempts.most).enumerate() {
        tried = number + 1;
        if attempts.are_over(number) {
            return Err(TopLevelError::Stopped.into());
        }
        if !suits(&side) {
            continue;
        }
        let chosen = |wanted: bool| (0..tasks.len()).filter(|&i| side[i] == wanted).collect::<Vec<usize>>();
        let workloads = [chosen(false), chosen(true)];
        let sets = workloads
            .clone()
            .map(|indices| indices.iter().map(|&i| tasks[i].clone()).collect::<Vec<Task>>());
        if let Some(found) = servers([&sets[0], &sets[1]])? {
            return Ok(Sought::Found(Partition { workloads, found }));
        }
    }
    Ok(match candidates.are_over() {
        true => Sought::Nowhere,
        false => Sought::Open(tried),
    })
}

/// Whether the load exceeds what the handlers of the locks leave.
pub fn is_overloaded(tasks: &[Task], locks: &Locks) -> bool {
    let handlers: Time = 2 * (locks.lock_cost() + locks.unlock_cost());
    let left = (u128::from(locks.retention().saturating_sub(handlers)) << 64) / u128::from(locks.retention());
    utilization_q64(tasks).0 > left + 1
}

/// Whether no partition can work: the load exceeds what the handlers leave, or a job released with a lock cannot wait for its
/// end, whichever color it has.
fn hopeless(tasks: &[Task], space: &Space) -> bool {
    let locks = &space.locks;
    let shortest = (0..locks.colors().len())
        .map(|color| locks.window_length(color))
        .min()
        .unwrap_or(0);
    is_overloaded(tasks, locks) || tasks.iter().any(|task| task.window() - task.wcet < shortest)
}

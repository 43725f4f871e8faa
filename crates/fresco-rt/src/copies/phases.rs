// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task runs in which server, for jobs of known instants: the slots have to serve these jobs, not whatever sporadic tasks may send.

use super::{CopyError, servers_with_copies, waits_for_locks};
use crate::patience::Attempts;
use crate::policy::Policy;
use crate::search::{Candidates, Found, MemoryNeed, Partition, Sought, Space, is_overloaded};
use crate::task::Task;
use crate::toplevel::TopLevelError;

/// Finds two workloads and servers for the phases of the tasks, as [`partition`](crate::search::partition) does for sporadic tasks, whose
/// partitions are tried in the same order.
///
/// # Errors
/// As [`servers_with_copies`].
pub fn partition_for_phases<'a>(
    tasks: &[Task],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    space: &Space,
    attempts: impl Into<Attempts<'a>>,
) -> Result<Sought<Partition>, CopyError> {
    let attempts = attempts.into();
    let waits = tasks.iter().map(|task| waits_for_locks(task, policy, space));
    let waits = waits.collect::<Result<Vec<_>, _>>()?;
    if is_overloaded(tasks, space.locks()) || waits.contains(&[false; 2]) {
        return Ok(Sought::Nowhere);
    }
    let mut candidates = Candidates::new(tasks, memory);
    let mut tried = 0;
    for (number, side) in candidates.by_ref().take(attempts.most).enumerate() {
        tried = number + 1;
        if attempts.are_over(number) {
            return Err(TopLevelError::Stopped.into());
        }
        // Either workload may have either color; a task that cannot have its color alone cannot have it with others.
        let suits = |turned: bool| {
            waits
                .iter()
                .zip(&side)
                .all(|(waits, &side)| waits[usize::from(side != turned)])
        };
        if !suits(false) && !suits(true) {
            continue;
        }
        let chosen = |wanted: bool| (0..tasks.len()).filter(|&i| side[i] == wanted).collect::<Vec<usize>>();
        let workloads = [chosen(false), chosen(true)];
        let sets = workloads
            .clone()
            .map(|indices| indices.iter().map(|&i| tasks[i].clone()).collect::<Vec<Task>>());
        let found = servers_with_copies([&sets[0], &sets[1]], &[], policy, space, attempts.patience)?;
        if let Some(found) = found {
            let (top, order) = (found.top, found.order);
            let found = Found { top, order };
            return Ok(Sought::Found(Partition { workloads, found }));
        }
    }
    Ok(match candidates.are_over() {
        true => Sought::Nowhere,
        false => Sought::Open(tried),
    })
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task runs in which server, for jobs of known instants: the slots have to serve these jobs, not whatever sporadic tasks may send.

use super::{CopyError, ServerSearch, waits_for_locks};
use crate::patience::Attempts;
use crate::policy::Policy;
use crate::search::{Found, MemoryNeed, Partition, Sought, Space, first_that, is_overloaded};
use crate::task::Task;

/// Finds two workloads and servers for the phases of the tasks, as [`partition`](crate::search::partition) does for sporadic tasks, whose
/// partitions are tried in the same order.
///
/// # Errors
/// As [`servers_with_copies`](super::servers_with_copies).
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
    // Either workload may have either color; a task that cannot have its color alone cannot have it with others.
    let suits = |side: &[bool]| {
        [false, true].iter().any(|&turned| {
            waits
                .iter()
                .zip(side)
                .all(|(waits, &side)| waits[usize::from(side != turned)])
        })
    };
    let mut search = ServerSearch::new(policy, space);
    first_that(tasks, memory, attempts, suits, |sets| {
        let found = search.servers(sets, &[], attempts.patience)?;
        Ok(found.map(|found| Found {
            top: found.top,
            order: found.order,
        }))
    })
}

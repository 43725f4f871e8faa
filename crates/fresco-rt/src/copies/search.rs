// SPDX-License-Identifier: MIT OR Apache-2.0
//! Servers for workloads and copy tasks: as search B, with explicit jobs on the tables.

use super::CopyTask;
use super::accept::{CopyError, ListedJobs, ServerJobs, instances};
use super::instances::{InstanceTable, Switch};
use crate::patience::{Patience, Progress};
use crate::policy::Policy;
use crate::search::Space;
use crate::spans::Spans;
use crate::supply::SlotTable;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Frame, Server, TopLevel, TopLevelError};

/// Servers, and who runs in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundWithCopies {
    /// The servers with their locks.
    pub top: TopLevel,
    /// The workload (0 or 1) that runs in each server.
    pub order: [usize; 2],
    /// Where copies are made.
    pub switch: Switch,
    /// The instances of each copy task.
    pub instances: Vec<InstanceTable>,
}

/// The servers of the longest period that [`copies_test`](super::copies_test) accepts: the first has the least budget that serves
/// it, which leaves the second the most. `None` if there are none in the space.
///
/// A larger budget only adds slots, and jobs that are served in some slots are served in more; so the least is bisected, and given up
/// as soon as what is left would not serve the second.
///
/// # Errors
/// As [`copies_test`](super::copies_test); [`TopLevelError::Stopped`].
pub fn servers_with_copies(
    workloads: [&[Task]; 2],
    shared: &[CopyTask],
    policy: Policy,
    space: &Space,
    patience: Patience<'_>,
) -> Result<Option<FoundWithCopies>, CopyError> {
    let frame = Frame::new(space.locks(), space.locks().retention());
    // With budgets as long as any period, each server has all that its lock leaves: what that does not serve, nothing does.
    let all = [0, 1].map(|color| frame.table(frame.free(color)));
    let mut cases = Vec::new();
    for switch in [Switch::Earliest, Switch::Latest] {
        let Ok(instances) = instances(shared, space.locks(), switch) else {
            continue;
        };
        for order in [[0, 1], [1, 0]] {
            let listed = |color: usize| {
                ServerJobs::new(color, workloads[order[color]], shared, &instances).listed(&all[color], policy)
            };
            let jobs = [listed(0)?, listed(1)?];
            if jobs[0].are_served(&all[0])? && jobs[1].are_served(&all[1]).unwrap_or(true) {
                cases.push((switch, instances.clone(), order, jobs));
            }
        }
    }
    for (tried, &period) in (0u64..).zip(space.periods().iter().rev()) {
        for (switch, instances, order, jobs) in &cases {
            let at = Progress {
                what: "periods of servers with copies",
                done: tried,
                most: space.periods().len() as u64,
            };
            if patience.is_over(at) {
                return Err(TopLevelError::Stopped.into());
            }
            let Some(budget) = least_budget(&frame, jobs, period) else {
                continue;
            };
            if jobs[1].are_served(&rest(&frame, period, budget))? {
                let servers = [Server { period, budget }, Server { period, budget: period }];
                return Ok(Some(FoundWithCopies {
                    top: TopLevel::new(servers, space.locks().clone())?,
                    order: *order,
                    switch: *switch,
                    instances: instances.clone(),
                }));
            }
        }
    }
    Ok(None)
}

/// What server 0 leaves to server 1.
fn rest(frame: &Frame, period: Time, budget: Time) -> SlotTable {
    let higher = frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
    frame.table(&frame.grant(Server { period, budget: period }, 1, &higher).slots)
}

/// The least budget of server 0 that serves its jobs, which the whole period does; `None` as soon as it is known that what it leaves
/// does not serve those of server 1.
fn least_budget(frame: &Frame, [first, second]: &[ListedJobs; 2], period: Time) -> Option<Time> {
    let served = |budget: Time| {
        let slots = frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
        first.are_served(&frame.table(&slots)).unwrap_or(false)
    };
    let (mut low, mut high) = (first.share(period), period);
    if !second.are_served(&rest(frame, period, low)).unwrap_or(true) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if served(middle) {
            high = middle;
        } else {
            low = middle + 1;
            if !second.are_served(&rest(frame, period, low)).unwrap_or(true) {
                return None;
            }
        }
    }
    Some(high)
}

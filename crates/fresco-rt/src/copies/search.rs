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

/// For each color, whether a task meets its deadlines alone, with all the time that the color's lock and the handlers leave. With other
/// tasks it has less.
///
/// # Errors
/// More jobs than are listed.
pub fn waits_for_locks(task: &Task, policy: Policy, space: &Space) -> Result<[bool; 2], CopyError> {
    let frame = Frame::new(space.locks(), space.locks().retention());
    let mut waits = [true; 2];
    for (color, waits) in waits.iter_mut().enumerate() {
        let all = frame.table(frame.free(color));
        let server = ServerJobs::new(color, std::slice::from_ref(task), &[], &[]);
        *waits = server.listed(&all, policy)?.are_served(&all)?;
    }
    Ok(waits)
}

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
    let mut far = space.locks().retention();
    let mut cases = Vec::new();
    let switches = [Switch::Earliest, Switch::Latest].into_iter();
    let instances = switches.filter_map(|switch| Some((switch, instances(shared, space.locks(), switch).ok()?)));
    let instances: Vec<(Switch, Vec<InstanceTable>)> = instances.collect();
    for (switch, instances) in &instances {
        for order in [[0, 1], [1, 0]] {
            let listed = |color: usize| {
                ServerJobs::new(color, workloads[order[color]], shared, instances).listed(&all[color], policy)
            };
            let first = listed(0)?;
            if first.first_miss(&all[0], far)?.is_some() {
                continue;
            }
            let second = listed(1)?;
            if second.first_miss(&all[1], far).unwrap_or(None).is_none() {
                cases.push((*switch, instances, order, [first, second]));
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
            let Some(budget) = least_budget(&frame, jobs, period, &mut far) else {
                continue;
            };
            if jobs[1].are_served(&rest(&frame, period, budget))? {
                let servers = [Server { period, budget }, Server { period, budget: period }];
                return Ok(Some(FoundWithCopies {
                    top: TopLevel::new(servers, space.locks().clone())?,
                    order: *order,
                    switch: *switch,
                    instances: instances.to_vec(),
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

/// The least budget of server 0 that serves its jobs; `None` if there is none, or as soon as it is known that what it leaves does not
/// serve those of server 1.
///
/// A run that finds no miss lasts a whole turn or more. So while the budget is bisected only the beginning is run, up to `far`, and then
/// all of it with the least budget for that; where a job misses then, `far` is as far from there on.
fn least_budget(frame: &Frame, [first, second]: &[ListedJobs<'_>; 2], period: Time, far: &mut Time) -> Option<Time> {
    // What cannot be listed for a budget is not served; whether the rest can is told by the budget that is found.
    let miss = |budget: Time, until: Time| {
        let slots = frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
        first.first_miss(&frame.table(&slots), until).unwrap_or(Some(0))
    };
    let is_left_enough = |budget: Time, until: Time| {
        let left = second.first_miss(&rest(frame, period, budget), until);
        left.map_or(true, |miss| miss.is_none())
    };
    let mut low = first.share(period);
    if !is_left_enough(low, *far) {
        return None;
    }
    loop {
        let mut high = period;
        while low < high {
            let middle = low + (high - low) / 2;
            if miss(middle, *far).is_none() {
                high = middle;
            } else {
                low = middle + 1;
                // No less will do for the first, and more leaves less.
                if !is_left_enough(low, *far) {
                    return None;
                }
            }
        }
        match miss(low, Time::MAX) {
            None => return Some(low),
            Some(_) if low == period => return None,
            Some(deadline) => {
                *far = if deadline > *far { deadline } else { Time::MAX };
                low += 1;
            }
        }
    }
}

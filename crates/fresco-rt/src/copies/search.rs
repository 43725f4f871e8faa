// SPDX-License-Identifier: MIT OR Apache-2.0
//! Servers for workloads and copy tasks: as search B, with explicit jobs on the tables.

use super::CopyTask;
use super::accept::{CopyError, ServerJobs, instances};
use super::instances::{InstanceTable, Switch};
use crate::budget::least_where;
use crate::listed::Served;
use crate::policy::Policy;
use crate::search::Space;
use crate::spans::Spans;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Frame, Server, TopLevel};

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
/// A larger budget only adds slots, and jobs that are served in some slots are served in more; so the least is bisected.
///
/// # Errors
/// As [`copies_test`](super::copies_test).
pub fn servers_with_copies(
    workloads: [&[Task]; 2],
    shared: &[CopyTask],
    policy: Policy,
    space: &Space,
) -> Result<Option<FoundWithCopies>, CopyError> {
    let frame = Frame::new(space.locks(), space.locks().retention());
    for &period in space.periods().iter().rev() {
        for switch in [Switch::Earliest, Switch::Latest] {
            let Ok(instances) = instances(shared, space.locks(), switch) else {
                continue;
            };
            for order in [[0, 1], [1, 0]] {
                let [first, second] =
                    [0, 1].map(|color| ServerJobs::new(color, workloads[order[color]], shared, &instances));
                let granted = |budget: Time| frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
                let served = |server: &ServerJobs, slots: &Spans| {
                    let served = server.serve(&frame.table(slots), policy)?;
                    Ok::<bool, CopyError>(matches!(served, Served::Met(_)))
                };
                if !served(&first, &granted(period))? {
                    continue;
                }
                let budget = least_where(0, period, |b| served(&first, &granted(b)).unwrap_or(false));
                let last = Server { period, budget: period };
                let rest = frame.grant(last, 1, &granted(budget)).slots;
                if served(&second, &rest)? {
                    let servers = [Server { period, budget }, last];
                    return Ok(Some(FoundWithCopies {
                        top: TopLevel::new(servers, space.locks().clone())?,
                        order,
                        switch,
                        instances,
                    }));
                }
            }
        }
    }
    Ok(None)
}

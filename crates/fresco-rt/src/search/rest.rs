// SPDX-License-Identifier: MIT OR Apache-2.0
//! Search B: the server of higher priority gets the least budget with which its table serves it, the other all the rest (T3).

use super::{Found, ORDERS, Space};
use crate::budget::least_where;
use crate::demand::utilization_q64;
use crate::policy::Policy;
use crate::spans::Spans;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Frame, Server, TopLevel, TopLevelError, fits};

/// The servers that leave the most bandwidth unused by workloads, found by one bisection per period and order.
///
/// A larger budget of server 0 only adds slots to it, so the least that serves it can be bisected, and leaves server 1 the most;
/// `e2 = p2` gives server 1 all of that. Hence a table for some budgets and this period exists exactly if this one does. With
/// `first_only`, the first servers found, longest period first. `None` if there are none in the space.
///
/// # Errors
/// [`TopLevel::new`], [`edf_test`](crate::edf::edf_test).
pub fn rest_of_table(
    workloads: [&[Task]; 2],
    policy: Policy,
    space: &Space,
    first_only: bool,
) -> Result<Option<Found>, TopLevelError> {
    let frame = Frame::new(&space.locks, space.locks.retention());
    let mut best: Option<(u128, Found)> = None;
    for &period in space.periods.iter().rev() {
        for order in ORDERS {
            let [first, second] = order.map(|workload| workloads[workload]);
            let Some(server) = least_first(&frame, first, policy, period)? else {
                continue;
            };
            let higher = frame.grant(server, 0, &Spans::default()).slots;
            let last = Server { period, budget: period };
            let rest = frame.table(&frame.grant(last, 1, &higher).slots);
            if !fits(second, policy, &rest)? {
                continue;
            }
            let spare = rest.rate().q64_floor().saturating_sub(utilization_q64(second).1);
            if best.as_ref().is_none_or(|(most, _)| spare > *most) {
                best = Some((
                    spare,
                    Found {
                        top: TopLevel::new([server, last], space.locks.clone())?,
                        order,
                    },
                ));
            }
            if first_only {
                return Ok(best.map(|(_, found)| found));
            }
        }
    }
    Ok(best.map(|(_, found)| found))
}

/// Server 0 with the least budget whose table serves the workload.
fn least_first(
    frame: &Frame,
    workload: &[Task],
    policy: Policy,
    period: Time,
) -> Result<Option<Server>, TopLevelError> {
    if workload.is_empty() {
        return Ok(Some(Server { period, budget: 0 }));
    }
    let served = |budget: Time| {
        let slots = frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
        fits(workload, policy, &frame.table(&slots))
    };
    if !served(period)? {
        return Ok(None);
    }
    // An overflow near the edge of the load counts as not served; a larger budget decides.
    let least = share(workload, period);
    let budget = least_where(least.min(period), period, |budget| served(budget).unwrap_or(false));
    Ok(Some(Server { period, budget }))
}

/// Least budget per period that is not below the utilisation, from below.
fn share(workload: &[Task], period: Time) -> Time {
    let (below, _) = utilization_q64(workload);
    let scaled = (below >> 32) * u128::from(period);
    Time::try_from(scaled >> 32).unwrap_or(Time::MAX).max(1)
}

/// The same servers with the least budget of the last one that its table accepts, where spare bandwidth is wanted.
///
/// # Errors
/// As [`rest_of_table`].
pub fn shrink_last(found: &Found, workloads: [&[Task]; 2], policy: Policy) -> Result<Found, TopLevelError> {
    let [first, last] = found.top.servers;
    let frame = Frame::new(&found.top.locks, found.top.repeat()?);
    let higher = frame.grant(first, 0, &Spans::default()).slots;
    let workload = workloads[found.order[1]];
    let served = |budget: Time| {
        let slots = frame
            .grant(
                Server {
                    period: last.period,
                    budget,
                },
                1,
                &higher,
            )
            .slots;
        fits(workload, policy, &frame.table(&slots)).unwrap_or(false)
    };
    let budget = if workload.is_empty() {
        0
    } else {
        least_where(1, last.budget, served)
    };
    let servers = [
        first,
        Server {
            period: last.period,
            budget,
        },
    ];
    Ok(Found {
        top: TopLevel::new(servers, found.top.locks.clone())?,
        order: found.order,
    })
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Search B: the server of higher priority gets the least budget with which its table serves it, the other all the rest (T3).

use super::curves::{Curves, Demand};
use super::doubts::{Doubts, Shortage};
use super::{Found, ORDERS, Space};
use crate::budget::least_where;
use crate::demand::utilization_q64;
use crate::policy::Policy;
use crate::spans::Spans;
use crate::supply::{SlotTable, Supply};
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
    let frame = Frame::new(&space.locks, space.locks.retention()).costing(space.slice);
    rest_of_frame(&frame, &mut Past::default(), workloads, policy, space, first_only)
}

/// For each server, where its supplies have fallen short, and what it was supplied there.
#[derive(Default)]
pub(super) struct Past {
    doubts: [Doubts; 2],
    curves: [Curves; 2],
}

/// As [`rest_of_table`], in the frame of the locks, for a search that asks often.
pub(super) fn rest_of_frame(
    frame: &Frame,
    past: &mut Past,
    workloads: [&[Task]; 2],
    policy: Policy,
    space: &Space,
    first_only: bool,
) -> Result<Option<Found>, TopLevelError> {
    // With budgets as long as any period, each server has all that its lock leaves.
    let all = [0, 1].map(|color| frame.table(frame.free(color)));
    let mut possible = [true; 2];
    if !space.periods.is_empty() {
        for (order, possible) in ORDERS.into_iter().zip(&mut possible) {
            let [first, second] = order.map(|workload| workloads[workload]);
            *possible = first.is_empty() || past.doubts[0].fits(first, policy, &all[0])?;
            *possible = *possible && past.doubts[1].fits(second, policy, &all[1]).unwrap_or(true);
        }
    }
    let mut demands = workloads.map(Demand::of);
    let mut best: Option<(u128, Found)> = None;
    for &period in space.periods.iter().rev() {
        for (order, _) in ORDERS.into_iter().zip(possible).filter(|(_, possible)| *possible) {
            let sets = order.map(|workload| workloads[workload]);
            let too_little = past.curves[0].too_little(period, &mut demands[order[0]]);
            let least = share(sets[0], period).max(too_little.saturating_add(1)).min(period);
            let too_much = past.curves[1].too_much(period, &mut demands[order[1]]);
            if !sets[0].is_empty() && too_much.is_some_and(|budget| budget <= least) {
                continue;
            }
            let Some(server) = least_first(frame, past, sets, policy, period, least) else {
                continue;
            };
            let second = sets[1];
            let rest = rest(frame, server);
            if !past.doubts[1].fits(second, policy, &rest)? {
                continue;
            }
            let spare = rest.rate().q64_floor().saturating_sub(utilization_q64(second).1);
            if best.as_ref().is_none_or(|(most, _)| spare > *most) {
                let last = Server { period, budget: period };
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

/// What server 0 leaves to server 1.
fn rest(frame: &Frame, first: Server) -> SlotTable {
    let higher = frame.grant(first, 0, &Spans::default()).slots;
    let last = Server {
        period: first.period,
        budget: first.period,
    };
    frame.table(&frame.grant(last, 1, &higher).slots)
}

/// Server 0 with the least budget, from `least` on, whose table serves the first workload; `None` as soon as it is known that what this budget
/// leaves does not serve the second. All that the lock leaves serves the first, and less than `least` does not.
fn least_first(
    frame: &Frame,
    past: &mut Past,
    [first, second]: [&[Task]; 2],
    policy: Policy,
    period: Time,
    least: Time,
) -> Option<Server> {
    if first.is_empty() {
        return Some(Server { period, budget: 0 });
    }
    let Past { doubts, curves } = past;
    let (mut low, mut high) = (least, period);
    loop {
        // No less will do for the first, and more leaves less. Where an overflow hides the answer, the least budget decides.
        let budget = low;
        let left = rest(frame, Server { period, budget });
        match doubts[1].shortage(second, policy, &left) {
            Ok(Shortage::At(length, supply)) => {
                curves[1].note(period, budget, length, supply);
                return None;
            }
            Ok(Shortage::Elsewhere) => return None,
            Ok(Shortage::None) | Err(_) => {}
        }
        // An overflow near the edge of the load counts as not served; a larger budget decides.
        let mut served = |budget: Time| {
            let slots = frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
            let shortage = doubts[0].shortage(first, policy, &frame.table(&slots));
            if let Ok(Shortage::At(length, supply)) = shortage {
                curves[0].note(period, budget, length, supply);
            }
            shortage == Ok(Shortage::None)
        };
        while low < high {
            let middle = low + (high - low) / 2;
            if served(middle) {
                high = middle;
            } else {
                low = middle + 1;
                break;
            }
        }
        if low >= high {
            return Some(Server { period, budget: high });
        }
    }
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

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Search A: servers whose budgets are always full, so that workloads may rely on the periodic resource model (T2).

use super::{Found, ORDERS, Space};
use crate::budget::{Family, least_budget};
use crate::policy::Policy;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Server, TopLevel, TopLevelError, server_tables};

/// The servers of least total bandwidth whose least budgets (F23) are delivered in full (F26); of equals, those with the longest
/// periods, which switch least. `None` if there are none in the space.
///
/// The budgets of one server do not depend on the other: the four loops of Algorithm 7 become one closed form per workload and
/// period, and a table per pair of periods, tried from the least bandwidth on until one is full.
///
/// # Errors
/// [`TopLevel::new`], [`least_budget`].
pub fn full_budgets(workloads: [&[Task]; 2], policy: Policy, space: &Space) -> Result<Option<Found>, TopLevelError> {
    full_budgets_of(workloads, policy, Family::Periodic, space)
}

/// As [`full_budgets`], with least budgets of any family that a full table guarantees: the periodic resource, or its linear bound.
pub(super) fn full_budgets_of(
    workloads: [&[Task]; 2],
    policy: Policy,
    family: Family,
    space: &Space,
) -> Result<Option<Found>, TopLevelError> {
    let retention = space.locks.retention();
    let mut servers = [Vec::new(), Vec::new()];
    for (workload, servers) in workloads.into_iter().zip(&mut servers) {
        for &period in &space.periods {
            if let Some(budget) = least_budget(workload, policy, family, period)? {
                servers.push(Server { period, budget });
            }
        }
    }
    // Periods divide the retention time: bandwidth is budget per retention time.
    let bandwidth = |server: Server| u128::from(server.budget) * u128::from(retention / server.period);
    let mut pairs: Vec<(u128, [Server; 2])> = Vec::new();
    for &first in &servers[0] {
        for &second in &servers[1] {
            let total = bandwidth(first) + bandwidth(second);
            if total <= u128::from(retention) {
                pairs.push((total, [first, second]));
            }
        }
    }
    let long = |server: Server| Time::MAX - server.period;
    pairs.sort_by_key(|&(total, [a, b])| (total, long(a).saturating_add(long(b)), long(a)));
    for (_, pair) in pairs {
        for order in ORDERS {
            // No budget is full that a lock at the start of a period leaves no room for.
            let starved = |color: usize| {
                let Server { period, budget } = pair[order[color]];
                let aligned = space.locks.colors()[color].phase.is_multiple_of(period);
                aligned && space.locks.window_length(color) > period - budget
            };
            if starved(0) || starved(1) {
                continue;
            }
            let top = TopLevel::new(order.map(|workload| pair[workload]), space.locks.clone())?;
            if server_tables(&top)?.0.iter().all(|table| table.full) {
                return Ok(Some(Found { top, order }));
            }
        }
    }
    Ok(None)
}

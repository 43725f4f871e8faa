// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every pair of periods and budgets on a grid, each with its whole table: what Algorithm 7 does, with a sound test inside.

use super::{Found, ORDERS, Space};
use crate::policy::Policy;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Server, TopLevel, TopLevelError, fits, server_tables};

/// The first servers on the grid (budgets in multiples of `step` ≥ 1, both orders) whose tables serve both workloads with the least
/// unhidden refresh; and how many grid points were tried. For comparison with the other searches only.
///
/// # Errors
/// [`server_tables`], [`edf_test`](crate::edf::edf_test).
pub fn brute_force(
    workloads: [&[Task]; 2],
    policy: Policy,
    space: &Space,
    step: Time,
) -> Result<(Option<Found>, u64), TopLevelError> {
    let step = step.max(1);
    let budgets = |period: Time| (1..=period / step).map(move |k| k * step);
    let (mut best, mut tried): (Option<(Time, Found)>, u64) = (None, 0);
    for &p1 in &space.periods {
        for &p2 in &space.periods {
            for e1 in budgets(p1) {
                for e2 in budgets(p2) {
                    let servers = [Server { period: p1, budget: e1 }, Server { period: p2, budget: e2 }];
                    let top = TopLevel::new(servers, space.locks.clone())?;
                    let (tables, _) = server_tables(&top)?;
                    tried += 1;
                    let unhidden = tables[0].unhidden + tables[1].unhidden;
                    if best.as_ref().is_some_and(|(least, _)| *least <= unhidden) {
                        continue;
                    }
                    for order in ORDERS {
                        let [a, b] = order.map(|workload| workloads[workload]);
                        if fits(a, policy, &tables[0].slots)? && fits(b, policy, &tables[1].slots)? {
                            best = Some((
                                unhidden,
                                Found {
                                    top: top.clone(),
                                    order,
                                },
                            ));
                            break;
                        }
                    }
                }
            }
        }
    }
    Ok((best.map(|(_, found)| found), tried))
}

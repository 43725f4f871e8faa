// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound acceptance of two workloads by two servers, from the coarsest test to the finest.

use serde::Serialize;

use super::{TopLevel, TopLevelError, deferrable_guarantee, server_tables};
use crate::edf::edf_test;
use crate::fixed_priority::fixed_priority_test;
use crate::policy::Policy;
use crate::supply::{LinearBound, PeriodicResource, Supply};
use crate::task::Task;
use crate::time::Overflow;

/// Which of the tests accept; for idling servers each implies the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Acceptance {
    /// All budgets full, workloads fit the linear bound of the periodic resource.
    pub linear: bool,
    /// All budgets full, workloads fit the periodic resource (T2).
    pub periodic: bool,
    /// Workloads fit the slot table; budgets need not be full (T3).
    pub table: bool,
    /// Budgets guaranteed whatever the other server does, workloads fit the periodic resource (F24): deferrable servers.
    pub deferrable: bool,
}

/// Applies every test; `workloads[c]` runs in server `c`.
///
/// # Errors
/// [`TopLevel::repeat`], [`edf_test`].
pub fn accepts(top: &TopLevel, workloads: [&[Task]; 2], policy: Policy) -> Result<Acceptance, TopLevelError> {
    let (tables, _) = server_tables(top)?;
    let guaranteed = deferrable_guarantee(top)?;
    let mut linear = true;
    let mut periodic = true;
    let mut table = true;
    for color in 0..2 {
        let (server, tasks) = (top.servers[color], workloads[color]);
        let line = LinearBound::new(server.period, server.budget).expect("a server is a resource");
        let resource = PeriodicResource::new(server.period, server.budget).expect("a server is a resource");
        linear = linear && fits(tasks, policy, &line)?;
        periodic = periodic && fits(tasks, policy, &resource)?;
        table = table && fits(tasks, policy, &tables[color].slots)?;
    }
    let full = tables.iter().all(|table| table.full);
    let granted = (0..2).all(|color| guaranteed[color] >= top.servers[color].budget);
    Ok(Acceptance {
        linear: linear && full,
        periodic: periodic && full,
        table,
        deferrable: periodic && granted,
    })
}

/// Whether a workload meets its deadlines on a supply.
///
/// # Errors
/// [`edf_test`].
pub fn fits(tasks: &[Task], policy: Policy, supply: &impl Supply) -> Result<bool, Overflow> {
    match policy {
        Policy::Edf => Ok(edf_test(tasks, supply)?.is_schedulable()),
        Policy::FixedPriority(order) => Ok(fixed_priority_test(tasks, order, supply).is_some()),
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The acceptance that chapter 5 describes: all of its printed conditions together.

use serde::Serialize;

use super::bounds::{Rounding, capacity_bound, within_utilization_bound};
use super::{refresh_overhead, response_times, within_total_utilization};
use fresco_rt::policy::Policy;
use fresco_rt::task::Task;
use fresco_rt::time::Time;
use fresco_rt::toplevel::{TopLevel, TopLevelError};

/// The printed conditions; a set that passes all of them may still miss deadlines (E21 to E25).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PublishedVerdict {
    /// Per server, the utilisation bound.
    pub utilization_bound: [bool; 2],
    /// Per server, the least budget of the periodic capacity bound; `None` if there is none.
    pub capacity_bound: [Option<Time>; 2],
    /// Condition (2).
    pub total_utilization: bool,
    /// Per server, the longest printed response time with its ε; `None` if it exceeds the period
    /// before ε is added.
    pub response: [Option<Time>; 2],
    /// All of them hold.
    pub accepted: bool,
}

/// Applies every printed condition; `workloads[c]` runs in server `c`.
///
/// # Errors
/// [`TopLevel::repeat`], or a hyperperiod beyond 64 bits.
pub fn accepts_as_published(
    top: &TopLevel,
    workloads: [&[Task]; 2],
    policy: Policy,
) -> Result<PublishedVerdict, TopLevelError> {
    let length = top.repeat()?;
    let responses = response_times(top);
    let mut verdict = PublishedVerdict {
        utilization_bound: [false; 2],
        capacity_bound: [None; 2],
        total_utilization: within_total_utilization(top),
        response: [None; 2],
        accepted: false,
    };
    verdict.accepted = verdict.total_utilization;
    for color in 0..2 {
        let server = top.servers()[color];
        verdict.utilization_bound[color] = within_utilization_bound(workloads[color], policy, server)?;
        verdict.capacity_bound[color] = capacity_bound(workloads[color], policy, server.period(), Rounding::Floor)?;
        let overhead = (0..=length / server.period())
            .map(|job| refresh_overhead(top, color, job, length))
            .max();
        verdict.response[color] = responses[color].and_then(|r| r.checked_add(overhead.unwrap_or(0)));
        verdict.accepted &= verdict.utilization_bound[color]
            && verdict.capacity_bound[color].is_some_and(|least| server.budget() >= least)
            && verdict.response[color].is_some_and(|response| response <= server.period());
    }
    Ok(verdict)
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithm 7 (Optimize Refresh Overhead) as printed, on a grid (CRS-14, CON-16, E27).

use std::fmt;

use super::bounds::{Rounding, capacity_bound, within_utilization_bound};
use super::{refresh_overhead, response_times};
use fresco_rt::policy::Policy;
use fresco_rt::task::{Task, hyperperiod};
use fresco_rt::time::{Overflow, Time, lcm};
use fresco_rt::toplevel::{Locks, Server, TopLevel, TopLevelError};

/// What the algorithm ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm7 {
    /// The servers of the last improvement. As printed only the budgets are returned; the periods are theirs.
    pub servers: [Server; 2],
    /// The overhead it was compared by: the sum over all candidates so far.
    pub overhead: u128,
    /// Grid points within both capacity bounds.
    pub candidates: u64,
}

/// Why the algorithm does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm7Error {
    /// A step of 0, or without tasks in one of the workloads.
    Empty,
    /// More grid points than allowed; holds the limit.
    TooMany(u64),
    /// A time exceeds 64 bits, or the locks are not those of two colors.
    TopLevel(TopLevelError),
}

impl fmt::Display for Algorithm7Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm7Error::Empty => f.write_str("the step is 0 or a workload has no tasks"),
            Algorithm7Error::TooMany(limit) => write!(f, "the grid has more than {limit} points: choose a wider step"),
            Algorithm7Error::TopLevel(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Algorithm7Error {}

impl From<TopLevelError> for Algorithm7Error {
    fn from(error: TopLevelError) -> Self {
        Algorithm7Error::TopLevel(error)
    }
}

impl From<Overflow> for Algorithm7Error {
    fn from(error: Overflow) -> Self {
        Algorithm7Error::TopLevel(error.into())
    }
}

/// Runs the algorithm with periods and budgets in multiples of `step`; `None` if no candidate passes both bounds.
///
/// As printed: TotalCost is never reset between candidates, and a missed response ends its inner loop alone, so that an
/// aborted candidate, having summed less, may be preferred. `min_overhead`, which is not initialised, starts at infinity.
/// At most `limit` candidates are looked at.
pub fn algorithm7(
    workloads: [&[Task]; 2],
    policy: Policy,
    locks: &Locks,
    step: Time,
    limit: u64,
) -> Result<Option<Algorithm7>, Algorithm7Error> {
    if step == 0 || workloads.iter().any(|workload| workload.is_empty()) {
        return Err(Algorithm7Error::Empty);
    }
    let hyperperiods = [hyperperiod(workloads[0])?, hyperperiod(workloads[1])?];
    let length = lcm(lcm(hyperperiods[0], hyperperiods[1])?, locks.retention())?;
    let grid = |w: usize| (1..=hyperperiods[w] / step).map(move |k| k * step);
    let bound = |w: usize, period: Time| capacity_bound(workloads[w], policy, period, Rounding::Floor);
    let budgets = |least: Option<Time>, period: Time| {
        let first = least.map_or(1, |least| least.div_ceil(step).max(1));
        let last = if least.is_some() { period / step } else { 0 };
        (first..=last).map(move |k| k * step)
    };
    let (mut total, mut candidates, mut best) = ([0u128; 2], 0u64, None::<Algorithm7>);
    let seconds: Vec<(Time, Option<Time>)> = grid(1)
        .map(|period| Ok((period, bound(1, period)?)))
        .collect::<Result<_, Overflow>>()?;
    for p1 in grid(0) {
        let least1 = bound(0, p1)?;
        for &(p2, least2) in &seconds {
            for e1 in budgets(least1, p1) {
                for e2 in budgets(least2, p2) {
                    candidates += 1;
                    if candidates > limit {
                        return Err(Algorithm7Error::TooMany(limit));
                    }
                    let server = |period, budget| Server::new(period, budget).expect("no budget exceeds its period");
                    let servers = [server(p1, e1), server(p2, e2)];
                    if !(within_utilization_bound(workloads[0], policy, servers[0])?
                        && within_utilization_bound(workloads[1], policy, servers[1])?)
                    {
                        continue;
                    }
                    let top = TopLevel::new(servers, locks.clone())?;
                    let responses = response_times(&top);
                    for index in 0..2 {
                        for job in 0..=length / servers[index].period() {
                            let overhead = refresh_overhead(&top, index, job, length);
                            let response = responses[index].and_then(|r| r.checked_add(overhead));
                            if response.is_none_or(|response| response >= servers[index].period()) {
                                break;
                            }
                            total[index] += u128::from(overhead);
                        }
                    }
                    let overhead = total[0] + total[1];
                    if best.is_none_or(|best| overhead < best.overhead) {
                        best = Some(Algorithm7 {
                            servers,
                            overhead,
                            candidates,
                        });
                    }
                }
            }
        }
    }
    Ok(best.map(|best| Algorithm7 { candidates, ..best }))
}

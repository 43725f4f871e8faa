// SPDX-License-Identifier: MIT OR Apache-2.0
//! Certificates of schedulability and their checkers, which share no code with the tests that issue them.
//!
//! A checker trusts the supply bound alone; everything about the tasks it computes again, in the plainest way.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;

/// A step of the EDF chain: demand at deadline `t` is supplied within `reached`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdfStep {
    /// A deadline.
    pub t: Time,
    /// A length, at most `t`, whose supply covers dbf(t).
    pub reached: Time,
}

/// Why EDF meets every deadline: descending steps from a horizon to the first deadline (F19).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdfCertificate {
    /// Length beyond which demand stays below supply if it does so up to it.
    pub horizon: Time,
    /// The steps, `t` descending.
    pub steps: Vec<EdfStep>,
}

/// Why fixed priorities meet every deadline: for each task a length within which it is served (F20).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseCertificate {
    /// Indices of the tasks from highest to lowest priority.
    pub ranking: Vec<usize>,
    /// Per task (in the order of the set) a bound of its response time.
    pub responses: Vec<Time>,
}

/// The first fact of a certificate that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refuted {
    /// The horizon does not bound the deadlines to look at.
    Horizon,
    /// The step at this deadline leaves out a deadline above it (or the first step is not the last deadline).
    Gap(Time),
    /// Less than the demand at this deadline is supplied in the length given.
    Short(Time),
    /// Deadlines below this length are not covered.
    Unfinished(Time),
    /// The ranking is no order of the tasks, or there are not as many responses as tasks.
    Ranking,
    /// The response of this task (index) exceeds its deadline or is not supplied.
    Response(usize),
    /// Densities of tasks on global cores exceed what these bear.
    Density,
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refuted::Horizon => f.write_str("the horizon does not bound the deadlines to look at"),
            Refuted::Gap(t) => write!(f, "a deadline above {t} is left out"),
            Refuted::Short(t) => write!(f, "the demand of an interval of {t} is not supplied"),
            Refuted::Unfinished(t) => write!(f, "deadlines below {t} are left out"),
            Refuted::Ranking => f.write_str("the ranking or the responses do not fit the tasks"),
            Refuted::Response(i) => write!(f, "task {i} is not served within its deadline"),
            Refuted::Density => f.write_str("densities exceed what the cores bear"),
        }
    }
}

impl std::error::Error for Refuted {}

impl EdfCertificate {
    /// Checks the certificate against tasks and a supply.
    pub fn check(&self, tasks: &[Task], supply: &impl Supply) -> Result<(), Refuted> {
        if !self.horizon_holds(tasks, supply) {
            return Err(Refuted::Horizon);
        }
        // Every deadline at or above `uncovered` is known to be met.
        let mut uncovered = self.horizon.saturating_add(1);
        for &EdfStep { t, reached } in &self.steps {
            if t >= uncovered || reached > t || has_deadline(tasks, t + 1, uncovered) {
                return Err(Refuted::Gap(t));
            }
            let demand: u128 = tasks.iter().map(|task| jobs_due(task, t) * u128::from(task.wcet)).sum();
            // What blocks is the longer the shorter the interval: at `reached` it is what blocks at most up to `t`.
            let blocked = tasks
                .iter()
                .map(|task| {
                    if task.deadline > reached {
                        task.critical_section
                    } else {
                        0
                    }
                })
                .max();
            if u128::from(supply.sbf(reached)) < demand + u128::from(blocked.unwrap_or(0)) {
                return Err(Refuted::Short(t));
            }
            uncovered = reached;
        }
        if has_deadline(tasks, 0, uncovered) {
            Err(Refuted::Unfinished(uncovered))
        } else {
            Ok(())
        }
    }

    /// Whether demand grows no faster than supply, and either lies below it beyond the horizon or both repeat within it.
    fn horizon_holds(&self, tasks: &[Task], supply: &impl Supply) -> bool {
        if tasks.is_empty() {
            return true;
        }
        let longest = tasks.iter().map(|task| task.deadline).max().unwrap_or(0);
        if self.horizon < longest && tasks.iter().any(|task| task.critical_section > 0) {
            return false;
        }
        let rate = supply.rate();
        // In units of 2⁻⁶⁴: Σ e/p (h + p + A − D + J) + σ ≤ a h keeps demand below supply from h on.
        let busy: u128 = tasks
            .iter()
            .map(|t| (u128::from(t.wcet) << 64).div_ceil(u128::from(t.period)))
            .sum();
        let delivered = (u128::from(rate.num()) << 64) / u128::from(rate.den());
        let early = |t: &Task| {
            let ahead = u128::from(t.period - t.deadline) + u128::from(t.release_jitter) + u128::from(t.arrival_jitter);
            let (whole, rest) = (ahead / u128::from(t.period), ahead % u128::from(t.period));
            whole * u128::from(t.wcet) + (rest * u128::from(t.wcet)).div_ceil(u128::from(t.period))
        };
        let lag = tasks.iter().map(early).sum::<u128>() + u128::from(supply.sigma());
        if lag >> 64 == 0 && busy < delivered && u128::from(self.horizon) * (delivered - busy) >= lag << 64 {
            return true;
        }
        // Both repeat after any common multiple of all periods: find the least, and compare what one supplies and demands.
        let mut repeat = supply.period();
        for task in tasks {
            let mut divisor = (repeat, task.period);
            while divisor.1 != 0 {
                divisor = (divisor.1, divisor.0 % divisor.1);
            }
            match (repeat / divisor.0).checked_mul(task.period) {
                Some(multiple) => repeat = multiple,
                None => return false,
            }
        }
        // A burst lasts until arrivals at the least distance would be later than those at the period: A / (p − d) of them.
        let burst = |task: &Task| match (task.min_distance, task.period - task.min_distance) {
            (0, _) | (_, 0) => 0,
            (_, gap) => u128::from(task.arrival_jitter.div_ceil(gap)) * u128::from(task.period),
        };
        let settled = tasks.iter().map(|task| u128::from(task.deadline) + burst(task)).max();
        let busy: u128 = tasks
            .iter()
            .map(|t| u128::from(repeat / t.period) * u128::from(t.wcet))
            .sum();
        let delivered = u128::from(repeat / rate.den()) * u128::from(rate.num());
        busy <= delivered && u128::from(repeat) + settled.unwrap_or(0) <= u128::from(self.horizon)
    }
}

/// Jobs of a task that become ready and are due within `t`.
fn jobs_due(task: &Task, t: Time) -> u128 {
    let Some(rest) = (u128::from(t) + u128::from(task.release_jitter)).checked_sub(u128::from(task.deadline)) else {
        return 0;
    };
    let by_period = (rest + u128::from(task.arrival_jitter)) / u128::from(task.period);
    let by_distance = rest.checked_div(u128::from(task.min_distance));
    by_period.min(by_distance.unwrap_or(by_period)) + 1
}

/// Whether demand rises at a length in `[from, to)`.
fn has_deadline(tasks: &[Task], from: Time, to: Time) -> bool {
    let before = |task: &Task| from.checked_sub(1).map_or(0, |t| jobs_due(task, t));
    from < to && tasks.iter().any(|task| before(task) < jobs_due(task, to - 1))
}

impl ResponseCertificate {
    /// Checks the certificate against tasks and a supply.
    pub fn check(&self, tasks: &[Task], supply: &impl Supply) -> Result<(), Refuted> {
        let mut seen = self.ranking.clone();
        seen.sort_unstable();
        if !seen.iter().copied().eq(0..tasks.len()) || self.responses.len() != tasks.len() {
            return Err(Refuted::Ranking);
        }
        for (rank, &i) in self.ranking.iter().enumerate() {
            let (higher, lower) = (&self.ranking[..rank], &self.ranking[rank + 1..]);
            let blocked = lower.iter().map(|&k| tasks[k].critical_section).max().unwrap_or(0);
            if self.responses[i] > tasks[i].deadline || !self.served(i, higher, blocked, tasks, supply) {
                return Err(Refuted::Response(i));
            }
        }
        Ok(())
    }

    /// Whether each job of a busy period ends within the response of its task, from the earliest that it can have arrived.
    fn served(&self, own: usize, higher: &[usize], blocked: Time, tasks: &[Task], supply: &impl Supply) -> bool {
        let (response, own) = (self.responses[own], &tasks[own]);
        let mut ahead: u128 = 0;
        for job in 1_u128.. {
            // The busy period begins when the first job is ready, J after its arrival.
            let Some(end) = (ahead + u128::from(response))
                .checked_sub(u128::from(own.release_jitter))
                .and_then(|end| Time::try_from(end).ok())
            else {
                return false;
            };
            let ahead_of = |at: Time| {
                let of_higher = |&k: &usize| jobs_ready(&tasks[k], at) * u128::from(tasks[k].wcet);
                job * u128::from(own.wcet) + u128::from(blocked) + higher.iter().map(of_higher).sum::<u128>()
            };
            // Some instant up to then at which all that came is done.
            let mut done = 1;
            while u128::from(supply.sbf(done)) < ahead_of(done) {
                match supply.tbf(ahead_of(done)) {
                    Some(next) if next <= end => done = next,
                    _ => return false,
                }
            }
            if done > end {
                return false;
            }
            let by_period = (job * u128::from(own.period)).saturating_sub(u128::from(own.arrival_jitter));
            let next = by_period.max(job * u128::from(own.min_distance));
            if ahead + u128::from(response) <= next {
                return true;
            }
            ahead = next;
        }
        false
    }
}

/// Jobs of a task that become ready in an interval of length `t`, its end not included.
fn jobs_ready(task: &Task, t: Time) -> u128 {
    let reach = u128::from(t) + u128::from(task.release_jitter);
    let by_period = (reach + u128::from(task.arrival_jitter)).div_ceil(u128::from(task.period));
    match task.min_distance {
        _ if reach == 0 => 0,
        0 => by_period,
        distance => by_period.min(reach.div_ceil(u128::from(distance))),
    }
}

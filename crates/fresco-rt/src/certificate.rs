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
            let jobs = |task: &Task| {
                if t < task.deadline {
                    0
                } else {
                    (t - task.deadline) / task.period + 1
                }
            };
            let demand: u128 = tasks
                .iter()
                .map(|task| u128::from(jobs(task)) * u128::from(task.wcet))
                .sum();
            if u128::from(supply.sbf(reached)) < demand {
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
        let rate = supply.rate();
        // In units of 2⁻⁶⁴: Σ e/p (h + p − D) + σ ≤ a h keeps demand below supply from h on.
        let busy: u128 = tasks
            .iter()
            .map(|t| (u128::from(t.wcet) << 64).div_ceil(u128::from(t.period)))
            .sum();
        let delivered = (u128::from(rate.num()) << 64) / u128::from(rate.den());
        let early = |t: &Task| (u128::from(t.wcet) * u128::from(t.period - t.deadline)).div_ceil(u128::from(t.period));
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
        let longest = tasks.iter().map(|task| task.deadline).max().unwrap_or(0);
        let busy: u128 = tasks
            .iter()
            .map(|t| u128::from(repeat / t.period) * u128::from(t.wcet))
            .sum();
        let delivered = u128::from(repeat / rate.den()) * u128::from(rate.num());
        busy <= delivered && repeat.checked_add(longest).is_some_and(|end| end <= self.horizon)
    }
}

/// Whether a deadline lies in `[from, to)`.
fn has_deadline(tasks: &[Task], from: Time, to: Time) -> bool {
    tasks.iter().any(|task| {
        let first = if from <= task.deadline {
            u128::from(task.deadline)
        } else {
            let periods = (from - task.deadline).div_ceil(task.period);
            u128::from(task.deadline) + u128::from(periods) * u128::from(task.period)
        };
        first < u128::from(to)
    })
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
            let response = self.responses[i];
            let mut demand = u128::from(tasks[i].wcet);
            for &k in &self.ranking[..rank] {
                demand += u128::from(response.div_ceil(tasks[k].period)) * u128::from(tasks[k].wcet);
            }
            if response > tasks[i].deadline || u128::from(supply.sbf(response)) < demand {
                return Err(Refuted::Response(i));
            }
        }
        Ok(())
    }
}

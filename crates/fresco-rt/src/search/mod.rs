// SPDX-License-Identifier: MIT OR Apache-2.0
//! Searches for servers and for the partition of tasks to them, in place of Algorithm 7 (CRS-14, CRS-16).
//!
//! [`full_budgets`] (search A) stays with periodic resources: least budgets in closed form, full tables. [`rest_of_table`]
//! (search B) gives the server of lower priority whatever the other leaves and tests both on the table: it accepts more.
//! [`partition`] chooses which task runs where, [`assign_aligned`] does so for aligned segmented refresh on any number of cores,
//! [`partition_flat`] for flat scheduling. [`brute_force`] tries every grid point, for comparison.

mod assign;
mod brute;
mod candidates;
mod curves;
mod doubts;
mod flat;
mod full;
mod partition;
mod rest;
mod tight;

pub use assign::{Assignment, assign_aligned, assign_aligned_on};
pub use brute::brute_force;
pub use flat::partition_flat;
pub use full::full_budgets;
pub(crate) use partition::first_that;
pub use partition::{MemoryNeed, Partition, is_overloaded, partition, partition_full};
pub use rest::{rest_of_table, shrink_last};

use crate::switches::SliceCost;
use crate::time::{Time, divisors};
use crate::toplevel::{Locks, TopLevel};

/// What a search among partitions of tasks has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought<T> {
    /// The first that works.
    Found(T),
    /// None works: all were tried, or a bound excludes them.
    Nowhere,
    /// None of so many works, and there are others.
    Open(usize),
}

impl<T> Sought<T> {
    /// What was found.
    pub fn found(self) -> Option<T> {
        match self {
            Sought::Found(found) => Some(found),
            Sought::Nowhere | Sought::Open(_) => None,
        }
    }

    /// Whether there is one that works; `None` if that is open.
    pub fn verdict(&self) -> Option<bool> {
        match self {
            Sought::Found(_) => Some(true),
            Sought::Nowhere => Some(false),
            Sought::Open(_) => None,
        }
    }
}

/// Servers found for two workloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The servers with their locks.
    pub top: TopLevel,
    /// The workload (0 or 1) that runs in each server; workloads may change places so that the other has priority.
    pub order: [usize; 2],
}

/// Where to look: the locks, and the server periods to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    locks: Locks,
    periods: Vec<Time>,
    slice: SliceCost,
}

impl Space {
    /// The locks of two colors, with the divisors of their retention time within `[shortest, longest]` as periods: then tables
    /// are one retention time long.
    pub fn new(locks: Locks, shortest: Time, longest: Time) -> Self {
        let periods = divisors(locks.retention());
        let periods = periods
            .into_iter()
            .filter(|period| (shortest..=longest).contains(period))
            .collect();
        let slice = SliceCost::default();
        Space { locks, periods, slice }
    }

    /// The space if switches take their time from each slot of a server: [`rest_of_table`] and [`partition`] count it.
    pub fn costing(self, slice: SliceCost) -> Self {
        Space { slice, ..self }
    }

    /// The locks.
    pub fn locks(&self) -> &Locks {
        &self.locks
    }

    /// The periods to try, ascending.
    pub fn periods(&self) -> &[Time] {
        &self.periods
    }
}

/// Both ways to give two workloads to two servers.
const ORDERS: [[usize; 2]; 2] = [[0, 1], [1, 0]];

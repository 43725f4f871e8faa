// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scheduling policies inside a server (CRS-8) and the order of fixed priorities.

use serde::{Deserialize, Serialize};

use crate::task::Task;

/// How ready tasks share the time of their server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Policy {
    /// Earliest deadline first.
    Edf,
    /// Fixed priorities.
    FixedPriority(Order),
}

impl Policy {
    /// Every policy with its name in files and on the command line.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("rm", Self::FixedPriority(Order::RateMonotonic)),
        ("dm", Self::FixedPriority(Order::DeadlineMonotonic)),
        ("edf", Self::Edf),
    ];

    /// Who goes first among ready jobs, in words, down to what decides ties.
    pub fn order(self) -> &'static str {
        match self {
            Self::Edf => {
                "the earliest deadline first; of equal ones the shorter relative deadline, then the shorter period, then the name first \
                 in the alphabet"
            }
            Self::FixedPriority(Order::RateMonotonic) => {
                "the shortest period first; of equal ones the shorter deadline, then the name first in the alphabet"
            }
            Self::FixedPriority(Order::DeadlineMonotonic) => {
                "the shortest deadline first; of equal ones the shorter period, then the name first in the alphabet"
            }
        }
    }
}

/// Order of fixed priorities; ties fall to the other time, then to the name, then to the place in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Shorter period first.
    RateMonotonic,
    /// Shorter deadline first: optimal among fixed priorities while D ≤ p.
    DeadlineMonotonic,
}

impl Order {
    /// Indices of the tasks from highest to lowest priority.
    pub fn ranking(self, tasks: &[Task]) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..tasks.len()).collect();
        ranking.sort_by_key(|&i| {
            let Task {
                name, period, deadline, ..
            } = &tasks[i];
            let (first, second) = match self {
                Order::RateMonotonic => (period, deadline),
                Order::DeadlineMonotonic => (deadline, period),
            };
            (*first, *second, name.as_str(), i)
        });
        ranking
    }

    /// Rank of each task, 0 the highest priority.
    pub fn ranks(self, tasks: &[Task]) -> Vec<usize> {
        let mut ranks = vec![0; tasks.len()];
        for (rank, i) in self.ranking(tasks).into_iter().enumerate() {
            ranks[i] = rank;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_differ_where_deadlines_do() {
        let set = [("a", 10, 9), ("b", 12, 5), ("c", 10, 9)].map(|(name, p, d)| Task::new(name, 0, p, 1, d).unwrap());
        assert_eq!(Order::RateMonotonic.ranking(&set), [0, 2, 1]);
        assert_eq!(Order::DeadlineMonotonic.ranking(&set), [1, 0, 2]);
        assert_eq!(Order::DeadlineMonotonic.ranks(&set), [1, 0, 2]);
    }
}

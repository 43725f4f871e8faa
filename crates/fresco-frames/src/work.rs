// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an allocation did, counted: the model's instrument for allocation cost (PAL-9).

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// The elementary steps of one or more allocator calls. [`crate::CostModel`] turns them into time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Insertions into and removals from free lists and color lists.
    pub list_ops: u64,
    /// Frames whose color was computed to sort them into color lists or match them against a task's colors.
    pub frames_visited: u64,
    /// Lists asked whether they hold a frame.
    pub lists_probed: u64,
    /// Blocks halved.
    pub splits: u64,
    /// Pairs of buddies joined.
    pub merges: u64,
    /// Zones tried after the first one.
    pub zone_steps: u64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.list_ops += other.list_ops;
        self.frames_visited += other.frames_visited;
        self.lists_probed += other.lists_probed;
        self.splits += other.splits;
        self.merges += other.merges;
        self.zone_steps += other.zone_steps;
    }
}

/// The work of a series of calls: how many, how much altogether, and the most expensive one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkSummary {
    /// Number of calls.
    pub calls: u64,
    /// Sum over all calls.
    pub total: Work,
    /// The call that cost the most; the first of several.
    pub worst: Work,
    /// Cost of `worst`, in core cycles, under the cost model that was in force.
    pub worst_cycles: u64,
}

impl WorkSummary {
    /// Takes in one call and its cost in core cycles.
    pub fn add(&mut self, work: Work, cycles: u64) {
        self.calls += 1;
        self.total += work;
        if self.calls == 1 || cycles > self.worst_cycles {
            self.worst = work;
            self.worst_cycles = cycles;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_keeps_the_sum_and_the_first_of_the_most_expensive() {
        let ops = |list_ops, splits| Work {
            list_ops,
            splits,
            ..Work::default()
        };
        let mut summary = WorkSummary::default();
        summary.add(ops(1, 0), 0);
        summary.add(ops(5, 1), 90);
        summary.add(ops(2, 9), 90);
        assert_eq!(summary.calls, 3);
        assert_eq!(summary.total, ops(8, 10));
        assert_eq!((summary.worst, summary.worst_cycles), (ops(5, 1), 90));
    }
}

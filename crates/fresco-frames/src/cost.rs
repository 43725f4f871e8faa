// SPDX-License-Identifier: MIT OR Apache-2.0
//! From work to time.

use crate::Work;
use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// Cycles of the core for each elementary step of the allocator.
///
/// The defaults are assumptions about a core of the papers' time (2009 to 2012), made from published cache latencies and
/// set before any comparison with the papers' allocation times; nothing is fitted. Latencies are those of Intel's
/// 64 and IA-32 Architectures Optimization Reference Manual for Nehalem: L1 4 cycles, L2 10, L3 about 40. A frame is
/// described by a 64-byte structure of its own in Linux, so touching another frame touches another cache line.
///
/// Shapes (what grows with what, which is more expensive) come from counting; absolute nanoseconds carry these assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostModel {
    /// Core clock in MHz; at least 1.
    pub core_mhz: u32,
    /// Every call: entry, zone lock taken and released (two locked or serialising operations of about 20 cycles each),
    /// statistics.
    pub call: u64,
    /// Insertion or removal: the links of the frame and of its neighbours, three accesses that hit L1.
    pub list_op: u64,
    /// Computing a frame's color and reaching its descriptor, which the walk has not touched before: an L3 hit.
    pub frame_visited: u64,
    /// Asking a list whether it is empty: an L1 hit.
    pub list_probe: u64,
    /// Bookkeeping of a split beyond its list operation.
    pub split: u64,
    /// Bookkeeping of a merge beyond its list operation; the buddy's descriptor comes from L2.
    pub merge: u64,
    /// Going on to another zone: its lock and the head of its lists, an L3 hit and a locked operation.
    pub zone_step: u64,
    /// The rest of a page fault: trap, page tables, accounting. Linux 6.12 needs about 2,800 instructions for an anonymous
    /// fault apart from clearing the page (counted in an emulator); one cycle per instruction is assumed.
    pub fault: u64,
    /// Clearing the page: 64 lines of 64 bytes at the L2 latency.
    pub clear: u64,
}

impl CostModel {
    /// The default steps at a core clock in MHz.
    pub fn at(core_mhz: u32) -> Self {
        Self {
            core_mhz,
            ..Self::default()
        }
    }

    /// Core cycles that the allocator itself takes for one call that did `work`.
    pub fn cycles(&self, work: &Work) -> u64 {
        self.call + self.steps(work)
    }

    /// Core cycles of the work alone, without the constant part of a call.
    fn steps(&self, work: &Work) -> u64 {
        work.list_ops * self.list_op
            + work.frames_visited * self.frame_visited
            + work.lists_probed * self.list_probe
            + work.splits * self.split
            + work.merges * self.merge
            + work.zone_steps * self.zone_step
    }

    /// Core cycles that `calls` calls with `total` work take altogether.
    pub fn cycles_of(&self, calls: u64, total: &Work) -> u64 {
        calls * self.call + self.steps(total)
    }

    /// Core cycles of a whole page fault around an allocation that did `work`.
    pub fn fault_cycles(&self, work: &Work) -> u64 {
        self.fault + self.clear + self.cycles(work)
    }

    /// Cycles as time, in picoseconds, rounded up.
    pub fn ps(&self, cycles: u64) -> Ps {
        (u128::from(cycles) * 1_000_000).div_ceil(u128::from(self.core_mhz.max(1))) as Ps
    }
}

impl Default for CostModel {
    /// A 2 GHz core.
    fn default() -> Self {
        Self {
            core_mhz: 2000,
            call: 50,
            list_op: 12,
            frame_visited: 40,
            list_probe: 4,
            split: 4,
            merge: 10,
            zone_step: 60,
            fault: 2800,
            clear: 640,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_the_weighted_sum_of_the_steps() {
        let work = Work {
            list_ops: 3,
            frames_visited: 2,
            lists_probed: 5,
            splits: 1,
            merges: 1,
            zone_steps: 1,
        };
        let model = CostModel::at(2800);
        let steps = 3 * 12 + 2 * 40 + 5 * 4 + 4 + 10 + 60;
        assert_eq!(model.cycles(&work), 50 + steps);
        assert_eq!(model.cycles_of(2, &work), 100 + steps);
        assert_eq!(model.fault_cycles(&work), 3440 + 50 + steps);
        assert_eq!(model.ps(28), 10_000);
        assert_eq!(model.ps(1), 358, "rounded up");
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of bandwidth that execution times are counted on with (MG-1).

use fresco_rt::Time;
use serde::{Deserialize, Serialize};

/// A budget of lines for each core: hard ones, which nobody lends (MG-7). The execution times of the plan are those under
/// them: what a core stands still because its budget is used up is a part of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedBandwidth {
    /// Length of a period, after which budgets are renewed.
    pub period_ns: Time,
    /// Lines written back use budgets up as well as lines fetched (RLIM-9).
    pub count_write_backs: bool,
    /// What an interrupt takes, in cycles of the core.
    pub interrupt_cycles: u64,
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Lines of each core in a period.
    pub lines: Vec<u64>,
}

impl PlannedBandwidth {
    /// Longest time of a copy of `bytes` that takes `alone` without a budget, on the core with the smallest, in ns; `None` if it
    /// exceeds 64 bits. The lines read and those written are fetched, and each may push out a dirty one.
    ///
    /// A core stands still once in a period at most, and to its end. The budget may be used up when the copy begins; in each
    /// later period in which the core stands still it has moved a whole budget, all of it for the copy; and the job that
    /// follows may find the budget used up, which its own execution time does not count. Each period has two interrupts.
    pub fn copy_time(&self, bytes: u64, alone: Time, mhz: u32) -> Option<Time> {
        let fetched = 2 * bytes.div_ceil(self.line_bytes.max(1));
        let moved = if self.count_write_backs { 2 * fetched } else { fetched };
        let least = self.lines.iter().copied().filter(|lines| *lines > 0).min()?;
        let stalls = moved / least + 2;
        let periods = stalls.checked_add(alone / self.period_ns.max(1) + 2)?;
        let interrupt = (self.interrupt_cycles * 1000).div_ceil(u64::from(mhz.max(1)));
        let interrupts = periods.checked_mul(2)?.checked_mul(interrupt)?;
        stalls
            .checked_mul(self.period_ns)?
            .checked_add(alone)?
            .checked_add(interrupts)
    }

    /// Bandwidth of a core, in bytes per second, rounded down.
    pub fn bytes_per_s(&self, core: usize) -> u64 {
        let lines = self.lines.get(core).copied().unwrap_or(0);
        let bytes = u128::from(lines) * u128::from(self.line_bytes) * 1_000_000_000;
        u64::try_from(bytes / u128::from(self.period_ns.max(1))).unwrap_or(u64::MAX)
    }
}

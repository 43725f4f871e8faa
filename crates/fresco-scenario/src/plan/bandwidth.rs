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
    /// Bandwidth of a core, in bytes per second, rounded down.
    pub fn bytes_per_s(&self, core: usize) -> u64 {
        let lines = self.lines.get(core).copied().unwrap_or(0);
        let bytes = u128::from(lines) * u128::from(self.line_bytes) * 1_000_000_000;
        u64::try_from(bytes / u128::from(self.period_ns.max(1))).unwrap_or(u64::MAX)
    }
}

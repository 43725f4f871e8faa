// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be wrong with refresh.

use fresco_dram::Cycle;
use serde::Serialize;

/// Rows of one bank that went unrefreshed for longer than the refresh window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LateRows {
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// Bank group of the rank.
    pub bank_group: u32,
    /// Bank of the group.
    pub bank: u32,
    /// First of the rows.
    pub first_row: u32,
    /// How many.
    pub rows: u32,
    /// Cycle of their last refresh in time (0: start of the run).
    pub since: Cycle,
    /// Cycle of the refresh that came too late, or end of the run.
    pub until: Cycle,
}

/// A bank that had too few refreshes in a run shorter than the refresh window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shortfall {
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// Bank group of the rank.
    pub bank_group: u32,
    /// Bank of the group.
    pub bank: u32,
    /// Refreshes due in the run, counted as REFab: its length divided by tREFI.
    pub due: u64,
    /// Refreshes done, counted as REFab (a REFsb of DDR5 is half of one), rounded down.
    pub done: u64,
}

/// A pause of a bank's refresh longer than a standard lets a controller postpone. No row need be late for it: burst
/// refresh does this on purpose. A warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Postponement {
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// Bank group of the (first) bank.
    pub bank_group: u32,
    /// The (first) bank.
    pub bank: u32,
    /// The refresh before the pause (0: start of the run).
    pub from: Cycle,
    /// The refresh after it, or the end of the run.
    pub to: Cycle,
}

/// A bank refreshed twice before every bank of its rank had its turn, which the standards that have bank refreshes do
/// not allow (the co-design's schedule, COD-1, does it on purpose). A warning: no row need be late for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Repeat {
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// Bank group of the bank; 0 for REFsb.
    pub bank_group: u32,
    /// The bank.
    pub bank: u32,
    /// Cycle of the second refresh.
    pub at: Cycle,
}

/// What was found about refresh. Lists hold the first findings, counts all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RetentionReport {
    /// Rows that were late, counted once for each time.
    pub late_rows: u64,
    /// Which ones, neighbours joined.
    pub late: Vec<LateRows>,
    /// Banks with too few refreshes in a short run.
    pub shortfall_banks: u64,
    /// Which ones.
    pub shortfalls: Vec<Shortfall>,
    /// Pauses beyond the postponing limit (a warning).
    pub postponements: u64,
    /// Which ones.
    pub postponed: Vec<Postponement>,
    /// Bank refreshes out of their round (a warning).
    pub repeats: u64,
    /// Which ones.
    pub repeated: Vec<Repeat>,
}

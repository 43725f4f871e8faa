// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the TLBs of a core did for a task.

use serde::{Deserialize, Serialize};

/// Translations of a task's loads and stores within its phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TlbResult {
    /// Loads and stores whose page was looked up.
    pub lookups: u64,
    /// Those that the first level missed: `l2_hits` and `walks`.
    pub misses: u64,
    /// Those of them that the second level had.
    pub l2_hits: u64,
    /// Those that it did not have: page walks.
    pub walks: u64,
    /// Entries of page tables that walks read, by level; those in the walk cache are not read.
    pub reads: Vec<LevelReads>,
    /// Mean time of a walk, from its first read to the translation, in nanoseconds; 0 without walks.
    pub walk_ns: f64,
    /// Mean time for which a walk waited until the core had done those before it.
    pub wait_ns: f64,
    /// Its page tables at the end.
    pub tables: TableFrames,
}

/// Entries read of one level of page tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelReads {
    /// 1 for the tables of pages, the highest number for the root.
    pub level: u32,
    /// Found in a private cache.
    pub private: u64,
    /// Found in the last-level cache.
    pub llc: u64,
    /// Found in memory; these are among the task's `reads`.
    pub memory: u64,
}

/// Where page tables lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFrames {
    /// Tables of 4 KiB.
    pub count: u64,
    /// Page frames that they lie in, as pairs of bank color and count, ascending.
    pub by_bank: Vec<(u32, u64)>,
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one source (a core) did to a cache, and what was done to it there.

use serde::{Deserialize, Serialize};

/// Counters of one source. A line belongs to the source that brought it in, until it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceStats {
    /// Demand accesses that found their line.
    pub hits: u64,
    /// Demand accesses that did not.
    pub misses: u64,
    /// Lines of this source that had to make room, for whichever source.
    pub evictions: u64,
    /// Those of `evictions` that made room for another source: the contention a partition of the cache takes away.
    pub evictions_by_others: u64,
    /// Those of `evictions` that were dirty and had to be written back to the next level.
    pub write_backs: u64,
}

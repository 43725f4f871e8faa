// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shape and speed of one cache.

use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// How a victim is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// Least recently used.
    Lru,
    /// Tree pseudo-LRU; the number of ways must be a power of two.
    TreePlru,
    /// Static re-reference interval prediction, with two bits for each way.
    Srrip,
}

/// One cache: write-back, write-allocate, indexed by physical address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheConfig {
    /// Capacity in bytes; `size / (ways * line)` sets must be a power of two.
    pub size: u64,
    /// Associativity.
    pub ways: u32,
    /// Line size in bytes (a power of two, the same in all caches of a machine).
    pub line: u32,
    /// Time of a hit, counted from the access, in picoseconds; 0 for instructions, whose fetch is pipelined.
    pub latency: Ps,
    /// Victim choice.
    pub replacement: Replacement,
}

impl CacheConfig {
    /// Number of sets.
    pub fn sets(&self) -> u64 {
        self.size / (u64::from(self.ways) * u64::from(self.line))
    }
}

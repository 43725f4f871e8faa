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
    /// Dynamic re-reference interval prediction: SRRIP or BRRIP, by set dueling.
    Drrip,
    /// Quad-age LRU of the third level from Skylake to Coffee Lake; what the names mean, and of which processors they are, says uops.info (Abel and Reineke, ISPASS 2020).
    #[serde(rename = "qlru-h11-m1-r0-u0")]
    QlruH11M1R0U0,
    /// Quad-age LRU of the second level of Cannon Lake.
    #[serde(rename = "qlru-h00-m1-r0-u1")]
    QlruH00M1R0U1,
    /// Quad-age LRU of the second level from Skylake to Coffee Lake.
    #[serde(rename = "qlru-h00-m1-r2-u1")]
    QlruH00M1R2U1,
}

impl Replacement {
    /// All policies, with their names in files.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("lru", Self::Lru),
        ("tree-plru", Self::TreePlru),
        ("srrip", Self::Srrip),
        ("drrip", Self::Drrip),
        ("qlru-h11-m1-r0-u0", Self::QlruH11M1R0U0),
        ("qlru-h00-m1-r0-u1", Self::QlruH00M1R0U1),
        ("qlru-h00-m1-r2-u1", Self::QlruH00M1R2U1),
    ];
}

/// One cache: write-back, write-allocate, indexed by physical address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheConfig {
    /// Capacity in bytes; `size / (ways * line)` sets must be a power of two, of a sliced cache in each slice.
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

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
    /// Its name in files.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, policy)| *policy == self);
        named.expect("each has a name").0
    }

    /// Returns true if which line of a set is displaced depends on that set alone. A selector of DRRIP is of all sets.
    pub fn is_of_each_set(self) -> bool {
        self != Self::Drrip
    }

    /// Returns true if which line is displaced among these ways of a set, bit n for way n, depends on accesses to them alone.
    ///
    /// With a tree that is so where each node with such ways on both sides has no others below it: of a half, a quarter and so on. With quad-age LRU lines
    /// of all ways grow old together.
    pub fn is_of_ways(self, ways: u128) -> bool {
        match self {
            Self::Lru | Self::Srrip => true,
            Self::TreePlru => {
                let (low, high) = (ways.trailing_zeros(), u128::BITS - ways.leading_zeros());
                // All ways below the node at which the lowest and the highest of them part.
                let size = (low ^ high.saturating_sub(1))
                    .checked_ilog2()
                    .map_or(1, |bit| 2u32 << bit);
                ways.count_ones() == size
            }
            Self::Drrip | Self::QlruH11M1R0U0 | Self::QlruH00M1R0U1 | Self::QlruH00M1R2U1 => false,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_whose_order_nobody_else_changes() {
        let tree = |from: u32, to: u32| Replacement::TreePlru.is_of_ways((from..=to).map(|way| 1 << way).sum());
        for (from, to) in [(0, 15), (0, 7), (8, 15), (4, 7), (12, 13), (5, 5)] {
            assert!(tree(from, to), "{from}-{to}");
        }
        for (from, to) in [(7, 8), (0, 2), (0, 5), (4, 15), (1, 2), (0, 14)] {
            assert!(!tree(from, to), "{from}-{to}");
        }
        assert!(!Replacement::TreePlru.is_of_ways(0b101), "way 1 turns the node between");
        assert!(Replacement::Lru.is_of_ways(0b1100) && Replacement::Srrip.is_of_ways(0b1110));
        assert!(!Replacement::QlruH11M1R0U0.is_of_ways(0b11) && !Replacement::Drrip.is_of_ways(0b11));
        assert!(Replacement::QlruH11M1R0U0.is_of_each_set() && !Replacement::Drrip.is_of_each_set());
    }
}

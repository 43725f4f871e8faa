// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shared last-level cache and the address bits that index it.

use crate::CacheConfig;
use serde::{Deserialize, Serialize};

/// What a last-level cache has of the lines in the private caches above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inclusion {
    /// Some: a miss fills all levels, and each displaces lines by itself.
    #[default]
    NonInclusive,
    /// All: a line that it displaces leaves the private caches too.
    Inclusive,
    /// None: a miss fills the private caches alone, a line that leaves these comes here, and one that is read goes back.
    Exclusive,
}

impl Inclusion {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::NonInclusive, Self::Inclusive, Self::Exclusive];

    /// As a machine file says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NonInclusive => "non-inclusive",
            Self::Inclusive => "inclusive",
            Self::Exclusive => "exclusive",
        }
    }
}

/// The last-level cache: shared by groups of cores, indexed by physical address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlcConfig {
    /// One cache; its size is the total of all its slices.
    pub cache: CacheConfig,
    /// Cores that share one cache; divides the number of cores of the machine.
    pub cores_per_cache: u32,
    /// Parity masks over physical byte-address bits that choose a slice, least significant function first; empty where
    /// the cache is one piece; independent of each other and of the index bits. There are `2^len` slices of equal size.
    pub slice_functions: Vec<u64>,
    /// So many slices, any number, chosen by a hash of the whole line number; then there are no functions. `None` where functions choose, or the cache is one
    /// piece.
    pub hashed_slices: Option<u32>,
    /// Miss status holding registers of one cache: lines that it can await from memory at a time. While all are taken it accepts no
    /// access. `None` where misses are bounded by the cores' registers alone.
    pub mshrs: Option<u32>,
    /// What it has of the private caches' lines.
    pub inclusion: Inclusion,
    /// A mask of ways need not be of neighbors.
    pub sparse_masks: bool,
}

impl LlcConfig {
    /// All ways of it, bit n for way n.
    pub fn all_ways(&self) -> u128 {
        u128::MAX >> (u128::BITS - self.cache.ways)
    }

    /// Number of slices of one cache.
    pub fn slices(&self) -> u32 {
        self.hashed_slices.unwrap_or(1 << self.slice_functions.len())
    }

    /// Sets of one slice; a power of two.
    pub fn sets_per_slice(&self) -> u64 {
        self.cache.sets() / u64::from(self.slices())
    }

    /// The parity masks that choose the set of a line: the plain index bits of a slice from the least significant up,
    /// then the slice functions; a hash is none of them. Two pages can share a set only where all of these agree, so these are what LLC
    /// colors are made of (MAP-16).
    pub fn set_functions(&self) -> Vec<u64> {
        let first = self.cache.line.trailing_zeros();
        let index_bits = self.sets_per_slice().trailing_zeros();
        let plain = (first..first + index_bits).map(|bit| 1u64 << bit);
        plain.chain(self.slice_functions.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replacement;

    fn llc(size: u64, ways: u32, slice_functions: Vec<u64>) -> LlcConfig {
        let cache = CacheConfig {
            size,
            ways,
            line: 64,
            latency: 10_000,
            replacement: Replacement::Lru,
        };
        LlcConfig {
            cache,
            cores_per_cache: 4,
            slice_functions,
            hashed_slices: None,
            mshrs: None,
            inclusion: Inclusion::default(),
            sparse_masks: false,
        }
    }

    #[test]
    fn an_unsliced_cache_is_indexed_by_consecutive_bits() {
        // MAP-7: the 8 MiB 16-way L3 of the Xeon W3530 is indexed by bits 6 to 18.
        let masks: Vec<u64> = (6..=18).map(|bit| 1 << bit).collect();
        assert_eq!(llc(8 << 20, 16, vec![]).set_functions(), masks);
    }

    #[test]
    fn slices_that_a_hash_chooses_leave_the_index_within_a_slice() {
        let l3 = LlcConfig {
            hashed_slices: Some(56),
            ..llc(105 << 20, 15, vec![])
        };
        assert_eq!((l3.slices(), l3.sets_per_slice()), (56, 2048));
        let masks: Vec<u64> = (6..=16).map(|bit| 1 << bit).collect();
        assert_eq!(l3.set_functions(), masks);
    }

    #[test]
    fn slices_take_sets_away_from_the_index_and_add_functions() {
        let l3 = llc(2 << 20, 32, vec![1 << 6 | 1 << 20]);
        assert_eq!((l3.slices(), l3.sets_per_slice()), (2, 512));
        assert_eq!(l3.set_functions().len(), 10);
        assert_eq!(l3.set_functions()[9], 1 << 6 | 1 << 20);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Translations of addresses that a core remembers.

use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// The translation lookaside buffers of a core, for loads and stores; each thread of a core has its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tlb {
    /// The first level, whose hits cost nothing: it is looked up together with level 1 of the caches.
    pub first: TlbLevel,
    /// The second level, looked up where the first misses.
    pub second: Option<SecondTlb>,
    /// Entries of page tables above the last level that the page walker remembers (Intel: paging-structure caches, AMD: page directory
    /// cache, Arm: walk cache), all levels together, each next to any other; 0 for none.
    pub walk_cache: u32,
}

/// The size of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlbLevel {
    /// Pages that it remembers.
    pub entries: u32,
    /// Entries of a set; the low bits of the page number choose the set.
    pub ways: u32,
}

/// A second level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondTlb {
    /// Its size.
    pub size: TlbLevel,
    /// What looking it up adds to an access, in picoseconds.
    pub latency: Ps,
}

impl Tlb {
    /// Bits of a virtual address that tables translate: four levels of x86-64, and of AArch64 with a granule of 4 KiB.
    pub const ADDRESS_BITS: u32 = 48;

    /// Bits of an address that one table translates: 512 entries of 8 bytes in 4 KiB (Intel SDM vol. 3, section 4.5; Arm ARM, D8.2).
    pub const TABLE_BITS: u32 = 9;

    /// Bytes of a table, whatever the page size.
    pub const TABLE_BYTES: u64 = 4096;

    /// Bytes of an entry.
    pub const ENTRY_BYTES: u64 = 8;

    /// Most levels of tables: those of pages of 4 KiB.
    pub const MOST_LEVELS: usize = 4;

    /// Levels of tables that a walk reads for pages of `page_bytes`, a power of two from 4 KiB on: as many tables of 9 bits as the bits above
    /// the page take, so 4 for 4, 16 and 64 KiB, 3 for 2 MiB, 2 for 1 GiB.
    pub fn levels(page_bytes: u64) -> usize {
        let bits = Self::ADDRESS_BITS.saturating_sub(page_bytes.trailing_zeros());
        bits.div_ceil(Self::TABLE_BITS).max(1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_pages_have_fewer_levels() {
        let levels = |log: u32| Tlb::levels(1 << log);
        assert_eq!([12, 14, 16, 21, 30].map(levels), [4, 4, 4, 3, 2]);
        assert!((12..=30).all(|log| levels(log) <= Tlb::MOST_LEVELS));
    }
}

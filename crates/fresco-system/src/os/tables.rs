// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the page tables of an address space lie: what walks read.

use fresco_dram::PhysAddr;
use fresco_machine::Tlb;
use std::collections::HashMap;

/// A table: its level, 1 for that of the pages, and the bits of the page number that choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TableId {
    level: usize,
    prefix: u64,
}

impl TableId {
    /// The table of a level that has the way to a page.
    fn of(level: usize, page: u64) -> Self {
        let prefix = page.checked_shr(Tlb::TABLE_BITS * level as u32).unwrap_or(0);
        Self { level, prefix }
    }
}

/// The page tables of one address space, a tree of 4 KiB tables of 512 entries.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// Number of the address space: TLBs tell its pages by it.
    pub space: u32,
    levels: usize,
    /// First byte of each table.
    tables: HashMap<TableId, PhysAddr>,
}

impl Tables {
    /// None yet.
    pub fn new(space: u32, page_bytes: u64) -> Self {
        Self {
            space,
            levels: Tlb::levels(page_bytes),
            tables: HashMap::new(),
        }
    }

    /// The tables on the way to a page that are not there, from the root.
    pub fn missing(&self, page: u64) -> Vec<TableId> {
        let way = (1..=self.levels).rev().map(|level| TableId::of(level, page));
        way.filter(|table| !self.tables.contains_key(table)).collect()
    }

    /// A table has its place.
    pub fn add(&mut self, table: TableId, at: PhysAddr) {
        self.tables.insert(table, at);
    }

    /// Where the entry of a page lies in a table of its way; the tables of pages that are mapped are there.
    pub fn entry(&self, level: usize, page: u64) -> PhysAddr {
        let table = self.tables[&TableId::of(level, page)];
        let index = page.checked_shr(Tlb::TABLE_BITS * (level as u32 - 1)).unwrap_or(0);
        let index = index & ((1 << Tlb::TABLE_BITS) - 1);
        PhysAddr(table.0 + index * Tlb::ENTRY_BYTES)
    }

    /// First bytes of all tables, in no order.
    pub fn places(&self) -> impl Iterator<Item = PhysAddr> + '_ {
        self.tables.values().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pages of the same 2 MiB share all tables, the first of the next 2 MiB all but the last.
    #[test]
    fn neighbors_share_tables() {
        let mut tables = Tables::new(0, 4096);
        let mut give = |page: u64| {
            let missing = tables.missing(page);
            for (table, at) in missing.iter().zip(tables.tables.len() as u64..) {
                tables.add(*table, PhysAddr(at * 4096));
            }
            missing.len()
        };
        assert_eq!([0, 1, 511, 512, 1 << 27].map(&mut give), [4, 0, 0, 1, 3]);
        // The root came first, then those below it.
        assert_eq!(tables.entry(4, 3), PhysAddr(0));
        assert_eq!(tables.entry(1, 3), PhysAddr(3 * 4096 + 3 * 8));
        assert_eq!(tables.entry(2, 512), PhysAddr(2 * 4096 + 8));
        assert_eq!(tables.entry(1, 512), PhysAddr(4 * 4096));
        assert_eq!(tables.entry(4, 1 << 27), PhysAddr(8));
        assert_eq!(tables.places().count(), 8);
    }

    #[test]
    fn pages_of_2_mib_have_three_levels() {
        let tables = Tables::new(0, 2 << 20);
        assert_eq!(tables.missing(7).len(), 3);
    }
}

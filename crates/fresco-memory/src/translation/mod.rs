// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which translations a core remembers: two levels of TLB, and a cache of the upper levels of page tables.
//!
//! All replace the entry that was used least recently. Entries are told apart by address space, as those of current cores are (PCID of x86-64,
//! ASID of AArch64), so that a switch of tasks flushes nothing. A translation that neither level has comes into both; one that leaves the
//! first level is not moved to the second.

mod recent;
#[cfg(test)]
mod tests;

use fresco_machine::{Tlb, TlbLevel};
use recent::Recent;

/// Where a translation was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Translated {
    /// In the first level.
    First,
    /// In the second level.
    Second,
    /// In neither: so many levels of page tables are to be read, from this one (1 is that of the pages) downwards.
    Walk(usize),
}

/// The translations that a core remembers.
#[derive(Clone, Debug)]
pub struct Translations {
    first: Recent,
    second: Option<Recent>,
    /// Entries of tables above level 1: what is translated by the bits of an address from there on.
    upper: Option<Recent>,
    levels: usize,
}

impl Translations {
    /// None yet, of pages of `page_bytes`, a power of two.
    pub fn new(tlb: &Tlb, page_bytes: u64) -> Self {
        let level = |level: TlbLevel| Recent::new(level.entries as usize, level.ways as usize);
        let walk_cache = tlb.walk_cache as usize;
        Self {
            first: level(tlb.first),
            second: tlb.second.map(|second| level(second.size)),
            upper: (walk_cache > 0).then(|| Recent::new(walk_cache, walk_cache)),
            levels: Tlb::levels(page_bytes),
        }
    }

    /// Looks the page with this number in an address space up, by an access in program order. Where a walk is needed, all that it will find takes
    /// its place at once.
    pub fn look_up(&mut self, space: u32, page: u64) -> Translated {
        if self.first.uses(space, page, page) {
            return Translated::First;
        }
        let found = self
            .second
            .as_mut()
            .is_some_and(|second| second.uses(space, page, page));
        if found {
            return Translated::Second;
        }
        Translated::Walk(self.walk(space, page))
    }

    /// The levels that a walk has to read: those below the lowest that the walk cache has, whose entries come into it.
    fn walk(&mut self, space: u32, page: u64) -> usize {
        let Some(upper) = &mut self.upper else {
            return self.levels;
        };
        let key = |level: usize| page >> (Tlb::TABLE_BITS as usize * (level - 1)) << 2 | (level - 2) as u64;
        let is_here = |level: &usize| upper.has(space, key(*level));
        let known = (2..=self.levels).find(is_here);
        let read = known.map_or(self.levels, |level| level - 1);
        // That which was found is used; those read below it come in, the lowest last.
        for level in (2..=known.unwrap_or(self.levels)).rev() {
            upper.uses(space, key(level), 0);
        }
        read
    }

    /// Forgets a page: its frame has changed. What is known of tables stays, as these do not move.
    pub fn forget(&mut self, space: u32, page: u64) {
        self.first.forget(space, page, page);
        if let Some(second) = &mut self.second {
            second.forget(space, page, page);
        }
    }
}

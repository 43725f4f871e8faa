// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads of page tables by the walker of a core.

use super::private::SELF;
use super::{LeavingLines, PrivateCaches, PrivateOutcome};
use fresco_dram::PhysAddr;

/// What the private levels said to a read of a page table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableRead {
    /// The level that had the line; `None` if it must come from the shared levels. It has been given its place.
    pub level: Option<u8>,
    /// Lines that leave the private levels, with a hit at once, with a miss when the line is there.
    pub leaves: LeavingLines,
}

impl PrivateCaches {
    /// The walker reads the entry of a page table at `addr`, a line of data like any other. It asks level 2, as walkers do that stand beside it,
    /// and level 1 only where there is no level 2.
    pub fn read_table(&mut self, addr: PhysAddr) -> TableRead {
        let mut leaves = LeavingLines::default();
        let Some(l2) = &mut self.l2 else {
            let level = match self.access(addr, false) {
                PrivateOutcome::Hit { level, .. } => Some(level),
                PrivateOutcome::Miss => None,
            };
            if level.is_none() {
                leaves = self.fill(addr, false);
            }
            return TableRead { level, leaves };
        };
        if l2.cache.access(addr, false, SELF) || self.is_first_use_in_l2(addr, false) {
            return TableRead { level: Some(2), leaves };
        }
        let victim = self.l2.as_mut().and_then(|l2| l2.cache.allocate(addr, false, SELF));
        let leaving = victim.and_then(|victim| self.leaves(victim));
        leaving.into_iter().for_each(|line| leaves.push(line));
        TableRead { level: None, leaves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_machine::{CacheConfig, Replacement};

    fn cache(lines: u64) -> CacheConfig {
        CacheConfig {
            size: 64 * lines,
            ways: lines as u32,
            line: 64,
            latency: 1000,
            replacement: Replacement::Lru,
        }
    }

    /// A table's line takes a place in level 2 and none in level 1, and displaces what was there.
    #[test]
    fn tables_are_data_of_level_2() {
        let mut caches = PrivateCaches::new(Some(&cache(2)), Some(&cache(2)));
        for line in [0, 64] {
            assert_eq!(caches.access(PhysAddr(line), true), PrivateOutcome::Miss);
            assert!(caches.fill(PhysAddr(line), true).as_slice().is_empty());
        }
        let read = |caches: &mut PrivateCaches, addr| caches.read_table(PhysAddr(addr)).level;
        assert_eq!(read(&mut caches, 4096), None);
        assert_eq!(read(&mut caches, 4096 + 56), Some(2), "the same line");
        assert!(matches!(
            caches.access(PhysAddr(0), false),
            PrivateOutcome::Hit { level: 1, .. }
        ));
        let [l1, l2] = caches.stats();
        assert_eq!(l1.map(|l1| (l1.hits, l1.misses)), Some((1, 2)));
        assert_eq!(l2.map(|l2| (l2.hits, l2.misses)), Some((1, 3)));
    }

    #[test]
    fn without_level_2_they_are_data_of_level_1() {
        let mut caches = PrivateCaches::new(Some(&cache(2)), None);
        caches.fill(PhysAddr(0), true);
        caches.fill(PhysAddr(64), false);
        let missed = caches.read_table(PhysAddr(4096));
        assert_eq!(missed.level, None);
        assert_eq!(missed.leaves.as_slice().len(), 1, "the dirty line made room");
        assert_eq!(caches.read_table(PhysAddr(4104)).level, Some(1));
        assert_eq!(PrivateCaches::new(None, None).read_table(PhysAddr(0)).level, None);
    }
}

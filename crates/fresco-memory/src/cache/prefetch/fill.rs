// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the private levels do with lines that are prefetched.

use super::{PrefetchCounts, Wanted};
use crate::cache::private::SELF;
use crate::cache::{LeavingLines, PrivateCaches, PrivateOutcome, Watched};
use fresco_dram::{PhysAddr, Ps};

/// Where a line that is prefetched comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetched {
    /// From level 2, into level 1: it is there after this time, in picoseconds.
    FromL2(Ps),
    /// From the shared levels.
    FromShared,
}

impl PrivateCaches {
    /// Returns true if there are prefetchers.
    #[inline]
    pub fn prefetches(&self) -> bool {
        self.prefetcher.is_some()
    }

    /// The prefetchers learn from an access to a line that level 1 missed, or that was [`Watched`]. What they want is appended to `out`, the most
    /// urgent first.
    pub fn learn(&mut self, line: PhysAddr, line_bytes: u64, out: &mut Vec<Wanted>) {
        if let Some(prefetcher) = &mut self.prefetcher {
            prefetcher.learn(line, line_bytes, out);
        }
    }

    /// Returns true if a wanted line is not where it is to go, nor above.
    pub fn lacks(&self, wanted: Wanted) -> bool {
        match (&self.l1, wanted.level) {
            (Some(l1), 1) => !l1.cache.contains(wanted.line),
            _ => !self.contains(wanted.line),
        }
    }

    /// Gives a wanted line that is [lacking](Self::lacks) its place, at once; returns where it comes from, and the lines that leave the private levels when it is
    /// there.
    pub fn prefetch(&mut self, wanted: Wanted) -> (Prefetched, LeavingLines) {
        self.count_prefetch(|counts| counts.issued += 1);
        let (line, mut out) = (wanted.line, LeavingLines::default());
        let into_l1 = self.l1.is_some() && (wanted.level == 1 || self.l2.is_none());
        let mut from = Prefetched::FromShared;
        if let Some(l2) = &mut self.l2 {
            if into_l1 && l2.cache.contains(line) {
                from = Prefetched::FromL2(l2.latency);
                let is_first_use = l2.cache.use_prefetched(line, false);
                // Else it is used as an access uses it.
                let _ = is_first_use || l2.cache.fill(line, false, SELF).is_some();
                self.count_prefetch(|counts| counts.useful += u64::from(is_first_use));
            } else {
                let victim = match into_l1 {
                    true => l2.cache.allocate(line, false, SELF),
                    false => l2.cache.prefetch(line, SELF),
                };
                let leaving = victim.and_then(|victim| self.leaves(victim));
                leaving.into_iter().for_each(|line| out.push(line));
            }
        }
        if let Some(l1) = self.l1.as_mut().filter(|_| into_l1) {
            let victim = l1.cache.prefetch(line, SELF);
            let leaving = victim.and_then(|victim| self.moves_down(victim));
            leaving.into_iter().for_each(|line| out.push(line));
        }
        (from, out)
    }

    /// Counts something of the prefetches, if there are prefetchers.
    pub fn count_prefetch(&mut self, count: impl FnOnce(&mut PrefetchCounts)) {
        if let Some(prefetcher) = &mut self.prefetcher {
            count(&mut prefetcher.counts);
        }
    }

    /// What became of the prefetches since the start or the last reset; `None` without prefetchers.
    pub fn prefetch_counts(&self) -> Option<PrefetchCounts> {
        let levels = [&self.l1, &self.l2].into_iter().flatten();
        let useless = levels.map(|level| level.cache.useless()).sum();
        let counts = self.prefetcher.as_ref()?.counts;
        Some(PrefetchCounts { useless, ..counts })
    }

    /// A load or store that level 1 missed, where prefetchers learn from it.
    pub(in crate::cache) fn access_watched(&mut self, addr: PhysAddr, write: bool) -> PrivateOutcome {
        if let Some(l1) = &mut self.l1
            && l1.cache.first_use(addr, write, SELF)
        {
            let latency = l1.latency;
            self.count_prefetch(|counts| counts.useful += 1);
            return PrivateOutcome::Hit {
                level: 1,
                latency,
                leaves: None,
                watched: Some(Watched { first_use: true }),
            };
        }
        let write_in_l2 = write && self.l1.is_none();
        let Some(l2) = &mut self.l2 else {
            return PrivateOutcome::Miss;
        };
        let latency = l2.latency;
        let first_use = !l2.cache.access(addr, write_in_l2, SELF);
        if first_use && !self.is_first_use_in_l2(addr, write_in_l2) {
            return PrivateOutcome::Miss;
        }
        PrivateOutcome::Hit {
            level: 2,
            latency,
            leaves: self.fill_l1(addr, write),
            watched: Some(Watched { first_use }),
        }
    }

    /// Returns true if a line that level 2 was asked for, and does not have, was prefetched into it after all.
    pub(in crate::cache) fn is_first_use_in_l2(&mut self, addr: PhysAddr, write: bool) -> bool {
        let Some(l2) = self.l2.as_mut().filter(|_| self.prefetcher.is_some()) else {
            return false;
        };
        let found = l2.cache.first_use(addr, write, SELF);
        self.count_prefetch(|counts| counts.useful += u64::from(found));
        found
    }
}

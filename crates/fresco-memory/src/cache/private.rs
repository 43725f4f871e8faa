// SPDX-License-Identifier: MIT OR Apache-2.0
//! The private cache levels of one core.

use super::copies::{CoherenceCounts, Copies};
use super::leaving::{Leaving, LeavingLines};
use super::prefetch::{PrefetchCounts, Prefetcher};
use super::{Cache, SourceStats, Victim};
use crate::translation::Translations;
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::{CacheConfig, Prefetch, Tlb};

/// What the private levels say to an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateOutcome {
    /// The line is here.
    Hit {
        /// 1 or 2.
        level: u8,
        /// Time from the access to its data, in picoseconds, all levels looked up on the way included.
        latency: Ps,
        /// A line that this access pushed out of the last private level (the line moves from level 2 to level
        /// 1, whose victim moves to level 2). The caller passes it to `MemorySystem::leave` at the time of
        /// the access; the access itself does not wait for it.
        leaves: Option<Leaving>,
        /// What prefetchers learn of the access; `None` if that is nothing.
        watched: Option<Watched>,
    },
    /// The line must come from the shared levels; [`PrivateCaches::fill`] takes it when it is there.
    Miss,
}

/// A hit that [prefetchers](PrivateCaches::prefetching) learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// It is the first access to a line that was prefetched.
    pub first_use: bool,
}

/// Level 1, of data and perhaps of instructions, and level 2 of one core; any may be missing.
///
/// The two levels are neither inclusive nor exclusive: a miss fills both, a dirty victim of level 1 moves to
/// level 2, a clean one is dropped, and an eviction in one level never reaches up into
/// another. So what these caches hold depends on this core's own accesses alone, and a simulated core may run ahead
/// of the others for as long as it hits here; unless an inclusive cache below takes lines away
/// ([`invalidate`](Self::invalidate)), or other cores do ([`coherent`](Self::coherent)).
///
/// Above an exclusive cache ([`feeding`](Self::feeding)) a line leaves once none of them has it, clean or dirty, and comes into that cache.
/// So a clean victim of level 1 moves to level 2 if that does not have it, and a victim of level 2 that level 1 still has is no longer in level
/// 2, and does not leave.
///
/// Without an instruction cache level 1 holds both. The two do not look into each other: code that a program has just written is fetched from
/// level 2, or from the shared levels.
#[derive(Clone, Debug)]
pub struct PrivateCaches {
    pub(super) l1: Option<Level>,
    l1i: Option<Cache>,
    pub(super) l2: Option<Level>,
    /// What leaves them comes into an exclusive cache.
    feeding: bool,
    /// Lines that an inclusive cache has taken away.
    invalidated: u64,
    pub(super) prefetcher: Option<Box<Prefetcher>>,
    translations: Option<Box<Translations>>,
    /// What coherence knows of the lines, if they are kept coherent.
    pub(super) copies: Option<Box<Copies>>,
}

#[derive(Clone, Debug)]
pub(super) struct Level {
    pub cache: Cache,
    pub latency: Ps,
}

/// A private cache has one source.
pub(super) const SELF: u16 = 0;

impl PrivateCaches {
    /// Empty caches. `CacheConfig::latency` is, at each level, the total time from the access to the data.
    pub fn new(l1: Option<&CacheConfig>, l2: Option<&CacheConfig>) -> Self {
        let level = |config: &CacheConfig| Level {
            cache: Cache::new(config, &[], SELF + 1),
            latency: config.latency,
        };
        Self {
            l1: l1.map(level),
            l1i: None,
            l2: l2.map(level),
            feeding: false,
            invalidated: 0,
            prefetcher: None,
            translations: None,
            copies: None,
        }
    }

    /// With the TLBs of a core, if it has any, for pages of `page_bytes`.
    #[must_use]
    pub fn translating(mut self, tlb: Option<&Tlb>, page_bytes: u64) -> Self {
        self.translations = tlb.map(|tlb| Box::new(Translations::new(tlb, page_bytes)));
        self
    }

    /// The translations that the core remembers, if it has TLBs.
    pub fn translations(&mut self) -> Option<&mut Translations> {
        self.translations.as_deref_mut()
    }

    /// With the prefetchers of a core, if it has any: they learn from what level 1 misses, and from the first uses of what they fetched.
    #[must_use]
    pub fn prefetching(mut self, prefetch: &Prefetch) -> Self {
        if !prefetch.is_off() {
            for level in [&mut self.l1, &mut self.l2].into_iter().flatten() {
                level.cache = level.cache.clone().with_prefetches();
            }
            self.prefetcher = Some(Box::new(Prefetcher::new(prefetch)));
        }
        self
    }

    /// With an instruction cache, if the core has one.
    #[must_use]
    pub fn with_code(mut self, l1i: Option<&CacheConfig>) -> Self {
        self.l1i = l1i.map(|config| Cache::new(config, &[], SELF + 1));
        self
    }

    /// Above a cache that is exclusive of them, or not.
    #[must_use]
    pub fn feeding(mut self, exclusive: bool) -> Self {
        self.feeding = exclusive;
        self
    }

    /// A fetch of the code at `addr`, as [`access`](Self::access); a hit in level 1 costs nothing.
    pub fn fetch(&mut self, addr: PhysAddr) -> PrivateOutcome {
        let Some(l1i) = &mut self.l1i else {
            return self.access(addr, false);
        };
        if l1i.access(addr, false, SELF) {
            return PrivateOutcome::Hit {
                level: 1,
                latency: 0,
                leaves: None,
                watched: None,
            };
        }
        let Some(l2) = &mut self.l2 else {
            return PrivateOutcome::Miss;
        };
        if !l2.cache.access(addr, false, SELF) && !self.is_first_use_in_l2(addr, false) {
            return PrivateOutcome::Miss;
        }
        PrivateOutcome::Hit {
            level: 2,
            latency: self.l2.as_ref().map_or(0, |l2| l2.latency),
            leaves: self.fill_l1i(addr),
            watched: None,
        }
    }

    /// Takes the line of `addr` that the last fetch missed, as [`fill`](Self::fill).
    pub fn fill_code(&mut self, addr: PhysAddr) -> LeavingLines {
        if self.l1i.is_none() {
            return self.fill(addr, false);
        }
        let mut out = LeavingLines::default();
        let victim = self.l2.as_mut().and_then(|l2| l2.cache.allocate(addr, false, SELF));
        let leaving = victim.and_then(|victim| self.leaves(victim));
        leaving.into_iter().for_each(|line| out.push(line));
        self.fill_l1i(addr).into_iter().for_each(|line| out.push(line));
        out
    }

    /// A load or store of `addr`. A hit makes the line the most recently used of its level, moves it to level 1 and,
    /// for a store, makes it dirty. A miss changes nothing but its counters.
    #[inline(always)]
    pub fn access(&mut self, addr: PhysAddr, write: bool) -> PrivateOutcome {
        if let Some(l1) = &mut self.l1
            && l1.cache.access(addr, write, SELF)
        {
            return PrivateOutcome::Hit {
                level: 1,
                latency: l1.latency,
                leaves: None,
                watched: None,
            };
        }
        self.access_l2(addr, write)
    }

    fn access_l2(&mut self, addr: PhysAddr, write: bool) -> PrivateOutcome {
        if self.prefetcher.is_some() {
            return self.access_watched(addr, write);
        }
        let Some(l2) = &mut self.l2 else {
            return PrivateOutcome::Miss;
        };
        // A store makes the line dirty in the level closest to the core.
        if !l2.cache.access(addr, write && self.l1.is_none(), SELF) {
            return PrivateOutcome::Miss;
        }
        let latency = l2.latency;
        let leaves = self.fill_l1(addr, write);
        PrivateOutcome::Hit {
            level: 2,
            latency,
            leaves,
            watched: None,
        }
    }

    /// Takes the line of `addr` that the last access missed, dirty if `write`. Returns the lines that leave the
    /// private levels for it and go to `MemorySystem::leave`. Without any private cache a store's line leaves at
    /// once.
    #[inline]
    pub fn fill(&mut self, addr: PhysAddr, write: bool) -> LeavingLines {
        let mut out = LeavingLines::default();
        let dirty_in_l2 = write && self.l1.is_none();
        let leaving = match &mut self.l2 {
            Some(l2) => match l2.cache.allocate(addr, dirty_in_l2, SELF) {
                Some(victim) => self.leaves(victim),
                None => None,
            },
            None => dirty_in_l2.then_some(Leaving::dirty(addr)),
        };
        if let Some(line) = leaving {
            out.push(line);
        }
        if let Some(line) = self.fill_l1(addr, write) {
            out.push(line);
        }
        out
    }

    /// Drops the line, which an inclusive cache below has displaced. Returns whether it held stores; `None` if it was not here.
    pub fn invalidate(&mut self, line: PhysAddr) -> Option<bool> {
        let was_dirty = self.drop_line(line);
        self.invalidated += u64::from(was_dirty.is_some());
        was_dirty
    }

    pub(crate) fn drop_line(&mut self, line: PhysAddr) -> Option<bool> {
        let levels = [&mut self.l1, &mut self.l2].into_iter().flatten();
        let caches = levels.map(|level| &mut level.cache).chain(&mut self.l1i);
        let dropped = caches.filter_map(|cache| cache.invalidate(line));
        dropped.map(|victim| victim.dirty).reduce(|one, other| one | other)
    }

    /// Makes the line dirty, in the level closest to the core that has it; returns whether one of data has, and the core does not share it.
    pub fn make_dirty(&mut self, line: PhysAddr) -> bool {
        if self.is_shared(line) {
            return false;
        }
        let levels = [&mut self.l1, &mut self.l2].into_iter().flatten();
        levels.map(|level| &mut level.cache).any(|cache| cache.make_dirty(line))
    }

    /// Returns true if the line is here. Changes nothing.
    pub fn contains(&self, line: PhysAddr) -> bool {
        self.caches().any(|cache| cache.contains(line))
    }

    /// All lines that are here; those of several levels several times.
    pub fn lines(&self) -> impl Iterator<Item = PhysAddr> + '_ {
        self.caches().flat_map(|cache| cache.lines().map(|line| line.line))
    }

    fn caches(&self) -> impl Iterator<Item = &Cache> {
        let levels = [&self.l1, &self.l2].into_iter().flatten();
        levels.map(|level| &level.cache).chain(&self.l1i)
    }

    /// Lines that [`invalidate`](Self::invalidate) has dropped, each counted once, whatever levels it was in.
    pub fn invalidated(&self) -> u64 {
        self.invalidated
    }

    /// Makes the dirty lines that are `wanted` clean, and returns them, by address: they go to
    /// `MemorySystem::write_back`.
    pub fn clean(&mut self, wanted: impl Fn(PhysAddr) -> bool) -> Vec<PhysAddr> {
        let mut lines = Vec::new();
        for level in [&mut self.l1, &mut self.l2].into_iter().flatten() {
            level.cache.clean(&wanted, &mut lines);
        }
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Counters of level 1 and level 2.
    pub fn stats(&self) -> [Option<&SourceStats>; 2] {
        [&self.l1, &self.l2].map(|level| level.as_ref().map(|l| &l.cache.stats()[usize::from(SELF)]))
    }

    /// Counters of the instruction cache.
    pub fn code_stats(&self) -> Option<&SourceStats> {
        self.l1i.as_ref().map(|l1i| &l1i.stats()[usize::from(SELF)])
    }

    /// Sets all counters to zero and keeps the lines: the end of a warm-up.
    pub fn reset_stats(&mut self) {
        for level in [&mut self.l1, &mut self.l2].into_iter().flatten() {
            level.cache.reset_stats();
        }
        if let Some(prefetcher) = &mut self.prefetcher {
            prefetcher.counts = PrefetchCounts::default();
        }
        self.count_coherence(|counts| *counts = CoherenceCounts::default());
        if let Some(l1i) = &mut self.l1i {
            l1i.reset_stats();
        }
        self.invalidated = 0;
    }

    /// Fills level 1, which missed, and level 2 with its victim. Returns the line that leaves the last level.
    pub(super) fn fill_l1(&mut self, addr: PhysAddr, dirty: bool) -> Option<Leaving> {
        let l1 = self.l1.as_mut()?;
        let victim = l1.cache.allocate(addr, dirty, SELF)?;
        self.moves_down(victim)
    }

    /// The same of code, which is never dirty there.
    fn fill_l1i(&mut self, addr: PhysAddr) -> Option<Leaving> {
        let victim = self.l1i.as_mut()?.allocate(addr, false, SELF)?;
        self.moves_down(victim)
    }

    /// A victim of level 1 moves to level 2: dirty, or if it would leave for an exclusive cache otherwise.
    pub(super) fn moves_down(&mut self, victim: Victim) -> Option<Leaving> {
        if !victim.dirty && !self.feeding {
            return None;
        }
        let Some(l2) = &mut self.l2 else {
            return self.leaves(victim);
        };
        if !victim.dirty && l2.cache.contains(victim.line) {
            return None;
        }
        let victim = l2.cache.fill(victim.line, victim.dirty, SELF)?;
        self.leaves(victim)
    }

    /// A victim of the last level leaves: if it is dirty, or for an exclusive cache if no level has it any more.
    #[inline]
    pub(super) fn leaves(&mut self, victim: Victim) -> Option<Leaving> {
        let Victim { line, dirty, .. } = victim;
        if self.feeding {
            return self.leaves_for_good(line, dirty);
        }
        dirty.then_some(Leaving { line, dirty })
    }

    fn leaves_for_good(&mut self, line: PhysAddr, dirty: bool) -> Option<Leaving> {
        if let Some(l1) = &mut self.l1
            && l1.cache.contains(line)
        {
            // What it holds of stores stays with the copy above.
            if dirty {
                l1.cache.make_dirty(line);
            }
            return None;
        }
        if let Some(l1i) = &mut self.l1i
            && l1i.contains(line)
        {
            if !dirty {
                return None;
            }
            l1i.invalidate(line);
        }
        Some(Leaving { line, dirty })
    }
}

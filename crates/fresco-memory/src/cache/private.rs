// SPDX-License-Identifier: MIT OR Apache-2.0
//! The private cache levels of one core.

use super::{Cache, SourceStats, Victim};
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::CacheConfig;

/// What the private levels say to an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateOutcome {
    /// The line is here.
    Hit {
        /// 1 or 2.
        level: u8,
        /// Time from the access to its data, in picoseconds, all levels looked up on the way included.
        latency: Ps,
        /// A dirty line that this access pushed out of the last private level (the line moves from level 2 to level
        /// 1, whose dirty victim moves to level 2). The caller passes it to `MemorySystem::write_back` at the time of
        /// the access; the access itself does not wait for it.
        write_back: Option<PhysAddr>,
    },
    /// The line must come from the shared levels; [`PrivateCaches::fill`] takes it when it is there.
    Miss,
}

/// Dirty lines that left the private levels, oldest first; at most two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteBacks {
    lines: [PhysAddr; 2],
    len: usize,
}

impl WriteBacks {
    #[inline]
    fn push(&mut self, line: PhysAddr) {
        self.lines[self.len] = line;
        self.len += 1;
    }

    /// The lines, each the address of a first byte.
    #[inline]
    pub fn as_slice(&self) -> &[PhysAddr] {
        &self.lines[..self.len]
    }
}

/// Level 1, of data and perhaps of instructions, and level 2 of one core; any may be missing.
///
/// The hierarchy is neither inclusive nor exclusive: a miss fills both levels, a dirty victim of level 1 moves to
/// level 2, a clean one is dropped, and an eviction in one level (or in the shared cache) never reaches up into
/// another. So what these caches hold depends on this core's own accesses alone, and a simulated core may run ahead
/// of the others for as long as it hits here.
///
/// Without an instruction cache level 1 holds both. The two do not look into each other: code that a program has just written is fetched from
/// level 2, or from the shared levels.
#[derive(Clone, Debug)]
pub struct PrivateCaches {
    l1: Option<Level>,
    l1i: Option<Cache>,
    l2: Option<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    cache: Cache,
    latency: Ps,
}

/// A private cache has one source.
const SELF: u16 = 0;

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
        }
    }

    /// With an instruction cache, if the core has one.
    #[must_use]
    pub fn with_code(mut self, l1i: Option<&CacheConfig>) -> Self {
        self.l1i = l1i.map(|config| Cache::new(config, &[], SELF + 1));
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
                write_back: None,
            };
        }
        let Some(l2) = &mut self.l2 else {
            return PrivateOutcome::Miss;
        };
        if !l2.cache.access(addr, false, SELF) {
            return PrivateOutcome::Miss;
        }
        // Code is never dirty there.
        l1i.allocate(addr, false, SELF);
        PrivateOutcome::Hit {
            level: 2,
            latency: l2.latency,
            write_back: None,
        }
    }

    /// Takes the line of `addr` that the last fetch missed, as [`fill`](Self::fill).
    pub fn fill_code(&mut self, addr: PhysAddr) -> WriteBacks {
        let Some(l1i) = &mut self.l1i else {
            return self.fill(addr, false);
        };
        l1i.allocate(addr, false, SELF);
        let mut out = WriteBacks::default();
        let victim = self.l2.as_mut().and_then(|l2| l2.cache.allocate(addr, false, SELF));
        dirty_victim(victim).into_iter().for_each(|line| out.push(line));
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
                write_back: None,
            };
        }
        self.access_l2(addr, write)
    }

    fn access_l2(&mut self, addr: PhysAddr, write: bool) -> PrivateOutcome {
        let Some(l2) = &mut self.l2 else {
            return PrivateOutcome::Miss;
        };
        // A store makes the line dirty in the level closest to the core.
        if !l2.cache.access(addr, write && self.l1.is_none(), SELF) {
            return PrivateOutcome::Miss;
        }
        let latency = l2.latency;
        let write_back = self.fill_l1(addr, write);
        PrivateOutcome::Hit {
            level: 2,
            latency,
            write_back,
        }
    }

    /// Takes the line of `addr` that the last access missed, dirty if `write`. Returns the dirty lines that leave the
    /// private levels for it and go to `MemorySystem::write_back`. Without any private cache a store's line leaves at
    /// once.
    #[inline]
    pub fn fill(&mut self, addr: PhysAddr, write: bool) -> WriteBacks {
        let mut out = WriteBacks::default();
        let dirty_in_l2 = write && self.l1.is_none();
        let leaving = match &mut self.l2 {
            Some(l2) => dirty_victim(l2.cache.allocate(addr, dirty_in_l2, SELF)),
            None => dirty_in_l2.then_some(addr),
        };
        if let Some(line) = leaving {
            out.push(line);
        }
        if let Some(line) = self.fill_l1(addr, write) {
            out.push(line);
        }
        out
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
        if let Some(l1i) = &mut self.l1i {
            l1i.reset_stats();
        }
    }

    /// Fills level 1, which missed, and level 2 with its dirty victim. Returns the dirty line that leaves the last level.
    fn fill_l1(&mut self, addr: PhysAddr, dirty: bool) -> Option<PhysAddr> {
        let l1 = self.l1.as_mut()?;
        let victim = dirty_victim(l1.cache.allocate(addr, dirty, SELF))?;
        match &mut self.l2 {
            Some(l2) => dirty_victim(l2.cache.fill(victim, true, SELF)),
            None => Some(victim),
        }
    }
}

/// The line that a level pushed out, if it is dirty.
fn dirty_victim(victim: Option<Victim>) -> Option<PhysAddr> {
    victim.filter(|victim| victim.dirty).map(|victim| victim.line)
}

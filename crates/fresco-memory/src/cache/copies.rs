// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core may do with the lines of its private caches, where these are kept coherent.
//!
//! Tags and dirty bits are those of [`PrivateCaches`]. Beside them it is kept which lines the core shares with others, which have a place and
//! have not been granted yet, and which have left the caches and are on their way: all else that is here is the core's alone.

use super::{Leaving, LeavingLines, PrivateCaches, PrivateOutcome};
use crate::line_index::LineIndex;
use fresco_dram::PhysAddr;
use serde::{Deserialize, Serialize};

/// State of a line in the private caches of a core: MESI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineState {
    /// Not here; or it has a place, and has not been granted.
    Invalid,
    /// Others may have it, too.
    Shared,
    /// Nobody else has it.
    Exclusive,
    /// Nobody else has it, and it holds stores.
    Modified,
}

/// What coherence did to the lines of a core, and for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoherenceCounts {
    /// Its lines that came from the private caches of another core, or from the last-level cache of another cluster.
    pub transfers: u64,
    /// Stores to lines that it shared, which had to be asked for.
    pub upgrades: u64,
    /// Copies that it lost because others stored.
    pub invalidations: u64,
    /// Its dirty lines that were written to the last-level cache or to memory because others read them.
    pub write_backs: u64,
}

/// States of lines that are neither exclusive nor modified.
const EXPECTED: u32 = 0;
const SHARED: u32 = 1;

/// A line between the caches and the shared levels.
#[derive(Clone, Copy, Debug)]
struct InTransit {
    leaving: Leaving,
    /// It was granted before it left; else it left before it was asked for.
    granted: bool,
    /// It arrived before it was granted, while others had the line: it leaves when it is.
    owed: bool,
}

/// What is to be done with a line that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It goes to the shared levels.
    Goes,
    /// Another core has taken it over meanwhile: nothing leaves.
    Taken,
    /// It has not been granted yet: it goes if nobody else has it; else [`PrivateCaches::owe`].
    Early,
}

/// The part of [`PrivateCaches`] that coherence needs.
#[derive(Clone, Debug)]
pub(super) struct Copies {
    /// Lines that are shared, or expected. Those that are displaced stay until there are too many.
    restricted: LineIndex,
    most: usize,
    in_transit: Vec<InTransit>,
    pub counts: CoherenceCounts,
}

/// Restricted lines that are kept before those that are gone are forgotten.
const LEAST: usize = 1 << 10;

impl Default for Copies {
    fn default() -> Self {
        Self {
            restricted: LineIndex::default(),
            most: LEAST,
            in_transit: Vec::new(),
            counts: CoherenceCounts::default(),
        }
    }
}

impl Copies {
    fn set(&mut self, line: PhysAddr, state: u32) {
        self.restricted.insert(line, state);
    }

    fn unset(&mut self, line: PhysAddr) {
        if let Some(state) = self.restricted.get(line) {
            self.restricted.remove(line, state);
        }
    }
}

impl PrivateCaches {
    /// Kept coherent with those of other cores, or not.
    #[must_use]
    pub fn coherent(mut self, is_coherent: bool) -> Self {
        self.copies = is_coherent.then(Box::default);
        self
    }

    /// Returns true if they are kept coherent.
    #[inline]
    pub fn are_coherent(&self) -> bool {
        self.copies.is_some()
    }

    /// As [`access`](Self::access) where caches are coherent; a line that misses takes its place at once ([`fill`](Self::fill)), and what leaves
    /// for it is returned. Returns true, too, if the line is here and a store to it has to be asked for.
    pub fn access_coherent(&mut self, addr: PhysAddr, write: bool) -> (PrivateOutcome, LeavingLines, bool) {
        let is_restricted = write && self.restriction(addr).is_some() && self.contains(addr);
        // What the core shares has no stores before it is granted.
        let stores = write && !(is_restricted && self.restriction(addr) == Some(SHARED));
        let (outcome, mut out, mut asks) = (self.access(addr, stores), LeavingLines::default(), false);
        match outcome {
            PrivateOutcome::Hit { leaves, .. } => {
                leaves.into_iter().for_each(|line| out.push(line));
                asks = is_restricted;
            }
            PrivateOutcome::Miss => {
                out = self.fill(addr, stores);
                self.expect(addr);
            }
        }
        self.leave_coherently(out);
        (outcome, out, asks)
    }

    /// As [`fetch`](Self::fetch); a line that misses takes its place at once ([`fill_code`](Self::fill_code)), and what leaves for it is returned.
    pub fn fetch_or_fill(&mut self, addr: PhysAddr) -> (PrivateOutcome, LeavingLines) {
        let (outcome, mut out) = (self.fetch(addr), LeavingLines::default());
        match outcome {
            PrivateOutcome::Hit { leaves, .. } => leaves.into_iter().for_each(|line| out.push(line)),
            PrivateOutcome::Miss => {
                let is_here = self.contains(addr);
                out = self.fill_code(addr);
                // A copy in the data cache goes on to be what it is.
                if !is_here {
                    self.expect(addr);
                }
            }
        }
        self.leave_coherently(out);
        (outcome, out)
    }

    /// A line has its place, and has not been asked for.
    pub fn expect(&mut self, line: PhysAddr) {
        if let Some(copies) = &mut self.copies {
            copies.set(line, EXPECTED);
            if copies.restricted.len() > copies.most {
                self.forget_displaced();
            }
        }
    }

    /// Lines have left the tags, and are on their way to the shared levels.
    pub fn leave_coherently(&mut self, lines: LeavingLines) {
        if let Some(copies) = &mut self.copies {
            copies
                .in_transit
                .extend(lines.as_slice().iter().map(|&leaving| InTransit {
                    leaving,
                    granted: copies.restricted.get(leaving.line) != Some(EXPECTED),
                    owed: false,
                }));
        }
    }

    /// A line that is on its way arrives at the shared levels.
    pub fn left(&mut self, leaving: Leaving) -> Left {
        let Some(copies) = &mut self.copies else {
            return Left::Goes;
        };
        let is_it = |one: &InTransit| one.leaving == leaving && !one.owed;
        let Some(at) = copies.in_transit.iter().position(is_it) else {
            return Left::Taken;
        };
        match copies.in_transit.remove(at).granted {
            true => Left::Goes,
            false => Left::Early,
        }
    }

    /// A dirty line that was [early](Left::Early) goes when it is granted.
    pub fn owe(&mut self, leaving: Leaving) {
        if let Some(copies) = &mut self.copies {
            copies.in_transit.push(InTransit {
                leaving,
                granted: false,
                owed: true,
            });
        }
    }

    /// Another core takes over what of a line is on its way: whether it was dirty; `None` if nothing is.
    pub fn take_in_transit(&mut self, line: PhysAddr) -> Option<bool> {
        let copies = self.copies.as_mut()?;
        let is_it = |one: &InTransit| one.granted && one.leaving.line == line;
        let taken = copies.in_transit.iter().filter(|one| is_it(one));
        let dirty = taken.map(|one| one.leaving.dirty).reduce(|one, other| one | other)?;
        copies.in_transit.retain(|one| !is_it(one));
        Some(dirty)
    }

    /// What of a line is on its way, and may be taken over: whether it is dirty.
    pub fn in_transit(&self, line: PhysAddr) -> Option<bool> {
        let granted = self.copies.iter().flat_map(|copies| &copies.in_transit);
        let of_line = granted.filter(|one| one.granted && one.leaving.line == line);
        of_line.map(|one| one.leaving.dirty).reduce(|one, other| one | other)
    }

    /// The state of a line.
    pub fn state(&self, line: PhysAddr) -> LineState {
        match self.restriction(line) {
            Some(EXPECTED) => LineState::Invalid,
            _ if !self.contains(line) => LineState::Invalid,
            Some(_) => LineState::Shared,
            None if self.is_dirty(line) => LineState::Modified,
            None => LineState::Exclusive,
        }
    }

    /// Another core reads a line that is here: it is shared, and clean. Returns whether it held stores.
    pub fn share(&mut self, line: PhysAddr) -> bool {
        let levels = [&mut self.l1, &mut self.l2].into_iter().flatten();
        let dirty = levels.fold(false, |dirty, level| level.cache.make_clean(line) | dirty);
        if let Some(copies) = &mut self.copies {
            copies.set(line, SHARED);
        }
        dirty
    }

    /// Another core stores to a line that is here: it is no more. Returns whether it held stores.
    pub fn lose(&mut self, line: PhysAddr) -> bool {
        if let Some(copies) = &mut self.copies {
            copies.unset(line);
            copies.counts.invalidations += 1;
        }
        self.drop_line(line) == Some(true)
    }

    /// A line that was asked for is granted, shared with others.
    pub fn grant_shared(&mut self, line: PhysAddr) {
        if let Some(copies) = &mut self.copies
            && copies.restricted.get(line).is_some()
        {
            copies.set(line, SHARED);
        }
    }

    /// A line that was asked for is granted, the core's alone.
    pub fn grant(&mut self, line: PhysAddr) {
        if let Some(copies) = &mut self.copies {
            copies.unset(line);
            for one in &mut copies.in_transit {
                one.granted |= one.leaving.line == line && !one.owed;
            }
        }
    }

    /// Takes back what was [owed](Self::owe) of a line.
    pub fn settle(&mut self, line: PhysAddr) -> Option<Leaving> {
        let in_transit = &mut self.copies.as_mut()?.in_transit;
        let at = in_transit.iter().position(|one| one.owed && one.leaving.line == line)?;
        Some(in_transit.remove(at).leaving)
    }

    /// Counts something of coherence.
    pub fn count_coherence(&mut self, count: impl FnOnce(&mut CoherenceCounts)) {
        if let Some(copies) = &mut self.copies {
            count(&mut copies.counts);
        }
    }

    /// What coherence did since the start or the last reset; `None` without.
    pub fn coherence_counts(&self) -> Option<CoherenceCounts> {
        self.copies.as_ref().map(|copies| copies.counts)
    }

    /// Returns true if others may have a line that is here, too.
    pub fn is_shared(&self, line: PhysAddr) -> bool {
        self.restriction(line) == Some(SHARED) && self.contains(line)
    }

    /// Returns true if a line is here, and holds stores.
    pub(crate) fn is_dirty(&self, line: PhysAddr) -> bool {
        let levels = [&self.l1, &self.l2].into_iter().flatten();
        levels.map(|level| &level.cache).any(|cache| cache.is_dirty(line))
    }

    fn restriction(&self, line: PhysAddr) -> Option<u32> {
        self.copies.as_ref()?.restricted.get(line)
    }

    /// Lines that are not here any more are restricted no longer.
    fn forget_displaced(&mut self) {
        let mut restricted = LineIndex::default();
        for line in self.lines() {
            if let Some(state) = self.restriction(line) {
                restricted.insert(line, state);
            }
        }
        if let Some(copies) = &mut self.copies {
            copies.most = LEAST.max(2 * restricted.len());
            copies.restricted = restricted;
        }
    }
}

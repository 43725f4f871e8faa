// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which load each access needs, found out from what blocks do with registers and from recent stores.

use super::block::{Block, REGISTERS, Site, Source};
use super::changes::Changes;

/// Words whose data are remembered: registers saved and restored, lists built a moment ago.
const WORDS: usize = 1 << 12;
/// Accesses within which a load is likely to be under way still: more than the window of any core.
pub const WINDOW: u32 = 512;

/// Follows values through one thread, within a chunk. Loads have the numbers of their accesses in the chunk, from 1 on; 0 is none.
#[derive(Clone, Debug)]
pub struct Follower {
    registers: [u32; REGISTERS],
    /// Which of them derive from a load.
    derived: u64,
    /// What registers that a block changes are to become, in the order of `Changes::by_entry`.
    changed: [u32; REGISTERS],
    /// Words stored, and the load that the data derive from.
    words: Box<[(u64, u32)]>,
    count: u32,
}

/// What an access needs: distances back in accesses, 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    /// Through registers.
    pub by_registers: u32,
    /// Through registers or words stored, whichever is nearer.
    pub by_all: u32,
}

impl Default for Follower {
    fn default() -> Self {
        Self {
            registers: [0; REGISTERS],
            derived: 0,
            changed: [0; REGISTERS],
            words: vec![(u64::MAX, 0); WORDS].into_boxed_slice(),
            count: 0,
        }
    }
}

impl Follower {
    /// Begins a chunk: nothing is known of values from before.
    pub fn begin(&mut self) {
        self.registers = [0; REGISTERS];
        self.derived = 0;
        self.words.fill((u64::MAX, 0));
        self.count = 0;
    }

    #[inline]
    fn value(&self, source: Source, first: u32) -> u32 {
        if source.load > 0 {
            return first + u32::from(source.load);
        }
        self.latest(source.entry)
    }

    /// The latest load that any of these registers derives from.
    #[inline]
    fn latest(&self, registers: u64) -> u32 {
        let (mut mask, mut latest) = (registers & self.derived, 0);
        while mask != 0 {
            latest = latest.max(self.registers[mask.trailing_zeros() as usize]);
            mask &= mask - 1;
        }
        latest
    }

    /// A run of `block` with these addresses, one for each of its accesses; calls `each` with each access, its address and what it needs.
    #[inline(always)]
    pub fn run(&mut self, block: &Block, addresses: &[u64], mut each: impl FnMut(&Site, u64, Needed)) {
        for (place, (site, &address)) in block.sites.iter().zip(addresses).enumerate() {
            let needed = self.access(site, address, place);
            each(site, address, needed);
        }
        self.leave(block);
    }

    /// What the access at a place of the present run needs.
    #[inline(always)]
    pub fn access(&mut self, site: &Site, address: u64, place: usize) -> Needed {
        let (first, number) = (self.count, self.count + 1 + place as u32);
        let distance = |load: u32| if load > 0 { number - load } else { 0 };
        let from = self.value(site.address, first);
        let word = address >> 3;
        // The same word, nearly always.
        let last = address.saturating_add(u64::from(site.size) - 1) >> 3;
        let mut at = word;
        let (by_registers, by_all) = if site.write {
            let data = self.value(site.data, first);
            while at <= last {
                self.words[at as usize % WORDS] = (at, data);
                at += 1;
            }
            (from.max(data), from.max(data))
        } else {
            let mut latest = from;
            while at <= last {
                latest = latest.max(self.stored(at));
                at += 1;
            }
            (from, latest)
        };
        Needed {
            by_registers: distance(by_registers),
            by_all: distance(by_all),
        }
    }

    /// The run is over.
    #[inline(always)]
    pub fn leave(&mut self, block: &Block) {
        self.change(&block.changed, self.count);
        self.count += block.sites.len() as u32;
    }

    /// The load that what was stored in a word derives from.
    #[inline]
    fn stored(&self, word: u64) -> u32 {
        let (of, data) = self.words[word as usize % WORDS];
        if of == word { data } else { 0 }
    }

    /// Registers change, all at once: sources are of the registers as they were.
    #[inline]
    fn change(&mut self, changes: &Changes, first: u32) {
        let mut derived = changes.loaded;
        if changes.entries & self.derived != 0 {
            for (place, (register, entry)) in changes.by_entry.iter().enumerate() {
                let value = self.latest(*entry);
                self.changed[place % REGISTERS] = value;
                derived |= u64::from(value > 0) << register;
            }
            for ((register, _), value) in changes.by_entry.iter().zip(&self.changed) {
                self.registers[usize::from(*register) % REGISTERS] = *value;
            }
        }
        self.derived = self.derived & !changes.registers | derived;
        for (register, load) in &changes.by_load {
            self.registers[usize::from(*register) % REGISTERS] = first + u32::from(*load);
        }
    }
}

/// Loads that depend on loads, by several definitions: in each pair by registers alone, and with words stored and loaded again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dependences {
    /// Loads that were looked at.
    pub loads: u64,
    /// On any load before.
    pub any: [u64; 2],
    /// On one of the [`WINDOW`] accesses before.
    pub near: [u64; 2],
    /// On the access just before.
    pub next: [u64; 2],
}

impl Dependences {
    /// Counts a load.
    #[inline]
    pub fn count(&mut self, needed: Needed) {
        self.loads += 1;
        for (way, distance) in [needed.by_registers, needed.by_all].into_iter().enumerate() {
            self.any[way] += u64::from(distance > 0);
            self.near[way] += u64::from(distance.wrapping_sub(1) < WINDOW);
            self.next[way] += u64::from(distance == 1);
        }
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.loads += other.loads;
        for (mine, other) in [
            (&mut self.any, other.any),
            (&mut self.near, other.near),
            (&mut self.next, other.next),
        ] {
            mine.iter_mut().zip(other).for_each(|(mine, other)| *mine += other);
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which load each access needs, found out from what blocks do with registers and from recent stores.

use super::block::{Block, REGISTERS, Source};

/// Words whose data are remembered: registers saved and restored, lists built a moment ago.
const WORDS: usize = 1 << 12;
/// Accesses within which a load is likely to be under way still: more than the window of any core.
pub const WINDOW: u32 = 512;

/// Follows values through one thread, within a chunk. Loads have the numbers of their accesses in the chunk, from 1 on; 0 is none.
#[derive(Clone, Debug)]
pub struct Follower {
    registers: [u32; REGISTERS],
    /// What registers that a block changes are to become.
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
        self.words.fill((u64::MAX, 0));
        self.count = 0;
    }

    #[inline]
    fn value(&self, source: Source, first: u32) -> u32 {
        if source.load > 0 {
            return first + u32::from(source.load);
        }
        let (mut mask, mut latest) = (source.entry, 0);
        while mask != 0 {
            latest = latest.max(self.registers[mask.trailing_zeros() as usize]);
            mask &= mask - 1;
        }
        latest
    }

    /// A run of `block` with these addresses; calls `each` with the place of each access and what it needs.
    #[inline]
    pub fn run(&mut self, block: &Block, addresses: &[u64], mut each: impl FnMut(usize, Needed)) {
        let first = self.count;
        for (place, (site, address)) in block.sites.iter().zip(addresses).enumerate() {
            let number = first + place as u32 + 1;
            let distance = |load: u32| if load > 0 { number - load } else { 0 };
            let from = self.value(site.address, first);
            let last = address.saturating_add(u64::from(site.size).saturating_sub(1));
            let words = address >> 3..=last >> 3;
            let mut latest = from;
            if site.write {
                let data = self.value(site.data, first);
                for word in words {
                    self.words[word as usize % WORDS] = (word, data);
                }
                latest = latest.max(data);
                let by_all = distance(latest);
                each(
                    place,
                    Needed {
                        by_registers: by_all,
                        by_all,
                    },
                );
            } else {
                for word in words {
                    let (stored, data) = self.words[word as usize % WORDS];
                    if stored == word {
                        latest = latest.max(data);
                    }
                }
                each(
                    place,
                    Needed {
                        by_registers: distance(from),
                        by_all: distance(latest),
                    },
                );
            }
        }
        // All at once: sources are of the registers as they were.
        for (place, (_, source)) in (0..REGISTERS).zip(&block.changed) {
            self.changed[place] = self.value(*source, first);
        }
        for (value, (register, _)) in self.changed.iter().zip(&block.changed) {
            self.registers[usize::from(*register)] = *value;
        }
        self.count = first + addresses.len() as u32;
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

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dirty lines on their way to memory, from each core's write-back buffer: while it is full, the core's misses wait.

use fresco_dram::{PhysAddr, Ps};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Least entries of a write-back buffer: no machine file says how many there are, and evictions must not stall a core
/// with a single miss in flight at once.
const LEAST: u32 = 8;

/// A miss that has its place in the cache and is not on its way yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub core: u32,
    pub line: PhysAddr,
    /// By which [`Pending`](super::pending::Pending) knows it.
    pub slot: u32,
}

/// The write-back buffers of all cores. A line that a core's access displaces from the shared levels takes an entry from
/// then until a controller has taken it into its write buffer, and the core knows.
///
/// So writes that memory cannot take in time slow down who causes them, and at most this many of a core, and one for
/// each miss that waits, are under way.
#[derive(Debug)]
pub(super) struct WriteBacks {
    entries: u32,
    /// By core: entries in use.
    used: Vec<u32>,
    /// When an entry is free again, and whose, in this order: it does not depend on how the time is cut into runs.
    freed: BinaryHeap<Reverse<(Ps, u32)>>,
    /// By core: misses that wait for an entry, oldest first; none while one is free.
    held: Vec<Vec<Held>>,
    held_total: usize,
}

impl WriteBacks {
    /// Buffers of as many entries as a core may have misses in flight, and at least eight.
    pub fn new(cores: usize, mshrs: u32) -> Self {
        Self {
            entries: mshrs.max(LEAST),
            used: vec![0; cores],
            freed: BinaryHeap::new(),
            held: vec![Vec::new(); cores],
            held_total: 0,
        }
    }

    /// Returns true if a miss of the core may go to memory now.
    #[inline]
    pub fn has_room(&self, core: u32) -> bool {
        let room = self.used[core as usize] < self.entries;
        debug_assert!(
            !room || self.held[core as usize].is_empty(),
            "nobody waits for a free entry"
        );
        room
    }

    /// A line leaves for memory.
    #[inline]
    pub fn leave(&mut self, core: u32) {
        self.used[core as usize] += 1;
    }

    /// The core will know at `at` that its line has been taken.
    pub fn taken(&mut self, core: u32, at: Ps) {
        self.freed.push(Reverse((at, core)));
    }

    /// A miss waits until an entry is free.
    pub fn hold(&mut self, held: Held) {
        self.held[held.core as usize].push(held);
        self.held_total += 1;
    }

    /// When the next entry is free, if anybody waits and it is known.
    #[inline]
    pub fn next_release(&self) -> Option<Ps> {
        if self.held_total == 0 {
            return None;
        }
        self.freed.peek().map(|Reverse((at, _))| *at)
    }

    /// Returns true if an entry is free at `now` that has not been released yet.
    #[inline]
    pub fn is_due(&self, now: Ps) -> bool {
        self.freed.peek().is_some_and(|Reverse((at, _))| *at <= now)
    }

    /// Frees the entries known to be free at `now`, and returns the misses that can go then: all of a core that has an
    /// entry free, as the lines that they displace have left already.
    pub fn release(&mut self, now: Ps) -> Vec<Held> {
        let mut going = Vec::new();
        while let Some(&Reverse((at, core))) = self.freed.peek() {
            if at > now {
                break;
            }
            self.freed.pop();
            let core = core as usize;
            debug_assert!(self.used[core] > 0, "a line that was taken had left");
            self.used[core] -= 1;
            if self.used[core] < self.entries {
                self.held_total -= self.held[core].len();
                going.append(&mut self.held[core]);
            }
        }
        going
    }

    /// Lines that have left and have not been taken, as far as is known: of the core that has most.
    pub fn most(&self) -> u32 {
        self.used.iter().copied().max().unwrap_or(0)
    }
}

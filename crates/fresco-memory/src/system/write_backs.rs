// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dirty lines on their way to memory, from each core's write-back buffer: while a line finds no room in it, the core stands still.

use fresco_dram::{PhysAddr, Ps};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Least entries of a write-back buffer: no machine file says how many there are, and evictions must not stall a core
/// with a single miss in flight at once.
const LEAST: u32 = 8;

/// The write-back buffers of all cores. A line that a core's access displaces from the shared levels takes an entry until a controller
/// has taken it into its write buffer, and the core knows. A line that finds none waits where it was displaced, and a core with such a line
/// [stands still](super::MemorySystem::take_standing).
///
/// So writes that memory cannot take in time slow down who causes them, and no more than the entries of each core are under way, but for what an
/// operating system [cleans](super::MemorySystem::clean).
#[derive(Debug)]
pub(super) struct WriteBacks {
    entries: u32,
    cores: Vec<Buffer>,
    /// When an entry is free again, and whose, in this order: it does not depend on how the time is cut into runs.
    freed: BinaryHeap<Reverse<(Ps, u32)>>,
    /// Lines that wait, of all cores.
    waiting: usize,
    /// No line waits: the operating system writes back.
    pub at_once: bool,
    /// Cores that stand still from now on (true), or go on, in order.
    pub standing: Vec<(u32, bool)>,
}

/// That of a core.
#[derive(Clone, Debug, Default)]
struct Buffer {
    /// Entries in use.
    used: u32,
    /// Lines that wait for an entry, oldest first; none while one is free.
    lines: VecDeque<PhysAddr>,
}

impl WriteBacks {
    /// Buffers of as many entries as a core may have misses in flight, and at least eight.
    pub fn new(cores: usize, mshrs: u32) -> Self {
        Self {
            entries: mshrs.max(LEAST),
            cores: vec![Buffer::default(); cores],
            freed: BinaryHeap::new(),
            waiting: 0,
            at_once: false,
            standing: Vec::new(),
        }
    }

    /// A line leaves for memory. Returns true if it goes at once; else it waits for an entry, and the core stands still.
    #[inline]
    pub fn leave(&mut self, core: u32, line: PhysAddr) -> bool {
        let buffer = &mut self.cores[core as usize];
        let has_room = buffer.used < self.entries;
        debug_assert!(!has_room || buffer.lines.is_empty(), "no line waits for a free entry");
        if has_room || self.at_once {
            buffer.used += 1;
            return true;
        }
        if buffer.lines.is_empty() {
            self.standing.push((core, true));
        }
        buffer.lines.push_back(line);
        self.waiting += 1;
        false
    }

    /// All lines of a core that wait go at once; returns them.
    pub fn let_go(&mut self, core: u32) -> VecDeque<PhysAddr> {
        let buffer = &mut self.cores[core as usize];
        let lines = std::mem::take(&mut buffer.lines);
        if !lines.is_empty() {
            self.standing.push((core, false));
        }
        buffer.used += lines.len() as u32;
        self.waiting -= lines.len();
        lines
    }

    /// The core will know at `at` that its line has been taken.
    pub fn taken(&mut self, core: u32, at: Ps) {
        self.freed.push(Reverse((at, core)));
    }

    /// Returns true if a line of the core waits for an entry.
    pub fn stands(&self, core: u32) -> bool {
        !self.cores[core as usize].lines.is_empty()
    }

    /// Returns true if any line waits for an entry.
    #[inline]
    pub fn is_felt(&self) -> bool {
        self.waiting > 0
    }

    /// When the next entry is free, if any line waits and it is known.
    #[inline]
    pub fn next_release(&self) -> Option<Ps> {
        if self.waiting == 0 {
            return None;
        }
        self.freed.peek().map(|Reverse((at, _))| *at)
    }

    /// Returns true if an entry is free at `now` that has not been released yet.
    #[inline]
    pub fn is_due(&self, now: Ps) -> bool {
        self.freed.peek().is_some_and(|Reverse((at, _))| *at <= now)
    }

    /// Frees the entries known to be free at `now`, and returns the lines that have them then: the oldest of each core that wait, with the core.
    pub fn release(&mut self, now: Ps) -> Vec<(u32, PhysAddr)> {
        let mut going = Vec::new();
        while let Some(&Reverse((at, core))) = self.freed.peek() {
            if at > now {
                break;
            }
            self.freed.pop();
            let buffer = &mut self.cores[core as usize];
            debug_assert!(buffer.used > 0, "a line that was taken had left");
            buffer.used -= 1;
            if buffer.used < self.entries
                && let Some(line) = buffer.lines.pop_front()
            {
                buffer.used += 1;
                self.waiting -= 1;
                going.push((core, line));
                if buffer.lines.is_empty() {
                    self.standing.push((core, false));
                }
            }
        }
        going
    }

    /// Lines that are on their way to a controller and have not been taken, as far as is known: of the core that has most.
    pub fn most(&self) -> u32 {
        self.cores.iter().map(|buffer| buffer.used).max().unwrap_or(0)
    }
}

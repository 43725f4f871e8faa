// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accesses that are ready to leave the core, in order of time.

use super::clock::{PENDING, Slot};
use super::lines::{FetchState, Line};
use fresco_dram::PhysAddr;
use fresco_memory::Leaving;
use std::collections::VecDeque;

/// A line to fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetch {
    /// When its address is known.
    pub slot: Slot,
    /// The operation that needs it.
    pub sequence: u64,
    /// Its entry among the lines awaited.
    pub entry: usize,
    /// The line.
    pub line: PhysAddr,
    /// For a store: the line is to be owned.
    pub write: bool,
}

/// Fetches that wait for an MSHR, and lines to leave that wait for their time. Both are short and arrive nearly in
/// order, so that insertion from the back is the right sort.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox {
    fetches: VecDeque<Fetch>,
    write_backs: VecDeque<(Slot, Leaving)>,
}

impl Outbox {
    /// Asks for a line that has not arrived, unless it is on its way.
    #[inline]
    pub fn ask(&mut self, line: &mut Line, fetch: Fetch) {
        match line.fetch {
            FetchState::Unasked => {
                line.fetch = FetchState::Queued(fetch.slot, fetch.sequence);
                self.add_fetch(fetch);
            }
            // Cores run ahead: a later instruction may have asked first, but for a later time.
            FetchState::Queued(slot, sequence) => {
                if (fetch.slot, fetch.sequence) < (slot, sequence) {
                    line.fetch = FetchState::Queued(fetch.slot, fetch.sequence);
                    self.advance(fetch);
                }
            }
            FetchState::Sent => {}
        }
    }

    /// Queues a fetch: by time, and at the same time in program order.
    fn add_fetch(&mut self, fetch: Fetch) {
        let key = (fetch.slot, fetch.sequence);
        if self.fetches.back().is_none_or(|last| (last.slot, last.sequence) <= key) {
            self.fetches.push_back(fetch);
            return;
        }
        let later = self
            .fetches
            .iter()
            .rev()
            .take_while(|f| (f.slot, f.sequence) > key)
            .count();
        self.fetches.insert(self.fetches.len() - later, fetch);
    }

    /// The queued fetch of the same line is wanted earlier than it was: now, for this operation.
    fn advance(&mut self, fetch: Fetch) {
        let queued = self.fetches.iter().position(|other| other.entry == fetch.entry);
        self.fetches.remove(queued.expect("a fetch that is not sent is queued"));
        self.add_fetch(fetch);
    }

    /// Queues a line to leave: by time, and at the same time by address.
    pub fn add_write_back(&mut self, slot: Slot, leaving: Leaving) {
        let later = self
            .write_backs
            .iter()
            .rev()
            .take_while(|(at, other)| (*at, other.line) > (slot, leaving.line))
            .count();
        self.write_backs.insert(self.write_backs.len() - later, (slot, leaving));
    }

    /// When the first fetch is ready.
    pub fn first_fetch(&self) -> Option<Slot> {
        self.fetches.front().map(|fetch| fetch.slot)
    }

    /// When the first write-back is ready, or [`PENDING`].
    pub fn first_write_back(&self) -> Slot {
        self.write_backs.front().map_or(PENDING, |w| w.0)
    }

    /// Takes the first fetch.
    pub fn take_fetch(&mut self) -> Fetch {
        self.fetches.pop_front().expect("a fetch is due")
    }

    /// Takes the first write-back.
    pub fn take_write_back(&mut self) -> Leaving {
        self.write_backs.pop_front().expect("a write-back is due").1
    }
}

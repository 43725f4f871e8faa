// SPDX-License-Identifier: MIT OR Apache-2.0
//! What prefetchers need of a core: hits that they watch, when these happen, and registers that are free.

use super::clock::{PENDING, Slot};
use super::{Action, Pipeline};
use fresco_dram::{PhysAddr, Ps};
use std::collections::VecDeque;

/// A hit that prefetchers watch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub line: PhysAddr,
    /// It is the first access to a line that was prefetched.
    pub first_use: bool,
}

/// Hits that are watched; none without prefetchers.
#[derive(Clone, Debug)]
pub(super) struct Watching {
    /// When the next one happens, or [`PENDING`].
    next: Slot,
    /// Those whose time is known, in order of time; nearly so they come.
    due: VecDeque<(Slot, Hit)>,
    /// Those of operations that wait for operands: with the operation's sequence number, in its order.
    waiting: VecDeque<(u64, Hit)>,
}

impl Default for Watching {
    fn default() -> Self {
        Self {
            next: PENDING,
            due: VecDeque::new(),
            waiting: VecDeque::new(),
        }
    }
}

impl Watching {
    /// A hit happens at `slot`.
    #[cold]
    pub fn add(&mut self, slot: Slot, hit: Hit) {
        let later = self.due.iter().rev().take_while(|(at, _)| *at > slot).count();
        self.due.insert(self.due.len() - later, (slot, hit));
        self.next = self.next.min(slot);
    }

    /// The next hit happens.
    fn take(&mut self) -> Hit {
        let (_, hit) = self.due.pop_front().expect("a watched hit is due");
        self.next = self.due.front().map_or(PENDING, |(slot, _)| *slot);
        hit
    }

    /// A hit happens when an operation, the youngest so far, has its operands.
    #[cold]
    pub fn wait(&mut self, sequence: u64, hit: Hit) {
        self.waiting.push_back((sequence, hit));
    }

    /// An operation has its operands at `slot`: if its hit is watched, it happens then.
    #[inline]
    pub fn ready(&mut self, sequence: u64, slot: Slot) {
        if !self.waiting.is_empty() {
            self.ready_if_waiting(sequence, slot);
        }
    }

    fn ready_if_waiting(&mut self, sequence: u64, slot: Slot) {
        if let Ok(at) = self.waiting.binary_search_by_key(&sequence, |(sequence, _)| *sequence)
            && let Some((_, hit)) = self.waiting.remove(at)
        {
            self.add(slot, hit);
        }
    }

    /// When the next hit happens, or [`PENDING`].
    #[inline]
    pub fn next(&self) -> Slot {
        self.next
    }
}

impl Pipeline {
    /// The next hit that is watched happens at `at`.
    pub(super) fn watched(&mut self, at: Ps) -> Action {
        let hit = self.watching.take();
        Action::Watched {
            at,
            line: hit.line,
            late: hit.first_use && self.awaits(at, hit.line),
        }
    }

    /// Returns true if a line that the core has asked for, or will, is not there at `at`.
    pub(super) fn awaits(&self, at: Ps, line: PhysAddr) -> bool {
        let awaited = self.lines.find(line);
        awaited.is_some_and(|ticket| self.lines.entry(ticket.entry()).arrival > self.clock.from_ps(at))
    }
}

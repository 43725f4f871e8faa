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

/// Hits that are watched, whose time is known; none without prefetchers.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    /// In order of time; nearly so they come.
    due: VecDeque<(Slot, Hit)>,
}

impl Hits {
    /// A hit happens at `slot`.
    pub fn add(&mut self, slot: Slot, hit: Hit) {
        let later = self.due.iter().rev().take_while(|(at, _)| *at > slot).count();
        self.due.insert(self.due.len() - later, (slot, hit));
    }

    /// When the next one happens, or [`PENDING`].
    pub fn next(&self) -> Slot {
        self.due.front().map_or(PENDING, |(slot, _)| *slot)
    }
}

impl Pipeline {
    /// The next hit that is watched happens at `at`.
    pub(super) fn watched(&mut self, at: Ps) -> Action {
        let (_, hit) = self.aside.hits.due.pop_front().expect("a watched hit is due");
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

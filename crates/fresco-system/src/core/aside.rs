// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core does beside its instructions, if it has prefetchers or TLBs: hits that are watched, page walks, and operations that need more
//! than their operands.

use super::clock::{PENDING, Slot};
use super::prefetch::{Hit, Hits};
use super::walks::Walks;
use super::{Action, Pipeline};
use fresco_dram::Ps;
use std::collections::VecDeque;

/// Nothing, without prefetchers and TLBs.
#[derive(Clone, Debug)]
pub(super) struct Aside {
    /// When the next watched hit happens or the next walk begins, or [`PENDING`].
    next: Slot,
    pub hits: Hits,
    pub walks: Walks,
    /// Operations that have something to do once they have their operands: with their sequence numbers, in their order.
    waiting: VecDeque<(u64, Awaited)>,
}

/// What follows when an operation has its operands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Awaited {
    /// Its address is translated.
    pub translation: Option<Delay>,
    /// Its hit, which is watched, happens.
    pub hit: Option<Hit>,
}

/// What a translation takes that the first level of the TLB does not have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    /// To look the second level up.
    pub slots: u32,
    /// The walk that finds it, if one has to.
    pub walk: Option<u64>,
}

impl Default for Aside {
    fn default() -> Self {
        Self {
            next: PENDING,
            hits: Hits::default(),
            walks: Walks::default(),
            waiting: VecDeque::new(),
        }
    }
}

impl Aside {
    /// When the next of its events is, or [`PENDING`].
    #[inline]
    pub fn next(&self) -> Slot {
        self.next
    }

    /// Hits or walks have changed.
    pub fn changed(&mut self) {
        self.next = self.hits.next().min(self.walks.next());
    }

    /// A watched hit happens at `slot`.
    #[cold]
    pub fn watch(&mut self, slot: Slot, hit: Hit) {
        self.hits.add(slot, hit);
        self.changed();
    }

    /// Something follows when an operation, the youngest so far, has its operands.
    #[cold]
    pub fn wait(&mut self, sequence: u64, awaited: Awaited) {
        self.waiting.push_back((sequence, awaited));
    }

    /// Returns true if something follows when some operation has its operands.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What follows for an operation, once.
    fn take(&mut self, sequence: u64) -> Awaited {
        let at = self.waiting.binary_search_by_key(&sequence, |(sequence, _)| *sequence);
        let taken = at.ok().and_then(|at| self.waiting.remove(at));
        taken.map(|(_, awaited)| awaited).unwrap_or_default()
    }

    /// It follows later.
    fn put_back(&mut self, sequence: u64, awaited: Awaited) {
        let at = self.waiting.partition_point(|(other, _)| *other < sequence);
        self.waiting.insert(at, (sequence, awaited));
    }
}

impl Pipeline {
    /// An operation has its operands: what follows. Returns false if it has to wait for a walk.
    #[cold]
    pub(super) fn follows(&mut self, sequence: u64) -> bool {
        let Awaited { translation, hit } = self.aside.take(sequence);
        let record = self.window.get_mut(sequence).expect("it has not retired");
        if let Some(Delay { slots, walk }) = translation {
            record.ready += Slot::from(slots);
            let end = walk.map_or(0, |walk| self.aside.walks.end(walk));
            if end == PENDING {
                let walk = walk.expect("only a walk has an end that is not known");
                record.next = self.aside.walks.ask(walk, record.ready, sequence);
                self.aside.changed();
                if hit.is_some() {
                    let awaited = Awaited { translation: None, hit };
                    self.aside.put_back(sequence, awaited);
                }
                return false;
            }
            record.ready = record.ready.max(end);
        }
        if let Some(hit) = hit {
            let slot = record.ready;
            self.aside.watch(slot, hit);
        }
        true
    }

    /// The next of its events is due at `at`.
    pub(super) fn aside(&mut self, at: Ps) -> Action {
        if self.aside.walks.next() > self.aside.hits.next() {
            let action = self.watched(at);
            self.aside.changed();
            return action;
        }
        self.begin_walk();
        Action::Ran
    }
}

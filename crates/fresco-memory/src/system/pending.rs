// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads under way: the miss status holding registers of the shared levels.

use super::sample::{Done, RequestId, Sample};
use crate::line_index::LineIndex;
use crate::nearly_sorted::insert_from_behind;
use fresco_dram::{PhysAddr, Ps};
use std::collections::VecDeque;

/// A line, and the last-level cache (group of cores) that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub group: u32,
    pub line: PhysAddr,
}

/// A core that waits for a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiter {
    pub id: RequestId,
    pub core: u32,
    /// Time of its access.
    pub since: Ps,
}

/// A read that was sent to memory.
#[derive(Debug)]
struct Read {
    key: Key,
    first: Waiter,
    /// How long it was held back before it was sent.
    held: Ps,
    /// Reads of the same line that came later.
    joined: Vec<Waiter>,
    /// What is delivered to the first waiter, once it is known.
    sample: Option<Sample>,
}

/// Every read from the moment of its access until its data reach the core.
#[derive(Debug)]
pub(super) struct Pending {
    /// By slot; a slot is what the controller knows a read by. Those of free slots are over.
    reads: Vec<Read>,
    free: Vec<u32>,
    /// By group: the slot of each line.
    slots: Vec<LineIndex>,
    /// When the data of finished reads reach the core, then the read's name, then its slot; in ascending order. Reads
    /// finish nearly in this order, so most are appended.
    returns: VecDeque<(Ps, RequestId, u32)>,
}

impl Pending {
    /// No reads, of so many groups.
    pub fn new(groups: usize) -> Self {
        Self {
            reads: Vec::new(),
            free: Vec::new(),
            slots: vec![LineIndex::default(); groups],
            returns: VecDeque::new(),
        }
    }

    /// If the line is under way, `waiter` waits for it too.
    #[inline]
    pub fn join(&mut self, key: Key, waiter: Waiter) -> bool {
        let Some(slot) = self.slots[key.group as usize].get(key.line) else {
            return false;
        };
        self.reads[slot as usize].joined.push(waiter);
        true
    }

    /// Notes a read that is sent or held back, and returns its slot. The line must not be under way.
    pub fn insert(&mut self, key: Key, first: Waiter) -> u32 {
        let slot = self.free.pop().unwrap_or(self.reads.len() as u32);
        match self.reads.get_mut(slot as usize) {
            Some(read) => {
                debug_assert!(read.joined.is_empty() && read.sample.is_none(), "the slot is free");
                (read.key, read.first, read.held) = (key, first, 0);
            }
            None => self.reads.push(Read {
                key,
                first,
                held: 0,
                joined: Vec::new(),
                sample: None,
            }),
        }
        let slots = &mut self.slots[key.group as usize];
        debug_assert!(slots.get(key.line).is_none(), "{key:?} was already under way");
        slots.insert(key.line, slot);
        slot
    }

    /// The read in `slot`, which was held back, is sent at `at`.
    pub fn sent(&mut self, slot: u32, at: Ps) {
        let read = &mut self.reads[slot as usize];
        read.held = at - read.first.since;
    }

    /// Who waits for the read in `slot`, and how long it was held back.
    pub fn waiter(&self, slot: u32) -> (Waiter, Ps) {
        let read = &self.reads[slot as usize];
        (read.first, read.held)
    }

    /// The data of the read in `slot` will be at the core at `at`.
    pub fn finish(&mut self, slot: u32, at: Ps, sample: Sample) {
        let read = &mut self.reads[slot as usize];
        debug_assert!(read.sample.is_none(), "a read completes once");
        read.sample = Some(sample);
        let new = (at, read.first.id, slot);
        insert_from_behind(&mut self.returns, new, |other| *other > new);
    }

    /// When the next data reach a core, as far as is known.
    #[inline]
    pub fn next_return(&self) -> Option<Ps> {
        self.returns.front().map(|(at, ..)| *at)
    }

    /// Delivers everything that reaches a core up to and including `until`: by time, then by the name of the read, each
    /// followed by those that joined it.
    pub fn deliver(&mut self, until: Ps, done: &mut Vec<Done>) {
        while let Some(&(at, _, slot)) = self.returns.front().filter(|(at, ..)| *at <= until) {
            self.returns.pop_front();
            let read = &mut self.reads[slot as usize];
            let sample = read.sample.as_ref().expect("a finished read has a sample");
            let Waiter { id, core, .. } = read.first;
            done.push(Done {
                id,
                core,
                at,
                sample: Some(*sample),
            });
            if !read.joined.is_empty() {
                done.extend(read.joined.drain(..).map(|waiter| Done {
                    id: waiter.id,
                    core: waiter.core,
                    at,
                    sample: Some(sample.joined(at - waiter.since)),
                }));
            }
            read.sample = None;
            self.free.push(slot);
            self.slots[read.key.group as usize].remove(read.key.line, slot);
        }
    }

    /// Returns true if no line is under way.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.free.len() == self.reads.len()
    }

    /// Lines under way to a group.
    #[inline]
    pub fn of_group(&self, group: u32) -> usize {
        self.slots[group as usize].len()
    }

    /// Lines under way.
    pub fn len(&self) -> usize {
        self.reads.len() - self.free.len()
    }
}

impl Sample {
    /// The sample of a read that joined this one `latency` before its data were there.
    fn joined(&self, latency: Ps) -> Self {
        Self {
            latency,
            path: 0,
            remote: 0,
            queue: 0,
            bank: 0,
            bus: 0,
            refresh: 0,
            service: 0,
            in_memory: 0,
            merged: latency,
            ..*self
        }
    }
}

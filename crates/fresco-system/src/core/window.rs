// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reorder buffer and the store buffer: what holds instructions back once they have been dispatched.

use super::clock::{PENDING, Slot};
use super::lines::{NIL, Ticket};
use std::collections::VecDeque;

/// A memory operation between dispatch and retirement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// Instruction number, from 1.
    pub number: u64,
    /// Dispatch; once the operands are there, when they are.
    pub ready: Slot,
    /// When a dependent operation may begin and this one may retire, or [`PENDING`].
    pub result: Slot,
    /// When its line is in the private caches, or [`PENDING`].
    pub fill: Slot,
    /// The line it waits for, if that is not in the private caches.
    pub line: Ticket,
    /// Slots from `ready` to the data, if the line is there.
    pub latency: u32,
    /// A store.
    pub write: bool,
    /// First operation that waits for its result (sequence number), or [`NIL`].
    pub dependents: u64,
    /// The next in the list in which it waits.
    pub next: u64,
}

impl Record {
    /// When its access is over if its line is there.
    fn hit(&self) -> Slot {
        self.ready + Slot::from(self.latency)
    }
}

/// A store that has retired and whose line is not there yet.
#[derive(Clone, Copy, Debug)]
struct BufferedStore {
    sequence: u64,
    retired: Slot,
    /// When it would be in the private caches if its line were there.
    hit: Slot,
    fill: Slot,
    next: u64,
}

/// Memory operations in flight, in program order. Operations that access no memory need no record: they take their
/// slot and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    records: VecDeque<Record>,
    /// Sequence number of the first record.
    first: u64,
    /// Retirement slot of the last retired operation, minus its number: with one retirement per slot, instruction `n`
    /// after it retires no earlier than `slack + n`.
    slack: Slot,
    stores: VecDeque<BufferedStore>,
    store_capacity: usize,
    /// When the last store left the buffer.
    last_left: Slot,
}

impl Window {
    /// An empty window, with a store buffer of `store_capacity` entries; with 0, a store retires when its line is there.
    pub fn new(store_capacity: usize) -> Self {
        Self {
            records: VecDeque::new(),
            first: 0,
            slack: 0,
            stores: VecDeque::with_capacity(store_capacity),
            store_capacity,
            last_left: 0,
        }
    }

    /// Adds the youngest operation; its sequence number is returned.
    #[inline]
    pub fn push(&mut self, record: Record) -> u64 {
        self.records.push_back(record);
        self.first + self.records.len() as u64 - 1
    }

    /// The record of an operation that has not retired.
    #[inline]
    pub fn get(&self, sequence: u64) -> Option<&Record> {
        self.records
            .get(usize::try_from(sequence.checked_sub(self.first)?).ok()?)
    }

    /// The record, to be changed.
    pub fn get_mut(&mut self, sequence: u64) -> Option<&mut Record> {
        self.records
            .get_mut(usize::try_from(sequence.checked_sub(self.first)?).ok()?)
    }

    /// Sequence number that the next operation will have.
    pub fn next_sequence(&self) -> u64 {
        self.first + self.records.len() as u64
    }

    /// A bound on the slot at which instruction `number` may retire, from the operations retired so far.
    pub fn earliest_retirement(&self, number: u64) -> Slot {
        self.slack + number
    }

    /// Retires every operation up to instruction `number`. False if one of them cannot retire yet.
    #[inline]
    pub fn retire_through(&mut self, number: u64) -> bool {
        while self.records.front().is_some_and(|head| head.number <= number) {
            if !self.retire_head() {
                return false;
            }
        }
        true
    }

    /// Returns true if the oldest operation cannot retire yet, so that none after it can. What dispatch waits for is
    /// not there before it has retired.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.records.front().is_some_and(|head| {
            head.result == PENDING
                || head.write
                    && self.store_capacity > 0
                    && self.stores.len() == self.store_capacity
                    && self.stores.front().is_some_and(|store| store.fill == PENDING)
        })
    }

    /// Retires everything and empties the store buffer. The slot at which both are over, or `None` if that is not known
    /// yet. `number` is the last instruction dispatched.
    pub fn drain(&mut self, number: u64) -> Option<Slot> {
        if !self.retire_through(u64::MAX) {
            return None;
        }
        while !self.stores.is_empty() {
            self.leave()?;
        }
        Some(self.earliest_retirement(number).max(self.last_left))
    }

    /// Notes that the line of an operation arrives at `slot`, and returns the next operation in its list.
    /// For a load `slot` is also its result.
    pub fn set_fill(&mut self, sequence: u64, slot: Slot) -> u64 {
        if let Some(record) = self.get_mut(sequence) {
            record.fill = slot.max(record.hit());
            return std::mem::replace(&mut record.next, NIL);
        }
        let at = self.stores.binary_search_by_key(&sequence, |store| store.sequence);
        let store = &mut self.stores[at.expect("only stores wait for their line after retirement")];
        store.fill = slot.max(store.hit);
        std::mem::replace(&mut store.next, NIL)
    }

    #[inline]
    fn retire_head(&mut self) -> bool {
        let Some(head) = self.records.front() else {
            return false;
        };
        if head.result == PENDING {
            return false;
        }
        let (number, mut slot) = (head.number, head.result.max(self.earliest_retirement(head.number)));
        if head.write && self.store_capacity > 0 {
            let head = *head;
            match self.buffer(&head, slot) {
                Some(retired) => slot = retired,
                None => return false,
            }
        }
        self.slack = slot - number;
        self.records.pop_front();
        self.first += 1;
        true
    }

    /// The first operation, a store, retires into the buffer at `slot`, or when there is room. When that is, if it is known.
    fn buffer(&mut self, head: &Record, mut slot: Slot) -> Option<Slot> {
        if self.stores.len() == self.store_capacity {
            slot = slot.max(self.leave()?);
        }
        self.stores.push_back(BufferedStore {
            sequence: self.first,
            retired: slot,
            hit: head.hit(),
            fill: head.fill,
            next: head.next,
        });
        Some(slot)
    }

    /// Stores leave in program order, each when it has retired and its line is there.
    fn leave(&mut self) -> Option<Slot> {
        let head = self.stores.front()?;
        if head.fill == PENDING {
            return None;
        }
        self.last_left = self.last_left.max(head.retired).max(head.fill);
        self.stores.pop_front();
        Some(self.last_left)
    }
}

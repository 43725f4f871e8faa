// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reorder buffer and the store buffer: what holds instructions back once they have been dispatched.

use super::clock::{PENDING, Slot};
use super::lines::{NIL, Ticket};
use super::ring::Ring;

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
    /// What lies in an unused place.
    const NONE: Self = Self {
        number: 0,
        ready: 0,
        result: 0,
        fill: 0,
        line: Ticket::NONE,
        latency: 0,
        write: false,
        dependents: NIL,
        next: NIL,
    };

    /// When its access is over if its line is there.
    #[inline]
    pub fn hit(&self) -> Slot {
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

impl BufferedStore {
    /// What lies in an unused place.
    const NONE: Self = Self {
        sequence: 0,
        retired: 0,
        hit: 0,
        fill: 0,
        next: NIL,
    };
}

/// Memory operations in flight, in program order. Operations that access no memory need no record: they take their
/// slot and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// Numbered by their sequence.
    records: Ring<Record>,
    /// Retirement slot of the last retired operation, minus its number: with one retirement per slot, instruction `n`
    /// after it retires no earlier than `slack + n`.
    slack: Slot,
    stores: Ring<BufferedStore>,
    store_capacity: usize,
    /// When the last store left the buffer.
    last_left: Slot,
}

impl Window {
    /// An empty window of `size` operations, with a store buffer of `store_capacity` entries; with 0, a store retires when its line is
    /// there.
    pub fn new(size: usize, store_capacity: usize) -> Self {
        Self {
            records: Ring::new(size, Record::NONE),
            slack: 0,
            stores: Ring::new(store_capacity, BufferedStore::NONE),
            store_capacity,
            last_left: 0,
        }
    }

    /// Adds the youngest operation; its sequence number is returned.
    #[inline]
    pub fn push(&mut self, record: Record) -> u64 {
        self.records.push(record)
    }

    /// The same for an operation of which everything is known: nothing waits for it, and it waits for nothing. The rest of its record has
    /// no meaning.
    #[inline(always)]
    pub fn push_known(&mut self, number: u64, result: Slot, fill: Slot, write: bool) {
        debug_assert!(result != PENDING && fill != PENDING);
        let record = self.records.claim();
        (record.number, record.result, record.fill, record.write) = (number, result, fill, write);
    }

    /// The record of an operation that has not retired.
    #[inline]
    pub fn get(&self, sequence: u64) -> Option<&Record> {
        self.records.get(sequence)
    }

    /// The record, to be changed.
    #[inline]
    pub fn get_mut(&mut self, sequence: u64) -> Option<&mut Record> {
        self.records.get_mut(sequence)
    }

    /// Sequence number that the next operation will have.
    #[inline]
    pub fn next_sequence(&self) -> u64 {
        self.records.next()
    }

    /// A bound on the slot at which instruction `number` may retire, from the operations retired so far.
    pub fn earliest_retirement(&self, number: u64) -> Slot {
        self.slack + number
    }

    /// The number of the oldest operation if that is no later than instruction `number`.
    pub fn first_through(&self, number: u64) -> Option<u64> {
        self.records
            .front()
            .map(|head| head.number)
            .filter(|head| *head <= number)
    }

    /// Retires every operation up to instruction `number`. False if one of them cannot retire yet.
    // Always: for each operation.
    #[inline(always)]
    pub fn retire_through(&mut self, number: u64) -> bool {
        while let Some(&Record {
            number: head,
            result,
            write,
            ..
        }) = self.records.front()
            && head <= number
        {
            if result == PENDING {
                return false;
            }
            let mut slot = result.max(self.earliest_retirement(head));
            if write && self.store_capacity > 0 {
                match self.buffer(slot) {
                    Some(retired) => slot = retired,
                    None => return false,
                }
            }
            self.slack = slot - head;
            self.records.pop_front();
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
        while self.stores.len() > 0 {
            self.leave()?;
        }
        Some(self.earliest_retirement(number).max(self.last_left))
    }

    /// Notes that the line of a store that has retired arrives at `slot`, and returns the next operation in its list.
    pub fn set_fill_of_store(&mut self, sequence: u64, slot: Slot) -> u64 {
        let store = self.stores.find_mut(sequence, |store| store.sequence);
        let store = store.expect("only stores wait for their line after retirement");
        store.fill = slot.max(store.hit);
        std::mem::replace(&mut store.next, NIL)
    }

    /// The first operation, a store, retires into the buffer at `slot`, or when there is room. When that is, if it is known.
    fn buffer(&mut self, mut slot: Slot) -> Option<Slot> {
        if self.stores.len() == self.store_capacity {
            slot = slot.max(self.leave()?);
        }
        let head = self.records.front()?;
        self.stores.push(BufferedStore {
            sequence: self.records.first(),
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

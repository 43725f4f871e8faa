// SPDX-License-Identifier: MIT OR Apache-2.0
//! The requests a channel holds, and the lists they stand in: no allocation per request.

use crate::request::{Access, Request, RowOutcome, Wait};
use fresco_dram::Cycle;

/// The index that is none.
pub(super) const NIL: u32 = u32::MAX;

/// A request from its submission until it is done.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub id: u64,
    pub line: u64,
    pub row: u32,
    pub column: u32,
    /// Bank within the channel.
    pub bank: u32,
    pub source: u16,
    pub access: Access,
    /// Column commands that it has had, of those that its line takes.
    pub bursts: u8,
    /// Set by its first command.
    pub outcome: Option<RowOutcome>,
    /// Order of admission within the channel; the age that schedulers compare.
    pub seq: u64,
    /// Cycle of arrival at the controller.
    pub arrived: Cycle,
    /// Up to here its time is accounted for in `wait`.
    pub accounted: Cycle,
    pub wait: Wait,
    prev: u32,
    next: u32,
}

/// Storage of entries; freed places are used again.
#[derive(Debug, Default)]
pub(super) struct Pool {
    entries: Vec<Entry>,
    free: Vec<u32>,
}

impl Pool {
    #[inline]
    pub(super) fn insert(&mut self, request: &Request, bank: u32, arrived: Cycle) -> u32 {
        let entry = Entry {
            id: request.id,
            line: request.line,
            row: request.location.row,
            column: request.location.column,
            bank,
            source: request.source,
            access: request.access,
            bursts: 0,
            outcome: None,
            seq: 0,
            arrived,
            accounted: arrived,
            wait: Wait::default(),
            prev: NIL,
            next: NIL,
        };
        match self.free.pop() {
            Some(i) => {
                self.entries[i as usize] = entry;
                i
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        }
    }

    #[inline]
    pub(super) fn release(&mut self, i: u32) {
        self.free.push(i);
    }

    #[inline]
    pub(super) fn get(&self, i: u32) -> &Entry {
        &self.entries[i as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, i: u32) -> &mut Entry {
        &mut self.entries[i as usize]
    }
}

/// A list of entries in order of age.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    head: u32,
    tail: u32,
    len: u32,
}

impl Default for List {
    fn default() -> Self {
        Self {
            head: NIL,
            tail: NIL,
            len: 0,
        }
    }
}

impl List {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.head == NIL
    }

    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The oldest entry, or [`NIL`].
    #[inline]
    pub(super) fn oldest(&self) -> u32 {
        self.head
    }

    pub(super) fn push(&mut self, pool: &mut Pool, i: u32) {
        let entry = pool.get_mut(i);
        entry.prev = self.tail;
        entry.next = NIL;
        match self.tail {
            NIL => self.head = i,
            tail => pool.get_mut(tail).next = i,
        }
        self.tail = i;
        self.len += 1;
    }

    pub(super) fn remove(&mut self, pool: &mut Pool, i: u32) {
        let (prev, next) = (pool.get(i).prev, pool.get(i).next);
        match prev {
            NIL => self.head = next,
            _ => pool.get_mut(prev).next = next,
        }
        match next {
            NIL => self.tail = prev,
            _ => pool.get_mut(next).prev = prev,
        }
        self.len -= 1;
    }

    /// The oldest entry that `wanted` accepts, or [`NIL`].
    #[inline]
    pub(super) fn find(&self, pool: &Pool, wanted: impl Fn(&Entry) -> bool) -> u32 {
        let mut i = self.head;
        while i != NIL {
            let entry = pool.get(i);
            if wanted(entry) {
                return i;
            }
            i = entry.next;
        }
        NIL
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests on their way into the queues, and which queue is served.

use super::Channel;
use crate::controller::bank::Bank;
use crate::controller::pool::{Entry, NIL, Pool};
use crate::controller::ready::Kind;
use crate::controller::sink::Sink;
use crate::request::{Access, Request, RowOutcome};
use fresco_dram::Cycle;
use fresco_machine::{Queues, Scheduler};

/// The column command of a direction.
#[inline]
pub(super) fn column(access: Access) -> Kind {
    match access {
        Access::Read => Kind::Rd,
        Access::Write => Kind::Wr,
    }
}

impl Channel {
    /// Takes a request that arrives at the controller in cycle `arrived`. From now on it is known by the result.
    // Always: for each request.
    #[inline(always)]
    pub(in crate::controller) fn take(&mut self, arrived: Cycle, request: &Request) -> u32 {
        let bank = request.location.bank_in_channel(&self.org);
        Pool::insert(&mut self.pool, request, bank, arrived)
    }

    /// A request arrives at the channel in cycle `now`; it is admitted or waits for a place.
    pub(in crate::controller) fn arrive(&mut self, now: Cycle, i: u32, sink: &mut impl Sink) {
        let entry = self.pool.get(i);
        let (bank, access) = (entry.bank, entry.access);
        let backlog = match (self.queues, access) {
            (Queues::PerBank { .. }, Access::Read) => &mut self.banks[bank as usize].backlog,
            _ => &mut self.backlog[access as usize],
        };
        if !backlog.is_empty() {
            backlog.push_back(i);
        } else if self.has_room(bank, access) {
            self.admit(now, i, sink);
        } else {
            match (self.queues, access) {
                (Queues::PerBank { .. }, Access::Read) => self.banks[bank as usize].backlog.push_back(i),
                _ => self.backlog[access as usize].push_back(i),
            }
        }
    }

    /// Returns true if there is a place in the queue that the request goes into.
    #[inline]
    pub(in crate::controller) fn has_room_for(&self, i: u32) -> bool {
        let entry = self.pool.get(i);
        self.has_room(entry.bank, entry.access)
    }

    /// Returns true if there is a place in the queue that an access of this direction to this bank goes into.
    #[inline]
    pub(in crate::controller) fn has_room(&self, bank: u32, access: Access) -> bool {
        match (access, self.queues) {
            (Access::Read, Queues::Global { reads, .. }) => self.reads.len() < reads,
            (Access::Read, Queues::PerBank { reads_per_bank, .. } | Queues::FrontQueue { reads_per_bank, .. }) => {
                self.banks[bank as usize].reads.len() < reads_per_bank
            }
            (Access::Write, _) => self.writes.len() < self.write_capacity,
        }
    }

    /// Returns true if an access of this direction to this bank would go into the same queue as a request that was taken.
    pub(in crate::controller) fn goes_into_same_queue(&self, i: u32, bank: u32, access: Access) -> bool {
        let entry = self.pool.get(i);
        let shared = access == Access::Write || matches!(self.queues, Queues::Global { .. });
        entry.access == access && (shared || entry.bank == bank)
    }

    /// Returns true if such an access finds a place behind so many others that arrive, and nobody waits for one.
    pub(in crate::controller) fn has_places(&self, bank: u32, access: Access, arriving: usize) -> bool {
        let bank = &self.banks[bank as usize];
        let (length, capacity) = match (access, self.queues) {
            (Access::Read, Queues::Global { reads, .. }) => (self.reads.len(), reads),
            (Access::Read, Queues::PerBank { reads_per_bank, .. } | Queues::FrontQueue { reads_per_bank, .. }) => {
                (bank.reads.len(), reads_per_bank)
            }
            (Access::Write, _) => (self.writes.len(), self.write_capacity),
        };
        let nobody_waits = match access {
            Access::Read => bank.backlog.is_empty(),
            Access::Write => true,
        };
        nobody_waits && self.backlog[access as usize].is_empty() && length as usize + arriving < capacity as usize
    }

    /// Puts a request into its queue, which has room. Reads of buffered lines and writes to them are done at once.
    pub(in crate::controller) fn admit(&mut self, now: Cycle, i: u32, sink: &mut impl Sink) {
        self.next_seq += 1;
        let entry = self.pool.get_mut(i);
        entry.seq = self.next_seq;
        entry.wait.queue = now - entry.arrived;
        let (bank, line, access) = (entry.bank, entry.line, entry.access);
        // Of a line that is half written already, the half cannot be replaced.
        let fits = |e: &Entry| e.line == line && (e.bursts == 0 || access == Access::Read);
        let buffered = self.writes.len() > 0 && self.banks[bank as usize].writes.find(&self.pool, fits) != NIL;
        match access {
            Access::Read => {
                // The scheduler sees a request from the cycle after its admission on: one cycle of pipeline.
                let entry = self.pool.get_mut(i);
                entry.wait.service = 1;
                entry.accounted = now + 1;
                if buffered {
                    self.stats.forwarded += 1;
                    self.complete(i, now + 1, RowOutcome::Forwarded, sink);
                    self.pool.release(i);
                    return;
                }
                self.banks[bank as usize].reads.push(&mut self.pool, i);
                self.reads.add(now);
            }
            Access::Write => {
                self.complete(i, now, RowOutcome::Buffered, sink);
                if buffered {
                    self.stats.merged += 1;
                    self.pool.release(i);
                    return;
                }
                self.banks[bank as usize].writes.push(&mut self.pool, i);
                self.writes.add(now);
            }
        }
        if self.scheduler == Scheduler::Fcfs {
            self.order[access as usize].push_back(i);
        }
        self.bus_free = self.bus_free.max(now + 1);
        self.load_changed(now, bank);
        if !self.update_mode() {
            self.bank_joined(bank, i);
        }
    }

    /// Moves waiting requests into places that a column command for `bank` has freed.
    pub(super) fn pull(&mut self, now: Cycle, bank: u32, sink: &mut impl Sink) {
        while let Some(&i) = self.banks[bank as usize].backlog.front() {
            if !self.has_room(bank, Access::Read) {
                break;
            }
            self.banks[bank as usize].backlog.pop_front();
            self.admit(now, i, sink);
        }
        for access in [Access::Read, Access::Write] {
            while let Some(&i) = self.backlog[access as usize].front() {
                if !self.has_room_for(i) {
                    break;
                }
                self.backlog[access as usize].pop_front();
                self.admit(now, i, sink);
            }
        }
    }

    /// Switches between reads and writes; true if it did, and then all candidates are new.
    #[inline]
    pub(super) fn update_mode(&mut self) -> bool {
        let (reads, writes) = (self.reads.len(), self.writes.len());
        // A turn that has been decided is made first.
        if (writes == 0 && self.mode == Access::Read) || self.bus != self.mode {
            return false;
        }
        let (high, low) = if self.eager_writes || self.refresh_waits {
            (1, 0)
        } else {
            (self.drain_high, self.drain_low)
        };
        let next = match self.mode {
            _ if writes == 0 => Access::Read,
            Access::Read if reads > 0 && self.patience > 0 => Access::Read,
            Access::Read if writes >= high || (reads == 0 && writes > low) => Access::Write,
            Access::Write if reads == 0 || (writes > low && self.patience > 0) => Access::Write,
            _ => Access::Read,
        };
        next != self.mode && self.enter(next)
    }

    #[cold]
    fn enter(&mut self, next: Access) -> bool {
        self.mode = next;
        self.unfinished = self.banks.iter().filter(|bank| self.is_unfinished(bank)).count() as u32;
        if self.unfinished == 0 {
            self.turn_bus();
        } else {
            self.all_changed();
        }
        true
    }

    /// Returns true if the bank serves the request that it has begun before the bus turns.
    pub(super) fn is_unfinished(&self, bank: &Bank) -> bool {
        self.is_open_for(bank, self.bus)
            && match self.scheduler {
                Scheduler::FrFcfs { .. } => true,
                // In order of arrival there may be requests before it whose rows are not open, but not if a part of it has been moved.
                Scheduler::Fcfs => self.pool.get(bank.begun).bursts > 0,
            }
    }

    /// Every row that was opened in the old direction has served the request it was opened for: column commands are of the new one.
    #[cold]
    pub(super) fn turn_bus(&mut self) {
        debug_assert_eq!(self.unfinished, 0);
        (self.patience, self.patient_for) = match self.mode {
            Access::Write => (self.write_capacity, u64::MAX),
            // Reads that wait now do not wait for another drain.
            Access::Read if self.drain_once => (self.reads.len(), self.next_seq),
            // A drain was cut short.
            Access::Read if self.writes.len() > self.drain_low => (self.reads.len(), u64::MAX),
            // The bus is not turned for nothing.
            Access::Read => (1, u64::MAX),
        };
        self.bus = self.mode;
        self.ready.turn(column(self.bus), &mut self.candidates);
        self.all_changed();
    }
}

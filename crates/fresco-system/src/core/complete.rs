// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines arrive: who waited for them goes on.

use super::clock::{PENDING, Slot};
use super::lines::NIL;
use super::outbox::Fetch;
use super::{MissTag, Pipeline, User};
use fresco_dram::Ps;

impl Pipeline {
    /// The line of a fetch arrives at `at`. Called at the global time `now`, which may be earlier.
    #[inline]
    pub(super) fn arrive(&mut self, tag: MissTag, now: Ps, at: Ps) {
        debug_assert!(now <= at && self.now <= now);
        self.now = now;
        let arrival = self.clock.from_ps(at);
        let index = usize::from(tag.0);
        self.mshrs.release(index, arrival);
        let entry = self.mshrs.line[index].expect("a busy register has a line");
        let line = self.lines.arrive(entry, arrival);
        for victim in line.victims {
            self.outbox.add_write_back(arrival, victim);
        }
        let user = std::mem::take(&mut line.user);
        let mut waiter = std::mem::replace(&mut line.waiters, NIL);
        while waiter != NIL {
            waiter = self.arrived(waiter, arrival);
        }
        if user != User::Operations {
            self.arrived_for(user, arrival);
        }
        self.wake();
        if !self.fetching {
            self.stalled &= self.window.is_blocked();
        }
        self.schedule();
    }

    /// A line is there for others than operations.
    #[cold]
    fn arrived_for(&mut self, user: User, arrival: Slot) {
        match user {
            User::Operations => {}
            User::Code => {
                self.front = self.front.max(arrival);
                (self.fetching, self.stalled) = (false, false);
            }
            User::Walk => self.walk_after(arrival),
        }
    }

    /// The line of operation `sequence` is there from `slot` on. Returns the next operation in its list.
    #[inline]
    fn arrived(&mut self, sequence: u64, slot: Slot) -> u64 {
        let blocking_stores = self.blocking_stores;
        let Some(record) = self.window.get_mut(sequence) else {
            return self.window.set_fill_of_store(sequence, slot);
        };
        record.fill = slot.max(record.hit());
        if blocking_stores {
            // The next instruction comes after it.
            self.front = self.front.max(slot);
        }
        if !record.write || blocking_stores {
            record.result = record.fill;
            if record.dependents != NIL {
                self.wakened.push(sequence);
            }
        }
        std::mem::replace(&mut record.next, NIL)
    }

    /// Issues what waits for the results of the operations in `wakened`, and what waits for those in turn.
    // Always: for each line that arrives.
    #[inline(always)]
    pub(super) fn wake(&mut self) {
        while let Some(producer) = self.wakened.pop() {
            let Some(record) = self.window.get_mut(producer) else {
                continue;
            };
            let result = record.result;
            debug_assert_ne!(result, PENDING);
            let mut dependent = std::mem::replace(&mut record.dependents, NIL);
            while dependent != NIL {
                let record = self
                    .window
                    .get_mut(dependent)
                    .expect("an operation without result has not retired");
                record.ready = record.ready.max(result);
                let next = std::mem::replace(&mut record.next, NIL);
                self.issue(dependent);
                dependent = next;
            }
        }
    }

    /// The operands of an operation are there: it accesses its line, or waits for it.
    pub(super) fn issue(&mut self, sequence: u64) {
        if self.aside.is_awaited() && !self.follows(sequence) {
            return;
        }
        let record = self
            .window
            .get_mut(sequence)
            .expect("an operation without result has not retired");
        let (slot, ticket, write) = (record.ready, record.line, record.write);
        if write && !self.blocking_stores {
            record.result = slot + 1;
            if record.dependents != NIL {
                self.wakened.push(sequence);
            }
        }
        let Some(line) = self.lines.of(ticket) else {
            self.arrived(sequence, slot);
            return;
        };
        if line.arrival != PENDING {
            let arrival = line.arrival;
            self.arrived(sequence, arrival);
            return;
        }
        record.next = std::mem::replace(&mut line.waiters, sequence);
        let fetch = Fetch {
            slot,
            sequence,
            entry: ticket.entry(),
            line: line.addr,
            write,
        };
        self.outbox.ask(line, fetch);
    }
}

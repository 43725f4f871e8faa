// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines a core is waiting for, from the first access that misses to the arrival.

use super::clock::{PENDING, Slot};
use super::{User, Victims};
use fresco_dram::PhysAddr;
use fresco_memory::LineIndex;

/// End of a linked list of operations.
pub(crate) const NIL: u64 = u64::MAX;

/// One line on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Its address.
    pub addr: PhysAddr,
    /// When it is here, or [`PENDING`].
    pub arrival: Slot,
    /// First of the operations that wait for it (sequence number), or [`NIL`]. They are linked by their records.
    pub waiters: u64,
    /// How far its fetch has come.
    pub fetch: FetchState,
    /// Dirty lines that leave when it arrives.
    pub victims: Victims,
    /// Who waits for it beside operations.
    pub user: User,
    /// A store waits for it.
    pub store: bool,
    /// The core has it, and asks to store to it.
    pub upgrade: bool,
    /// Tells it from earlier lines in the same entry; [`FREE`] in one that is not in use.
    serial: u64,
}

/// No line has this serial number.
const FREE: u64 = 0;

/// How far a fetch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FetchState {
    /// No operation that needs the line has its operands yet.
    Unasked,
    /// In the outbox, for this time and operation.
    Queued(Slot, u64),
    /// Has an MSHR.
    Sent,
}

/// What an operation remembers of the line it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    entry: u32,
    serial: u64,
}

impl Ticket {
    /// For a line that is in the private caches.
    pub const NONE: Self = Self {
        entry: u32::MAX,
        serial: 0,
    };

    /// The index of its entry, while the entry is in use.
    pub fn entry(self) -> usize {
        self.entry as usize
    }
}

/// A small table of lines, and where each is in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    lines: Vec<Line>,
    /// Entries that are not in use.
    free: Vec<u32>,
    /// The entry of each address that was asked for last.
    index: LineIndex,
    /// Lines there have been.
    serial: u64,
    /// Lines that are not known to arrive.
    awaited: u32,
    /// When the last of the others arrives.
    last_arrival: Slot,
}

impl Lines {
    /// Returns true if every line there has been is here at `slot`.
    #[inline(always)]
    pub fn are_here(&self, slot: Slot) -> bool {
        self.awaited == 0 && self.last_arrival <= slot
    }

    /// The line of this address that was asked for last.
    #[inline]
    pub fn find(&self, line: PhysAddr) -> Option<Ticket> {
        if self.index.is_empty() {
            return None;
        }
        self.index.get(line).map(|entry| self.ticket(entry))
    }

    fn ticket(&self, entry: u32) -> Ticket {
        Ticket {
            entry,
            serial: self.lines[entry as usize].serial,
        }
    }

    /// Adds a line. An earlier one of the same address is no longer found, but goes on until its entry is removed.
    #[inline]
    pub fn insert(&mut self, addr: PhysAddr, victims: Victims) -> Ticket {
        self.serial += 1;
        self.awaited += 1;
        let serial = self.serial;
        let line = Line {
            addr,
            arrival: PENDING,
            waiters: NIL,
            fetch: FetchState::Unasked,
            victims,
            user: User::Operations,
            store: false,
            upgrade: false,
            serial,
        };
        let entry = match self.free.pop() {
            Some(entry) => {
                self.lines[entry as usize] = line;
                entry
            }
            None => {
                self.lines.push(line);
                self.lines.len() as u32 - 1
            }
        };
        self.index.insert(addr, entry);
        Ticket { entry, serial }
    }

    /// Adds a line that the core has, and may not store to, unless it is awaited and has not been asked for: then that request is for the store,
    /// too.
    pub fn upgrade(&mut self, addr: PhysAddr) -> Ticket {
        let is_asked = |line: &Line| line.fetch == FetchState::Sent;
        let awaited = self.find(addr).filter(|ticket| !is_asked(self.entry(ticket.entry())));
        let ticket = awaited.unwrap_or_else(|| {
            let ticket = self.insert(addr, Victims::default());
            self.entry_mut(ticket.entry()).upgrade = true;
            ticket
        });
        self.entry_mut(ticket.entry()).store = true;
        ticket
    }

    /// The line in an entry will arrive at `slot`; returns it.
    #[inline]
    pub fn arrive(&mut self, at: usize, slot: Slot) -> &mut Line {
        let line = &mut self.lines[at];
        debug_assert!(line.serial != FREE && line.arrival == PENDING);
        line.arrival = slot;
        self.awaited -= 1;
        self.last_arrival = self.last_arrival.max(slot);
        line
    }

    /// Forgets an entry whose line has arrived.
    pub fn remove(&mut self, at: usize) {
        let line = &mut self.lines[at];
        debug_assert!(line.serial != FREE && line.arrival != PENDING);
        line.serial = FREE;
        self.free.push(at as u32);
        // Unless the line was displaced from the private caches and has been asked for anew since.
        self.index.remove(line.addr, at as u32);
    }

    /// The line that a ticket is for; `None` if it has been forgotten, or there was none.
    #[inline]
    pub fn of(&mut self, ticket: Ticket) -> Option<&mut Line> {
        self.lines
            .get_mut(ticket.entry())
            .filter(|line| line.serial == ticket.serial)
    }

    /// The line in an entry that is in use, to look at.
    pub fn entry(&self, at: usize) -> &Line {
        debug_assert_ne!(self.lines[at].serial, FREE);
        &self.lines[at]
    }

    /// The line in an entry that is in use.
    pub fn entry_mut(&mut self, at: usize) -> &mut Line {
        debug_assert_ne!(self.lines[at].serial, FREE);
        &mut self.lines[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_place_while_others_come_and_go() {
        let mut lines = Lines::default();
        let mut insert = |line| lines.insert(PhysAddr(line), Victims::default());
        let [a, b, c] = [64, 128, 192].map(&mut insert);
        assert_eq!(lines.arrive(b.entry(), 7).addr, PhysAddr(128));
        assert!(!lines.are_here(7), "two have not arrived");
        lines.remove(b.entry());
        assert_eq!(lines.find(PhysAddr(192)), Some(c));
        assert_eq!(lines.find(PhysAddr(128)), None);
        let d = lines.insert(PhysAddr(256), Victims::default());
        assert_eq!(d.entry(), b.entry());
        assert!(lines.of(b).is_none(), "the ticket is for an earlier line");
        assert_eq!(lines.of(d).map(|line| line.addr), Some(PhysAddr(256)));
        assert_eq!(lines.find(PhysAddr(64)), Some(a));
    }

    #[test]
    fn a_line_asked_for_anew_hides_the_earlier_one() {
        let mut lines = Lines::default();
        let first = lines.insert(PhysAddr(64), Victims::default());
        let second = lines.insert(PhysAddr(64), Victims::default());
        assert_eq!(lines.find(PhysAddr(64)), Some(second));
        assert_eq!(
            lines.of(first).map(|line| line.addr),
            Some(PhysAddr(64)),
            "it is still on its way"
        );
        lines.arrive(first.entry(), 9);
        lines.remove(first.entry());
        lines.arrive(second.entry(), 8);
        assert!(lines.are_here(9) && !lines.are_here(8));
        assert!(lines.of(first).is_none() && lines.of(second).is_some());
    }

    #[test]
    fn entries_are_used_again() {
        let mut lines = Lines::default();
        let tickets: Vec<Ticket> = (0..100)
            .map(|n| lines.insert(PhysAddr(n * 64), Victims::default()))
            .collect();
        assert_eq!(lines.find(PhysAddr(99 * 64)), Some(tickets[99]));
        for ticket in &tickets[1..] {
            lines.arrive(ticket.entry(), 0);
            lines.remove(ticket.entry());
        }
        assert_eq!(lines.find(PhysAddr(0)), Some(tickets[0]));
        lines.insert(PhysAddr(64), Victims::default());
        assert_eq!(lines.lines.len(), 100);
        assert!(lines.of(tickets[99]).is_none() && lines.of(Ticket::NONE).is_none());
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines a core is waiting for, from the first access that misses to the arrival.

use super::Victims;
use super::clock::{PENDING, Slot};
use fresco_dram::PhysAddr;

/// End of a linked list of operations.
pub(crate) const NIL: u64 = u64::MAX;

/// Marks a free entry; no line has this address.
const FREE: u64 = u64::MAX;

/// Marks the entry of a line that was displaced from the private caches and has been asked for anew since.
const DISPLACED: u64 = u64::MAX - 1;

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
    /// Tells it from earlier lines in the same entry.
    serial: u64,
}

/// How far a fetch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FetchState {
    /// No operation that needs the line has its operands yet.
    Unasked,
    /// In the outbox.
    Queued,
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

/// A small table of lines. It is searched from end to end: it holds the lines of one window of instructions, and its
/// keys lie side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// A multiple of [`LANES`] of them.
    keys: Vec<u64>,
    lines: Vec<Line>,
    /// Entries in use.
    count: usize,
    /// Lines there have been.
    serial: u64,
}

/// Keys compared together.
const LANES: usize = 8;

impl Lines {
    /// The line of this address that was asked for last.
    #[inline]
    pub fn find(&self, line: PhysAddr) -> Option<Ticket> {
        if self.count == 0 {
            return None;
        }
        self.position(line.0).map(|at| self.ticket(at))
    }

    fn ticket(&self, at: usize) -> Ticket {
        Ticket {
            entry: at as u32,
            serial: self.lines[at].serial,
        }
    }

    #[inline]
    fn position(&self, wanted: u64) -> Option<usize> {
        for (group, keys) in self.keys.chunks_exact(LANES).enumerate() {
            if keys.iter().fold(false, |found, key| found | (*key == wanted)) {
                return keys
                    .iter()
                    .position(|key| *key == wanted)
                    .map(|lane| group * LANES + lane);
            }
        }
        None
    }

    /// Adds a line. An earlier one of the same address is no longer found, but goes on until its entry is removed.
    pub fn insert(&mut self, addr: PhysAddr, victims: Victims) -> Ticket {
        if let Some(earlier) = self.position(addr.0) {
            self.keys[earlier] = DISPLACED;
        }
        self.serial += 1;
        let serial = self.serial;
        let line = Line {
            addr,
            arrival: PENDING,
            waiters: NIL,
            fetch: FetchState::Unasked,
            victims,
            serial,
        };
        let at = self.position(FREE).unwrap_or_else(|| {
            let end = self.keys.len();
            self.keys.resize(end + LANES, FREE);
            self.lines.resize(end + LANES, line);
            end
        });
        self.keys[at] = addr.0;
        self.lines[at] = line;
        self.count += 1;
        self.ticket(at)
    }

    /// Forgets an entry.
    pub fn remove(&mut self, at: usize) {
        debug_assert_ne!(self.keys[at], FREE);
        self.keys[at] = FREE;
        self.count -= 1;
        while self.keys.ends_with(&[FREE; LANES]) {
            self.keys.truncate(self.keys.len() - LANES);
            self.lines.truncate(self.keys.len());
        }
    }

    /// The line that a ticket is for; `None` if it has been forgotten, or there was none.
    #[inline]
    pub fn of(&mut self, ticket: Ticket) -> Option<&mut Line> {
        let at = ticket.entry();
        let in_use = self.keys.get(at).is_some_and(|key| *key != FREE);
        self.lines
            .get_mut(at)
            .filter(|line| in_use && line.serial == ticket.serial)
    }

    /// The line in an entry that is in use.
    pub fn entry_mut(&mut self, at: usize) -> &mut Line {
        debug_assert_ne!(self.keys[at], FREE);
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
        lines.remove(first.entry());
        assert!(lines.of(first).is_none() && lines.of(second).is_some());
    }

    #[test]
    fn the_table_grows_and_shrinks() {
        let mut lines = Lines::default();
        let tickets: Vec<Ticket> = (0..100)
            .map(|n| lines.insert(PhysAddr(n * 64), Victims::default()))
            .collect();
        assert_eq!(lines.find(PhysAddr(99 * 64)), Some(tickets[99]));
        for ticket in &tickets[1..] {
            lines.remove(ticket.entry());
        }
        assert_eq!((lines.keys.len(), lines.lines.len()), (LANES, LANES));
        assert_eq!(lines.find(PhysAddr(0)), Some(tickets[0]));
        assert!(lines.of(tickets[99]).is_none() && lines.of(Ticket::NONE).is_none());
    }
}

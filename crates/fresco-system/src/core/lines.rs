// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lines a core is waiting for, from the first access that misses to the arrival.

use super::Victims;
use super::clock::{PENDING, Slot};
use fresco_dram::PhysAddr;

/// End of a linked list of operations.
pub(crate) const NIL: u64 = u64::MAX;

/// Marks a free entry; no line has this address.
const FREE: u64 = u64::MAX;

/// One line on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// When it is here, or [`PENDING`].
    pub arrival: Slot,
    /// First of the operations that wait for it (sequence number), or [`NIL`]. They are linked by their records.
    pub waiters: u64,
    /// An operation with its operands has asked for it.
    pub asked: bool,
    /// Dirty lines that leave when it arrives.
    pub victims: Victims,
}

/// A small table of lines. It is searched from end to end: it holds a few lines more than the core has MSHRs, and its
/// keys lie side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    keys: Vec<u64>,
    lines: Vec<Line>,
}

impl Lines {
    /// The entry of a line.
    #[inline]
    pub fn find(&self, line: PhysAddr) -> Option<usize> {
        self.keys.iter().position(|key| *key == line.0)
    }

    /// Adds a line that is not in the table.
    pub fn insert(&mut self, line: PhysAddr, victims: Victims) -> usize {
        debug_assert!(self.find(line).is_none(), "{line} is already awaited");
        let entry = Line {
            arrival: PENDING,
            waiters: NIL,
            asked: false,
            victims,
        };
        match self.keys.iter().position(|key| *key == FREE) {
            Some(at) => {
                self.keys[at] = line.0;
                self.lines[at] = entry;
                at
            }
            None => {
                self.keys.push(line.0);
                self.lines.push(entry);
                self.keys.len() - 1
            }
        }
    }

    /// Forgets an entry.
    pub fn remove(&mut self, at: usize) {
        self.keys[at] = FREE;
        while self.keys.last() == Some(&FREE) {
            self.keys.pop();
            self.lines.pop();
        }
    }

    /// The entry at an index that [`Lines::find`] or [`Lines::insert`] gave.
    pub fn get_mut(&mut self, at: usize) -> &mut Line {
        &mut self.lines[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_index_while_others_come_and_go() {
        let mut lines = Lines::default();
        let [a, b, c] = [64, 128, 192].map(|line| lines.insert(PhysAddr(line), Victims::default()));
        lines.remove(b);
        assert_eq!(lines.find(PhysAddr(192)), Some(c));
        assert_eq!(lines.find(PhysAddr(128)), None);
        assert_eq!(lines.insert(PhysAddr(256), Victims::default()), b);
        lines.remove(c);
        lines.remove(b);
        assert_eq!(lines.find(PhysAddr(64)), Some(a));
        assert_eq!(
            lines.insert(PhysAddr(320), Victims::default()),
            b,
            "the table shrinks at its end"
        );
    }
}

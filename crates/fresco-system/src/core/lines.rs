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

/// A small table of lines. It is searched from end to end: it holds the lines of one window of instructions, and its
/// keys lie side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// A multiple of [`LANES`] of them.
    keys: Vec<u64>,
    lines: Vec<Line>,
    /// Entries in use.
    count: usize,
}

/// Keys compared together.
const LANES: usize = 8;

impl Lines {
    /// The entry of a line.
    #[inline]
    pub fn find(&self, line: PhysAddr) -> Option<usize> {
        if self.count == 0 { None } else { self.position(line.0) }
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

    /// Adds a line that is not in the table.
    pub fn insert(&mut self, line: PhysAddr, victims: Victims) -> usize {
        debug_assert!(self.find(line).is_none(), "{line} is already awaited");
        let entry = Line {
            arrival: PENDING,
            waiters: NIL,
            asked: false,
            victims,
        };
        let at = self.position(FREE).unwrap_or_else(|| {
            let end = self.keys.len();
            self.keys.resize(end + LANES, FREE);
            self.lines.resize(end + LANES, entry);
            end
        });
        self.keys[at] = line.0;
        self.lines[at] = entry;
        self.count += 1;
        at
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
        assert_eq!(lines.find(PhysAddr(64)), Some(a));
        assert_eq!(lines.insert(PhysAddr(320), Victims::default()), c);
    }

    #[test]
    fn the_table_grows_and_shrinks() {
        let mut lines = Lines::default();
        let entries: Vec<usize> = (0..100)
            .map(|n| lines.insert(PhysAddr(n * 64), Victims::default()))
            .collect();
        assert_eq!(lines.find(PhysAddr(99 * 64)), Some(entries[99]));
        for entry in entries.into_iter().skip(1) {
            lines.remove(entry);
        }
        assert_eq!((lines.keys.len(), lines.lines.len()), (LANES, LANES));
        assert_eq!(lines.find(PhysAddr(0)), Some(0));
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets of colors: the process's own, number 0, and those of threads. Threads add to them, the pager reads them.

use super::Latch;
use crate::colors::AskedColors;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Sets that a process can have.
pub const MOST_SETS: usize = 128;

/// The sets of the threads.
#[derive(Debug)]
pub struct Sets {
    adding: Latch,
    count: AtomicU32,
    sets: [OnceLock<AskedColors>; MOST_SETS],
}

impl Sets {
    /// The process's alone.
    pub const fn new() -> Self {
        Self {
            adding: Latch::new(),
            count: AtomicU32::new(1),
            sets: [const { OnceLock::new() }; MOST_SETS],
        }
    }

    /// The number of this set, which may be a new one; `None` if there are too many.
    pub fn number_of(&self, asked: &AskedColors) -> Option<u32> {
        self.adding.lock();
        let count = self.count.load(Ordering::Relaxed);
        let known = (1..count).find(|&set| self.get(set) == Some(asked));
        let number = known.or_else(|| {
            self.sets.get(count as usize)?.set(asked.clone()).ok()?;
            self.count.store(count + 1, Ordering::Release);
            Some(count)
        });
        self.adding.unlock();
        number
    }

    /// The colors of a set; `None` for the process's own, and for one that is not there.
    pub fn get(&self, set: u32) -> Option<&AskedColors> {
        self.sets.get(set as usize)?.get()
    }

    /// In a child, nobody is adding.
    pub fn reset(&self) {
        self.adding.reset();
    }
}

impl Default for Sets {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_known_by_its_colors() {
        let sets = Sets::new();
        let of = |bank: u32| AskedColors {
            banks: vec![bank],
            llc: vec![0],
        };
        assert_eq!(sets.number_of(&of(5)), Some(1));
        assert_eq!(sets.number_of(&of(6)), Some(2));
        assert_eq!(sets.number_of(&of(5)), Some(1));
        assert_eq!(sets.get(2), Some(&of(6)));
        assert_eq!((sets.get(0), sets.get(3), sets.get(4000)), (None, None, None));
        let last = (7..400).filter_map(|bank| sets.number_of(&of(bank))).max();
        assert_eq!(last, Some(MOST_SETS as u32 - 1));
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many misses dependences let be under way together.

use super::CACHES;
use crate::trace::ftrace::recorded::WINDOW;

/// Accesses that may be under way.
const UNDER_WAY: usize = WINDOW as usize;

/// Of each cache a time, counted in misses one after the other.
type Times = [u64; CACHES];

/// A processor that knows nothing but what accesses need: a miss takes one, all else nothing; an access waits for the load that it needs
/// and, as windows are finite, until the one [`WINDOW`] before it and all before that are complete.
pub(super) struct Parallel {
    /// When each of the latest accesses was complete.
    complete: Vec<Times>,
    /// And when all before it were, too.
    all_complete: Vec<Times>,
    /// Accesses so far.
    count: usize,
}

impl Parallel {
    pub fn new() -> Self {
        Self {
            complete: vec![[0; CACHES]; UNDER_WAY],
            all_complete: vec![[0; CACHES]; UNDER_WAY],
            count: 0,
        }
    }

    /// An access that misses in the first `missed` caches and needs the load so many accesses before; 0: none.
    #[inline]
    pub fn access(&mut self, missed: usize, needs: u32) {
        let (here, before) = (self.count % UNDER_WAY, self.count.wrapping_sub(1) % UNDER_WAY);
        // What is further back is complete by then in any case.
        let needed = match needs as usize {
            distance @ 1..UNDER_WAY if distance <= self.count => self.complete[(self.count - distance) % UNDER_WAY],
            _ => [0; CACHES],
        };
        let (room, before) = (self.all_complete[here], self.all_complete[before]);
        let (complete, all) = (&mut self.complete[here], &mut self.all_complete[here]);
        for cache in 0..CACHES {
            complete[cache] = room[cache].max(needed[cache]) + u64::from(cache < missed);
            all[cache] = before[cache].max(complete[cache]);
        }
        self.count += 1;
    }

    /// When all accesses are complete, of each cache.
    pub fn over(&self) -> Times {
        match self.count {
            0 => [0; CACHES],
            count => self.all_complete[(count - 1) % UNDER_WAY],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(accesses: impl Iterator<Item = (usize, u32)>) -> [u64; 2] {
        let mut parallel = Parallel::new();
        accesses.for_each(|(missed, needs)| parallel.access(missed, needs));
        let times = parallel.over();
        [times[0], times[1]]
    }

    #[test]
    fn lists_one_after_the_other_and_streams_by_windows() {
        // All miss in the first cache alone, each needs the one before.
        assert_eq!(over((0..1000).map(|_| (1, 1))), [1000, 0]);
        // Nothing needs anything: a window at a time.
        assert_eq!(over((0..1024).map(|_| (2, 0))), [2, 2]);
        assert_eq!(over((0..1025).map(|_| (1, 0))), [3, 0]);
        // Two lists, access by access.
        assert_eq!(over((0..1000).map(|_| (1, 2))), [500, 0]);
        // Every second access hits in both, and what needs it waits for what it needs: a list with a word in between.
        assert_eq!(over((0..1000).map(|at| (at % 2, 1))), [500, 0]);
        // What is needed lies further back than a window.
        assert_eq!(over((0..1024).map(|_| (1, 600))), [2, 0]);
        assert_eq!(over(std::iter::empty()), [0, 0]);
    }
}

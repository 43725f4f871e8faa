// SPDX-License-Identifier: MIT OR Apache-2.0
//! How often caches of many sizes miss in a trace, in one pass, and how many of the misses dependences let be under way together.

mod lru;
mod parallel;

use super::ftrace::{Record, What};
pub(super) use lru::Lru;
use parallel::Parallel;
use std::collections::BTreeMap;

/// Bytes of a line.
pub const LINE: u64 = 64;
/// Caches: of 4 KiB, of twice as much, and so on up to 256 MiB.
pub const CACHES: usize = 17;
/// Bytes of the smallest one.
pub const SMALLEST: u64 = 4096;

/// What a cache would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Its size.
    pub bytes: u64,
    /// Lines that it would not have had.
    pub misses: u64,
    /// How many of them are under way together, on average, if dependences alone keep them apart, and if no more than
    /// [`WINDOW`](super::ftrace::recorded::WINDOW) accesses are under way; none if there are no misses.
    pub together: Option<f64>,
}

/// Caches over the accesses of a trace: fully associative, empty at first, replacing the line used longest ago; one of each size for each
/// thread. The memory it takes is bounded by the largest cache: some 200 MB for each thread that fills it.
#[derive(Default)]
pub struct WorkingSet {
    threads: BTreeMap<u16, Thread>,
    depend: bool,
}

struct Thread {
    lru: Lru,
    parallel: Parallel,
    lines: u64,
    /// Lines by how many of the caches did not have them.
    missed: [u64; CACHES + 1],
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            lru: Lru::default(),
            parallel: Parallel::new(),
            lines: 0,
            missed: [0; CACHES + 1],
        }
    }
}

/// Calls `each` with the lines, one or two, that an access touches.
pub(super) fn each_line(address: u64, size: u8, mut each: impl FnMut(u64)) {
    let (first, last) = (address / LINE, address.wrapping_add(u64::from(size.max(1)) - 1) / LINE);
    each(first);
    if last != first {
        each(last);
    }
}

impl WorkingSet {
    /// Takes the next record of a trace.
    pub fn push(&mut self, record: &Record) {
        let What::Access { addr, size, dep, .. } = record.what else {
            return;
        };
        self.depend |= dep > 0;
        let thread = self.threads.entry(record.thread).or_default();
        let mut most = 0;
        each_line(addr, size, |line| {
            let missed = thread.lru.access(line);
            thread.missed[missed] += 1;
            thread.lines += 1;
            most = most.max(missed);
        });
        thread.parallel.access(most, dep);
    }

    /// Lines that were accessed: an access over the border of two counts twice.
    pub fn lines(&self) -> u64 {
        self.threads.values().map(|thread| thread.lines).sum()
    }

    /// Returns true if any access needs a load.
    pub fn has_dependences(&self) -> bool {
        self.depend
    }

    /// What the caches would do, those of all threads together, by size.
    pub fn caches(&self) -> Vec<Cache> {
        let mut caches = Vec::with_capacity(CACHES);
        for cache in 0..CACHES {
            let of = |thread: &Thread| thread.missed[cache + 1..].iter().sum::<u64>();
            let misses: u64 = self.threads.values().map(of).sum();
            let times: u64 = self.threads.values().map(|thread| thread.parallel.over()[cache]).sum();
            caches.push(Cache {
                bytes: SMALLEST << cache,
                misses,
                together: (times > 0).then(|| misses as f64 / times as f64),
            });
        }
        caches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: u16, addr: u64, size: u8, dep: u32) -> Record {
        let what = What::Access {
            addr,
            size,
            write: false,
            dep,
        };
        Record { thread, gap: 0, what }
    }

    #[test]
    fn a_walk_misses_in_what_is_smaller_and_only_at_first_in_what_is_not() {
        let mut set = WorkingSet::default();
        // Four rounds through 64 KiB, each access over the border of two lines.
        for round in 0..4 {
            for line in (0..1024).step_by(2) {
                set.push(&access(0, line * LINE + 60, 8, u32::from(round > 0 || line > 0)));
            }
        }
        assert!(set.has_dependences());
        assert_eq!(set.lines(), 4096);
        let caches = set.caches();
        let of = |bytes: u64| *caches.iter().find(|cache| cache.bytes == bytes).expect("a size");
        assert_eq!((of(4096).misses, of(32 << 10).misses), (4096, 4096));
        assert_eq!((of(64 << 10).misses, of(256 << 20).misses), (1024, 1024));
        // Each access needs the one before: only its own two lines come together.
        assert_eq!(of(4096).together, Some(2.0));
        assert_eq!(of(256 << 20).together, Some(2.0));
    }

    #[test]
    fn each_thread_has_caches_of_its_own() {
        let mut set = WorkingSet::default();
        for round in 0..2 {
            for line in 0..64 {
                set.push(&access(round % 2, line * LINE, 8, 0));
                set.push(&access(round % 2, line * LINE + 8, 8, 0));
            }
        }
        assert!(!set.has_dependences());
        let least = set.caches()[0];
        assert_eq!((set.lines(), least.misses, least.together), (256, 128, Some(64.0)));
        assert_eq!(WorkingSet::default().caches()[3].together, None);
    }
}

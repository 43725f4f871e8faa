// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges that were watched: a child has them too, but nobody who watches.

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ranges kept in mind. Those of one program that reach no further are left to the kernel in its children.
const MOST: usize = 1024;

struct Table {
    locked: AtomicBool,
    ranges: UnsafeCell<([(u64, u64); MOST], usize)>,
}

// SAFETY: the ranges are used under the lock.
unsafe impl Sync for Table {}

static TABLE: Table = Table {
    locked: AtomicBool::new(false),
    ranges: UnsafeCell::new(([(0, 0); MOST], 0)),
};

/// Keeps a range in mind.
pub fn add(range: &Range<u64>) {
    with(|ranges, count| {
        let known = &mut ranges[..*count];
        if let Some((start, end)) = known
            .iter_mut()
            .find(|(start, end)| *start <= range.end && range.start <= *end)
        {
            (*start, *end) = ((*start).min(range.start), (*end).max(range.end));
        } else if *count < MOST {
            ranges[*count] = (range.start, range.end);
            *count += 1;
        }
    });
}

/// All of them. Parts may have become other memory meanwhile.
pub fn all() -> Vec<Range<u64>> {
    with(|ranges, count| ranges[..*count].iter().map(|&(start, end)| start..end).collect())
}

/// In a child the lock is free, whoever held it in the parent.
pub fn reset() {
    TABLE.locked.store(false, Ordering::Release);
}

fn with<T>(work: impl FnOnce(&mut [(u64, u64); MOST], &mut usize) -> T) -> T {
    while TABLE.locked.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    // SAFETY: the lock is held.
    let (ranges, count) = unsafe { &mut *TABLE.ranges.get() };
    let result = work(ranges, count);
    TABLE.locked.store(false, Ordering::Release);
    result
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges that were watched, each with its set of colors: a child has them too, but nobody who watches. `fresco verify`
//! reads the table from outside, where threads have colors of their own.

use fresco_linux::proc::{LEDGER_MAGIC, LEDGER_RANGES, LEDGER_SETS, LEDGER_TEXT, Ledger};
use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ranges kept in mind. Those of one program that reach no further are left to the kernel in its children.
const MOST: usize = LEDGER_RANGES;

struct Table {
    locked: AtomicBool,
    ledger: UnsafeCell<Ledger>,
}

// SAFETY: the ledger is used under the lock.
unsafe impl Sync for Table {}

static TABLE: Table = Table {
    locked: AtomicBool::new(false),
    ledger: UnsafeCell::new(Ledger {
        magic: LEDGER_MAGIC,
        count: 0,
        ranges: [[0; 3]; LEDGER_RANGES],
        sets: [[0; LEDGER_TEXT]; LEDGER_SETS],
    }),
};

/// Keeps a range in mind.
pub fn add(range: &Range<u64>, set: u32) {
    let set = u64::from(set);
    with(|ledger| {
        let count = ledger.count as usize;
        let known = &mut ledger.ranges[..count];
        let touching = |[start, end, of]: &&mut [u64; 3]| *start <= range.end && range.start <= *end && *of == set;
        if let Some([start, end, _]) = known.iter_mut().find(touching) {
            (*start, *end) = ((*start).min(range.start), (*end).max(range.end));
        } else if count < MOST {
            ledger.ranges[count] = [range.start, range.end, set];
            ledger.count += 1;
        }
    });
}

/// Writes down what a set is; one whose text is too long is not written down.
pub fn name(set: u32, text: &str) {
    with(|ledger| {
        let place = ledger.sets.get_mut(set as usize);
        if let Some(place) = place.filter(|place| text.len() < place.len()) {
            place[..text.len()].copy_from_slice(text.as_bytes());
        }
    });
}

/// All of them. Parts may have become other memory meanwhile.
pub fn all() -> Vec<(Range<u64>, u32)> {
    with(|ledger| {
        let ranges = ledger.ranges[..ledger.count as usize].iter();
        ranges.map(|&[start, end, set]| (start..end, set as u32)).collect()
    })
}

/// In a child the lock is free, whoever held it in the parent.
pub fn reset() {
    TABLE.locked.store(false, Ordering::Release);
}

fn with<T>(work: impl FnOnce(&mut Ledger) -> T) -> T {
    while TABLE.locked.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    // SAFETY: the lock is held.
    let result = work(unsafe { &mut *TABLE.ledger.get() });
    TABLE.locked.store(false, Ordering::Release);
    result
}

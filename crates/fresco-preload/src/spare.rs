// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory put by for this library's own code, in its data: a program that has used up a limit of its memory must not end
//! because the pager wants a few KiB.

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a part, and how many there are: one bit each of a word.
const PART: usize = 8 << 10;
const PARTS: usize = 64;

#[repr(align(4096))]
struct Store(UnsafeCell<[u8; PART * PARTS]>);

// SAFETY: each part is given out once, by an atomic word, until it is put back.
unsafe impl Sync for Store {}

static STORE: Store = Store(UnsafeCell::new([0; PART * PARTS]));
/// Parts given out.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// Memory aligned to pages; null when there is not enough.
pub fn take(bytes: usize) -> *mut u8 {
    let Some(mask) = mask(bytes) else { return null_mut() };
    let parts = bytes.div_ceil(PART);
    let mut taken = TAKEN.load(Ordering::Relaxed);
    loop {
        let Some(first) = (0..=PARTS - parts).find(|first| taken & mask << first == 0) else {
            return null_mut();
        };
        let now = taken | mask << first;
        match TAKEN.compare_exchange(taken, now, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return STORE.0.get().cast::<u8>().wrapping_add(first * PART),
            Err(other) => taken = other,
        }
    }
}

/// Returns true if a block is from here.
pub fn has(block: *const u8) -> bool {
    block.addr().wrapping_sub(STORE.0.get().addr()) < PART * PARTS
}

/// Takes back a block of so many bytes, which is from here.
pub fn put_back(block: *const u8, bytes: usize) {
    let first = (block.addr() - STORE.0.get().addr()) / PART;
    if let Some(mask) = mask(bytes) {
        TAKEN.fetch_and(!(mask << first), Ordering::Release);
    }
}

/// As many bits as parts are needed; `None` for more than there are.
fn mask(bytes: usize) -> Option<u64> {
    let parts = bytes.div_ceil(PART).max(1);
    (parts <= PARTS).then(|| u64::MAX >> (PARTS - parts))
}

// SPDX-License-Identifier: GPL-2.0-or-later
//! One processor executes at a time: that which has the baton. Each has a thread of its own, which waits for it where a block begins.
//!
//! A thread that waits cannot be left, as QEMU asks of all now and then (a flush of translations, a reset): where the one that has the
//! baton does nothing for a while, those that wait are let go for a block each.

use crate::futex;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// Nobody has it.
const NOBODY: u32 = u32::MAX;
/// How long a thread that waits sleeps before it looks whether anything happens.
const PATIENCE_NS: i64 = 20_000_000;

static HOLDER: AtomicU32 = AtomicU32::new(NOBODY);
/// Who waits, a bit each.
static WAITING: AtomicU64 = AtomicU64::new(0);
/// Blocks that the holder has begun.
static BLOCKS: AtomicU32 = AtomicU32::new(0);
/// The holder waits for the model.
static AWAY: AtomicBool = AtomicBool::new(false);

/// Returns true if nobody has it: no processor executes anything.
pub fn is_free() -> bool {
    HOLDER.load(Acquire) == NOBODY
}

/// Processors that wait for it, a bit each.
pub fn waiting() -> u64 {
    WAITING.load(Acquire)
}

/// A block begins on a processor, below 64: it waits for the baton, if it has not got it. False if it has not got it, and is to execute the block all the
/// same.
#[inline(always)]
pub fn take(number: u32) -> bool {
    if HOLDER.load(Acquire) == number {
        // Nobody else writes it.
        BLOCKS.store(BLOCKS.load(Relaxed).wrapping_add(1), Relaxed);
        return true;
    }
    wait_for(number)
}

#[cold]
#[inline(never)]
fn wait_for(number: u32) -> bool {
    WAITING.fetch_or(1 << number, AcqRel);
    let mut seen = BLOCKS.load(Relaxed);
    let has_it = loop {
        let holder = match HOLDER.compare_exchange(NOBODY, number, AcqRel, Acquire) {
            Ok(_) => break true,
            Err(holder) if holder == number => break true,
            Err(holder) => holder,
        };
        if !futex::changes(&HOLDER, holder, PATIENCE_NS) {
            let now = BLOCKS.load(Relaxed);
            if now == seen && !AWAY.load(Relaxed) {
                break false;
            }
            seen = now;
        }
    };
    WAITING.fetch_and(!(1 << number), AcqRel);
    has_it
}

/// The holder gives it to another one, and waits until it has it again, for this block. As [`take`].
pub fn give(to: u32, number: u32) -> bool {
    if to == number {
        return true;
    }
    WAITING.fetch_or(1 << number, AcqRel);
    pass_on(to);
    wait_for(number)
}

/// A processor does nothing any more for now: it has the baton no longer, and another one has it that waits.
pub fn leave(number: u32) {
    if HOLDER.load(Acquire) == number {
        match waiting() {
            0 => pass_on(NOBODY),
            others => pass_on(others.trailing_zeros()),
        }
    }
}

fn pass_on(to: u32) {
    HOLDER.store(to, Release);
    futex::wake(&HOLDER);
}

/// What the holder does away from the machine, as long as it takes.
pub fn away<T>(what: impl FnOnce() -> T) -> T {
    AWAY.store(true, Relaxed);
    let result = what();
    AWAY.store(false, Relaxed);
    result
}

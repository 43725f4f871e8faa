// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads of lines that are in no cache, timed. A flush looks its address up, so that no load waits for a page table.

use super::counter::{fence, flush, ticks};
use super::held::Held;

/// Reads a line.
///
/// # Safety
/// The address is mapped and readable.
unsafe fn load(address: *const u8) {
    // SAFETY: as the caller promises. Volatile, so that it is done although nobody wants the value.
    let _ = unsafe { address.read_volatile() };
}

/// Ticks that two lines take together, `rounds` times over. `None` if one of them is not held.
pub(super) fn pair(held: &Held, a: u64, b: u64, rounds: u32) -> Option<u64> {
    let (a, b, same) = (held.address(a)?, held.address(b)?, a == b);
    let mut total = 0;
    for _ in 0..rounds {
        // SAFETY: both addresses lie in the mapping that `held` keeps, which is readable.
        unsafe {
            flush(a);
            flush(b);
            fence();
            let before = ticks();
            load(a);
            if !same {
                load(b);
            }
            total += ticks().wrapping_sub(before);
        }
    }
    Some(total)
}

/// When each of a series of loads of a line began, and the ticks that it took.
pub(super) fn series(held: &Held, line: u64, accesses: u32) -> Option<Vec<(u64, u64)>> {
    let line = held.address(line)?;
    let mut loads = Vec::with_capacity(accesses as usize);
    for _ in 0..accesses {
        // SAFETY: the address lies in the mapping that `held` keeps, which is readable.
        unsafe {
            flush(line);
            fence();
            let before = ticks();
            load(line);
            loads.push((before, ticks().wrapping_sub(before)));
        }
    }
    Some(loads)
}

/// Ticks that all these lines take together.
pub(super) fn together(lines: &[*const u8]) -> u64 {
    // SAFETY: the caller took the addresses from a mapping that it keeps, which is readable.
    unsafe {
        lines.iter().for_each(|line| flush(*line));
        fence();
        let before = ticks();
        lines.iter().for_each(|line| load(*line));
        ticks().wrapping_sub(before)
    }
}

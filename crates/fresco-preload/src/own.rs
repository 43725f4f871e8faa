// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses that this library keeps for itself, where there is nothing without it: where it looks for frames, and its own
//! heap. A program that mapped something over them would take away what the pager works with. For the program they are
//! addresses that are taken when it maps, and where nothing is when it does anything else.

use crate::state;
use fresco_linux::pool::OWN;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::with_exposed_provenance_mut;

/// Returns true if so many bytes at an address are this library's, all or some.
pub fn has(start: *mut c_void, bytes: usize) -> bool {
    let range = range(start, bytes);
    range.start < OWN.end && OWN.start < range.end && state::will_be_colored()
}

/// What of a piece of memory lies below and above.
pub fn around(start: *mut c_void, bytes: usize) -> [(*mut c_void, usize); 2] {
    let Range { start, end } = range(start, bytes);
    [start..end.min(OWN.start), start.max(OWN.end)..end].map(|part| {
        let bytes = part.end.saturating_sub(part.start);
        (with_exposed_provenance_mut(part.start as usize), bytes as usize)
    })
}

fn range(start: *mut c_void, bytes: usize) -> Range<u64> {
    let start = start.expose_provenance() as u64;
    start..start.saturating_add(bytes as u64)
}

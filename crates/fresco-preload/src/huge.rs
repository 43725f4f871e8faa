// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks too large for a segment of mimalloc, which have one to themselves. It opens the addresses of such a segment at
//! once, and if the kernel refuses (a limit of data, too many mappings, promised frames that ran out), it opens those of
//! the segment's head alone and gives the block out all the same. So then the head is refused, too: this it honours.

use libmimalloc_sys as mi;
use std::cell::Cell;
use std::ffi::c_void;

/// Bytes of a segment, and where it begins. Blocks of more than half of it have their own.
const SEGMENT: usize = 32 << 20;

thread_local! {
    /// Does this thread ask for such a block?
    static ASKING: Cell<bool> = const { Cell::new(false) };
    /// Where the segment begins that the kernel has just refused.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

/// Asks mimalloc for a block, which is had wholly or not at all.
#[inline]
pub fn or_none(bytes: usize, align: usize, ask: impl FnOnce() -> *mut c_void) -> *mut c_void {
    match bytes.saturating_add(align) > SEGMENT / 2 {
        true => ask_for_huge(ask),
        false => ask(),
    }
}

#[cold]
fn ask_for_huge(ask: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let _ = ASKING.try_with(|asking| asking.set(true));
    let block = ask();
    let _ = ASKING.try_with(|asking| asking.set(false));
    let _ = REFUSED.try_with(|refused| refused.set(0));
    block
}

/// Memory at `start` is to be opened: has its segment just been refused?
pub fn is_refused(start: *mut c_void) -> bool {
    REFUSED
        .try_with(|refused| refused.take() == start.addr())
        .unwrap_or(false)
        && !start.is_null()
}

/// The kernel would not open so much memory at `start`.
pub fn refuse(start: *mut c_void, bytes: usize) {
    let whole = start.addr().is_multiple_of(SEGMENT) && bytes >= SEGMENT;
    // SAFETY: looks the address up.
    if whole && ASKING.try_with(Cell::get).unwrap_or(false) && unsafe { mi::mi_is_in_heap_region(start) } {
        let _ = REFUSED.try_with(|refused| refused.set(start.addr()));
    }
}

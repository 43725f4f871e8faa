// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks too large for a segment of mimalloc, which have one to themselves. It opens the addresses of such a segment at
//! once, and if the kernel refuses (a limit of data, too many mappings), it opens those of the segment's head alone and
//! gives the block out all the same. So then the head is refused, too: this it honours. Frames that are promised are
//! looked for when the block is there.

use crate::{map, state};
use libmimalloc_sys as mi;
use rustix::io::Errno;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{copy_nonoverlapping, null_mut};

/// Bytes of a segment, and where it begins. Blocks of more than half of it have their own.
const SEGMENT: usize = 32 << 20;

thread_local! {
    /// Whether this thread is asking for such a block.
    static ASKING: Cell<bool> = const { Cell::new(false) };
    /// Where the segment begins that the kernel has just refused.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

/// Returns true if such a block gets a segment of its own.
#[inline]
pub fn is_huge(bytes: usize, align: usize) -> bool {
    bytes.saturating_add(align) > SEGMENT / 2
}

/// Asks mimalloc for a block, which is had wholly or not at all.
#[inline]
pub fn or_none(bytes: usize, align: usize, ask: impl FnOnce() -> *mut c_void) -> *mut c_void {
    match is_huge(bytes, align) {
        true => ask_for_huge(bytes, ask),
        false => ask(),
    }
}

#[cold]
fn ask_for_huge(bytes: usize, ask: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let _ = ASKING.try_with(|asking| asking.set(true));
    let block = ask();
    let _ = ASKING.try_with(|asking| asking.set(false));
    let _ = REFUSED.try_with(|refused| refused.set(0));
    if !block.is_null() && state::is_strict() && map::fill(&map::pages(block, bytes)) == Err(Errno::NOMEM) {
        // SAFETY: nobody has it yet.
        unsafe { mi::mi_free(block) };
        return null_mut();
    }
    block
}

/// Returns true if this thread is asking for such a block. mimalloc maps more than it keeps, to have it aligned: where
/// frames are promised, they are promised for the block alone, once it is there.
pub fn is_asking() -> bool {
    ASKING.try_with(Cell::get).unwrap_or(false)
}

/// The block `block` in use with so many bytes, as `realloc` has it; null, and the old one as it was, if they are not to
/// be had. mimalloc would have freed it before frames are promised for the new one.
///
/// # Safety
/// The block is mimalloc's and in use, and has no mark.
#[cold]
pub unsafe fn resize(block: *mut c_void, bytes: usize) -> *mut c_void {
    // SAFETY: as the caller promises.
    let had = unsafe { mi::mi_usable_size(block) };
    if (had / 2..=had).contains(&bytes) {
        return block;
    }
    // SAFETY: as malloc's.
    let new = or_none(bytes, 1, || unsafe { mi::mi_malloc(bytes) });
    if !new.is_null() {
        // SAFETY: both blocks have at least so many bytes, and the new one is new; the old one is nobody's any more.
        unsafe {
            copy_nonoverlapping(block.cast::<u8>(), new.cast(), had.min(bytes));
            mi::mi_free(block);
        }
    }
    new
}

/// Returns true if the segment at `start`, which is to be opened, has just been refused. The refusal is forgotten.
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
    if whole && is_asking() && unsafe { mi::mi_is_in_heap_region(start) } {
        let _ = REFUSED.try_with(|refused| refused.set(start.addr()));
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks too large for a segment of mimalloc, which have one to themselves. It opens the addresses of such a segment at
//! once, and if the kernel refuses (a limit of data, too many mappings), it opens those of the segment's head alone and
//! gives the block out all the same. So then the head is refused, too: this it honours.
//!
//! Frames that are promised are looked for when the block is there: mimalloc maps more than it keeps, and opens whole segments.
//! Before that it writes to the head of the segment and to the first page of the block, so frames for these are promised when
//! they are opened. The rest it must not take for opened: memory that was, it gives to small blocks later without a word, and
//! nobody would have looked for frames. So it is told that the segment was refused, and opens it again for whoever has it next.

use crate::{map, state};
use libmimalloc_sys as mi;
use rustix::io::Errno;
use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr::{copy_nonoverlapping, null_mut};

/// Bytes of a segment, and where it begins. Blocks of more than half of it have their own.
const SEGMENT: usize = 32 << 20;
/// Bytes of a segment's head: one slice (`MI_SEGMENT_SLICE_SIZE`), after which the only block of the segment begins.
const HEAD: usize = 64 << 10;

thread_local! {
    /// Bytes of such a block that this thread is asking for, or 0.
    static ASKING: Cell<usize> = const { Cell::new(0) };
    /// Where the segment begins that the kernel has just refused.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
    /// The segment that is open, though mimalloc was told that it is not: start and bytes.
    static OPENED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
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
    let before = state::errno();
    let _ = ASKING.try_with(|asking| asking.set(bytes.max(1)));
    let block = ask();
    let _ = ASKING.try_with(|asking| asking.set(0));
    let _ = REFUSED.try_with(|refused| refused.set(0));
    let opened = OPENED.try_with(Cell::take).unwrap_or_default();
    if block.is_null() {
        return block;
    }
    if state::is_strict() && map::fill(&map::pages(block, bytes)) == Err(Errno::NOMEM) {
        // mimalloc still has to free it.
        close(opened, head() as usize);
        // SAFETY: nobody has it yet.
        unsafe { mi::mi_free(block) };
        return null_mut();
    }
    // Of the refusal that only mimalloc was told of.
    state::set_errno(before);
    block
}

/// Returns true if this thread is asking for such a block.
pub fn is_asking() -> bool {
    asked().is_some()
}

/// Bytes of the block that this thread is asking for.
pub fn asked() -> Option<u64> {
    let bytes = ASKING.try_with(Cell::get).unwrap_or(0);
    (bytes > 0).then_some(bytes as u64)
}

/// The parts of new memory whose frames are promised at once: all of it, or, of what is mapped for such a block, what mimalloc
/// writes to before it gives the block out. Where in the mapping the segment is going to begin nobody knows but mimalloc.
pub fn promised(range: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let (start, end) = (range.start, range.end);
    let (first, step, bytes) = match is_asking() && end - start >= SEGMENT as u64 {
        true => (start.next_multiple_of(SEGMENT as u64), SEGMENT, head()),
        false => (start, usize::MAX, end - start),
    };
    (first..end)
        .step_by(step)
        .map(move |start| start..end.min(start + bytes))
}

/// Bytes of the head, and of the first page after it, in which a free block has its link.
fn head() -> u64 {
    (HEAD + rustix::param::page_size()) as u64
}

/// Returns true if `start` is that of the segment for such a block, which has just been opened wholly, and mimalloc is to take
/// it for closed.
pub fn keep_closed(start: *mut c_void, bytes: usize) -> bool {
    let is = is_segment(start, bytes);
    if is {
        let _ = OPENED.try_with(|opened| opened.set((start.expose_provenance(), bytes)));
    }
    is
}

/// Closes a segment after so many bytes, so that limits do not count what nobody uses.
fn close((start, bytes): (usize, usize), used: usize) {
    if bytes > used {
        let rest = std::ptr::with_exposed_provenance_mut::<c_void>(start + used);
        // SAFETY: nobody has the block; what comes next opens it before it is used.
        unsafe { libc::syscall(libc::SYS_mprotect, rest, bytes - used, libc::PROT_NONE) };
    }
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

/// The kernel would not open so much memory at `start`, or there are no frames for what is used of it at once.
pub fn refuse(start: *mut c_void, bytes: usize) {
    if is_segment(start, bytes) {
        close((start.expose_provenance(), bytes), 0);
        let _ = REFUSED.try_with(|refused| refused.set(start.addr()));
    }
}

/// Returns true if this is the segment of a block that this thread is asking for.
fn is_segment(start: *mut c_void, bytes: usize) -> bool {
    let whole = start.addr().is_multiple_of(SEGMENT) && bytes >= SEGMENT;
    // SAFETY: looks the address up.
    whole && is_asking() && unsafe { mi::mi_is_in_heap_region(start) }
}

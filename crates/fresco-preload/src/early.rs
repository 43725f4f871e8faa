// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory before there is a pager: what the loader, constructors of libraries and the start of the pager's own thread
//! ask for. It lies in the data of this library, so no page of the program's heap is placed before it can be colored.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

const BYTES: usize = 1 << 20;
/// Of the header in front of each block, which has its size and whether it is in use; and the least alignment.
const HEADER: usize = 16;
/// With the block's address, the second word of the header of one in use.
const IN_USE: usize = 0x6672_6573_636f_2d65;

#[repr(align(4096))]
struct Store(UnsafeCell<[u8; BYTES]>);

// SAFETY: each byte is given out once, by an atomic count.
unsafe impl Sync for Store {}

static STORE: Store = Store(UnsafeCell::new([0; BYTES]));
static USED: AtomicUsize = AtomicUsize::new(0);

/// Zeroed memory that is never given back; null when there is no more. `align` is a power of two.
pub fn allocate(bytes: usize, align: usize) -> *mut c_void {
    let align = align.max(HEADER);
    let Some(span) = bytes.checked_add(align + HEADER).filter(|&span| span <= BYTES) else {
        return null_mut();
    };
    let from = USED.fetch_add(span, Ordering::Relaxed);
    if from.checked_add(span).is_none_or(|end| end > BYTES) {
        USED.fetch_sub(span, Ordering::Relaxed);
        return null_mut();
    }
    let base = STORE.0.get().cast::<u8>();
    let address = (base.addr() + from + HEADER).next_multiple_of(align);
    let block = base.with_addr(address);
    // SAFETY: header and block lie within the span that only this call has; the address is a multiple of 16.
    unsafe { block.sub(HEADER).cast::<[usize; 2]>().write([bytes, address ^ IN_USE]) };
    block.cast()
}

/// Returns true if the address lies in this memory.
#[inline]
pub fn has(block: *const c_void) -> bool {
    block.addr().wrapping_sub(STORE.0.get().addr()) < BYTES
}

/// Bytes of a block in use from here; `None` of what is not one.
#[inline]
pub fn size_of(block: *const c_void) -> Option<usize> {
    let header = header(block)?;
    // SAFETY: it lies within the store, and is aligned.
    let [bytes, in_use] = unsafe { header.read() };
    (in_use == block.addr() ^ IN_USE).then_some(bytes)
}

/// Takes back a block from here, whose memory is not used again; false if it is not one in use.
pub fn give_back(block: *mut c_void) -> bool {
    let bytes = size_of(block);
    if let (Some(bytes), Some(header)) = (bytes, header(block)) {
        // SAFETY: as above; who gives a block back has it alone.
        unsafe { header.write([bytes, 0]) };
    }
    bytes.is_some()
}

/// Where the header of a block from here would be.
fn header(block: *const c_void) -> Option<*mut [usize; 2]> {
    let base = STORE.0.get().cast::<u8>();
    let offset = block.addr().wrapping_sub(base.addr());
    let inside = (HEADER..BYTES).contains(&offset) && block.addr().is_multiple_of(HEADER);
    inside.then(|| base.with_addr(block.addr() - HEADER).cast())
}

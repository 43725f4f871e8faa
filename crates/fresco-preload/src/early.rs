// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory before there is a pager: what the loader, constructors of libraries and the start of the pager's own thread
//! ask for. It lies in the data of this library, so no page of the program's heap is placed before it can be coloured.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

const BYTES: usize = 1 << 20;
/// Of the header in front of each block, which has its size; and the least alignment.
const HEADER: usize = 16;

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
    unsafe { block.sub(HEADER).cast::<usize>().write(bytes) };
    block.cast()
}

/// Bytes of a block if it is from here.
#[inline]
pub fn size_of(block: *const c_void) -> Option<usize> {
    let offset = block.addr().wrapping_sub(STORE.0.get().addr());
    // SAFETY: within the store only blocks given out above are known to anyone, and each has its header in front.
    (offset < BYTES).then(|| unsafe { block.cast::<u8>().sub(HEADER).cast::<usize>().read() })
}

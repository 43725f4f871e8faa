// SPDX-License-Identifier: MIT OR Apache-2.0
//! The C library's own heap, by names that nobody stands in front of.

use crate::next::Next;
use crate::state;
use libmimalloc_sys as mi;
use std::ffi::c_void;

unsafe extern "C" {
    #[link_name = "__libc_malloc"]
    pub fn malloc(bytes: usize) -> *mut c_void;
    #[link_name = "__libc_calloc"]
    pub fn calloc(count: usize, bytes: usize) -> *mut c_void;
    #[link_name = "__libc_realloc"]
    pub fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void;
    #[link_name = "__libc_free"]
    pub fn free(block: *mut c_void);
    #[link_name = "__libc_memalign"]
    pub fn memalign(align: usize, bytes: usize) -> *mut c_void;
}

/// Returns true if the block may be from that heap. Where memory is not colored, the program has no other. Elsewhere a
/// library that does not look its functions up as others do (`RTLD_DEEPBIND`) may use it, and no such block lies in
/// mimalloc's memory.
#[cold]
pub fn may_have(block: *const c_void) -> bool {
    // SAFETY: looks the address up.
    state::is_bare() || !unsafe { mi::mi_is_in_heap_region(block) } && is_used()
}

/// Returns true if anything has been taken from that heap.
fn is_used() -> bool {
    static COUNTS: Next = Next::new(c"mallinfo2");
    // Before version 2.33 of the C library there is none: then it is asked, and ends the program in its own words.
    COUNTS.address().is_none_or(|counts| {
        // SAFETY: this is the type of the function of that name.
        let counts = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> libc::mallinfo2>(counts) };
        // SAFETY: counts what there is.
        let counts = unsafe { counts() };
        counts.arena > 0 || counts.hblks > 0
    })
}

/// Bytes of a block that is from there.
pub fn size_of(block: *mut c_void) -> usize {
    static SIZE: Next = Next::new(c"malloc_usable_size");
    let Some(size) = SIZE.address() else { return 0 };
    // SAFETY: this is the type of the function of that name.
    let size = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> usize>(size) };
    // SAFETY: the block is the C library's.
    unsafe { size(block) }
}

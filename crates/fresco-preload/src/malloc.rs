// SPDX-License-Identifier: MIT OR Apache-2.0
//! The malloc family. mimalloc takes memory by `mmap`, a GiB of addresses at a time, and so through this library's own
//! `mmap`: one mapping, which is watched.
//!
//! Safety of all functions: as the C standard and POSIX have it for functions of these names.

use crate::{early, huge, library, state};
use libmimalloc_sys as mi;
use std::ffi::{c_int, c_void};
use std::ptr::{copy_nonoverlapping, null_mut};

/// Before there is a pager, memory is not the program's heap yet; where there will be none, the C library has the heap.
macro_rules! early_or {
    ($bytes:expr, $align:expr, $later:expr, $plain:expr) => {{
        if !state::is_colored() {
            if state::is_early() {
                let block = early::allocate($bytes, $align);
                if !block.is_null() {
                    return block;
                }
            }
            if state::is_bare() {
                // SAFETY: these are the C library's.
                return unsafe { $plain };
            }
        }
        // SAFETY: mimalloc's functions have the contract of the C library's.
        checked(huge::or_none($bytes, $align, || unsafe { $later }))
    }};
}

#[inline]
fn checked(block: *mut c_void) -> *mut c_void {
    if block.is_null() {
        state::set_errno(libc::ENOMEM);
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    early_or!(bytes, 1, mi::mi_malloc(bytes), library::malloc(bytes))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    early_or!(
        count.saturating_mul(bytes),
        1,
        mi::mi_calloc(count, bytes),
        library::calloc(count, bytes)
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as malloc's.
        return unsafe { malloc(bytes) };
    }
    if let Some(before) = early::size_of(block) {
        // SAFETY: as malloc's.
        let new = unsafe { malloc(bytes) };
        if !new.is_null() {
            // SAFETY: both blocks have at least so many bytes, and the new one is new.
            unsafe { copy_nonoverlapping(block.cast::<u8>(), new.cast(), before.min(bytes)) };
        }
        return new;
    }
    if library::has(block) {
        // SAFETY: the block is the C library's.
        return unsafe { library::realloc(block, bytes) };
    }
    // SAFETY: the block is mimalloc's.
    checked(huge::or_none(bytes, 1, || unsafe { mi::mi_realloc(block, bytes) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn reallocarray(block: *mut c_void, count: usize, bytes: usize) -> *mut c_void {
    match count.checked_mul(bytes) {
        // SAFETY: as realloc's.
        Some(bytes) => unsafe { realloc(block, bytes) },
        None => checked(null_mut()),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut c_void) {
    if early::size_of(block).is_some() {
        return;
    }
    match library::has(block) {
        // SAFETY: the block is the C library's, or null.
        true => unsafe { library::free(block) },
        // SAFETY: the block is mimalloc's, or null.
        false => unsafe { mi::mi_free(block) },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memalign(align: usize, bytes: usize) -> *mut c_void {
    if !align.is_power_of_two() {
        state::set_errno(libc::EINVAL);
        return null_mut();
    }
    early_or!(
        bytes,
        align,
        mi::mi_malloc_aligned(bytes, align),
        library::memalign(align, bytes)
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aligned_alloc(align: usize, bytes: usize) -> *mut c_void {
    // SAFETY: as memalign's.
    unsafe { memalign(align, bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, align: usize, bytes: usize) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let before = state::errno();
    // SAFETY: as memalign's.
    let block = unsafe { memalign(align, bytes) };
    // This function tells by its value only.
    state::set_errno(before);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller gives a place for a pointer.
    unsafe { place.write(block) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn valloc(bytes: usize) -> *mut c_void {
    // SAFETY: as memalign's.
    unsafe { memalign(rustix::param::page_size(), bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pvalloc(bytes: usize) -> *mut c_void {
    let page = rustix::param::page_size();
    match bytes.checked_next_multiple_of(page) {
        // SAFETY: as memalign's.
        Some(bytes) => unsafe { memalign(page, bytes.max(page)) },
        None => checked(null_mut()),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    early::size_of(block).unwrap_or_else(|| match library::has(block) {
        true => library::size_of(block),
        // SAFETY: the block is mimalloc's, or null.
        false => unsafe { mi::mi_usable_size(block) },
    })
}

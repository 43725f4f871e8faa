// SPDX-License-Identifier: MIT OR Apache-2.0
//! The malloc family. mimalloc takes memory by `mmap`, a GiB of addresses at a time, and so through this library's own
//! `mmap`: one mapping, which is watched.
//!
//! Safety of all functions: as the C standard and POSIX have it for functions of these names.

use crate::{early, huge, library, marks, misuse, state};
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

/// A block of mimalloc's for the program: marked as in use, or told that there is none.
#[inline]
fn checked(block: *mut c_void) -> *mut c_void {
    if block.is_null() {
        state::set_errno(libc::ENOMEM);
    } else if !marks::put(block) {
        // SAFETY: the block is mimalloc's, and nobody has it yet.
        unsafe { mi::mi_free(block) };
        state::set_errno(libc::ENOMEM);
        return null_mut();
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    early_or!(
        bytes,
        1,
        mi::mi_malloc(bytes.max(marks::SMALLEST)),
        library::malloc(bytes)
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    let all = count.saturating_mul(bytes);
    if huge::is_huge(all, 1) && state::is_strict() {
        // mimalloc would write to all of it before its frames are there.
        // SAFETY: as malloc's.
        let block = checked(huge::or_none(all, 1, || unsafe { mi::mi_malloc(all) }));
        if !block.is_null() {
            // SAFETY: it has so many bytes.
            unsafe { block.write_bytes(0, all) };
        }
        return block;
    }
    early_or!(
        count.saturating_mul(bytes),
        1,
        match count.checked_mul(bytes) {
            Some(all) => mi::mi_zalloc(all.max(marks::SMALLEST)),
            None => null_mut(),
        },
        library::calloc(count, bytes)
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as malloc's.
        return unsafe { malloc(bytes) };
    }
    if bytes == 0 && !state::is_bare() {
        // SAFETY: as free's.
        unsafe { free(block) };
        return null_mut();
    }
    if let Some(before) = early::size_of(block) {
        // SAFETY: as malloc's.
        let new = unsafe { malloc(bytes) };
        if !new.is_null() {
            // SAFETY: both blocks have at least so many bytes, and the new one is new.
            unsafe { copy_nonoverlapping(block.cast::<u8>(), new.cast(), before.min(bytes)) };
            early::give_back(block);
        }
        return new;
    }
    // Before: what mimalloc frees, another thread may have at once.
    if !marks::take(block) {
        if early::has(block) || !library::may_have(block) {
            misuse::end("realloc()", block);
        }
        // SAFETY: the C library judges what it is given.
        return unsafe { library::realloc(block, bytes) };
    }
    let bytes = bytes.max(marks::SMALLEST);
    let new = match huge::is_huge(bytes, 1) {
        // SAFETY: the block is mimalloc's, in use, and has no mark any more.
        true => unsafe { huge::resize(block, bytes) },
        // SAFETY: the same.
        false => unsafe { mi::mi_realloc(block, bytes) },
    };
    if new.is_null() {
        // It stays, and so does the memory of its mark.
        marks::put(block);
    }
    checked(new)
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
    if marks::take(block) {
        // SAFETY: the block is mimalloc's, and in use.
        unsafe { mi::mi_free(block) };
    } else if !block.is_null() {
        free_other(block);
    }
}

/// Frees what is no block in use of mimalloc's.
#[cold]
fn free_other(block: *mut c_void) {
    if early::give_back(block) {
        return;
    }
    if early::has(block) || !library::may_have(block) {
        misuse::end("free()", block);
    }
    // SAFETY: the C library judges what it is given.
    unsafe { library::free(block) };
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
        mi::mi_malloc_aligned(bytes.max(marks::SMALLEST), align.max(marks::SMALLEST)),
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
    if marks::has(block) {
        // SAFETY: the block is mimalloc's.
        return unsafe { mi::mi_usable_size(block) };
    }
    early::size_of(block).unwrap_or_else(|| match !block.is_null() && library::may_have(block) {
        true => library::size_of(block),
        // As of null.
        false => 0,
    })
}

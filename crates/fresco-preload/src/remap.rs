// SPDX-License-Identifier: MIT OR Apache-2.0
//! `mremap`: memory is watched where it is moved to, and moved as without colors where it is several mappings.
//!
//! Safety of the C function: as Linux has it for the function of this name.

use crate::map::{ask, pages, still};
use crate::{own, ranges, state, threads};
use fresco_linux::pager::Order;
use fresco_linux::proc::mapped_parts;
use rustix::io::Errno;
use std::ffi::{c_int, c_void};
use std::ptr::with_exposed_provenance_mut;

/// The last argument is there if `flags` say so, and passed on in any case.
#[unsafe(no_mangle)]
unsafe extern "C" fn mremap(
    old: *mut c_void,
    old_bytes: usize,
    new_bytes: usize,
    flags: c_int,
    new: *mut c_void,
) -> *mut c_void {
    let to_here = flags & libc::MREMAP_FIXED != 0 && own::has(new, new_bytes);
    if to_here || own::has(old, old_bytes) {
        state::set_errno(if to_here { libc::ENOMEM } else { libc::EFAULT });
        return libc::MAP_FAILED;
    }
    // SAFETY: as the caller promises.
    let start = still(|| unsafe { move_each(old, old_bytes, new_bytes, flags, new) });
    if !state::is_colored() {
        return start;
    }
    if start == libc::MAP_FAILED {
        // Some of several may have been moved.
        if flags & libc::MREMAP_FIXED != 0 {
            let _ = ask(Order::WatchIfAnonymous, &pages(new, new_bytes));
        }
        return start;
    }
    let range = pages(start, new_bytes);
    if ask(Order::WatchIfAnonymous, &range) == Err(Errno::NOMEM) {
        let back = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: undoes what was done above; the old addresses, if they were left, have not been given away since.
        still(|| unsafe {
            match start == old {
                true => raw_mremap(start, new_bytes, old_bytes, 0, old),
                false => move_each(start, new_bytes, old_bytes, back, old),
            }
        });
        state::set_errno(libc::ENOMEM);
        return libc::MAP_FAILED;
    }
    ranges::add(&range, threads::set());
    start
}

/// Moves memory. Linux from 6.17 on moves several mappings by one call, if they keep their length, one after the other; but it
/// stops at the first one that is watched, when those before it have been moved. So here each is moved by a call of its own.
///
/// # Safety
/// As `mremap`.
unsafe fn move_each(
    old: *mut c_void,
    old_bytes: usize,
    new_bytes: usize,
    flags: c_int,
    new: *mut c_void,
) -> *mut c_void {
    let whole = state::will_be_colored() && flags & libc::MREMAP_FIXED != 0 && old_bytes == new_bytes;
    let parts = match whole {
        true => mapped_parts(&pages(old, old_bytes)),
        false => Vec::new(),
    };
    let (from, to) = (old.expose_provenance() as u64, new.expose_provenance() as u64);
    let (source, target) = (pages(old, old_bytes), pages(new, new_bytes));
    let overlaps = source.start < target.end && target.start < source.end;
    if parts.len() < 2 || parts[0].start != from || overlaps || !new.addr().is_multiple_of(rustix::param::page_size()) {
        // SAFETY: as the caller promises.
        return unsafe { raw_mremap(old, old_bytes, new_bytes, flags, new) };
    }
    for part in parts {
        let bytes = (part.end - part.start) as usize;
        let [start, place] = [part.start, part.start - from + to].map(|at| with_exposed_provenance_mut(at as usize));
        // SAFETY: as the caller promises, for a part of it.
        if unsafe { raw_mremap(start, bytes, bytes, flags, place) } == libc::MAP_FAILED {
            return libc::MAP_FAILED;
        }
    }
    new
}

/// # Safety
/// As `mremap`.
unsafe fn raw_mremap(
    old: *mut c_void,
    old_bytes: usize,
    new_bytes: usize,
    flags: c_int,
    new: *mut c_void,
) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_mremap, old, old_bytes, new_bytes, flags, new) as *mut c_void }
}

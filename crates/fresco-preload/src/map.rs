// SPDX-License-Identifier: MIT OR Apache-2.0
//! The mmap family: what it maps is as it would be, but private anonymous memory is watched from its first page on.
//!
//! Safety of the C functions: as POSIX and Linux have it for functions of these names.

use crate::{huge, own, ranges, report, state, threads};
use fresco_linux::colors::WhenFull;
use fresco_linux::pager::{Order, PATIENCE};
use libmimalloc_sys as mi;
use rustix::io::Errno;
use std::cell::Cell;
use std::ffi::{c_int, c_long, c_void};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Numbers of mimalloc's options, from its `mimalloc.h`.
const EAGER_COMMIT: c_int = 3;
const ARENA_EAGER_COMMIT: c_int = 4;
const PURGE_DELAY: c_int = 15;
/// Bytes of addresses that mimalloc reserves at its first block.
pub const RESERVED: u64 = 1 << 30;
/// Milliseconds after which mimalloc gives freed pages back. Frames of few colors are dear.
const PURGE_AFTER: c_long = 1000;
/// Between lines about a search, at most.
const MOST_PATIENCE: Duration = Duration::from_secs(10);

/// Readies mimalloc. It reserves addresses without access and opens them as it needs them, so that a program that
/// locks all its memory does not lock what it has not allocated.
pub fn configure(when_full: WhenFull) {
    // SAFETY: options may be set before the first allocation.
    unsafe {
        mi::mi_option_set(ARENA_EAGER_COMMIT, 0);
        match when_full {
            WhenFull::Spill => mi::mi_option_set(PURGE_DELAY, PURGE_AFTER),
            // What was promised is kept, and no more is promised than is used.
            WhenFull::Strict => {
                mi::mi_option_set(EAGER_COMMIT, 0);
                mi::mi_option_set(PURGE_DELAY, -1);
            }
        }
    }
}

thread_local! {
    /// Whether this thread is asking at the port.
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap(
    address: *mut c_void,
    bytes: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: c_long,
) -> *mut c_void {
    let mut address = address;
    if own::has(address, bytes) {
        if let Some(error) = refusal(flags) {
            state::set_errno(error);
            return libc::MAP_FAILED;
        }
        address = null_mut();
    }
    let anonymous = flags & libc::MAP_ANONYMOUS != 0 && flags & libc::MAP_TYPE == libc::MAP_PRIVATE;
    let apart = libc::MAP_HUGETLB | libc::MAP_GROWSDOWN | libc::MAP_STACK;
    let raw = |flags: c_int| match flags & libc::MAP_FIXED != 0 {
        // SAFETY: as the caller promises.
        true => still(|| unsafe { raw_mmap(address, bytes, access, flags, file, offset) }),
        // SAFETY: as the caller promises.
        false => unsafe { raw_mmap(address, bytes, access, flags, file, offset) },
    };
    if !anonymous || flags & apart != 0 || !state::will_be_colored() {
        return raw(flags);
    }
    // Pages that are to be there at once have to be watched first.
    let at_once = flags & (libc::MAP_POPULATE | libc::MAP_LOCKED);
    let start = raw(flags & !at_once);
    if start == libc::MAP_FAILED {
        return start;
    }
    let range = pages(start, bytes);
    if watch(&range, access & libc::PROT_WRITE != 0).is_err() {
        // SAFETY: mapped above, and nobody knows of it.
        unsafe { libc::munmap(start, bytes) };
        state::set_errno(libc::ENOMEM);
        return libc::MAP_FAILED;
    }
    if at_once & libc::MAP_LOCKED != 0 {
        // SAFETY: mapped above. As with the flag, failing to lock is not told.
        unsafe { libc::mlock(start, bytes) };
    } else if at_once != 0 {
        let write = access & libc::PROT_WRITE != 0;
        let advice = if write {
            libc::MADV_POPULATE_WRITE
        } else {
            libc::MADV_POPULATE_READ
        };
        // SAFETY: mapped above. As with the flag, failing to populate is not told.
        unsafe { libc::madvise(start, bytes, advice) };
    }
    start
}

/// Why addresses of this library's cannot be had by these flags; `None` if they are no more than wished for.
fn refusal(flags: c_int) -> Option<c_int> {
    match (flags & libc::MAP_FIXED_NOREPLACE, flags & libc::MAP_FIXED) {
        (0, 0) => None,
        (0, _) => Some(libc::ENOMEM),
        _ => Some(libc::EEXIST),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    address: *mut c_void,
    bytes: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: c_long,
) -> *mut c_void {
    // SAFETY: as the caller promises; offsets have 64 bits anyway.
    unsafe { mmap(address, bytes, access, flags, file, offset) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(start: *mut c_void, bytes: usize) -> c_int {
    // SAFETY: as the caller promises.
    let raw =
        |start: *mut c_void, bytes: usize| still(|| unsafe { libc::syscall(libc::SYS_munmap, start, bytes) as c_int });
    if !own::has(start, bytes) || !start.addr().is_multiple_of(rustix::param::page_size()) {
        return raw(start, bytes);
    }
    // Where nothing is there is nothing to be done.
    let parts = own::around(start, bytes).into_iter().filter(|(_, bytes)| *bytes > 0);
    parts.map(|(start, bytes)| raw(start, bytes)).min().unwrap_or(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int {
    if own::has(start, bytes) {
        state::set_errno(libc::ENOMEM);
        return -1;
    }
    // SAFETY: as the caller promises.
    let raw = || unsafe { libc::syscall(libc::SYS_madvise, start, bytes, advice) as c_int };
    match advice {
        // What drops pages; others may wait for the pager.
        libc::MADV_DONTNEED | libc::MADV_FREE | libc::MADV_REMOVE => still(raw),
        _ => raw(),
    }
}

/// Does something while no page is away from its place.
pub fn still<T>(work: impl FnOnce() -> T) -> T {
    match state::shared().filter(|_| state::is_colored()) {
        Some(shared) => {
            shared.port.latch().lock();
            let result = work();
            shared.port.latch().unlock();
            result
        }
        None => work(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mprotect(start: *mut c_void, bytes: usize, access: c_int) -> c_int {
    let opens = access & libc::PROT_WRITE != 0;
    if own::has(start, bytes) || opens && huge::is_refused(start) {
        state::set_errno(libc::ENOMEM);
        return -1;
    }
    // SAFETY: as the caller promises.
    let result = unsafe { libc::syscall(libc::SYS_mprotect, start, bytes, access) } as c_int;
    if result != 0 && opens {
        huge::refuse(start, bytes);
    }
    if result != 0 || !opens || !state::is_strict() {
        return result;
    }
    // Memory that was reserved is now memory: if frames were promised, this is where they can run out.
    if keep_promise(&pages(start, bytes)) == Err(Errno::NOMEM) {
        huge::refuse(start, bytes);
        state::set_errno(libc::ENOMEM);
        return -1;
    }
    if huge::keep_closed(start, bytes) {
        state::set_errno(libc::ENOMEM);
        return -1;
    }
    0
}

/// Watches a new mapping; fails if frames were promised and there are none.
fn watch(range: &Range<u64>, writable: bool) -> Result<(), Errno> {
    ranges::add(range, threads::set());
    // A child's first mapping starts its pager, which watches this range with the others.
    if state::is_early() || !state::is_colored() {
        return Ok(());
    }
    let watched = ask(Order::Watch, range);
    match state::is_strict() && writable && watched.is_ok() {
        true if keep_promise(range) == Err(Errno::NOMEM) => Err(Errno::NOMEM),
        _ => Ok(()),
    }
}

/// Has those pages of new memory placed that are to be there at once.
fn keep_promise(range: &Range<u64>) -> Result<(), Errno> {
    huge::promised(range).try_for_each(|part| match fill(&part) {
        Err(Errno::NOMEM) => Err(Errno::NOMEM),
        _ => Ok(()),
    })
}

/// Has all pages of the range placed, as frames are promised. The search for them may take a while: then lines say how far
/// it is, and one why it was given up.
pub fn fill(range: &Range<u64>) -> Result<(), Errno> {
    let refusals = || state::stats().search.refusals.load(Ordering::Acquire);
    // Who asks for a block knows nothing of what else it takes.
    let told = huge::asked().unwrap_or(range.end - range.start);
    let (before, start) = (refusals(), Instant::now());
    let mut next = PATIENCE;
    loop {
        match ask(Order::Fill, range) {
            Err(Errno::AGAIN) if start.elapsed() >= next => {
                next = start.elapsed() + (next * 2).min(MOST_PATIENCE);
                report::tell_search(told);
            }
            Err(Errno::AGAIN) => {}
            result => {
                if result == Err(Errno::NOMEM) && refusals() != before {
                    report::tell_refused(told);
                }
                return result;
            }
        }
    }
}

/// What came of an order; without a pager nothing has to.
pub fn ask(order: Order, range: &Range<u64>) -> Result<(), Errno> {
    ask_with(order, range, threads::set())
}

/// The same, with another word than the calling thread's set of colors.
pub fn ask_with(order: Order, range: &Range<u64>, word: u32) -> Result<(), Errno> {
    let Some(shared) = state::shared() else { return Ok(()) };
    // A handler of a signal that came while its thread asked: it would wait for itself.
    if ASKING.try_with(|asking| asking.replace(true)).unwrap_or(false) {
        return Ok(());
    }
    let before = state::errno();
    let result = shared.port.ask(order, range.clone(), word).unwrap_or(Ok(()));
    state::set_errno(before);
    let _ = ASKING.try_with(|asking| asking.set(false));
    result
}

/// The pages of a piece of memory.
pub fn pages(start: *mut c_void, bytes: usize) -> Range<u64> {
    let page = rustix::param::page_size() as u64;
    let start = start.expose_provenance() as u64;
    start / page * page..(start + bytes as u64).next_multiple_of(page)
}

/// # Safety
/// As `mmap`.
unsafe fn raw_mmap(
    address: *mut c_void,
    bytes: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: c_long,
) -> *mut c_void {
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_mmap, address, bytes, access, flags, file, offset) as *mut c_void }
}

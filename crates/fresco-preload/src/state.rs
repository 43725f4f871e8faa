// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where this process stands: before the pager, with one, without one, or a child that has yet to start its own.

use crate::{last, own_heap, ranges, report, threads, totals};
use fresco_linux::colors::{ENVIRONMENT, Request, WhenFull};
use fresco_linux::pager::{self, Order, PagerPort, Started, Stats};
use fresco_linux::proc::keep_mapped;
use rustix::process::getpid;
use std::env;
use std::ffi::c_int;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

/// Nothing has been decided.
const EARLY: u32 = 0;
/// A child whose memory nobody watches yet.
const CHILD: u32 = 1;
/// The pager starts.
const STARTING: u32 = 2;
/// Nothing was asked for, or it cannot be had.
const PLAIN: u32 = 3;
/// The pager serves.
const COLORED: u32 = 4;

static STATE: AtomicU32 = AtomicU32::new(EARLY);
/// The process whose pager it is: a child by `vfork` has the parent's memory.
static OWNER: AtomicI32 = AtomicI32::new(0);
static SHARED: OnceLock<Shared> = OnceLock::new();
static STATS: Stats = Stats::new();
/// Whether the program uses the C library's own heap, as it does where memory is not colored from the beginning.
static BARE: AtomicBool = AtomicBool::new(false);

/// What the program was asked to run with, and how the pager is reached.
pub struct Shared {
    /// The request.
    pub request: Request,
    /// The way to the pager.
    pub port: PagerPort,
}

/// Counts of the pager.
pub fn stats() -> &'static Stats {
    &STATS
}

/// What the program was asked to run with, if its memory is colored or, as in a child, about to be.
pub fn shared() -> Option<&'static Shared> {
    SHARED.get()
}

/// Returns true if the pager serves.
pub fn is_colored() -> bool {
    STATE.load(Ordering::Acquire) == COLORED
}

/// Returns true if the pager serves, and is a thread of the calling process.
pub fn has_pager() -> bool {
    is_colored() && OWNER.load(Ordering::Relaxed) == getpid().as_raw_nonzero().get()
}

/// Returns true if the program's memory is colored, or may be once the pager serves.
pub fn will_be_colored() -> bool {
    STATE.load(Ordering::Acquire) != PLAIN
}

/// Returns true if memory has to come from elsewhere than the heap. A child starts its pager when this is first called:
/// most children become other programs before they ask for memory.
#[inline]
pub fn is_early() -> bool {
    STATE.load(Ordering::Relaxed) < PLAIN && is_early_or_child()
}

#[cold]
fn is_early_or_child() -> bool {
    if STATE
        .compare_exchange(CHILD, STARTING, Ordering::AcqRel, Ordering::Relaxed)
        .is_ok()
    {
        let before = errno();
        start(true);
        set_errno(before);
    }
    STATE.load(Ordering::Acquire) < PLAIN
}

/// Returns true if frames are promised to the program's memory when it is mapped.
pub fn is_strict() -> bool {
    is_colored() && shared().is_some_and(|shared| shared.request.when_full == WhenFull::Strict)
}

/// Returns true if the program uses the C library's own heap.
#[inline]
pub fn is_bare() -> bool {
    BARE.load(Ordering::Relaxed)
}

/// The value of `errno` in this thread.
pub fn errno() -> c_int {
    // SAFETY: the C library gives the address of a variable that lives as long as the thread.
    unsafe { *libc::__errno_location() }
}

/// Sets it.
pub fn set_errno(value: c_int) {
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = value };
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

/// Runs before the program's own code.
extern "C" fn begin() {
    let text = env::var_os(ENVIRONMENT);
    let request = text.as_ref().and_then(|text| Request::parse(text.as_bytes()));
    if let Some(text) = text.as_ref().filter(|_| request.is_some()) {
        // Failing, the environment is all there is.
        let _ = keep_mapped(text.as_bytes());
    }
    let shared = request.and_then(|request| {
        let port = PagerPort::new().ok()?;
        Some(SHARED.get_or_init(|| Shared { request, port }))
    });
    // Before anything is told.
    report::remember_stream();
    let Some(shared) = shared else {
        if text.is_some() {
            report::tell(format_args!(
                "the request in {ENVIRONMENT} is not one of this version; memory is not colored"
            ));
        }
        BARE.store(true, Ordering::Relaxed);
        STATE.store(PLAIN, Ordering::Release);
        return;
    };
    if shared.request.stats {
        totals::begin();
    }
    last::begin();
    crate::map::configure(shared.request.when_full);
    STATE.store(STARTING, Ordering::Release);
    // SAFETY: the last function runs in the child, where one thread is left.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child)) };
    start(false);
    if !is_colored() {
        BARE.store(true, Ordering::Relaxed);
    }
    threads::begin();
}

fn start(forked: bool) {
    let Some(shared) = shared() else { return };
    STATS.clear();
    OWNER.store(getpid().as_raw_nonzero().get(), Ordering::Relaxed);
    let started = Started {
        ranges: ranges::all(),
        forked,
        // A child has its parent's.
        reserves: if forked { 0 } else { crate::map::RESERVED },
    };
    let waiting = || {
        if shared.request.pool_bytes > 0 {
            report::tell_pool(&shared.request, None);
        }
    };
    match pager::start(shared.request.clone(), &shared.port, &STATS, started, waiting) {
        Ok(collected) => {
            STATE.store(COLORED, Ordering::Release);
            totals::began();
            if let Err(short) = collected {
                report::tell_pool(&shared.request, Some(short));
            }
        }
        Err(refusal) => {
            STATE.store(PLAIN, Ordering::Release);
            report::tell_refusal(refusal, forked);
        }
    }
}

/// A page that the pager has in hand would be missing in the child.
extern "C" fn before_fork() {
    if let Some(shared) = shared() {
        shared.port.latch().lock();
    }
}

extern "C" fn in_parent() {
    if let Some(shared) = shared() {
        shared.port.latch().unlock();
    }
    if is_colored() {
        // Without a pager there is nothing to repair.
        let _ = crate::map::ask(Order::Repair, &(0..0));
    }
}

extern "C" fn in_child() {
    // SAFETY: after fork the child has one thread.
    unsafe { own_heap::reset() };
    ranges::reset();
    threads::reset();
    if let Some(shared) = shared() {
        shared.port.reset();
        last::begin();
    }
    if STATE.load(Ordering::Acquire) != PLAIN {
        STATE.store(CHILD, Ordering::Release);
    }
}

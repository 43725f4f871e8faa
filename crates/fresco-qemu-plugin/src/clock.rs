// SPDX-License-Identifier: GPL-2.0-or-later
//! The clock of a machine that is emulated, in the plugin's hands.
//!
//! A machine's time is the host's for QEMU, as CLOCK_MONOTONIC of the C library tells it. `qemu_plugin_update_ns` sets no time where QEMU
//! executes the machine itself: up to version 10 at least it waits until the host's clock has come that far. So the plugin puts functions of its own in place of two of the C library's that QEMU
//! calls: `clock_gettime`, which tells the machine's time, and `ppoll`, in which QEMU's main loop waits for its next timer. When time moves
//! beyond that timer the main loop is woken, and the processor goes on when the main loop waits again: timers are over at their time, whatever
//! the host does meanwhile.

use crate::{baton, futex, got};
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicUsize};

const NS: i64 = 1_000_000_000;
/// File descriptors that the main loop waits for, at most, but for ours.
const MOST: usize = 255;
/// A processor waits for the main loop so long, and so often: at the end that may wait for the processor.
const PATIENCE_NS: i64 = 10_000_000;
const TIMES: u32 = 100;

/// Where no processor executes anything time is over at the next timer: after so long, in which one would have begun that an interrupt wakes.
const IDLE_NS: i64 = 2_000_000;

/// What the clock shows when the machine begins, the same each time: the host's is not looked at.
const BEGAN: i64 = NS;
/// The time.
static NOW: AtomicI64 = AtomicI64::new(BEGAN);
/// The thread of the main loop.
static MAIN: AtomicI32 = AtomicI32::new(0);
/// What wakes it.
static KICK: AtomicI32 = AtomicI32::new(-1);
/// When its next timer is over.
static DEADLINE: AtomicI64 = AtomicI64::new(i64::MAX);
/// Odd while it waits.
static WAITS: AtomicU32 = AtomicU32::new(0);
/// What it waits for. Only the main loop writes it; others let the kernel look at it.
static mut FILES: [libc::pollfd; MOST + 1] = [const {
    libc::pollfd {
        fd: -1,
        events: 0,
        revents: 0,
    }
}; MOST + 1];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Puts the clock in the place of the host's. Called on the thread of the main loop, before the machine begins.
///
/// # Errors
/// QEMU does not call the C library's functions by their names.
pub fn control() -> Result<(), String> {
    // SAFETY: no memory is involved.
    let kick = unsafe {
        MAIN.store(libc::gettid(), Relaxed);
        libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK)
    };
    if kick < 0 {
        return Err("no file to wake QEMU by".into());
    }
    KICK.store(kick, Relaxed);
    // SAFETY: functions of the same types.
    let replaced = unsafe {
        got::replace(c"clock_gettime", clock_gettime as *const c_void) && got::replace(c"ppoll", ppoll as *const c_void)
    };
    match replaced {
        true => Ok(()),
        false => Err("this QEMU has its C library within it, whose clock cannot be replaced".into()),
    }
}

/// It is so many nanoseconds since the machine began, never less than before. Returns when all timers are over that are due by then. Called in a call about a block,
/// where QEMU's main loop need not wait for the processor.
pub fn set(ns: i64) {
    let now = BEGAN + ns;
    NOW.fetch_max(now, AcqRel);
    let mut kicked = None;
    for _ in 0..TIMES {
        let waits = WAITS.load(Acquire);
        if waits % 2 == 1 {
            if now >= DEADLINE.load(Relaxed) {
                if kicked.replace(waits) != Some(waits) {
                    kick();
                }
            } else if !has_work() {
                return;
            }
        }
        // Until the main loop begins to wait, or ends waiting.
        futex::changes(&WAITS, waits, PATIENCE_NS);
    }
}

/// Returns true if the main loop waits for something that is there already.
fn has_work() -> bool {
    // SAFETY: a mapping that stays, of which the main loop may write anything at any time: a look at other files is no harm, since the
    // main loop goes on then and another look follows.
    unsafe { libc::poll((&raw mut FILES).cast(), COUNT.load(Relaxed) as libc::nfds_t, 0) > 0 }
}

/// The time, in nanoseconds since the machine began.
pub fn now() -> i64 {
    NOW.load(Acquire) - BEGAN
}

/// Has the main loop look again whether any processor executes anything.
pub fn kick() {
    let one = 1u64;
    // SAFETY: eight bytes that live as long as the call.
    unsafe { libc::write(KICK.load(Relaxed), (&raw const one).cast(), 8) };
}

fn turn() {
    WAITS.fetch_add(1, AcqRel);
    futex::wake(&WAITS);
}

/// In the place of the C library's.
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    if clock != libc::CLOCK_MONOTONIC {
        // SAFETY: as the caller says.
        return unsafe { libc::clock_gettime(clock, time) };
    }
    let now = NOW.load(Acquire);
    let (tv_sec, tv_nsec) = (now / NS, now % NS);
    // SAFETY: as the caller says.
    unsafe { time.write(libc::timespec { tv_sec, tv_nsec }) };
    0
}

/// In the place of the C library's.
unsafe extern "C" fn ppoll(
    files: *mut libc::pollfd,
    count: libc::nfds_t,
    most: *const libc::timespec,
    mask: *const libc::sigset_t,
) -> c_int {
    // SAFETY: as the caller says; a place of the files beyond those of the caller is ours.
    unsafe {
        let most_ns = most
            .as_ref()
            .map(|most| most.tv_sec.saturating_mul(NS).saturating_add(most.tv_nsec));
        let length = count as usize;
        if libc::gettid() != MAIN.load(Relaxed) || most_ns == Some(0) || length > MOST {
            return libc::ppoll(files, count, most, mask);
        }
        let own: *mut libc::pollfd = (&raw mut FILES).cast();
        std::ptr::copy_nonoverlapping(files, own, length);
        let fd = KICK.load(Relaxed);
        own.add(length).write(libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        });
        COUNT.store(length + 1, Relaxed);
        let now = NOW.load(Acquire);
        let deadline = most_ns.map_or(i64::MAX, |most| now.saturating_add(most));
        DEADLINE.store(deadline, Relaxed);
        turn();
        let idle = libc::timespec {
            tv_sec: 0,
            tv_nsec: IDLE_NS,
        };
        let most = if baton::is_free() {
            &raw const idle
        } else {
            std::ptr::null()
        };
        let found = libc::ppoll(own, count + 1, most, mask);
        if found == 0 && deadline < i64::MAX && baton::is_free() {
            NOW.fetch_max(deadline, AcqRel);
        }
        turn();
        std::ptr::copy_nonoverlapping(own, files, length);
        let kicked = found > 0 && (*own.add(length)).revents != 0;
        if kicked {
            let mut times = 0u64;
            libc::read(fd, (&raw mut times).cast(), 8);
        }
        found - c_int::from(kicked)
    }
}

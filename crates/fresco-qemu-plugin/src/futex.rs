// SPDX-License-Identifier: GPL-2.0-or-later
//! Threads that wait until a word changes.

use std::ffi::c_int;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Acquire;

/// How often a thread looks before it sleeps.
const LOOKS: u32 = 200;

/// Until the word is another one; false if it was not by the end of one sleep of so many nanoseconds at most.
pub fn changes(word: &'static AtomicU32, from: u32, sleeps_ns: i64) -> bool {
    for _ in 0..LOOKS {
        if word.load(Acquire) != from {
            return true;
        }
        std::hint::spin_loop();
    }
    let most = libc::timespec {
        tv_sec: 0,
        tv_nsec: sleeps_ns,
    };
    // SAFETY: the word lives for ever, and the time as long as the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, from, &raw const most) };
    word.load(Acquire) != from
}

/// All who wait for the word look again.
pub fn wake(word: &'static AtomicU32) {
    // SAFETY: the word lives for ever.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, c_int::MAX) };
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of the standards, which the core reads at their first use and keeps for all memories of a process.
//!
//! The core needs no help to do that once. But what checks a host for races, as the thread sanitizer and helgrind do, does not see how threads wait
//! for each other in Rust, and would report each use of a table that another thread read. It sees mutexes of pthreads: so the tables are read with
//! one locked, which every thread locks before it makes a memory.

use fresco_memory::embedded::{Memory, Options};
use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::sync::Once;

/// A `pthread_mutex_t` as `PTHREAD_MUTEX_INITIALIZER` leaves it on Linux, all zero; the largest has 48 bytes.
#[repr(C, align(16))]
struct Mutex(UnsafeCell<[u8; 64]>);

// SAFETY: it is for threads to share, and nothing but pthreads looks into it.
unsafe impl Sync for Mutex {}

static MUTEX: Mutex = Mutex(UnsafeCell::new([0; 64]));

unsafe extern "C" {
    fn pthread_mutex_lock(mutex: *mut [u8; 64]) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut [u8; 64]) -> c_int;
}

/// The mutex, locked.
struct Locked;

impl Locked {
    fn new() -> Self {
        // SAFETY: a mutex that is never moved nor destroyed. Of another thread, or of nobody: nothing in here comes back here.
        unsafe { pthread_mutex_lock(MUTEX.0.get()) };
        Self
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: as above, and this thread has it.
        unsafe { pthread_mutex_unlock(MUTEX.0.get()) };
    }
}

/// Has the tables read, if they have not been.
pub(crate) fn read() {
    static READ: Once = Once::new();
    let _locked = Locked::new();
    READ.call_once(|| {
        let options = Options {
            check: true,
            ..Options::default()
        };
        // Any machine needs all of them.
        drop(fresco_machine::builtin("ddr4-2400-bench").map(|machine| Memory::new(&machine, options)));
    });
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs whose first thread ends before others. The C library ends a process, as `exit` does, with its last thread; for
//! it the pager is one. So a thread of the program takes the part of the last one: it waits until there is no other, and exits.

use crate::{state, threads};
use fresco_linux::pager::{Order, without_signals};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{null_mut, without_provenance};
use std::sync::OnceLock;

/// Bytes of its stack: functions registered with `atexit` run on it.
const STACK: usize = 256 << 10;

/// What calls [`first_leaves`] in the first thread.
static KEY: OnceLock<libc::pthread_key_t> = OnceLock::new();

/// The calling thread is the first of its process.
pub fn begin() {
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: fills the key; the function takes what is set below. Without a key, 0 is not set.
        match unsafe { libc::pthread_key_create(&mut key, Some(first_leaves)) } {
            0 => key,
            _ => libc::pthread_key_t::MAX,
        }
    });
    // SAFETY: a key that does not exist is refused; the value is not used, but has to be something.
    unsafe { libc::pthread_setspecific(*key, without_provenance::<c_void>(1)) };
}

/// Runs when a first thread calls `pthread_exit`, not when the process exits.
extern "C" fn first_leaves(_: *mut c_void) {
    let Some(shared) = state::shared().filter(|_| state::is_colored()) else {
        return;
    };
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut thread = MaybeUninit::uninit();
    // SAFETY: the attributes are made before they are used; the thread is nobody's to join.
    unsafe {
        libc::pthread_attr_init(attributes.as_mut_ptr());
        libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK);
        libc::pthread_attr_setdetachstate(attributes.as_mut_ptr(), libc::PTHREAD_CREATE_DETACHED);
        without_signals(|| threads::create(thread.as_mut_ptr(), attributes.as_ptr(), be_last, null_mut()));
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    // Without it what is done at exit is not done, but the process ends.
    let _ = shared.port.ask(Order::FirstLeaves, 0..0, 0);
}

extern "C" fn be_last(_: *mut c_void) -> *mut c_void {
    if let Some(shared) = state::shared() {
        shared.port.wait_for_the_end();
        // SAFETY: no other thread of the program is left; the C library would do the same.
        unsafe { libc::exit(0) };
    }
    null_mut()
}

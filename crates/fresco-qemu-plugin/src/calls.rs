// SPDX-License-Identifier: GPL-2.0-or-later
//! System calls of the program, and what they say of the order of its threads.

use crate::{PLUGIN, ends, qemu, share, slot};
use fresco_ring::event::{BIRTHS, LOW, RETURN, SYSCALL, object};
use std::cell::Cell;
use std::ffi::c_uint;

thread_local! {
    /// What the kernel is to wake at the end of the thread that this one is about to make.
    pub static WOKEN: Cell<u64> = const { Cell::new(0) };
}

/// Flags of futex operations: private, clock.
const FUTEX_FLAGS: u64 = 128 | 256;

/// Returns true if a futex operation wakes others: FUTEX_WAKE, those that requeue, FUTEX_UNLOCK_PI, FUTEX_WAKE_BITSET.
fn wakes(operation: u64) -> bool {
    matches!(operation & !FUTEX_FLAGS, 1..=5 | 7 | 10)
}

/// A system call begins.
pub unsafe extern "C" fn on_call(
    _: qemu::Id,
    thread: c_uint,
    number: i64,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
    _: u64,
    _: u64,
) {
    let Some(plugin) = PLUGIN.get() else { return };
    ends::before_call(plugin);
    plugin
        .ring
        .push_all(slot(thread), &[SYSCALL | number as u64 & LOW, a, b, c, d, e, f]);
    let [clone, exit, futex] = plugin.architecture.calls();
    if number == clone {
        let cleared = [a, b, c, d, e][plugin.architecture.cleared()];
        WOKEN.set(cleared);
        share(cleared);
        plugin.order(thread, BIRTHS);
    } else if number == exit {
        plugin.order(thread, object(plugin.ring.woken(slot(thread))));
    } else if number == futex {
        FUTEX.set((a, b));
        share(a);
        // Who wakes does so from here on; who waits has waited when it returns.
        if wakes(b) {
            plugin.order(thread, object(a));
        }
    }
}

thread_local! {
    /// Address and operation of the futex call that this thread is in.
    static FUTEX: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A system call is over.
pub unsafe extern "C" fn on_return(_: qemu::Id, thread: c_uint, number: i64, result: i64) {
    let Some(plugin) = PLUGIN.get() else { return };
    plugin
        .ring
        .push_all(slot(thread), &[RETURN | number as u64 & LOW, result as u64]);
    let (word, operation) = FUTEX.get();
    if number == plugin.architecture.calls()[2] && !wakes(operation) {
        plugin.after(thread, object(word));
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lock that a child can set free: whoever held it in the parent is not there.

use rustix::thread::futex;
use std::sync::atomic::{AtomicU32, Ordering};

/// A lock without a guard; it is let go where it was taken.
#[derive(Debug, Default)]
pub struct Latch {
    /// 0 free, 1 locked, 2 locked and waited for.
    state: AtomicU32,
}

impl Latch {
    /// A free one.
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
        }
    }

    /// Takes it if it is free.
    pub fn try_lock(&self) -> bool {
        self.state
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Waits for it.
    pub fn lock(&self) {
        if self.try_lock() {
            return;
        }
        while self.state.swap(2, Ordering::Acquire) != 0 {
            // Woken, interrupted or too late: look again in any case.
            let _ = futex::wait(&self.state, futex::Flags::PRIVATE, 2, None);
        }
    }

    /// Lets it go.
    pub fn unlock(&self) {
        if self.state.swap(0, Ordering::Release) == 2 {
            // It fails for bad addresses only.
            let _ = futex::wake(&self.state, futex::Flags::PRIVATE, 1);
        }
    }

    /// In a child there is one thread, and the lock is free, whoever held it in the parent.
    pub fn reset(&self) {
        self.state.store(0, Ordering::Relaxed);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! A lock that a child can set free: whoever held it in the parent is not there. Who waits for it comes before who only
//! tries: a pager that works on page after page does not hold up a fork.

use rustix::thread::futex;
use std::sync::atomic::{AtomicU32, Ordering};

/// A lock without a guard; it is let go where it was taken.
#[derive(Debug, Default)]
pub struct Latch {
    /// 0 free, 1 locked, 2 locked and waited for.
    state: AtomicU32,
    /// Threads that wait for it.
    waiting: AtomicU32,
}

impl Latch {
    /// A free one.
    pub const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
        }
    }

    /// Takes it if it is free and nobody waits for it.
    pub fn try_lock(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0 && self.take()
    }

    fn take(&self) -> bool {
        self.state
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Waits for it.
    pub fn lock(&self) {
        if self.take() {
            return;
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        while self.state.swap(2, Ordering::Acquire) != 0 {
            // Woken, interrupted or too late: look again in any case.
            let _ = futex::wait(&self.state, futex::Flags::PRIVATE, 2, None);
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
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
        self.waiting.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn who_waits_comes_before_who_tries() {
        let latch = Latch::new();
        latch.waiting.store(1, Ordering::Relaxed);
        assert!(!latch.try_lock());
        latch.lock();
        latch.unlock();
        latch.reset();
        assert!(latch.try_lock());
    }

    #[test]
    fn one_at_a_time() {
        let latch = Arc::new((Latch::new(), AtomicU32::new(0)));
        let work = |times: u32, tries: bool| {
            let latch = latch.clone();
            thread::spawn(move || {
                let mut done = 0;
                while done < times {
                    match tries {
                        true if !latch.0.try_lock() => continue,
                        true => {}
                        false => latch.0.lock(),
                    }
                    // Not atomic: two at a time would lose some.
                    let before = latch.1.load(Ordering::Relaxed);
                    latch.1.store(before + 1, Ordering::Relaxed);
                    latch.0.unlock();
                    done += 1;
                }
            })
        };
        let threads = [work(20_000, true), work(20_000, false), work(20_000, false)];
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        assert_eq!(latch.1.load(Ordering::Relaxed), 60_000);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the pager has done, readable from every thread.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of pages, but for set-up.
#[derive(Debug, Default)]
pub struct Stats {
    /// Placed in frames of the colours asked for.
    pub placed: AtomicU64,
    /// Given back their colours after a fork.
    pub mended: AtomicU64,
    /// Left to the kernel.
    pub spilled: AtomicU64,
    /// Looked at in search of frames.
    pub scanned: AtomicU64,
    /// Collected before the program starts.
    pub collected: AtomicU64,
    /// Faults answered.
    pub faults: AtomicU64,
    /// Microseconds until it served, the pool's collection included.
    pub set_up: AtomicU64,
    /// Those of processors.
    pub set_up_processor: AtomicU64,
}

impl Stats {
    /// All zero.
    pub const fn new() -> Self {
        Self {
            placed: AtomicU64::new(0),
            mended: AtomicU64::new(0),
            spilled: AtomicU64::new(0),
            scanned: AtomicU64::new(0),
            collected: AtomicU64::new(0),
            faults: AtomicU64::new(0),
            set_up: AtomicU64::new(0),
            set_up_processor: AtomicU64::new(0),
        }
    }

    /// All zero again, as in a child.
    pub fn clear(&self) {
        let pages = [
            &self.placed,
            &self.mended,
            &self.spilled,
            &self.scanned,
            &self.collected,
        ];
        for count in pages
            .into_iter()
            .chain([&self.faults, &self.set_up, &self.set_up_processor])
        {
            count.store(0, Ordering::Relaxed);
        }
    }
}

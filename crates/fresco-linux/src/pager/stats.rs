// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the pager has done, readable from every thread.

use super::promise::Unkept;
use crate::pool::{Pool, Short};
use crate::sys::page_bytes;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a search for frames promised at once is, or why it was given up. In bytes.
#[derive(Debug, Default)]
pub struct SearchStats {
    /// What there is to give.
    pub found: AtomicU64,
    /// What it holds to find them.
    pub held: AtomicU64,
    /// What it may hold; 0 if the kernel gave no more memory.
    pub limit: AtomicU64,
    /// What it would find with that, if it was given up for being too little.
    pub likely: AtomicU64,
    /// How many were given up.
    pub refusals: AtomicU64,
}

impl SearchStats {
    const fn new() -> Self {
        Self {
            found: AtomicU64::new(0),
            held: AtomicU64::new(0),
            limit: AtomicU64::new(0),
            likely: AtomicU64::new(0),
            refusals: AtomicU64::new(0),
        }
    }

    /// Takes down how things stand.
    pub(super) fn tell(&self, pool: &Pool, kept: Result<(), Unkept>) {
        let set = |count: &AtomicU64, bytes: u64| count.store(bytes, Ordering::Relaxed);
        match kept {
            Ok(()) | Err(Unkept::RefusedAgain) => {}
            Err(Unkept::NotYet) => {
                set(&self.found, pool.pages() * page_bytes());
                set(&self.held, pool.held());
            }
            Err(Unkept::Refused(short)) => {
                set(&self.found, pool.pages() * page_bytes());
                let (limit, likely) = match short {
                    Short::Held(limit) => (limit, 0),
                    Short::Hopeless { limit, likely } => (limit, likely.max(1)),
                    Short::Memory | Short::Time => (0, 0),
                };
                set(&self.limit, limit);
                set(&self.likely, likely);
                self.refusals.fetch_add(1, Ordering::Release);
            }
        }
    }
}

/// Counts of pages, but for set-up.
#[derive(Debug, Default)]
pub struct Stats {
    /// Placed in frames of the colors asked for.
    pub placed: AtomicU64,
    /// Given back their colors after a fork.
    pub mended: AtomicU64,
    /// Left to the kernel.
    pub spilled: AtomicU64,
    /// Looked at in search of frames.
    pub scanned: AtomicU64,
    /// Collected before the program starts.
    pub collected: AtomicU64,
    /// Faults answered.
    pub faults: AtomicU64,
    /// The last search for frames promised at once.
    pub search: SearchStats,
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
            search: SearchStats::new(),
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

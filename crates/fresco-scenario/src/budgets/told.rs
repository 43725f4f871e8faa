// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines that cores have moved, for who keeps their budgets in place of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Lines that each core has moved since the run began, by number. Copies share them.
#[derive(Clone, Debug)]
pub struct Told(Arc<[AtomicU64]>);

impl Told {
    /// Of so many cores, none of which has moved any.
    pub fn new(cores: usize) -> Self {
        Self((0..cores).map(|_| AtomicU64::new(0)).collect())
    }

    /// A core has moved so many lines. Nobody asks for those of cores that are not there.
    pub fn add(&self, core: u32, lines: u64) {
        if let Some(count) = self.0.get(core as usize) {
            count.fetch_add(lines, Relaxed);
        }
    }

    /// Lines that a core has moved so far.
    pub fn lines(&self, core: u32) -> u64 {
        self.0.get(core as usize).map_or(0, |count| count.load(Relaxed))
    }
}

/// The same counts, not equal ones.
impl PartialEq for Told {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Told {}

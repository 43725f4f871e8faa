// SPDX-License-Identifier: MIT OR Apache-2.0
//! That a runner has nothing to do but to wait for another one.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Others need so long for what they are at, and nobody need know: a frame is stored about once a second.
const PATIENCE: Duration = Duration::from_secs(2);

/// Since when it waits, and whether it has said so.
#[derive(Default)]
pub struct Waits(Mutex<Option<(Instant, bool)>>);

impl Waits {
    /// What is to be said of so many points in `directory` that others hold, if anything: once each time that it waits for long.
    pub fn message(&self, points: u32, directory: &Path) -> Option<String> {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if points == 0 {
            *since = None;
            return None;
        }
        let (begun, is_told) = since.get_or_insert((Instant::now(), false));
        if *is_told || begun.elapsed() < PATIENCE {
            return None;
        }
        *is_told = true;
        Some(format!(
            "fresco: {}: nothing is left but {points} points that another runner has claimed: waits until they are stored, or until it ends; if it was \
             stopped (SIGSTOP, Ctrl-Z), let it go on or end it",
            directory.display()
        ))
    }
}

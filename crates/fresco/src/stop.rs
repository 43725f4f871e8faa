// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C: what takes long ends early, with what it has.

use fresco_streams::{Signal, was_ignored};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of what has ended early: what a shell makes of a program that SIGINT has ended.
pub const STOPPED: u8 = 130;

/// Tells whether the user has asked for an end.
#[derive(Clone, Debug)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// From here on the first Ctrl-C asks for an end, and another one ends the program at once. One that a shell has
    /// ignored for the program stays ignored.
    pub fn on_interrupt() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        if !was_ignored(Signal::Interrupt) {
            // In this order: the first signal finds the flag unset. Both fail for signals only that this one is not.
            let _ = flag::register_conditional_default(SIGINT, Arc::clone(&asked));
            let _ = flag::register(SIGINT, Arc::clone(&asked));
        }
        Self(asked)
    }

    /// Ctrl-C keeps ending the program at once.
    pub fn never() -> Self {
        Self(Arc::default())
    }

    /// Returns true if the user has asked for an end.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

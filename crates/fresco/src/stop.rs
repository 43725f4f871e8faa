// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C: what takes long ends early, with what it has.

use crate::failure::tell;
use fresco_streams::{Signal, was_ignored};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level};
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is not over so long after SIGTERM or SIGHUP is given up, where that can be: who sends these kills after a while, or has gone.
const GRACE: Duration = Duration::from_secs(2);

/// Exit status of what has ended early: what a shell makes of a program that SIGINT has ended.
pub const STOPPED: u8 = 130;

/// From here on a file that grows beyond RLIMIT_FSIZE is a failure to write, as a full disk is, and not the end of the program. Programs
/// that it starts have what they had: a handler does not outlive `exec`.
pub fn outlive_file_size_limit() {
    // Fails for signals only that this one is not.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Signals that ask for an end, but those that a shell has ignored for the program.
fn heard() -> impl Iterator<Item = i32> {
    let interrupt = (!was_ignored(Signal::Interrupt)).then_some(SIGINT);
    let hangup = (!was_ignored(Signal::Hangup)).then_some(SIGHUP);
    [interrupt, Some(SIGTERM), hangup].into_iter().flatten()
}

/// Tells whether the user has asked for an end.
#[derive(Clone, Debug)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    given_up: Arc<AtomicBool>,
}

impl Stop {
    /// From here on the first Ctrl-C, SIGTERM or SIGHUP (a terminal that is closed) asks for an end, and another one ends the program at
    /// once. What a shell has ignored for the program stays ignored.
    pub fn on_any_end() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in heard() {
            // In this order: the first signal finds the flag unset. Both fail for signals only that these are not.
            let _ = flag::register_conditional_default(signal, Arc::clone(&asked));
            let _ = flag::register(signal, Arc::clone(&asked));
        }
        Self {
            asked,
            given_up: Arc::default(),
        }
    }

    /// As [`Self::on_any_end`], and says so when one of them asks for it: for what ends only once something that may take long,
    /// `present`, is over.
    pub fn after(present: &'static str) -> Self {
        Self::after_or(present, false)
    }

    /// As [`Self::after`], but two seconds after SIGTERM or SIGHUP [`Self::is_given_up`] says that `present` is to be given up. After
    /// Ctrl-C it may last: who waits can press it again.
    pub fn after_grace(present: &'static str) -> Self {
        Self::after_or(present, true)
    }

    fn after_or(present: &'static str, gives_up: bool) -> Self {
        let stop = Self::on_any_end();
        let ended = Arc::new(AtomicBool::new(false));
        for signal in heard().filter(|&signal| gives_up && signal != SIGINT) {
            // Before the teller is woken.
            let _ = flag::register(signal, Arc::clone(&ended));
        }
        // A handler may not print: it wakes a thread that does. Without one nothing is said.
        let Ok((mut told, teller)) = UnixStream::pair() else {
            return stop;
        };
        for signal in heard() {
            if let Ok(teller) = teller.try_clone() {
                let _ = low_level::pipe::register(signal, teller);
            }
        }
        let given_up = Arc::clone(&stop.given_up);
        std::thread::spawn(move || {
            if told.read_exact(&mut [0]).is_err() {
                return;
            }
            let gives_up = ended.load(Ordering::Relaxed);
            let grace = match gives_up {
                true => format!(", and gives up what is not in {} s", GRACE.as_secs()),
                false => String::new(),
            };
            tell(&format!(
                "fresco: stops when {present} is over{grace}; another Ctrl-C ends it at once, without results"
            ));
            if gives_up {
                std::thread::sleep(GRACE);
                given_up.store(true, Ordering::Relaxed);
            }
        });
        stop
    }

    /// Ctrl-C keeps ending the program at once.
    pub fn never() -> Self {
        Self {
            asked: Arc::default(),
            given_up: Arc::default(),
        }
    }

    /// What an end was asked for is over, and something else begins: the next signal asks for the end of that.
    pub fn ask_again(&self) {
        self.asked.store(false, Ordering::Relaxed);
    }

    /// Returns true if the user has asked for an end.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns true if what has begun is to be given up, too.
    pub fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The standard streams, and the signals that have to do with them, as the program was started with them.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a standard stream that is closed, and ignores SIGPIPE. A
//! result written to a closed standard output would be lost without a word, and nobody could tell what a reader that
//! goes away was meant to do. `look` runs before the runtime and remembers both.
//!
//! On other systems than Linux the streams are taken to be open, and the signals not to be ignored.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};

/// A standard stream; its value is the number of its file descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stream {
    /// Standard input.
    Input = 0,
    /// Standard output.
    Output = 1,
}

/// A signal of the terminal or of a pipe; its value is its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Signal {
    /// SIGINT: Ctrl-C. Shells ignore it for what they run in the background of a script.
    Interrupt = 2,
    /// SIGHUP: the terminal is closed; `nohup` ignores it.
    Hangup = 1,
    /// SIGPIPE: the reader of what is written has gone away.
    Pipe = 13,
}

/// Bit n: file descriptor n was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);
/// Bit n: signal n was ignored.
static IGNORED: AtomicU16 = AtomicU16::new(0);

/// The loader calls what stands in this section before `main`. Only [`looked`] refers to it, so that only programs that
/// ask have it.
#[cfg(target_os = "linux")]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    for stream in [Stream::Input, Stream::Output] {
        // SAFETY: F_GETFD takes a number, open or not, and touches no memory.
        if unsafe { libc::fcntl(libc::c_int::from(stream as u8), libc::F_GETFD) } == -1 {
            CLOSED.fetch_or(1 << stream as u8, Ordering::Relaxed);
        }
    }
    for signal in [Signal::Hangup, Signal::Interrupt, Signal::Pipe] {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action, the call writes the present one to the pointer, which is valid for it.
        let asked = unsafe { libc::sigaction(libc::c_int::from(signal as u8), std::ptr::null(), action.as_mut_ptr()) };
        // SAFETY: zeroes are a valid value, and so is what the call has put in their place.
        if asked == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN {
            IGNORED.fetch_or(1 << signal as u8, Ordering::Relaxed);
        }
    }
}

/// Keeps [`LOOK`] in programs that come here.
fn looked() {
    #[cfg(target_os = "linux")]
    std::hint::black_box(&raw const LOOK);
}

/// Returns true if the stream was open when the program started.
pub fn was_open(stream: Stream) -> bool {
    looked();
    CLOSED.load(Ordering::Relaxed) & (1 << stream as u8) == 0
}

/// Returns true if the program was started with the signal ignored.
pub fn was_ignored(signal: Signal) -> bool {
    looked();
    IGNORED.load(Ordering::Relaxed) & (1 << signal as u8) != 0
}

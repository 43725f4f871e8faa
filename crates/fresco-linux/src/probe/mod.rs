// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timing the memory of this machine: frames of our own whose numbers are known, loads past the caches, a counter.
//!
//! [`Held`] takes memory and finds its frames; [`Timed`] loads lines of it by physical address and says how long that
//! took; [`Conditions`] are what else went on; [`pci_functions`] are registers. What the times mean is for others to find out.

mod conditions;
mod counter;
pub mod firmware;
pub mod fuzz;
mod held;
mod loads;
mod pci;
mod proved;
mod streams;
mod timed;

pub use conditions::Conditions;
pub use counter::Counter;
pub use held::Held;
pub use pci::pci_functions;
pub use proved::ProvedMap;
pub use streams::Walk;
pub use timed::Timed;

use rustix::io::Errno;
use rustix::process::geteuid;
use std::fmt;

/// Returns true if the effective user of this process is root.
pub fn is_root() -> bool {
    geteuid().is_root()
}

/// Why memory cannot be timed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeRefusal {
    /// Frame numbers are hidden from this process.
    Hidden,
    /// There is no memory to hold, or too little.
    Memory(Errno),
    /// The processor's counter does not tick evenly, or is none that is known.
    Counter(&'static str),
    /// The processor that is to measure may not be used.
    Processor(Errno),
}

impl fmt::Display for ProbeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hidden => f.write_str(
                "the kernel hides frame numbers from this process (it takes CAP_SYS_ADMIN outside of containers)",
            ),
            Self::Memory(error) => write!(f, "memory to probe cannot be had: {error}"),
            Self::Counter(reason) => f.write_str(reason),
            Self::Processor(error) => write!(f, "this process cannot be kept on one processor: {error}"),
        }
    }
}

impl std::error::Error for ProbeRefusal {}

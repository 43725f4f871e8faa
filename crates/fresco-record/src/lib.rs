// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records what an unmodified Linux program does: every load and store, and what each load's address depends on.
//!
//! The program runs under QEMU's user-mode emulation, with a plugin (`fresco-qemu-plugin`) that does nothing but write words into
//! shared memory (`fresco-ring`). This crate is the process beside it:
//!
//! - `program`: what is to be run, `record`: starts it, follows it to its end.
//! - `analysis`, `stream`: from words to runs of blocks; `window`: which of them are recorded.
//! - `decode`: what instructions do with registers; `summary`: what a block does with values; `blocks`: blocks by what was seen of them.
//! - `marks`: regions that the program marks, `symbols`: functions by name.
//! - `memory`, `calls`: what memory is for.
//! - `machine`: whole machines, of which the plugin tells what processors do with memory, by physical address.
//! - `output`: compresses, writes, sums up; `disk`: the file, which can be ended when there is no room for more; `live`: no file.

mod analysis;
mod blocks;
mod calls;
mod decode;
pub mod descendants;
mod disk;
mod live;
pub mod machine;
mod marks;
mod memory;
mod output;
mod program;
mod record;
mod stream;
mod summary;
mod symbols;
mod window;

pub use decode::Architecture;
pub use live::{LiveRecording, record_live};
pub use marks::HEADER;
pub use program::Program;
pub use record::{EMULATORS, Ended, Options, PLUGIN, Recording, Trace, find_plugin, record};

/// Why nothing was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// There is no such program.
    NotFound,
    /// It cannot be executed, or not be recorded.
    CannotExecute,
    /// It has no such function.
    Symbol,
    /// This machine lacks what it takes.
    Unable,
    /// The trace cannot be written.
    Output,
}

/// Why nothing was recorded, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Whose fault it is.
    pub why: Why,
    /// What was found, and the way out.
    pub what: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces: files of what programs did, or of what reached a memory.

mod cpu;
mod format;
pub mod ftrace;
pub mod fuzz;
mod input;
mod memory;
mod recolor;
mod replay;
mod survey;
mod tap;
mod text;
mod xxh64;

pub use format::Format;
pub use memory::{LONGEST_GAP, MemoryRecord, MemoryTrace};
pub use recolor::Recoloring;
pub(crate) use replay::TRACE;
pub use tap::digest_of_file;

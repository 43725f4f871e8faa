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
mod text;

pub use format::Format;
pub use memory::{MemoryRecord, MemoryTrace};
pub use recolor::Recoloring;
pub(crate) use replay::TRACE;

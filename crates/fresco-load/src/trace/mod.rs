// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces: files of what programs did, or of what reached a memory.

mod champsim;
mod cpu;
mod curve;
mod drmemtrace;
mod export;
mod fibonacci;
mod format;
pub mod ftrace;
pub mod fuzz;
mod input;
mod lackey;
mod memory;
mod packed;
mod perf;
mod recolor;
mod records;
mod replay;
mod sample;
mod survey;
mod tap;
mod text;
mod threads;
mod together;
mod window;
mod zip;

pub use curve::{CACHES, Cache, LINE, SMALLEST, WorkingSet};
pub use export::{Export, Exporter};
pub use format::Format;
pub(crate) use ftrace::recorded::LIVE;
pub use memory::{MemoryRecord, MemoryTrace};
pub use packed::{Packed, Packing};
pub use recolor::Recoloring;
pub use records::{AFTER_LAST, AnyTrace, FETCHES, Lost, shortened};
pub(crate) use replay::TRACE;
pub use sample::{Chosen, Interval, Intervals, Replayed};
pub use tap::digest_of_file;
pub(crate) use together::TRACE_PARALLEL;
pub use together::{busiest_thread_of, threads_of};
pub use window::{Measure, Window};

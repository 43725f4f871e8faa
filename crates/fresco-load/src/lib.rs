// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that really compute, with every load and store of their data seen by the simulator; generators; traces.

mod kernel;
mod op;
mod passes;
mod program;
mod programs;
mod recorder;
#[cfg(test)]
mod testing;
mod traced;

pub use op::{Batch, Event, Marker, Op};
pub use program::{Area, Program};

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that really compute, with every load and store of their data seen by the simulator; generators; traces.

pub mod generate;
mod kernel;
mod op;
mod parameter;
mod passes;
mod program;
mod programs;
mod recorder;
mod registry;
#[cfg(test)]
mod testing;
pub mod trace;
mod traced;

pub use op::{Batch, Event, Marker, Op};
pub use parameter::{Kind, Parameter};
pub use program::{Area, Program};
pub use registry::{ProgramKind, Setting, build, program, programs};

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that really compute, with every load and store of their data seen by the simulator; generators; traces.

mod op;
mod program;

pub use op::{Batch, Event, Marker, Op};
pub use program::{Area, Program};

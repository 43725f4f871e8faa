// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that really compute, with every load and store of their data seen by the simulator; generators; traces.
//!
//! - [`programs`] is the table of programs: each has a name, parameters with ranges and defaults, and builds a
//!   [`Program`], which hands out its execution in batches of [`Event`]s and checks its own result.
//! - [`trace::MemoryTrace`] reads address traces of several simulators for the memory alone; the program `trace` replays
//!   processor traces; [`trace::ftrace`] is our own format.
//! - [`mod@generate`] makes the traces on which DRAM simulators are compared.
//!
//! ```
//! use fresco_load::{Batch, Event, Setting, build};
//!
//! let mut program = build("latency", "bytes = '64 KiB'", &Setting { seed: 1, ..Setting::default() })?;
//! let (mut batch, mut loads) = (Batch::new(), 0);
//! while program.next(&mut batch)? {
//!     loads += batch.events().iter().filter(|event| matches!(event, Event::Op(_))).count();
//!     batch.clear();
//! }
//! assert_eq!(loads, 1024);
//! assert_eq!(program.verify(), Ok(()));
//! # Ok::<(), fresco_input::InputError>(())
//! ```

pub mod generate;
mod kernel;
mod op;
mod parameter;
mod passes;
mod program;
mod programs;
mod recorder;
mod registry;
mod team;
#[cfg(test)]
mod testing;
pub mod trace;
mod traced;

pub use op::{Batch, Event, Marker, Op, Order};
pub use parameter::{Kind, Parameter};
pub use program::{Area, Program};
pub use programs::{Characteristics, characteristics};
pub use registry::{MOST_THREADS, ProgramKind, ProgramSpec, Setting, build, program_of, programs};

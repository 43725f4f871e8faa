// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real-time theory of scheduling tasks and DRAM refresh together: pure, exact, in integers.
//!
//! Times are integers of one unit (nanoseconds everywhere in Fresco, ticks in small examples; every function is free of
//! scale). No verdict passes through a float, and no arithmetic wraps: what does not fit is an [`Overflow`].

pub mod acceptance;
pub mod aligned;
pub mod budget;
pub mod certificate;
pub mod copies;
pub mod criticality;
pub mod demand;
pub mod edf;
pub mod executive;
pub mod fixed_priority;
pub mod flat;
pub mod generate;
pub mod global;
pub mod listed;
pub mod oracle;
mod patience;
pub mod policy;
pub mod refresh;
pub mod retention;
pub mod search;
pub mod sensitivity;
pub mod simulation;
mod spans;
pub mod supply;
pub mod switches;
pub mod task;
pub mod time;
pub mod toplevel;

pub use patience::{Attempts, Patience, Progress};
pub use task::{Task, TaskError};
pub use time::{Overflow, Time};

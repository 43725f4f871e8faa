// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores and the operating system on top of the memory: a scenario in, measurements out.

mod batch;
pub mod core;
mod engine;
mod os;
pub mod results;
mod scenario;

pub use batch::{Progress, run, run_all};
pub use scenario::{Axis, Extent, Role, RunSpec, Scenario};

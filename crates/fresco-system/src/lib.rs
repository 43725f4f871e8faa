// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores and the operating system on top of the memory: a scenario in, measurements out.

pub mod core;
mod engine;
mod os;
pub mod results;
mod scenario;

pub use scenario::{Axis, Extent, Role, RunSpec, Scenario};

use engine::Engine;
use fresco_input::InputError;
use results::RunResult;

/// Makes one run.
///
/// # Errors
/// What the scenario's own checks could not foresee: page frames or colours are used up in the middle, a trace is
/// damaged, a program's own result is wrong, the checker found DRAM commands that no device allows.
pub fn run(spec: &RunSpec) -> Result<RunResult, InputError> {
    Engine::new(spec)?.run()
}

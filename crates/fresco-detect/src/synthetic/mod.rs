// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timers made of a formula, and disturbances for any timer: what verdicts are tested with.

mod adversaries;
mod disturbed;
mod formula;

pub use adversaries::{Adversary, Truth};
pub use disturbed::{Disturbance, Disturbed, Labels};
pub use formula::Formula;

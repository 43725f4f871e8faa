// SPDX-License-Identifier: MIT OR Apache-2.0
//! One module per verb: its arguments, and what it does.

pub mod advise;
pub mod check;
pub mod machine;
pub mod man;
pub mod map;
pub mod memory;
pub mod plan;
pub mod reproduce;
pub mod sched;
pub mod sim;
mod sim_plan;

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the TintMalloc experiments: the synthetic benchmark, parallel programs, and facts about colors.

mod facts;
mod programs;

pub use facts::{facts, hops, shares};
pub use programs::{by_placement, by_policy, by_serial_share, by_threads};

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the BPM experiments: models of SPEC CPU2006 programs under divided banks and channels.

mod alone;
mod groups;
mod map;
mod mixes;
mod others;

pub use alone::{banks, facts};
pub use groups::{correlations, groups};
pub use map::{bits, example, found};
pub use mixes::{lbm, mixes, short, speed};
pub use others::{balance, team};

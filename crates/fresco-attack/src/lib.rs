// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attackers of a memory controller, evolved to make a read as long as it can be.
//!
//! Cores and devices are reduced to what a bound knows of them: how many reads they may have under way, how many writes may wait, in which
//! banks ([`Limits`]). Within these limits they do what hurts most ([`Attack`]).

mod attack;
mod play;
mod search;

pub use attack::{Attack, Habits, Pattern, Phase};
pub use play::{Limits, Played, Worst, play};
pub use search::{Found, Observer, Search, Step, search};

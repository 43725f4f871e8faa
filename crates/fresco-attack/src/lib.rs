// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attackers of a memory controller, evolved to make a read as long as it can be.
//!
//! Cores and devices are reduced to what a bound knows of them: how many reads they may have under way, how many writes may wait, in which
//! banks ([`Limits`]). Within these limits they do what hurts most ([`Attack`]). Attackers of a task's work are programs ([`work`]).

mod attack;
mod evolve;
mod phases;
mod play;
mod requests;
mod rounds;
mod search;
mod target;
pub mod work;

pub use attack::{Attack, Habits};
pub use phases::{Pattern, Phase};
pub use play::{Limits, Played, Worst, play};
pub use rounds::{RowOf, Series};
pub use search::{Found, Observer, Search, Step, search};
pub use target::{Attacker, Target, channel_of, crowd, dram};

use rand::seq::IndexedRandom;

/// Any of a list.
fn pick<T: Copy>(of: &[T], rng: &mut rand_pcg::Pcg64) -> T {
    *of.choose(rng).expect("some")
}

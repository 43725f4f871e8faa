// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attacks on the work of a task, a job of it or its measured phase, by programs on the other cores.
//!
//! What a core runs is a [`Mover`]: stretches of accesses to lines of its memory, chosen by where they lie ([`Ground`]): in which bank, row, rank
//! and set of the last-level cache. The programs go through the whole machine as any others do, and may do what any program could.

mod attack;
mod ground;
mod means;
mod mover;
mod program;
mod search;
mod stretch;

pub use attack::WorkAttack;
pub use ground::{Area, Ground, Report, Scout};
pub use means::{CoreMeans, Means};
pub use mover::{Mover, Release};
pub use program::Moves;
pub use search::{Play, WorkFound, WorkSearch, WorkStep, search_work};
pub use stretch::{Order, Stretch};

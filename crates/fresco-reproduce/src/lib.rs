// SPDX-License-Identifier: MIT OR Apache-2.0
//! What judges the papers: the experiments that their claims are checked against, what each of them finds, and the verdicts.
//!
//! A [`Study`] is of some [`SYSTEMS`]. It knows which [`experiments`] their claims need, runs these, and judges every claim by
//! the rows that they yield ([`Findings`]); `claims/` has the claims, and `fresco_report::claims` the rules of agreement. How
//! far it is an [`Observer`] is told, who may also end it early. [`kernel_record`] has what the patches of `kernel/` cost,
//! [`published`] the papers' own bounds, which prove nothing, and [`comparisons`] the charts of our numbers beside theirs.
//!
//! Nothing here is printed and no file written.

pub mod comparisons;
mod conditions;
pub mod experiments;
pub mod kernel_record;
mod means;
mod observer;
mod perturbed;
mod platform;
pub mod published;
mod quick;
mod recordings;
mod seeds;
mod study;
#[cfg(test)]
mod testing;
mod world;

pub use experiments::SYSTEMS;
pub use means::Means;
pub use observer::{Observer, Steps, Unobserved};
pub use perturbed::{Moved, Perturbed, There, perturb};
pub use recordings::{Recordings, Run};
pub use study::{Ask, Findings, Reproduction, Study, System};
pub use world::{Runs, World};

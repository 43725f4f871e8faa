// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which partition of banks, cache and bandwidth serves the tasks of a scenario (BPM-18, BPM-19, LIM-5, LIM-18).
//!
//! Everything is measured on the model. First each measured task alone: how much slower it gets with fewer banks, fewer
//! colors of the cache, less bandwidth. Then all tasks together: without partition, and with some banks and cache colors
//! set aside for each measured task, with and without bandwidth budgets. Of the partitions that meet all goals the one that
//! sets aside least is proposed, after taking back from each task what it can do without.

mod attack;
mod candidate;
mod goal;
mod measure;
mod pick;
mod propose;
mod reservations;
mod search;
mod sensitivity;
mod words;

pub use attack::AttackedRead;
pub use candidate::{Amount, Candidate, Slice};
pub use fresco_system::Observer;
pub use goal::{Goal, Goals, read as goals};
pub use measure::{Bench, Outcome, Speed};
pub use propose::{Advice, Tried, advise};
pub use reservations::Reserved;
pub use sensitivity::{Curve, Resource};
pub use words::in_words;

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pager: a thread of the program itself that answers faults on missing pages with frames of the colours asked for.
//!
//! Frames are placed when pages are first touched, so memory that is reserved and never used costs nothing, and the
//! program's mappings stay as they are: moving a page in changes no mapping. If the pager ends, the kernel goes on
//! alone: nobody waits for ever.

mod door;
mod place;
mod run;
mod stats;
mod stream;

pub use door::{Door, NoPager, Order};
pub use place::{Pager, Refusal};
pub use run::start;
pub use stats::Stats;

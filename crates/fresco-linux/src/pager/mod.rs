// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pager: a thread of the program itself that answers faults on missing pages with frames of the colors asked for.
//!
//! Frames are placed when pages are first touched, so memory that is reserved and never used costs nothing, and the
//! program's mappings stay as they are: moving a page in changes no mapping. If the pager ends, the kernel goes on
//! alone: nobody waits for ever.

mod latch;
mod liveness;
mod place;
mod port;
mod promise;
mod refusal;
mod regions;
mod repair;
mod run;
mod serve;
mod sets;
mod stats;
mod stream;
mod supply;

pub use crate::sys::Privileges;
pub use latch::Latch;
pub use place::Pager;
pub use port::{NoPager, Order, PagerPort};
pub use refusal::PagerRefusal;
pub use run::{PATIENCE, Started, start};
pub use sets::{MOST_SETS, Sets};
pub use stats::Stats;

pub use crate::sys::without_signals;

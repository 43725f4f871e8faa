// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-design's process scheduler (COD-6 to COD-11): fair shares, and no task while a bank with its data is refreshed.
//!
//! Each core has a queue of tasks by virtual run time, as CFS has; all weights are equal, so virtual run time is run time.
//! Time slices are the turns of the banks in the controller's sequential refresh (COD-1, COD-10), and at each the core
//! walks its queue for a task that has nothing in the bank whose turn comes. The operating system knows the
//! turns (COD-2) and how many pages of each task lie in which bank.
//!
//! # What differs from the printed algorithm
//! Algorithm 3 tests a flag that it never sets and drops the candidates it rejects (CON-19). Here candidates stay in the
//! queue. It tests the mask that a task was given; here its pages count, which is the same while nothing has spilled.
//! Just before a slice ends the core lets the accesses of its task end, if the next slice has another one: else reads
//! under way would meet the first refresh of the new bank.
//!
//! # Load balance
//! CFS evens out the number of tasks per core. These tasks neither sleep nor end, so that [`place`] once at the start is
//! all there is to balance.

mod banks;
mod dispatcher;
mod place;
mod queue;
mod result;
mod tiling;
mod variant;

pub(super) use banks::Shares;
pub(super) use dispatcher::FairDispatcher;
pub use place::place;
pub use result::{FairResult, FairTask};
pub use tiling::{Untiled, check_tiling};
pub use variant::Variant;

use super::Experiment;
use banks::Slices;
use fresco_input::InputError;
use serde::Serialize;

/// The scheduler's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FairSchedule {
    /// Tasks of a queue that are looked at, from 1; if each of them has data in the bank to be refreshed, the choice is as
    /// `best_effort` says. 1 switches the heed of refresh off (COD-7).
    pub eta_thresh: u32,
    /// Then the task with the smallest share of its pages in the bank (COD-9), else the first of the queue.
    pub best_effort: bool,
    /// Time before the end of a slice from which the core lets accesses end, if another task follows, in nanoseconds.
    pub guard_ns: u64,
}

impl FairSchedule {
    /// Assumed. The longest drains measured on the co-design's machine, with random accesses on four cores: 0.4 µs with the
    /// co-design, 1.4 µs with all-bank refresh, where a drain may have to wait for one.
    pub const GUARD_NS: u64 = 2000;

    /// Refuses what cannot be scheduled so.
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), InputError> {
        if self.eta_thresh == 0 {
            return Err(experiment
                .error("found a fair schedule that looks at no task".to_owned())
                .allowed("eta_thresh from 1")
                .help("write 1 to switch the heed of refresh off"));
        }
        let slice = Slices::new(experiment).end(0);
        if self.guard_ns.saturating_mul(2000) > slice {
            return Err(experiment
                .error(format!(
                    "found a guard of {} ns in slices of {} ns",
                    self.guard_ns,
                    slice / 1000
                ))
                .allowed("at most half of a slice")
                .help("shorten guard_ns"));
        }
        match experiment.tasks.iter().find(|task| task.timing.periodic().is_some()) {
            Some(task) => Err(experiment
                .error(format!("found task {:?} with deadlines in a fair schedule", task.name))
                .allowed("batch tasks")
                .help("choose a schedule for deadlines, or make it a batch task")),
            None => Ok(()),
        }
    }

    /// The co-design: all tasks of a queue are looked at, the smallest share is the last resort.
    pub fn refresh_aware() -> Self {
        Self {
            eta_thresh: u32::MAX,
            best_effort: true,
            guard_ns: Self::GUARD_NS,
        }
    }

    /// Fair shares in the same slices, whatever is refreshed: what the co-design is compared with.
    pub fn blind() -> Self {
        Self {
            eta_thresh: 1,
            best_effort: false,
            guard_ns: 0,
        }
    }
}

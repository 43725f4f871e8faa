// SPDX-License-Identifier: MIT OR Apache-2.0
//! The dispatcher of a core: a small trait, and the schedules behind it.

mod alone;
mod build;
mod by_color;
mod by_table;
mod global;
mod jobs;

pub(crate) use build::dispatchers;
pub use jobs::{Jobs, ReadyJob};

use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// Decides what one core does. Times are picoseconds since the start of the run and never go back.
///
/// At each instant the engine calls [`ran`](Self::ran) for the time since the last one, then tells what was completed and
/// released, then asks [`decide`](Self::decide). It asks anew when the decision ends, and when a job of the dispatcher's is
/// released or completed. Dispatchers of different cores share nothing but [`Jobs`], unless jobs migrate.
pub trait Dispatcher {
    /// A job has been released.
    fn released(&mut self, _now: Ps, _job: &ReadyJob) {}

    /// A job has ended, with what it really took.
    fn completed(&mut self, _now: Ps, _job: &ReadyJob) {}

    /// Pages of a task have come or gone: so many of them are of each bank color now.
    fn pages_changed(&mut self, _task: usize, _by_bank: &[(u32, u64)]) {}

    /// The last decision held from `from` to `to`.
    fn ran(&mut self, _from: Ps, _to: Ps) {}

    /// What the core does from `now` on, and until when at the latest.
    fn decide(&mut self, now: Ps, jobs: &Jobs) -> Decision;

    /// Lock windows that begin at `now`, as (color, first refresh, last refresh over, end), for the record alone.
    fn locks_begun(&self, _now: Ps) -> Vec<(usize, Ps, Ps, Ps)> {
        Vec::new()
    }
}

/// What a core does, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it does.
    pub activity: Activity,
    /// When to decide anew at the latest; after the instant of the decision.
    pub until: Ps,
    /// The color whose server or slot this time belongs to.
    pub owner: Option<usize>,
}

/// What a core does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// A job runs. Jobs of a task run in order: if an older one of the task has not ended, that one.
    Run {
        /// Index of the task.
        task: usize,
        /// Number of the job, from 0.
        job: u64,
        /// The memory it uses; of a job that has begun, that stays.
        instance: usize,
    },
    /// A handler.
    Handler(Handler),
    /// Nothing.
    Idle,
}

/// Handlers of the operating system that a schedule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Handler {
    /// Locks a color: its dirty lines leave the caches.
    Lock {
        /// The color.
        color: usize,
    },
    /// Unlocks a color.
    Unlock {
        /// The color.
        color: usize,
    },
    /// Begins the slot of a color and locks all others.
    Slot {
        /// The color that may run.
        color: usize,
    },
}

impl Handler {
    /// Returns true if it locks this color.
    pub fn locks(self, other: usize) -> bool {
        match self {
            Self::Lock { color } => color == other,
            Self::Unlock { .. } => false,
            Self::Slot { color } => color != other,
        }
    }
}

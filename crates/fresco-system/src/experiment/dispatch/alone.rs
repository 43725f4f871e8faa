// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core with one task, or none.

use super::{Activity, Decision, Dispatcher, Jobs};
use fresco_dram::{NEVER, Ps};

/// Its jobs run when they are there; nobody else wants the core.
pub(super) struct Alone {
    pub task: Option<usize>,
}

impl Dispatcher for Alone {
    fn decide(&mut self, _now: Ps, jobs: &Jobs) -> Decision {
        let job = self.task.and_then(|task| jobs.oldest(task));
        Decision {
            activity: job.map_or(Activity::Idle, |job| Activity::Run {
                task: job.task,
                job: job.job,
                instance: job.instance,
            }),
            until: NEVER,
            owner: None,
        }
    }
}

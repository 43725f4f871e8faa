// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counters that begin anew within a run that has a horizon, once its tasks have filled the caches.

use super::Engine;
use crate::core::WalkCounts;
use crate::os::translating::Lookups;
use fresco_dram::{NEVER, Ps};

/// What of a task is not counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub instructions: u64,
    pub operations: u64,
    pub fetches: u64,
    pub executing: Ps,
    pub walked: Walked,
}

/// What a task asked its TLBs, and what its page walks did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walked {
    pub lookups: Lookups,
    pub walks: WalkCounts,
}

impl Walked {
    /// What came to it since `then`.
    pub fn since(&self, then: &Self) -> Self {
        let (lookups, before) = (&self.lookups, &then.lookups);
        Self {
            lookups: Lookups {
                lookups: lookups.lookups - before.lookups,
                second: lookups.second - before.second,
                walks: lookups.walks - before.walks,
            },
            walks: self.walks.since(&then.walks),
        }
    }
}

impl Engine<'_> {
    /// What a task has asked its TLBs so far.
    pub(super) fn walked(&self, task: usize) -> Walked {
        Walked {
            lookups: self.tasks[task].process.lookups(),
            walks: self.counted(task).walks,
        }
    }

    /// If it is time, counters of tasks, controllers and banks begin anew. Jobs, cores, ranks and the timeline tell of the whole run.
    pub(super) fn count_anew(&mut self, now: Ps) {
        if self.count_at > now {
            return;
        }
        self.count_at = NEVER;
        // A job on a core has what it has counted with the core.
        for number in 0..self.cpus.len() {
            if let Some(loaded) = &mut self.cpus[number].loaded {
                loaded.write_backs = 0;
            }
        }
        self.memory.reset_stats();
        self.count_agents_anew();
        // Those up to now are forgotten.
        self.memory.take_delayed(&mut Vec::new());
        if let Some(watch) = &self.watch {
            watch.borrow_mut().count_anew();
        }
        for task in 0..self.tasks.len() {
            let before = Before {
                instructions: self.counted(task).instructions,
                operations: self.tasks[task].process.operations(),
                fetches: self.tasks[task].process.fetches(),
                executing: self.executing_of(task, now),
                walked: self.walked(task),
            };
            let state = &mut self.tasks[task];
            state.before = before;
            state.write_backs = 0;
            state.recorder.reset();
            (state.met, state.met_at_start) = Default::default();
        }
    }
}

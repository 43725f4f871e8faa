// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counters that begin anew within a run that has a horizon, once its tasks have filled the caches.

use super::Engine;
use fresco_dram::{NEVER, Ps};

/// What of a task is not counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub instructions: u64,
    pub operations: u64,
    pub fetches: u64,
    pub executing: Ps,
}

impl Engine<'_> {
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
            };
            let state = &mut self.tasks[task];
            state.before = before;
            state.write_backs = 0;
            state.recorder = Default::default();
            (state.met, state.met_at_start) = Default::default();
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was counted in the measured phase of a task that has its core alone.

use super::Engine;
use super::counting::Walked;
use super::paging::by_bank;
use super::team::Waits;
use crate::results::{CacheCounts, Measured, Pages};
use fresco_dram::Ps;
use fresco_frames::TaskStats;
use fresco_machine::Inclusion;
use fresco_memory::{Blocked, CoreStats, SourceStats};

/// A measured phase that has begun.
#[derive(Clone, Debug)]
pub(super) struct Measurement {
    pub from: Snapshot,
    /// Passes to go, if the phase is counted in passes.
    pub passes_left: u64,
    /// When the present pass began; `None` if that was before the measured phase.
    pub pass_began: Option<Ps>,
    /// Times of the passes that began and ended within it.
    pub passes: Vec<Ps>,
}

impl Measurement {
    /// A pass has ended at `at`, and the next begins. One that began before the phase is not counted.
    pub fn passed(&mut self, at: Ps) {
        let began = self.pass_began.replace(at);
        self.passes.extend(began.map(|began| at - began));
    }
}

/// Counters at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Snapshot {
    at: Ps,
    instructions: u64,
    operations: u64,
    fetches: u64,
    faults: u64,
    met: Waits,
    shared: CoreStats,
    walked: Walked,
}

impl Engine<'_> {
    /// The counters of a task now.
    pub(super) fn snapshot(&self, task: usize, at: Ps) -> Snapshot {
        let state = &self.tasks[task];
        Snapshot {
            at,
            instructions: self.counted(task).instructions,
            operations: self.tasks[task].process.operations(),
            fetches: self.tasks[task].process.fetches(),
            faults: state.faults.count,
            met: self.waits_of(task, at),
            walked: self.walked(task),
            shared: self.memory.core_stats()[self.experiment.tasks[task].core as usize],
        }
    }

    /// What a task did since `measurement` began.
    pub(super) fn measured(&self, task: usize, measurement: &Measurement, at: Ps) -> Measured {
        let (then, now) = (&measurement.from, self.snapshot(task, at));
        let llc = self.experiment.machine.llc.as_ref();
        let (waited, before) = (now.shared.blocked, then.shared.blocked);
        let blocked = llc.and_then(|llc| llc.mshrs).map(|_| Blocked {
            reads: waited.reads - before.reads,
            time_ps: waited.time_ps - before.time_ps,
        });
        let llc = llc.map(|_| since(&now.shared.llc, &then.shared.llc));
        let inclusion = self.experiment.machine.inclusion();
        let caches = self.tasks[task].process.caches();
        let ([l1, l2], l1i) = (caches.stats(), caches.code_stats());
        let id = self.memory_of(task);
        let assignment = self.frames.assignment(id).ok();
        let state = &self.tasks[task];
        let time = at - then.at;
        Measured {
            phase: (then.at, at),
            run_time: time,
            banks: self.banks_of(id),
            llc: assignment.and_then(|now| now.llc),
            passes: measurement.passes.len() as u64,
            pass_times: measurement.passes.clone(),
            instructions: now.instructions - then.instructions,
            operations: now.operations - then.operations,
            fetches: now.fetches - then.fetches,
            caches: CacheCounts {
                l1: l1.copied(),
                l1i: l1i.filter(|l1i| l1i.hits + l1i.misses > 0).copied(),
                l2: l2.copied(),
                llc,
                blocked,
                invalidated: (inclusion == Inclusion::Inclusive).then(|| caches.invalidated()),
                prefetch: caches.prefetch_counts(),
                coherence: caches.coherence_counts(),
            },
            tlb: self.tlb_result(task, &now.walked.since(&then.walked)),
            write_backs: llc.map_or(now.shared.write_backs - then.shared.write_backs, |llc| llc.write_backs),
            pages: self.pages(task, now.faults - then.faults),
            recorder: state.recorder.with_order(self.memory.order_counts()),
            thread: self.is_thread(task).then(|| now.met.since(then.met, time)),
        }
    }

    fn pages(&self, task: usize, faults_measured: u64) -> Pages {
        let id = self.memory_of(task);
        let stats = self.frames.stats(id);
        let stats = stats.copied().unwrap_or_else(|_| TaskStats::default());
        let faults = &self.tasks[task].faults;
        let moved = self.pages_moved(task);
        Pages {
            by_bank: by_bank(self.experiment, &self.frames, id, self.tasks[task].process.pages()),
            ..Pages::new(
                &self.experiment.frames.cost,
                &stats,
                (faults.count, faults_measured),
                faults.time_ps,
                moved,
            )
        }
    }
}

/// What was counted between two readings.
fn since(now: &SourceStats, then: &SourceStats) -> SourceStats {
    SourceStats {
        hits: now.hits - then.hits,
        misses: now.misses - then.misses,
        evictions: now.evictions - then.evictions,
        evictions_by_others: now.evictions_by_others - then.evictions_by_others,
        write_backs: now.write_backs - then.write_backs,
    }
}

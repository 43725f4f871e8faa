// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what an engine counted of a copy to its result.

use super::{CacheCounts, Pages, ReadRecorder, Spread, TaskResult, ThreadResult, TlbResult, ns, ratio};
use crate::experiment::Experiment;
use fresco_dram::Ps;
use fresco_frames::{ColorSet, CostModel, TaskStats};

/// What was counted of one copy; the rest of a [`TaskResult`] follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// Begin and end of the phase.
    pub phase: (Ps, Ps),
    /// Time that it ran.
    pub run_time: Ps,
    /// Colors, as the results show them.
    pub banks: String,
    pub llc: Option<ColorSet>,
    pub passes: u64,
    /// Times of those that are known.
    pub pass_times: Vec<Ps>,
    pub instructions: u64,
    pub operations: u64,
    pub fetches: u64,
    pub tlb: Option<TlbResult>,
    pub caches: CacheCounts,
    pub write_backs: u64,
    pub pages: Pages,
    pub recorder: ReadRecorder,
    pub thread: Option<ThreadResult>,
}

impl TaskResult {
    /// The result of a task of an experiment, without jobs, regulation and what only runs to a horizon count.
    pub(crate) fn new(experiment: &Experiment, number: usize, measured: Measured) -> Self {
        let (machine, task) = (&experiment.machine, &experiment.tasks[number]);
        let line_bytes = machine.memory.timing.bytes_of_line(&machine.memory.organisation);
        let time = measured.run_time;
        let cycles = time as f64 * f64::from(machine.core.mhz) / 1e6;
        let reads = measured.recorder.reads();
        let lines = reads.count - reads.joined + measured.write_backs;
        let passes = measured.pass_times.iter();
        Self {
            name: task.name.clone(),
            core: task.core,
            node: machine.topology.node_of_core[task.core as usize],
            program: task.work.name().to_owned(),
            role: task.role,
            banks: measured.banks,
            llc_colors: measured.llc.map_or_else(|| "all".to_owned(), |llc| llc.to_string()),
            rows: task
                .instances
                .first()
                .and_then(|one| one.memory.as_ref()?.rows.as_ref())
                .map(ToString::to_string),
            from_ps: measured.phase.0,
            to_ps: measured.phase.1,
            run_time_ps: time,
            passes: measured.passes,
            pass_time_ns: (passes.len() > 0).then(|| Spread::of(passes.map(|time| ns(*time)))),
            instructions: measured.instructions,
            operations: measured.operations,
            fetches: measured.fetches,
            instructions_per_cycle: ratio(measured.instructions as f64, cycles),
            access_time_ns: ratio(ns(time), measured.operations as f64),
            caches: measured.caches,
            tlb: measured.tlb,
            write_backs: measured.write_backs,
            bandwidth_bytes_per_s: ratio((lines * line_bytes) as f64, time as f64 * 1e-12),
            pages: measured.pages,
            thread: measured.thread,
            memories: Vec::new(),
            copies: 0,
            copied_bytes: 0,
            synthetic_operations: None,
            met_refresh: None,
            jobs: None,
            regulation: None,
            reads,
            recorder: measured.recorder,
        }
    }
}

impl Pages {
    /// Page faults `(in all, within the phase)` that took so long, with what the allocator counted.
    pub(crate) fn new(cost: &CostModel, stats: &TaskStats, faults: (u64, u64), time: Ps, recolored: u64) -> Self {
        let cycles = cost.cycles_of(stats.alloc.calls, &stats.alloc.total);
        let per_page = |time: Ps| ratio(ns(time), faults.0 as f64);
        Self {
            faults: faults.0,
            faults_measured: faults.1,
            allocation_ns: per_page(cost.ps(cycles)),
            allocation_max_ns: ns(cost.ps(stats.alloc.worst_cycles)),
            fault_ns: per_page(time),
            remote: stats.remote,
            spilled: stats.spilled,
            recolored,
            by_bank: Vec::new(),
        }
    }
}

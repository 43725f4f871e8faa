// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what an engine counted of a copy to its result.

use super::{CacheCounts, Pages, ReadRecorder, Spread, TaskResult, ThreadResult, ns, ratio};
use fresco_dram::Ps;
use fresco_frames::{ColorSet, CostModel, TaskStats};
use fresco_scenario::Setup;

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
    pub caches: CacheCounts,
    pub write_backs: u64,
    pub pages: Pages,
    pub recorder: ReadRecorder,
    pub thread: Option<ThreadResult>,
}

impl TaskResult {
    /// The result of a copy of a setup, without jobs and regulation.
    pub(crate) fn new(setup: &Setup, copy: usize, measured: Measured) -> Self {
        let (machine, copy) = (&setup.machine, &setup.copies[copy]);
        let task = &setup.tasks[copy.task];
        let time = measured.run_time;
        let cycles = time as f64 * f64::from(machine.core.mhz) / 1e6;
        let reads = measured.recorder.reads();
        let lines = reads.count - reads.joined + measured.write_backs;
        let passes = measured.pass_times.iter();
        Self {
            name: copy.name.clone(),
            core: copy.core,
            node: machine.topology.node_of_core[copy.core as usize],
            program: setup.program(copy.task).kind().name.to_owned(),
            role: task.role,
            banks: measured.banks,
            llc_colors: measured.llc.map_or_else(|| "all".to_owned(), |llc| llc.to_string()),
            from_ps: measured.phase.0,
            to_ps: measured.phase.1,
            run_time_ps: time,
            passes: measured.passes,
            pass_time_ns: (passes.len() > 0).then(|| Spread::of(passes.map(|time| ns(*time)))),
            instructions: measured.instructions,
            operations: measured.operations,
            instructions_per_cycle: ratio(measured.instructions as f64, cycles),
            access_time_ns: ratio(ns(time), measured.operations as f64),
            caches: measured.caches,
            write_backs: measured.write_backs,
            bandwidth_bytes_per_s: ratio((lines * setup.line_bytes()) as f64, time as f64 * 1e-12),
            pages: measured.pages,
            thread: measured.thread,
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

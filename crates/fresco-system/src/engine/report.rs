// SPDX-License-Identifier: MIT OR Apache-2.0
//! From counters to results.

use super::Engine;
use super::cpu::{Measurement, Snapshot};
use crate::results::{CacheCounts, ControllerResult, Pages, RunResult, Spread, TaskResult, ns, ratio};
use crate::scenario::error_at;
use fresco_dram::Ps;
use fresco_frames::{TaskId, TaskStats};
use fresco_input::InputError;
use fresco_memory::SourceStats;

impl Engine<'_> {
    /// Ends the run: background tasks are read, every program checks its result.
    pub(super) fn finish(mut self, at: Ps) -> Result<RunResult, InputError> {
        for cpu in &self.cpus {
            let copy = &self.setup.copies[cpu.copy];
            if let Err(fault) = cpu.process.program().verify() {
                let found = format!("found that {} computed a wrong result: {fault}", copy.name);
                let error = error_at(&self.setup.tasks[copy.task].place, found);
                return Err(error.cure("a fault of the simulator, not of the scenario: please report it"));
            }
        }
        let mut tasks = Vec::new();
        for number in 0..self.cpus.len() {
            let result = match (self.results[number].take(), self.background[number].take()) {
                (Some(result), _) => result,
                (None, Some(measurement)) => self.task_result(number, &measurement, at),
                (None, None) => unreachable!("a run is over when every task has a result"),
            };
            tasks.push((self.cpus[number].copy, result));
        }
        let regulation = self.regulation_result().map(|(result, cores)| {
            for ((_, task), core) in std::iter::zip(&mut tasks, cores) {
                task.regulation = Some(core);
            }
            result
        });
        tasks.sort_by_key(|(copy, _)| *copy);
        let opened = self.opened.unwrap_or(0);
        let controllers = self.memory.node_stats();
        let controllers = (0..)
            .zip(&controllers)
            .map(|(node, stats)| ControllerResult::new(node, stats, &self.setup.machine, at - opened))
            .collect();
        let Self {
            spec, memory, judge, ..
        } = self;
        // It shares the checker with the judge.
        drop(memory);
        let commands_checked = judge.map(|judge| judge.finish(at)).transpose()?;
        Ok(RunResult {
            point: spec.point_number,
            repetition: spec.repetition,
            seed: spec.seed,
            from_ps: opened,
            to_ps: at,
            tasks: tasks.into_iter().map(|(_, result)| result).collect(),
            controllers,
            regulation,
            commands_checked,
            timeline: None,
        })
    }

    /// What a task did since `measurement` began.
    pub(super) fn task_result(&self, number: usize, measurement: &Measurement, at: Ps) -> TaskResult {
        let cpu = &self.cpus[number];
        let (machine, copy) = (&self.setup.machine, &self.setup.copies[cpu.copy]);
        let task = &self.setup.tasks[copy.task];
        let Snapshot {
            at: from,
            instructions,
            operations,
            faults,
            met,
            shared,
        } = measurement.from;
        let now = cpu.snapshot(at, &self.memory);
        let run_time = at - from;
        let cycles = run_time as f64 * f64::from(machine.core.mhz) / 1e6;
        let (instructions, operations) = (now.instructions - instructions, now.operations - operations);
        let llc = machine.llc.as_ref().map(|_| since(&now.shared.llc, &shared.llc));
        let [l1, l2] = cpu.process.caches().stats();
        let write_backs = llc.map_or(now.shared.write_backs - shared.write_backs, |llc| llc.write_backs);
        let reads = cpu.recorder.reads();
        let lines = reads.count - reads.joined + write_backs;
        let line_bytes = machine.memory.timing.burst_length * u64::from(machine.memory.organisation.bus_bytes);
        let assignment = &self.assignments[cpu.copy];
        TaskResult {
            name: copy.name.clone(),
            core: copy.core,
            node: machine.topology.node_of_core[copy.core as usize],
            program: task.program.name.to_owned(),
            role: task.role,
            banks: assignment.banks.to_string(),
            llc_colors: assignment
                .llc
                .as_ref()
                .map_or_else(|| "all".to_owned(), ToString::to_string),
            from_ps: from,
            to_ps: at,
            run_time_ps: run_time,
            passes: measurement.passes.len() as u64,
            pass_time_ns: (!measurement.passes.is_empty())
                .then(|| Spread::of(measurement.passes.iter().map(|time| ns(*time)))),
            instructions,
            operations,
            instructions_per_cycle: ratio(instructions as f64, cycles),
            access_time_ns: ratio(ns(run_time), operations as f64),
            caches: CacheCounts {
                l1: l1.copied(),
                l2: l2.copied(),
                llc,
            },
            write_backs,
            bandwidth_bytes_per_s: ratio((lines * line_bytes) as f64, run_time as f64 * 1e-12),
            pages: self.pages(number, cpu.faults.count - faults),
            thread: task.program.is_team().then(|| cpu.met.since(met, run_time)),
            jobs: None,
            regulation: None,
            recorder: cpu.recorder.clone(),
            reads,
        }
    }

    fn pages(&self, number: usize, faults_measured: u64) -> Pages {
        let cpu = &self.cpus[number];
        let stats = self
            .frames
            .stats(TaskId(cpu.copy as u32))
            .copied()
            .unwrap_or_else(|_| TaskStats::default());
        let cost = &self.setup.frames.cost;
        let cycles = cost.cycles_of(stats.alloc.calls, &stats.alloc.total);
        let per_page = |time: Ps| ratio(ns(time), cpu.faults.count as f64);
        Pages {
            faults: cpu.faults.count,
            faults_measured,
            allocation_ns: per_page(cost.ps(cycles)),
            allocation_max_ns: ns(cost.ps(stats.alloc.worst_cycles)),
            fault_ns: per_page(cpu.faults.time),
            remote: stats.remote,
            spilled: stats.spilled,
            recolored: self
                .recoloring
                .as_ref()
                .map_or(0, |recoloring| recoloring.moved[cpu.copy]),
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

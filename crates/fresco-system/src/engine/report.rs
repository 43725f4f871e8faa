// SPDX-License-Identifier: MIT OR Apache-2.0
//! From counters to results.

use super::Engine;
use super::cpu::{Measurement, Snapshot};
use crate::results::{CacheCounts, ControllerResult, Measured, Pages, RunResult, TaskResult};
use crate::scenario::error_at;
use fresco_dram::Ps;
use fresco_frames::{TaskId, TaskStats};
use fresco_input::InputError;
use fresco_memory::SourceStats;

impl Engine<'_> {
    /// Ends the run: background tasks are read, every program checks its result.
    pub(super) fn finish(mut self, at: Ps) -> Result<RunResult, InputError> {
        for cpu in self.cpus.iter() {
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
        let regulation = self.regulator.as_ref().map(|regulator| {
            for (_, task) in &mut tasks {
                task.regulation = regulator.core_result(task.core);
            }
            regulator.result()
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
        let copy = &self.setup.copies[cpu.copy];
        let Snapshot {
            at: from,
            instructions,
            operations,
            faults,
            met,
            shared,
        } = measurement.from;
        let now = cpu.snapshot(at, &self.memory);
        let llc = self.setup.machine.llc.as_ref();
        let llc = llc.map(|_| since(&now.shared.llc, &shared.llc));
        let [l1, l2] = cpu.process.caches().stats();
        let assignment = &self.assignments[cpu.copy];
        let measured = Measured {
            phase: (from, at),
            run_time: at - from,
            banks: assignment.banks.to_string(),
            llc: assignment.llc.as_ref(),
            passes: measurement.passes.len() as u64,
            pass_times: measurement.passes.clone(),
            instructions: now.instructions - instructions,
            operations: now.operations - operations,
            caches: CacheCounts {
                l1: l1.copied(),
                l2: l2.copied(),
                llc,
            },
            write_backs: llc.map_or(now.shared.write_backs - shared.write_backs, |llc| llc.write_backs),
            pages: self.pages(number, cpu.faults.count - faults),
            recorder: cpu.recorder.clone(),
        };
        let is_thread = self.setup.tasks[copy.task].program.is_team();
        TaskResult {
            thread: is_thread.then(|| cpu.met.since(met, at - from)),
            ..TaskResult::new(self.setup, cpu.copy, measured)
        }
    }

    fn pages(&self, number: usize, faults_measured: u64) -> Pages {
        let cpu = &self.cpus[number];
        let stats = self.frames.stats(TaskId(cpu.copy as u32));
        let stats = stats.copied().unwrap_or_else(|_| TaskStats::default());
        let moved = self.recoloring.as_ref();
        let moved = moved.map_or(0, |recoloring| recoloring.moved[cpu.copy]);
        let faults = (cpu.faults.count, faults_measured);
        Pages {
            by_bank: self.frames.share_by_bank(TaskId(cpu.copy as u32)).unwrap_or_default(),
            ..Pages::new(self.setup, &stats, faults, cpu.faults.time, moved)
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

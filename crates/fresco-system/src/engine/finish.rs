// SPDX-License-Identifier: MIT OR Apache-2.0
//! From counters to results.

use super::paging::by_bank;
use super::team::Waits;
use super::watch::Watch;
use super::{Done, Engine};
use crate::experiment::{
    JobRecord, RankRefresh, RefreshSpan, RegulationOutcome, RunOutcome, Spread, TaskOutcome, WindowsKept, Work,
};
use crate::os::pages::PageTable;
use crate::results::ControllerResult;
use fresco_dram::Ps;
use fresco_frames::{Assignment, TaskId};
use fresco_input::InputError;
use std::collections::HashMap;
use std::rc::Rc;

impl Engine<'_> {
    /// Ends the run at its horizon, or where the last phase has ended: programs check their results, counters are read.
    pub(super) fn finish(mut self, done: &mut Vec<Done>) -> Result<RunOutcome, InputError> {
        let over = self.phases.as_ref().and_then(|phases| phases.over);
        let opened = self.phases.as_ref().and_then(|phases| phases.opened);
        let opened = opened.unwrap_or(self.experiment.count_from_ns * 1000);
        let end = over.unwrap_or(self.horizon);
        self.memory.run_until(end, done);
        self.deliver(done, end, false);
        self.end_background(end);
        self.end_waits(end);
        for number in 0..self.cpus.len() {
            self.passed(number, end);
            self.record_stall(number, end);
            if self.cpus[number].loaded.is_some() {
                self.unload(number, end);
            }
        }
        self.count_delayed_writes();
        for (number, state) in self.tasks.iter().enumerate() {
            if let Err(fault) = state.process.program().verify() {
                let error = self.fault_of_program(number, &format!("computed a wrong result: {fault}"));
                return Err(error);
            }
        }
        let machine = &self.experiment.machine;
        let nodes = self.memory.node_stats();
        let controllers = (0u32..).zip(&nodes);
        let controllers = controllers.map(|(node, stats)| ControllerResult::new(node, stats, machine, end - opened));
        let controllers = controllers.collect();
        let lateness = self.memory.refresh_lateness();
        let regulation = self.regulator.as_ref().map(RegulationOutcome::new);
        let tasks = (0..self.tasks.len()).map(|task| self.task_outcome(task, end)).collect();
        let agents = self.agent_outcomes();
        let rows_apart = self.judge_rows()?;
        let Self {
            experiment,
            memory,
            watch,
            waits,
            recording,
            cpus,
            ..
        } = self;
        // It shares the watch.
        drop(memory);
        let watch = watch.map(|watch| Rc::into_inner(watch).expect("the memory is gone").into_inner());
        let banks_at_work = watch.as_ref().map_or(0.0, Watch::banks_at_work);
        let seen = watch.map(|watch| watch.finish(end)).unwrap_or_default();
        let (checker, mut ranks, refreshes): (_, Vec<RankRefresh>, Vec<RefreshSpan>) = seen;
        ranks
            .iter_mut()
            .for_each(|rank| rank.color = experiment.color_of_rank(rank.rank));
        Ok(RunOutcome {
            machine: machine.name.clone(),
            horizon_ns: end / 1000,
            counted_ps: (opened, end),
            seed: experiment.seed,
            tasks,
            agents,
            rows_apart,
            cores: cpus.into_items().into_iter().map(|cpu| cpu.outcome).collect(),
            ranks,
            windows: lateness.iter().map(|late| WindowsKept::new(late, machine)).collect(),
            controllers,
            banks_at_work,
            all_cores_wait_ps: waits.all_at_once(),
            checker,
            regulation,
            timeline: recording.finish(end, refreshes),
        })
    }

    fn count_delayed_writes(&mut self) {
        let mut writes = Vec::new();
        self.memory.take_delayed(&mut writes);
        if writes.is_empty() {
            return;
        }
        let (settled, owners) = (self.settled(), self.owners());
        let page_bytes = self.experiment.machine.page_bytes;
        for write in writes {
            if let Some(task) = owners.get(&(write.line.0 / page_bytes)) {
                let met = self.tasks[*task].met(write.at < settled);
                met.writes += 1;
                met.write_wait_ps += write.wait;
            }
        }
    }

    /// Bank colors of a memory, in words.
    pub(super) fn banks_of(&self, id: TaskId) -> String {
        let words = |now: Assignment| now.banks_with_pages(self.frames.space()).to_string();
        self.frames.assignment(id).map_or_else(|_| String::new(), words)
    }

    /// The task of each page frame in use.
    fn owners(&self) -> HashMap<u64, usize> {
        let mut owners = HashMap::new();
        for (task, state) in self.tasks.iter().enumerate() {
            let memories = state.memories.iter().chain([state.process.pages()]);
            for (_, frame) in memories.flat_map(PageTable::mapped) {
                owners.insert(frame.0, task);
            }
        }
        owners
    }

    fn task_outcome(&mut self, number: usize, end: Ps) -> TaskOutcome {
        let measured = self
            .phases
            .as_mut()
            .and_then(|phases| phases.tasks[number].measured.take());
        let (spec, state) = (&self.experiment.tasks[number], &self.tasks[number]);
        let ended = state.jobs.iter().filter(|job| job.end_ps.is_some());
        let missed = state.jobs.iter().filter(|job| job.is_missed(end));
        TaskOutcome {
            name: spec.name.clone(),
            core: spec.core,
            banks: state.memory_ids.iter().map(|id| self.banks_of(*id)).collect(),
            synthetic_operations: matches!(spec.work, Work::Synthetic { .. }).then(|| self.operations[number]),
            released: state.jobs.len() as u64,
            completed: ended.clone().count() as u64,
            misses: missed.clone().count() as u64,
            first_miss: missed.min_by_key(|job| job.deadline_ps).copied(),
            response: Spread::of(ended.clone().filter_map(JobRecord::response_ps)),
            execution: Spread::of(ended.map(|job| job.execution_ps)),
            passes: state.passes,
            jobs: state.jobs.clone(),
            reads: state.recorder.reads(),
            met_refresh: state.met,
            met_refresh_at_start: state.met_at_start,
            copies: state.copies,
            copied_bytes: state.copied_bytes,
            instructions: state.counted.instructions - state.before.instructions,
            operations: state.process.operations() - state.before.operations,
            fetches: state.process.fetches() - state.before.fetches,
            tlb: self.tlb_result(number, &self.walked(number).since(&state.before.walked)),
            executing_ps: state.executing - state.before.executing,
            write_backs: state.write_backs,
            allocation: self.frames.stats(state.memory_ids[0]).copied().unwrap_or_default(),
            table_frames: self
                .tables
                .as_ref()
                .map_or(0, |tables| tables.frames_of(state.memory_ids[0])),
            recorder: state.recorder.with_order(self.memory.order_counts()),
            pages_by_bank: by_bank(
                self.experiment,
                &self.frames,
                state.memory_ids[0],
                state.process.pages(),
            ),
            page_faults: state.faults,
            pages_moved: self.pages_moved(number),
            thread: self
                .is_thread(number)
                .then(|| state.met_others.since(Waits::default(), state.executing)),
            measured,
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an experiment to a machine with its tasks mapped, at time 0.

use super::agents::Agents;
use super::arrivals::Arrival;
use super::coherence::Coherence;
use super::counting::Before;
use super::cpu::{Counters, Cpu};
use super::jobs::TaskState;
use super::paging::by_bank;
use super::phases::Phases;
use super::recoloring::Recoloring;
use super::recording::Recording;
use super::tables::TableSource;
use super::team::{self, Waits};
use super::watch::Watch;
use super::windows::PlannedWindows;
use super::{Engine, Modes, Reverse, copy};
use crate::Role;
use crate::bandwidth::{self, Regulator};
use crate::core::{self, InOrder, SlotClock};
use crate::experiment::{Experiment, Jobs, Met, PageFaults, Paging, TaskSpec, colors, dispatch};
use crate::os::pages::PageTable;
use crate::os::process::Process;
use crate::os::translating::Translating;
use crate::results::ReadRecorder;
use fresco_dram::NEVER;
use fresco_frames::{Frames, TaskId, TaskMemory};
use fresco_input::InputError;
use fresco_load::{Area, Program};
use fresco_machine::{CacheConfig, Inclusion};
use fresco_memory::controller::refresh::AllBankSimultaneous;
use fresco_memory::{MemorySystem, PrivateCaches};
use fresco_scenario::allocator;
use std::sync::Arc;

/// Programs of a task, one for each of so many threads. Each task of a run has its own seed.
pub(super) fn programs(
    experiment: &Experiment,
    operations: &[u64],
    task: usize,
    threads: u32,
) -> Result<Vec<Box<dyn Program>>, InputError> {
    experiment.tasks[task].programs(experiment, operations[task], seed(experiment, task as u64), threads)
}

/// A seed for each task, and whatever else has a number.
pub(super) fn seed(experiment: &Experiment, number: u64) -> u64 {
    // Weyl sequence of the golden ratio: neighbouring seeds and tasks are far apart (Steele et al., OOPSLA 2014).
    (experiment.seed.wrapping_mul(1 << 16).wrapping_add(number + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<'e> Engine<'e> {
    /// Sets a run up. `operations` are those of synthetic jobs, by task.
    ///
    /// # Errors
    /// A program cannot be built, or does not fit its colors; the plan of refreshes is none.
    pub fn new(experiment: &'e Experiment, operations: &'e [u64]) -> Result<Self, InputError> {
        let machine = &experiment.machine;
        let nodes: Vec<u32> = experiment.agents.iter().map(|agent| agent.node).collect();
        let mut memory = MemorySystem::with_agents(machine, &nodes);
        if let Some(windows) = experiment.windows()? {
            memory.set_refresh(|| Box::new(windows.clone()));
        } else if let Some(change) = &experiment.mode_change {
            let (from, interval) = (change.hotter(experiment).from, change.interval(experiment));
            let (organisation, timing) = (&machine.memory.organisation, &machine.memory.timing);
            memory.set_refresh(|| {
                Box::new(AllBankSimultaneous::new(organisation, timing).at_shorter_intervals(from, interval))
            });
        }
        let phases = experiment
            .phases
            .as_ref()
            .map(|rules| Phases::new(rules, &experiment.tasks));
        if phases.is_none() {
            memory.watch_writes();
        }
        if experiment.heeds_order {
            memory.watch_order();
        }
        let watch = Watch::start(experiment, &mut memory);
        if experiment.beside {
            memory.run_beside();
        }
        let mut recording = Recording::new(experiment.record_ns * 1000);
        if phases.is_none() {
            recording.open(0, watch.as_deref());
        }
        let space = Arc::new(colors::space(machine)?);
        let mut frames = allocator::frames(
            machine,
            &space,
            experiment.frames,
            experiment.rows.as_deref(),
            experiment.seed,
        )
        .map_err(|error| experiment.error(format!("found {error}")))?;
        let agents = Agents::new(experiment, &mut frames)?;
        let mut setup = Setup {
            experiment,
            frames: &mut frames,
            tables: TableSource::of(experiment),
            next_id: 0,
        };
        let mut tasks: Vec<TaskState> = Vec::new();
        let teams = team::teams(&experiment.tasks);
        while tasks.len() < experiment.tasks.len() {
            let first = tasks.len();
            let threads = teams.iter().find(|team| team.members[0] == first);
            let threads = threads.map_or(1, |team| team.members.len());
            for program in programs(experiment, operations, first, threads as u32)? {
                let master = tasks.get(first);
                let task = setup.task(tasks.len(), program, master)?;
                tasks.push(task);
            }
        }
        let tables = setup.tables.take();
        let pages = |task: &TaskState| by_bank(experiment, &frames, task.memory_ids[0], task.process.pages());
        let pages: Vec<Vec<(u32, u64)>> = tasks.iter().map(pages).collect();
        let dispatchers = dispatch::dispatchers(experiment, &experiment.schedule, &pages)?;
        let modes = Modes::of(experiment, &pages)?;
        let caches = || {
            let data = PrivateCaches::new(machine.l1.as_ref(), machine.l2.as_ref());
            let both = data.with_code(machine.l1i.as_ref());
            let all = both.feeding(machine.inclusion() == Inclusion::Exclusive);
            let coherent = all.coherent(machine.coherence.is_some());
            let all = coherent.prefetching(&machine.core.prefetch);
            all.translating(machine.core.tlb.as_ref(), machine.page_bytes)
        };
        let cpus = (0u32..).zip(dispatchers);
        let cpus = cpus.map(|(number, dispatcher)| Cpu::new(number, core::build(&machine.core), caches(), dispatcher));
        let regulator = experiment.regulation.as_ref().map(|regulation| {
            let mut regulator = Regulator::new(&regulation.budgets, &machine.core);
            if phases.is_none() {
                regulator.begin(0, regulation.counted_from == 0);
            }
            regulator
        });
        // With phases, programs begin when all have set up their data.
        let start = |task: &TaskSpec| if phases.is_some() { 0 } else { task.start };
        let first = |(number, task): (usize, &TaskSpec)| match task.timing.periodic() {
            Some(timing) => Arrival::of(timing, 0, seed(experiment, number as u64), None),
            None => Arrival::at(start(task)),
        };
        let arrivals: Vec<Arrival> = experiment.tasks.iter().enumerate().map(first).collect();
        let windows = PlannedWindows::new(experiment);
        let mut engine = Self {
            experiment,
            operations,
            heeds_lines: machine.inclusion() != Inclusion::NonInclusive
                || !machine.core.prefetch.is_off()
                || machine.coherence.is_some()
                || tables.is_some()
                || regulator.is_some()
                || !experiment.agents.is_empty()
                || windows.is_some(),
            memory,
            cpus: InOrder::new(cpus.collect()),
            jobs: Jobs::new(tasks.len()),
            tasks,
            releases: (0..)
                .zip(&arrivals)
                .map(|(number, job)| Reverse((job.ready, number, 0)))
                .collect(),
            arrivals,
            line_bytes: machine.memory.timing.bytes_of_line(&machine.memory.organisation),
            horizon: match phases {
                Some(_) => NEVER,
                None => experiment.horizon_ns * 1000,
            },
            last: 0,
            locking: 0,
            windows,
            recoloring: experiment
                .dynamic
                .as_ref()
                .map(|rules| Recoloring::new(rules, experiment, &space)),
            space,
            frames,
            teams,
            watch,
            phases,
            next_dispatch: 0,
            count_at: match experiment.count_from_ns {
                0 => NEVER,
                from => from * 1000,
            },
            timer: 0,
            waits: super::busy::Waits::new(machine.cores as usize),
            recording,
            run_ahead: match machine.inclusion() {
                Inclusion::Inclusive => 0,
                _ if !machine.core.prefetch.is_off() || machine.coherence.is_some() => 0,
                _ if regulator.is_some() => bandwidth::RUN_AHEAD,
                _ => super::RUN_AHEAD,
            },
            regulator,
            sent: Vec::new(),
            told: Vec::new(),
            standing: Vec::new(),
            prefetches: !machine.core.prefetch.is_off(),
            tables,
            wanted: Vec::new(),
            agents,
            coherence: machine.coherence.map(|_| Coherence::default()),
            modes,
        };
        if engine.phases.is_none() {
            engine.begin_agents(0);
        }
        Ok(engine)
    }
}

/// Tasks on their way into memory.
struct Setup<'a> {
    experiment: &'a Experiment,
    frames: &'a mut Frames,
    tables: Option<TableSource>,
    /// Number of the next memory with the allocator.
    next_id: u32,
}

impl Setup<'_> {
    /// A task with its memories; a thread has that of its `master`.
    fn task(
        &mut self,
        number: usize,
        program: Box<dyn Program>,
        master: Option<&TaskState>,
    ) -> Result<TaskState, InputError> {
        let machine = &self.experiment.machine;
        let spec = &self.experiment.tasks[number];
        let areas = program.footprint();
        let footprint: u64 = areas.iter().map(|area| area.bytes).sum();
        if spec.global_bytes > footprint {
            let found = format!("found task {:?} that hands on {} bytes", spec.name, spec.global_bytes);
            return Err(self
                .experiment
                .error(found)
                .allowed(format!("at most the {footprint} bytes of its program"))
                .help("give the program more data, or hand on less"));
        }
        let areas_known = (!program.grows()).then_some(areas.as_slice());
        let (mut memories, mut memory_ids) = (Vec::new(), Vec::new());
        for instance in 0..spec.instances.len() {
            let id = TaskId(self.next_id);
            self.next_id += 1;
            memories.push(self.memory(number, instance, id, areas_known, master)?);
            memory_ids.push(id);
        }
        // The first memory goes with the process; what stays in its place is empty.
        let first = std::mem::replace(&mut memories[0], PageTable::new(&[], machine.page_bytes));
        let line = machine.memory.timing.bytes_of_line(&machine.memory.organisation);
        let clock = SlotClock::of(&machine.core);
        let slots = |cache: &Option<CacheConfig>| cache.as_ref().map_or(1, |cache| clock.latency(cache.latency));
        let hit_slots = [slots(&machine.l1), slots(&machine.l2)];
        let none = PrivateCaches::new(None, None);
        let phase = self.experiment.phases.map(|_| spec.role == Role::Measured);
        // Where nobody looks at the passes of a task it is not stopped at them.
        let heeds_marks = phase.unwrap_or(true) || spec.team.is_some();
        let mut process = Process::new(first, program, none, hit_slots, line as u32, heeds_marks);
        // What was looked up where processors were recorded is not known.
        if let Some(tlb) = machine.core.tlb.as_ref().filter(|_| !self.experiment.recorded) {
            let second = tlb.second.map_or(0, |second| clock.latency(second.latency));
            process.translate_by(Translating::new(second, machine.page_bytes));
        }
        process.tell_places();
        if phase.is_none() {
            process.begin();
            process.be_preemptible();
        }
        let mut recorder = ReadRecorder::default();
        if self.experiment.heeds_order {
            recorder.heed_order();
        }
        Ok(TaskState {
            process,
            core: None,
            memories,
            memory_ids,
            instance: 0,
            global_lines: copy::global_lines(&areas, spec.global_bytes, line),
            marked: false,
            passes: 0,
            jobs: Vec::new(),
            oldest: 0,
            recorder,
            chain: Default::default(),
            reordered: self.experiment.heeds_order.then(Default::default),
            is_recording: phase.is_none(),
            met: Met::default(),
            met_at_start: Met::default(),
            copies: 0,
            copied_bytes: 0,
            counted: Counters::default(),
            executing: 0,
            write_backs: 0,
            before: Before::default(),
            faults: PageFaults::default(),
            began_at_instruction: 0,
            waits_for_others: false,
            met_others: Waits::default(),
        })
    }

    /// One memory of a task, which grows if its areas are not known: all its pages are mapped, unless they wait until they are touched.
    fn memory(
        &mut self,
        number: usize,
        instance: usize,
        id: TaskId,
        areas: Option<&[Area]>,
        master: Option<&TaskState>,
    ) -> Result<PageTable, InputError> {
        let machine = &self.experiment.machine;
        let spec = &self.experiment.tasks[number];
        let refused = |error| self.experiment.no_frame(number, id, &error);
        let wanted = &spec.instances[instance];
        let node = machine.topology.node_of_core[spec.core as usize];
        let asked = TaskMemory {
            coloring: wanted.coloring.clone(),
            ..wanted.memory.clone().unwrap_or_else(|| TaskMemory::local(node))
        };
        self.frames.register(id, asked).map_err(refused)?;
        if self.experiment.recorded {
            let page_bytes = machine.page_bytes;
            return Ok(areas.map_or_else(
                || PageTable::growing_identical(page_bytes),
                |areas| PageTable::identical(areas, page_bytes),
            ));
        }
        // With phases setting up is a part of the run.
        let is_mapped = spec.paging == Paging::AtStart && self.experiment.phases.is_none();
        if let Some(master) = master.filter(|_| is_mapped) {
            return Ok(master.process.pages().clone());
        }
        let page_bytes = machine.page_bytes;
        let mut pages = areas.map_or_else(
            || PageTable::growing(page_bytes),
            |areas| PageTable::new(areas, page_bytes),
        );
        if self.tables.is_some() {
            // Threads share the tables of the first of them.
            let owner = master.map_or(id, |master| master.memory_ids[instance]);
            pages = pages.with_tables(owner.0);
        }
        while let Some(page) = pages.next_unmapped().filter(|_| is_mapped) {
            let (frame, _) = self.frames.alloc(id).map_err(refused)?;
            if let Some(tables) = &mut self.tables {
                tables
                    .give(self.frames, &mut pages, page, (id, node))
                    .map_err(refused)?;
            }
            pages.map(page, frame);
        }
        Ok(pages)
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Warm-up and measured phase.
//!
//! When the data of all tasks are set up, caches are filled if that is asked for, and the programs begin together (a task with a `start` so
//! much later). Each
//! measured task warms up for the length of the scenario's `warm_up`; one that is warm after so many operations waits for the
//! others, so that its phase begins at the same point of its program whatever they do, and any other runs on. When the last of
//! them is warm, the counters of controllers and background tasks start anew, and every measured task begins its phase: at the
//! end of its present pass if phases are counted in passes, else at its next operation. A task that has ended its phase runs
//! on too, so that the others keep their interference to the end. The run ends with the last phase.

use super::Engine;
use super::fill::Filling;
use super::measure::Measurement;
use crate::experiment::{Paging, Phases as Rules, TaskSpec};
use crate::results::Measured;
use crate::{Extent, Role};
use fresco_dram::{NEVER, Ps};
use fresco_input::InputError;

/// The phases of a run.
pub(super) struct Phases<'e> {
    pub rules: &'e Rules,
    /// Tasks by number of their core: the order in which they begin.
    pub order: Vec<usize>,
    /// How far caches are filled; `None` before.
    pub filling: Option<Filling>,
    /// All tasks have set up their data, and the programs may begin.
    released: bool,
    /// When all measured tasks had warmed up.
    pub opened: Option<Ps>,
    /// When the last phase ended.
    pub over: Option<Ps>,
    /// When to stop which task for the sake of the measurement.
    stops: Vec<(Ps, usize)>,
    /// By task.
    pub tasks: Vec<Progress>,
}

/// How far a task has come.
#[derive(Default)]
pub(super) struct Progress {
    /// Its pages are mapped, as far as that is done before the program begins.
    is_set_up: bool,
    stage: Stage,
    /// It is warm and waits for the others: its core stands still.
    is_waiting: bool,
    /// Instructions executed when its present pass began; `None` before its first.
    pass_at_instruction: Option<u64>,
    /// Counters of a background task when all measured ones had warmed up.
    pub background: Option<Measurement>,
    /// The result of a measured task whose phase is over.
    pub measured: Option<Measured>,
}

/// Stages of a task.
#[derive(Clone, Debug, Default)]
enum Stage {
    /// Its data are being set up.
    #[default]
    Starting,
    /// Not measured, or measured already.
    Running,
    /// Warming up; so many passes are left if it is counted in passes.
    WarmingUp { passes: u64 },
    /// Waiting for the others to be warm, and for the place to begin at.
    Warm,
    /// In its measured phase.
    Measuring(Box<Measurement>),
}

impl<'e> Phases<'e> {
    /// Before the first of these tasks has set up its data.
    pub fn new(rules: &'e Rules, tasks: &[TaskSpec]) -> Self {
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        order.sort_by_key(|task| tasks[*task].core);
        Self {
            rules,
            order,
            filling: None,
            released: false,
            opened: None,
            over: None,
            stops: Vec::new(),
            tasks: tasks.iter().map(|_| Progress::default()).collect(),
        }
    }
}

impl<'e> Engine<'e> {
    fn of_phases(&mut self) -> &mut Phases<'e> {
        self.phases.as_mut().expect("the run has phases")
    }

    /// A task has not begun: first its pages are mapped, if it sets its data up beforehand. When all tasks have come so
    /// far, their programs begin together, each after its own delay. Returns when to ask again, or when the program
    /// begins; `None` if it has to wait for the others.
    pub(super) fn start(&mut self, task: usize, at: Ps) -> Result<Option<Ps>, InputError> {
        if self.of_phases().released {
            self.begin_program(task, at);
            return Ok(Some(at));
        }
        if self.experiment.tasks[task].paging == Paging::AtStart && !self.is_helper(task) {
            let page = self.tasks[task].process.pages_mut().next_unmapped();
            if let Some(page) = page {
                return Ok(Some(at + self.fault(task, page, at)?));
            }
        }
        let phases = self.of_phases();
        phases.tasks[task].is_set_up = true;
        if !phases.tasks.iter().all(|task| task.is_set_up) {
            return Ok(None);
        }
        if self.fill(at)? {
            return Ok(Some(at));
        }
        let phases = self.of_phases();
        phases.released = true;
        let order = phases.order.clone();
        let delays: Vec<Ps> = self.experiment.tasks.iter().map(|task| task.start).collect();
        if let Some(regulator) = &mut self.regulator {
            regulator.begin(at, false);
        }
        self.scan_from(at);
        self.begin_agents(at);
        for other in order {
            // Before any of them executes, so that phases may begin for all of them here.
            if delays[other] == 0 {
                self.begin_program(other, at);
            }
            if other != task {
                let core = self.experiment.tasks[other].core as usize;
                self.cpus[core].core.resume(at + delays[other]);
            }
        }
        Ok(Some(at + delays[task]))
    }

    fn begin_program(&mut self, task: usize, at: Ps) {
        self.tasks[task].process.begin();
        let executed = self.counted(task).instructions;
        let operations = self.tasks[task].process.operations();
        let role = self.experiment.tasks[task].role;
        let phases = self.of_phases();
        let warm_up = phases.rules.warm_up;
        let progress = &mut phases.tasks[task];
        // One that filled caches is within a pass.
        progress.pass_at_instruction = (operations == 0).then_some(executed);
        if role == Role::Background {
            progress.stage = Stage::Running;
            return;
        }
        let passes = if let Extent::Passes(count) = warm_up { count } else { 0 };
        progress.stage = Stage::WarmingUp { passes };
        if warm_up.is_empty() {
            self.warm(task, at);
        } else {
            self.stop_after(task, warm_up, operations, at);
        }
    }

    /// Stops a task so many operations after `operations`, or so long after `at`. Its passes are stops anyway.
    fn stop_after(&mut self, task: usize, extent: Extent, operations: u64, at: Ps) {
        match extent {
            Extent::Passes(_) => {}
            Extent::Operations(count) => self.tasks[task].process.stop_at(operations + count),
            Extent::Time(time) => self.of_phases().stops.push((at + time, task)),
            Extent::Jobs(_) => unreachable!("phases are not counted in jobs"),
        }
    }

    /// When the next task is to be stopped for its phase.
    pub(super) fn next_stop(&self) -> Ps {
        let stops = self.phases.iter().flat_map(|phases| &phases.stops);
        stops.map(|stop| stop.0).min().unwrap_or(NEVER)
    }

    /// Stops the tasks whose phases last to `now`.
    pub(super) fn stop_due(&mut self, now: Ps) {
        let Some(phases) = &mut self.phases else { return };
        let due: Vec<usize> = phases
            .stops
            .iter()
            .filter(|stop| stop.0 <= now)
            .map(|stop| stop.1)
            .collect();
        phases.stops.retain(|stop| stop.0 > now);
        due.into_iter().for_each(|task| self.stop_for_phase(task, now));
    }

    /// Stops a task for the sake of its phase: a thread that waits for others has stopped already.
    fn stop_for_phase(&mut self, task: usize, at: Ps) {
        match self.tasks[task].waits_for_others {
            true => self.advance(task, at),
            false => self.tasks[task].process.stop_at(0),
        }
    }

    /// A program has completed a pass.
    ///
    /// # Errors
    /// It has no operations, and its phases are counted in operations: they would never end.
    pub(super) fn note_pass(&mut self, task: usize, at: Ps) -> Result<(), InputError> {
        if self.experiment.tasks[task].timing.periodic().is_none() {
            self.recording.passed(at, task);
        }
        let Some(phases) = &self.phases else { return Ok(()) };
        let counted = |extent| matches!(extent, Extent::Operations(count) if count > 0);
        let counts = counted(phases.rules.warm_up) || counted(phases.rules.measure);
        if counts && self.tasks[task].process.operations() == 0 {
            let found = "found a program without loads and stores, in phases that count them";
            return Err(self
                .experiment
                .error_in(task, found.to_owned())
                .allowed("phases in passes or time")
                .help("write passes or time in [warm_up] and [measure]"));
        }
        let executed = self.counted(task).instructions;
        let phases = self.of_phases();
        let in_passes = matches!(phases.rules.measure, Extent::Passes(_));
        let is_open = phases.opened.is_some();
        let progress = &mut phases.tasks[task];
        progress.pass_at_instruction = Some(executed);
        if let Some(measurement) = &mut progress.background {
            measurement.passed(at);
        }
        match &mut progress.stage {
            // Zero passes left: the warm-up is counted in something else.
            Stage::WarmingUp { passes: 0 } | Stage::Starting | Stage::Running => {}
            Stage::WarmingUp { passes } => {
                *passes -= 1;
                if *passes == 0 {
                    self.warm(task, at);
                }
            }
            Stage::Warm if in_passes && is_open => self.begin_phase(task, at),
            Stage::Warm => {}
            Stage::Measuring(measurement) => {
                measurement.passed(at);
                measurement.passes_left = measurement.passes_left.saturating_sub(1);
                if in_passes && measurement.passes_left == 0 {
                    self.end_phase(task, at);
                }
            }
        }
        Ok(())
    }

    /// A task has stopped where it was asked to. Phases of threads that are counted in operations begin and end with that which has most.
    /// Returns true if it goes on.
    pub(super) fn asked(&mut self, task: usize, at: Ps) -> bool {
        let stage = |engine: &mut Self, task: usize| std::mem::discriminant(&engine.of_phases().tasks[task].stage);
        let before = stage(self, task);
        self.advance(task, at);
        if stage(self, task) != before {
            for sharer in self.sharers(task) {
                if sharer != task && stage(self, sharer) == before {
                    self.stop_for_phase(sharer, at);
                }
            }
        }
        !self.of_phases().tasks[task].is_waiting
    }

    fn advance(&mut self, task: usize, at: Ps) {
        let phases = self.of_phases();
        match phases.tasks[task].stage {
            Stage::WarmingUp { .. } => self.warm(task, at),
            Stage::Warm if phases.opened.is_some() => self.begin_phase(task, at),
            Stage::Measuring(_) => self.end_phase(task, at),
            Stage::Warm | Stage::Starting | Stage::Running => {}
        }
    }

    /// A task has warmed up.
    fn warm(&mut self, task: usize, at: Ps) {
        let tasks = &self.experiment.tasks;
        let is_thread = self.is_thread(task);
        let phases = self.of_phases();
        phases.tasks[task].stage = Stage::Warm;
        let cold = |stage: &Stage| matches!(stage, Stage::Starting | Stage::WarmingUp { .. });
        let mut all = std::iter::zip(tasks, &phases.tasks);
        if all.any(|(task, progress)| task.role == Role::Measured && cold(&progress.stage)) {
            // Threads begin together with that of them which has most, wherever the others are.
            phases.tasks[task].is_waiting = matches!(phases.rules.warm_up, Extent::Operations(1..)) && !is_thread;
            return;
        }
        phases.opened = Some(at);
        self.record_from(at);
        let phases = self.of_phases();
        let in_passes = matches!(phases.rules.measure, Extent::Passes(_));
        self.memory.reset_stats();
        self.count_agents_anew();
        for other in self.of_phases().order.clone() {
            let executed = self.counted(other).instructions;
            let progress = &mut self.of_phases().tasks[other];
            let has_waited = std::mem::take(&mut progress.is_waiting);
            match progress.stage {
                // A task at the begin of a pass begins here, one within a pass at its end.
                Stage::Warm if in_passes => {
                    if progress.pass_at_instruction == Some(executed) {
                        self.begin_phase(other, at);
                    }
                }
                Stage::Warm if other == task || has_waited => self.begin_phase(other, at),
                Stage::Warm => self.stop_for_phase(other, at),
                _ => {
                    let measurement = self.measurement(other, at, 0);
                    self.of_phases().tasks[other].background = Some(measurement);
                }
            }
            if has_waited {
                let core = self.experiment.tasks[other].core as usize;
                self.cpus[core].core.resume(at);
            }
        }
    }

    fn begin_phase(&mut self, task: usize, at: Ps) {
        let measure = self.of_phases().rules.measure;
        let passes = if let Extent::Passes(count) = measure { count } else { 0 };
        let measurement = self.measurement(task, at, passes);
        self.of_phases().tasks[task].stage = Stage::Measuring(Box::new(measurement));
        let operations = self.tasks[task].process.operations();
        self.stop_after(task, measure, operations, at);
    }

    fn end_phase(&mut self, task: usize, at: Ps) {
        let stage = &mut self.of_phases().tasks[task].stage;
        let Stage::Measuring(measurement) = std::mem::replace(stage, Stage::Running) else {
            unreachable!("only a measured phase ends");
        };
        self.tasks[task].is_recording = false;
        let measured = self.measured(task, &measurement, at);
        let phases = self.of_phases();
        phases.tasks[task].measured = Some(measured);
        let done = |progress: &Progress| progress.measured.is_some() || progress.background.is_some();
        phases.over = phases.tasks.iter().all(done).then_some(at);
    }

    /// A program that runs meanwhile is over, and its phase with it, if that was not over before.
    ///
    /// # Errors
    /// It has not begun.
    pub(super) fn end_with_program(&mut self, task: usize, at: Ps) -> Result<(), InputError> {
        if matches!(self.of_phases().tasks[task].stage, Stage::Running) {
            return Ok(());
        }
        if !matches!(self.of_phases().tasks[task].stage, Stage::Measuring(_)) {
            let found = "found that the program was over before its warm-up was";
            return Err(self
                .experiment
                .error_in(task, found.to_owned())
                .allowed("a warm-up that is shorter than the program")
                .help("shorten warm_up, or let the program run longer"));
        }
        self.end_phase(task, at);
        Ok(())
    }

    /// Begins to count anew.
    fn measurement(&mut self, task: usize, at: Ps, passes_left: u64) -> Measurement {
        let state = &mut self.tasks[task];
        state.recorder.reset();
        state.is_recording = true;
        self.tasks[task].process.caches_mut().reset_stats();
        let executed = self.counted(task).instructions;
        let begins = self.of_phases().tasks[task].pass_at_instruction == Some(executed);
        Measurement {
            from: self.snapshot(task, at),
            passes_left,
            pass_began: begins.then_some(at),
            passes: Vec::new(),
        }
    }

    /// Returns true if every measured task has ended its phase.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.phases.as_ref().is_some_and(|phases| phases.over.is_some())
    }

    /// The run ends at `at`: background tasks are read.
    pub(super) fn end_background(&mut self, at: Ps) {
        let tasks = self.phases.as_ref().map_or(0, |phases| phases.tasks.len());
        for task in 0..tasks {
            if let Some(measurement) = self.of_phases().tasks[task].background.take() {
                let measured = self.measured(task, &measurement, at);
                self.of_phases().tasks[task].measured = Some(measured);
            }
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run: cores, operating system and memory in one order of time.
//!
//! The engine takes the earliest of three kinds of event: something happens in the memory, a core has something to do
//! that others can notice, a timer of the measurement is over. At equal times the memory goes first, then timers, then
//! the cores by number. So the run is one sequence, the same on every host.
//!
//! Page faults, and marks that a measurement refers to, stop a core until everything before them is complete, as an
//! exception or a serialising reading of the clock does. Between such points a core runs ahead of the others for up to
//! [`RUN_AHEAD`] on its private caches, where nobody notices; counters of background tasks, which are read without
//! stopping them, are exact to that time.

mod balancing;
mod build;
mod cpu;
mod judge;
mod paging;
mod phases;
mod recoloring;
mod regulation;
mod report;
mod team;
#[cfg(test)]
mod tests;

use crate::bandwidth::Regulator;
use crate::core::{Action, InOrder};
use crate::os::process::{Failure, Stop};
use crate::results::{RunResult, TaskResult};
use crate::scenario::{RunSpec, Setup, error_at};
use cpu::{Cpu, Measurement};
use fresco_dram::{NEVER, Ps};
use fresco_frames::{Assignment, Frames};
use fresco_input::InputError;
use fresco_load::Marker;
use fresco_memory::{Done, MemorySystem, Service};
use judge::Judge;
use recoloring::Recoloring;
use team::Team;

/// How far a core may run ahead of the others on private state: 1 µs.
const RUN_AHEAD: Ps = 1_000_000;

/// A run in progress.
pub(crate) struct Engine<'s> {
    spec: &'s RunSpec,
    setup: &'s Setup,
    memory: MemorySystem,
    frames: Frames,
    /// By number of their core.
    cpus: InOrder<Cpu>,
    /// Index of the cpu of each core that has one.
    cpu_of: Vec<usize>,
    /// Colours of each copy, as the allocator gave them.
    assignments: Vec<Assignment>,
    /// When to stop which task for the sake of the measurement.
    timers: Vec<(Ps, usize)>,
    /// All tasks have set up their data, and the programs may begin.
    released: bool,
    /// When all measured tasks had warmed up.
    opened: Option<Ps>,
    /// Counters of background tasks at that time, by number of the cpu.
    background: Vec<Option<Measurement>>,
    /// Results of measured tasks that are done, by number of the cpu.
    results: Vec<Option<TaskResult>>,
    judge: Option<Judge>,
    /// Budgets of bandwidth, if cores are regulated.
    regulator: Option<Regulator>,
    /// Banks and channels that are divided anew, if they are.
    recoloring: Option<Recoloring>,
    /// Tasks whose copies are threads of one program.
    teams: Vec<Team>,
    /// [`RUN_AHEAD`].
    run_ahead: Ps,
}

impl Engine<'_> {
    /// Runs until the last measured task has ended its phase.
    ///
    /// # Errors
    /// Memory or colours are used up; a trace is damaged; a program's own result is wrong; the checker found DRAM
    /// commands that no device allows.
    pub fn run(mut self) -> Result<RunResult, InputError> {
        let mut done: Vec<Done> = Vec::new();
        loop {
            let (number, at) = self.cpus.next();
            let timer = self.timers.iter().map(|timer| timer.0).min().unwrap_or(NEVER);
            let timer = timer.min(self.next_period()).min(self.next_scan());
            let memory = self.memory.next_event();
            if memory <= at.min(timer) {
                assert!(
                    memory < NEVER && !self.is_stuck(at, timer),
                    "every core waits for something that never comes"
                );
                self.memory.run_until(memory, &mut done);
                self.deliver(&mut done, memory, memory < timer);
            } else if timer <= at {
                self.fire_timers(timer);
                self.scan(timer)?;
            } else {
                self.memory.run_until(at, &mut done);
                debug_assert!(
                    done.is_empty(),
                    "what is due at the same time has been delivered before"
                );
                // Nothing but an event ends a phase.
                if self.step(number)? && self.is_over() {
                    return self.finish(at);
                }
            }
        }
    }

    /// Nothing but refreshes would ever happen again.
    fn is_stuck(&self, cpu: Ps, timer: Ps) -> bool {
        cpu == NEVER && timer == NEVER && self.memory.outstanding() == 0
    }

    /// Lines arrive. Unless a timer goes before the cores at this time, these go on at once: nobody notices.
    fn deliver(&mut self, done: &mut Vec<Done>, now: Ps, go_on: bool) {
        for done in done.iter() {
            let cpu = &mut self.cpus[self.cpu_of[done.core as usize]];
            let tag = cpu.arrived(done.id);
            cpu.core.complete(tag, now, done.at);
            if go_on {
                cpu.core.run_on(&mut cpu.process, now + self.run_ahead);
            }
            if cpu.recording {
                cpu.recorder.record(&done.sample);
            }
        }
        done.clear();
    }

    fn fire_timers(&mut self, now: Ps) {
        let cpus = &mut self.cpus;
        self.timers.retain(|(at, number)| {
            if *at <= now {
                cpus[*number].process.stop_at(0);
            }
            *at > now
        });
        self.renew_budgets(now);
    }

    /// A core does what is due. Returns whether that was an event.
    fn step(&mut self, number: usize) -> Result<bool, InputError> {
        let cpu = &mut self.cpus[number];
        let limit = cpu.core.next_time() + self.run_ahead;
        match cpu.core.step(&mut cpu.process, limit) {
            Action::Ran => return Ok(false),
            Action::Fetch { at, line, write, tag } => match self.memory.read(at, cpu.number, line, write) {
                Service::Done { at: arrival } => cpu.core.complete(tag, at, arrival),
                Service::Pending(id) => cpu.wait(id, tag),
            },
            Action::WriteBack { at, line } => self.memory.write_back(at, cpu.number, line),
            Action::Event { at } => {
                self.event(number, at)?;
                return Ok(true);
            }
        }
        self.count_lines(number);
        Ok(false)
    }

    /// A task has stopped, everything before being complete at `at`.
    fn event(&mut self, number: usize, at: Ps) -> Result<(), InputError> {
        let resume = match self.cpus[number].process.take_stop() {
            Stop::Start => match self.start(number, at)? {
                Some(resume) => resume,
                None => return Ok(()),
            },
            Stop::Fault(page) => at + self.fault(number, page)?,
            Stop::Mark(Marker::Pass) if !self.is_thread(number) => {
                self.cpus[number].marked = true;
                self.pass(number, at)?;
                at
            }
            Stop::Mark(marker @ (Marker::Fork | Marker::Join | Marker::Pass)) => match self.meet(number, at, marker)? {
                Some(resume) => resume,
                None => return Ok(()),
            },
            Stop::Mark(Marker::Begin | Marker::End) | Stop::Elapsed | Stop::Copied => at,
            Stop::Asked => {
                self.asked(number, at);
                at
            }
            Stop::Interrupt => match self.interrupted(number, at) {
                Some(resume) => resume,
                None => return Ok(()),
            },
            Stop::Over => {
                self.restart(number, at)?;
                at
            }
            Stop::Failed(Failure::Input(error)) => return Err(error),
            Stop::Failed(Failure::Outside(op)) => {
                let found = format!("found that the program accesses {} outside its areas", op.addr);
                return Err(self.fault_of_program(number, found));
            }
        };
        let resume = resume + self.pay(number);
        self.cpus[number].core.resume(resume);
        Ok(())
    }

    /// A program that is over begins again. Its course counts as a pass, unless it has passes of its own.
    fn restart(&mut self, number: usize, at: Ps) -> Result<(), InputError> {
        let cpu = &mut self.cpus[number];
        let idle = cpu.core.instructions() == cpu.began_at_instruction;
        let marked = std::mem::take(&mut cpu.marked);
        let copy = cpu.copy;
        if idle {
            return Err(self.fault_of_program(number, "found a program that executes nothing".to_owned()));
        }
        if self.setup.tasks[self.setup.copies[copy].task].program.is_team() {
            return Err(self.fault_of_program(
                number,
                "found threads that are over, of a program without end".to_owned(),
            ));
        }
        let program = build::program(self.setup, copy, self.spec.seed)?;
        let cpu = &mut self.cpus[number];
        cpu.began_at_instruction = cpu.core.instructions();
        cpu.process.restart(program);
        if !marked {
            self.pass(number, at)?;
        }
        Ok(())
    }

    fn fault_of_program(&self, number: usize, found: String) -> InputError {
        let task = &self.setup.tasks[self.setup.copies[self.cpus[number].copy].task];
        let cure = "a fault of the program or its trace, not of the scenario: please report it";
        error_at(&task.place, found).cure(cure)
    }
}

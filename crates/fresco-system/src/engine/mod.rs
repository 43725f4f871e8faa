// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run: cores with their dispatchers, operating system and memory, in one order of time.
//!
//! The engine takes the earliest of four kinds of event: something happens in the memory, a timer is over, a device sends a line, a core
//! has something to do that others can notice. At equal times the memory goes first, then timers (phases that end, budgets of
//! bandwidth, scans of the colors, dispatchers by core), then devices that are no cores, then the cores by number. So the run is one sequence, the same on
//! every host.
//!
//! Page faults, interrupts, and marks that somebody waits for stop a core until everything before them is complete, as an
//! exception or a serialising reading of the clock does. Between such points a core runs ahead of the others for up to
//! [`RUN_AHEAD`] on its private caches, where nobody notices; not at all above an inclusive cache, with prefetchers, or where caches are coherent. Where its dispatcher may take it away it runs no further than
//! to the next timer; in a run of phases no task ever leaves its core, and counters of background tasks, which are read
//! without stopping them, are exact to [`RUN_AHEAD`].
//!
//! A run with a horizon begins with all pages mapped that do not wait to be touched, at no cost; one of phases sets data up
//! first, page fault by page fault. Caches are empty in both.

mod agents;
mod arrivals;
mod balancing;
mod budgets;
mod build;
mod busy;
mod coherence;
mod copy;
mod counting;
mod cpu;
mod decide;
mod fill;
mod finish;
mod inclusion;
mod jobs;
mod load;
mod lock;
mod measure;
mod mode_change;
mod ordered;
mod paging;
mod phases;
mod prefetch;
mod recoloring;
mod recording;
mod rows;
mod stops;
mod tables;
mod team;
#[cfg(test)]
mod tests;
mod watch;
mod windows;
#[cfg(debug_assertions)]
mod witness;

use crate::bandwidth::Regulator;
use crate::core::{Action, InOrder};
use crate::experiment::{Experiment, Jobs, RunOutcome};
use arrivals::Arrival;
use coherence::Coherence;
use cpu::Cpu;
use fresco_dram::{ColorSpace, NEVER, PhysAddr, Ps};
use fresco_frames::Frames;
use fresco_input::InputError;
use fresco_memory::{Done, MemorySystem, Purpose, Service, Upward, Wanted};
use jobs::TaskState;
use mode_change::Modes;
use phases::Phases;
use recoloring::Recoloring;
use recording::Recording;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tables::TableSource;
use team::Team;
use watch::Watch;
use windows::PlannedWindows;

/// How far a core may run ahead of the others on private state: 1 µs.
const RUN_AHEAD: Ps = 1_000_000;

/// After so many events it is asked whether the run is given up: each may be a microsecond of a program that finds all in its caches.
const BETWEEN_QUESTIONS: u32 = 1 << 8;
/// Questions from one check of the levels to the next.
#[cfg(debug_assertions)]
const BETWEEN_CHECKS: u32 = 1 << 6;

/// A run in progress.
pub(crate) struct Engine<'e> {
    experiment: &'e Experiment,
    /// Operations of synthetic jobs, by task; 0 for others.
    operations: &'e [u64],
    memory: MemorySystem,
    cpus: InOrder<Cpu>,
    tasks: Vec<TaskState>,
    jobs: Jobs,
    /// Next release of each task: time, task, job.
    releases: BinaryHeap<Reverse<(Ps, usize, u64)>>,
    /// The next arrival of each task.
    arrivals: Vec<Arrival>,
    /// Bytes of a line.
    line_bytes: u64,
    horizon: Ps,
    /// When a dispatcher decides next or a job is released.
    next_dispatch: Ps,
    /// When counters begin anew; [`NEVER`] if they do not any more.
    count_at: Ps,
    /// The earliest of the timers. Only what timers and events do moves one.
    timer: Ps,
    /// Time of the last event.
    last: Ps,
    /// Cores in a handler that locks a color.
    locking: usize,
    windows: Option<PlannedWindows>,
    space: Arc<ColorSpace>,
    frames: Frames,
    /// Banks and channels that are divided anew, if they are.
    recoloring: Option<Recoloring>,
    /// Tasks that are threads of one program.
    teams: Vec<Team>,
    watch: Option<Rc<RefCell<Watch>>>,
    /// Warm-up and measurement, if they say how long the run lasts.
    phases: Option<Phases<'e>>,
    /// Of the part that is recorded.
    waits: busy::Waits,
    /// The timeline of the part that is recorded.
    recording: Recording,
    /// Budgets of bandwidth, if cores are regulated.
    regulator: Option<Regulator>,
    /// [`RUN_AHEAD`], or less where others notice earlier.
    run_ahead: Ps,
    /// Reused.
    sent: Vec<(Ps, u32, PhysAddr)>,
    /// Reused.
    told: Vec<Upward>,
    /// Reused.
    standing: Vec<(u32, bool)>,
    /// Cores have prefetchers.
    prefetches: bool,
    /// Where page tables come from, if cores have TLBs.
    tables: Option<TableSource>,
    /// More than the core that asked for a line heeds it: another level, a prefetcher, a page walk, a device, a budget, a plan of
    /// refreshes, or other cores.
    heeds_lines: bool,
    /// Reused.
    wanted: Vec<Wanted>,
    /// Devices beside the cores.
    agents: agents::Agents,
    /// Private caches are coherent.
    coherence: Option<Coherence>,
    /// A change of mode, if one comes.
    modes: Option<Modes>,
}

impl Engine<'_> {
    /// Runs to the horizon; `None` if the run is given up before.
    ///
    /// # Errors
    /// A trace is damaged; a program accesses what is not its own.
    pub fn run(mut self, is_given_up: &dyn Fn() -> bool) -> Result<Option<RunOutcome>, InputError> {
        let mut done: Vec<Done> = Vec::new();
        self.timer = self.next_timer();
        #[cfg(debug_assertions)]
        let mut questions = 0u32;
        while !is_given_up() {
            for _ in 0..BETWEEN_QUESTIONS {
                if !self.go_on(&mut done)? {
                    #[cfg(debug_assertions)]
                    self.check_levels();
                    return self.finish(&mut done).map(Some);
                }
            }
            #[cfg(debug_assertions)]
            {
                questions = questions.wrapping_add(1);
                if questions.is_multiple_of(BETWEEN_CHECKS) {
                    self.check_levels();
                }
            }
        }
        Ok(None)
    }

    /// Runs the only task to the end of its first pass, and returns when that is.
    ///
    /// # Errors
    /// As of [`run`](Self::run).
    pub fn first_pass(mut self) -> Result<Ps, InputError> {
        let mut done: Vec<Done> = Vec::new();
        self.timer = self.next_timer();
        while self.tasks[0].passes == 0 && self.go_on(&mut done)? {}
        Ok(self.last)
    }

    /// What happens next; false if nothing does up to the horizon.
    fn go_on(&mut self, done: &mut Vec<Done>) -> Result<bool, InputError> {
        let (number, at) = self.cpus.next();
        let timer = self.timer;
        debug_assert_eq!(timer, self.next_timer());
        let memory = self.memory.next_event();
        let first = memory.min(timer).min(at);
        if first > self.horizon || self.is_over() {
            assert!(
                first < NEVER || self.horizon < NEVER,
                "every core waits for something that never comes"
            );
            return Ok(false);
        }
        self.last = first;
        if let Some(clock) = &self.experiment.clock {
            clock.store(first, Relaxed);
        }
        self.memory.run_until(first, done);
        // A cache that accepts what it had let wait may let the core stand that was next.
        let stands = self.let_stand(first);
        if memory <= at.min(timer) {
            self.deliver(done, first, memory < timer);
        } else if timer <= at {
            debug_assert!(
                done.is_empty(),
                "what is due at the same time has been delivered before"
            );
            if self.next_of_cores() == timer {
                self.fire(timer)?;
            } else {
                self.send_of_agents(timer);
            }
            self.timer = self.next_timer();
        } else if !stands {
            let event = self.step(number, at, timer);
            self.let_stand(at);
            if let Some(event) = event {
                self.event(number, event)?;
                self.timer = self.next_timer();
            }
        }
        Ok(true)
    }

    /// Cores that displaced lines for which there is no room stand still from `now` on, or go on. Returns whether any does.
    #[inline]
    fn let_stand(&mut self, now: Ps) -> bool {
        let changes = self.memory.has_standing();
        if changes {
            self.memory.take_standing(&mut self.standing);
            for (core, stands) in self.standing.drain(..) {
                self.cpus[core as usize].core.stand(now, stands);
            }
        }
        changes
    }

    /// When the next timer is over, or a device sends its next line.
    fn next_timer(&self) -> Ps {
        self.next_of_cores().min(self.agents.next)
    }

    /// When a dispatcher decides next, a job is released, budgets are renewed, colors are divided anew, a phase ends, the mode changes, or counters
    /// begin anew.
    fn next_of_cores(&self) -> Ps {
        let first = self.next_dispatch.min(self.next_period()).min(self.count_at);
        let first = first.min(self.next_scan()).min(self.next_stop()).min(self.next_mode());
        // At the horizon jobs may end, but nothing begins.
        if first < self.horizon { first } else { NEVER }
    }

    /// Lines arrive. Cores that nobody takes away go on at once, unless a timer goes before them at this time (`go_on`): nobody
    /// notices.
    fn deliver(&mut self, done: &mut Vec<Done>, now: Ps, go_on: bool) {
        if self.heeds_lines {
            self.arrived_at_agents(done);
            self.tell_private();
            self.count_late_lines();
            if self.coherence.is_some() {
                self.hold_back(done);
            }
        }
        let settled = self.settled();
        let go_on = go_on && self.phases.is_some();
        for done in done.iter() {
            let cpu = &mut self.cpus[done.core as usize];
            let tag = cpu.arrived(done.id);
            let mut is_prefetch = false;
            if self.heeds_lines {
                is_prefetch = self.prefetches && cpu.was_prefetch(done.id);
                if self.tables.is_some() {
                    cpu.core.note_source(tag, done.sample.is_some());
                }
            }
            cpu.core.complete(tag, now, done.at);
            if let Some(loaded) = cpu.loaded.as_ref().filter(|_| go_on) {
                cpu.core
                    .run_on(&mut self.tasks[loaded.task].process, now + self.run_ahead);
            }
            let Some(sample) = done.sample.as_ref().filter(|_| !is_prefetch) else {
                // A hit that waited for miss registers.
                if self.experiment.heeds_order
                    && let Some(loaded) = &cpu.loaded
                {
                    self.tasks[loaded.task].hit(done.at, done.at, true);
                }
                continue;
            };
            let sent = done.at - sample.latency;
            if sample.refresh > 0 && self.recording.contains(sent) {
                self.waits.note(done.core, sent, sample.refresh);
            }
            if let Some(loaded) = &cpu.loaded {
                self.tasks[loaded.task].read(done.at, sample, done.at < settled);
            }
        }
        done.clear();
        if self.heeds_lines && self.coherence.is_some() {
            self.let_follow(now);
        }
    }

    /// A core does what is due at `now`; it runs no further than `timer`, if that may take it away. Returns when its process
    /// has stopped, if it has.
    fn step(&mut self, number: usize, now: Ps, timer: Ps) -> Option<Ps> {
        let cpu = &mut self.cpus[number];
        let ahead = now + self.run_ahead;
        let limit = if timer <= ahead && self.phases.is_none() {
            cpu.last_slot_before(timer)
        } else {
            ahead
        };
        let process = cpu.loaded.as_ref().map(|loaded| &mut self.tasks[loaded.task].process);
        match cpu.core.step(process, limit) {
            Action::Ran => {}
            Action::Fetch { at, line, write, tag } => {
                let is_upgrade = if self.heeds_lines && self.coherence.is_some() {
                    self.ask(number, at, line, write, tag) == Purpose::Upgrade
                } else {
                    match self.memory.read(at, cpu.number, line, write) {
                        Service::Done { at: arrival } => {
                            if self.heeds_lines && self.tables.is_some() {
                                cpu.core.note_source(tag, false);
                            }
                            cpu.core.complete(tag, at, arrival);
                            if self.experiment.heeds_order
                                && let Some(loaded) = &cpu.loaded
                            {
                                let may_be_read = self.memory.depends_on_order(cpu.number, line);
                                self.tasks[loaded.task].hit(at, arrival, may_be_read);
                            }
                        }
                        Service::Pending(id) => cpu.wait(id, tag),
                    }
                    false
                };
                #[cfg(debug_assertions)]
                self.witness_access(number, at);
                if self.heeds_lines {
                    self.tell_private();
                    self.note_sent();
                    self.count_lines(number);
                    if !is_upgrade {
                        self.learn_from_miss(number, at, line, tag);
                    }
                }
            }
            Action::Watched { at, line, late } => self.learn_from_hit(number, at, line, late),
            Action::Leave { at, leaving } => {
                self.leave(number, at, leaving);
                self.note_sent();
                self.count_lines(number);
            }
            Action::Event { at } => return Some(at),
        }
        None
    }
}

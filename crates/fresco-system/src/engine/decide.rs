// SPDX-License-Identifier: MIT OR Apache-2.0
//! The instants at which dispatchers decide, and what becomes of their decisions.

use super::arrivals::Arrival;
use super::build::seed;
use super::{Engine, Reverse};
use crate::experiment::{Activity, LockSpan, ReadyJob};
use fresco_dram::{NEVER, Ps};
use fresco_input::InputError;

impl Engine<'_> {
    /// Counters begin anew, phases that last to `now` end, budgets are renewed, colors are divided anew, the mode changes, jobs are released, decisions end.
    ///
    /// # Errors
    /// Colors cannot be divided so.
    pub(super) fn fire(&mut self, now: Ps) -> Result<(), InputError> {
        self.count_anew(now);
        self.stop_due(now);
        self.renew_budgets(now);
        self.scan(now)?;
        let changed = self.change_mode(now);
        if self.next_dispatch > now && !changed {
            return Ok(());
        }
        let mut released: Vec<ReadyJob> = Vec::new();
        while let Some(&Reverse((at, task, job))) = self.releases.peek() {
            if at > now {
                break;
            }
            self.releases.pop();
            released.push(self.release(at, task, job));
        }
        let due = |number: &usize| {
            let ends = self.cpus[*number].decision.until <= now;
            ends || changed || released.iter().any(|job| self.is_for(*number, job.task))
        };
        let told: Vec<usize> = (0..self.cpus.len()).filter(due).collect();
        for number in told {
            self.passed(number, now);
            for job in &released {
                if self.is_for(number, job.task) {
                    self.cpus[number].dispatcher.released(now, job);
                }
            }
            self.decide(number, now);
        }
        self.find_next_dispatch();
        Ok(())
    }

    /// After releases and decisions: when the next ones are.
    pub(super) fn find_next_dispatch(&mut self) {
        let release = self.releases.peek().map_or(NEVER, |Reverse((at, ..))| *at);
        let decisions = self.cpus.iter().map(|cpu| cpu.decision.until).min();
        self.next_dispatch = release.min(decisions.unwrap_or(NEVER));
    }

    /// Returns true if the dispatcher of this core hears of the jobs of a task. With a table, and where jobs migrate, every core hears of all.
    pub(super) fn is_for(&self, number: usize, task: usize) -> bool {
        let pinned = self.experiment.tasks[task].core as usize == number;
        pinned
            || self.experiment.migrates
            || matches!(self.experiment.schedule, crate::experiment::Schedule::Table { .. })
    }

    fn release(&mut self, at: Ps, task: usize, number: u64) -> ReadyJob {
        let spec = &self.experiment.tasks[task];
        let instance = spec.instance_of(number);
        let (mut deadline, mut due) = (u64::MAX, u64::MAX);
        let now = self.arrivals[task];
        debug_assert_eq!(now.ready, at);
        if let Some(timing) = spec.timing.periodic() {
            due = now.arrived + timing.deadline * 1000;
            deadline = due - self.ordered_earlier(task);
            let next = Arrival::of(timing, number + 1, seed(self.experiment, task as u64), Some(now));
            self.arrivals[task] = next;
            self.releases.push(Reverse((next.ready, task, number + 1)));
        }
        let job = ReadyJob {
            task,
            job: number,
            release: now.arrived,
            deadline,
            instance,
            color: spec.instances[instance].color,
        };
        self.jobs.release(job);
        self.tasks[task].released(&job, due);
        job
    }

    /// The last decision of a core held up to `now`.
    pub(super) fn passed(&mut self, number: usize, now: Ps) {
        let cpu = &mut self.cpus[number];
        let from = std::mem::replace(&mut cpu.since, now);
        cpu.dispatcher.ran(from, now);
        let time = now - from;
        match cpu.decision.activity {
            Activity::Run { .. } => cpu.outcome.run_ps += time,
            Activity::Handler(_) => cpu.outcome.handler_ps += time,
            Activity::Idle => cpu.outcome.idle_ps += time,
        }
        if let Some(color) = cpu.decision.owner {
            self.recording.owner(cpu.number, color, from, now);
        }
    }

    /// A core decides what it does from `now` on, and does it as soon as it can.
    pub(super) fn decide(&mut self, number: usize, now: Ps) {
        let cpu = &mut self.cpus[number];
        let before = cpu.decision.activity;
        cpu.decision = cpu.dispatcher.decide(now, &self.jobs);
        debug_assert!(cpu.decision.until > now, "time advances");
        let after = cpu.decision.activity;
        let locks = if number == 0 && self.recording.contains(now) {
            cpu.dispatcher.locks_begun(now)
        } else {
            Vec::new()
        };
        for (color, burst_start_ps, burst_end_ps, end_ps) in locks {
            self.recording.lock(LockSpan {
                color,
                start_ps: now,
                burst_start_ps,
                burst_end_ps,
                end_ps,
            });
        }
        if before != after {
            let cpu = &mut self.cpus[number];
            if matches!(before, Activity::Handler(_)) && cpu.handler_since.is_none() {
                cpu.outcome.handlers_missed += 1;
            }
            self.handler_ends(number, now);
            self.handlers_changed(before, after);
        }
        self.enforce(number, now);
    }

    /// A handler that was under way is over.
    fn handler_ends(&mut self, number: usize, now: Ps) {
        let cpu = &mut self.cpus[number];
        if let Some(start) = cpu.handler_since.take() {
            self.recording.handler_ended(cpu.number, start, now);
        }
    }

    /// Notes that a handler begins; its end is put in when it is known.
    pub(super) fn record_handler(&mut self, number: usize, at: Ps) {
        let cpu = &self.cpus[number];
        let decision = &cpu.decision;
        self.recording
            .handler(cpu.number, decision.activity, at, decision.until);
    }

    /// Makes the core do what was decided: the job on it goes on, or is asked to stop, or another one begins. On a core
    /// that is stalled no job begins, and one that is on it leaves at once, as a thread that waits for others does: nothing of
    /// it is under way.
    pub(super) fn enforce(&mut self, number: usize, now: Ps) {
        let cpu = &mut self.cpus[number];
        match (&mut cpu.loaded, cpu.decision.activity) {
            (Some(loaded), Activity::Run { task, .. }) if loaded.task == task => {}
            (Some(loaded), _) => {
                if loaded.stopping.is_none() {
                    loaded.stopping = Some(now);
                    self.tasks[loaded.task].process.stop_at(0);
                    if cpu.stalled_since.is_some() || self.tasks[loaded.task].waits_for_others {
                        self.stopped(number, now);
                    }
                }
            }
            (None, Activity::Run { .. }) if cpu.stalled_since.is_some() => {}
            (None, Activity::Run { task, instance, .. }) => self.load(number, task, instance, now),
            (None, Activity::Handler(_)) => {
                if self.cpus[number].handler_since.is_none() {
                    self.handler_begins(number, now);
                    self.record_handler(number, now);
                }
            }
            (None, Activity::Idle) => {}
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of bandwidth (MG-1): what a [`Regulator`] decides is done to the cores.
//!
//! A budget belongs to a core, whatever job runs on it. An interrupt stops the job before its next operation, and its time is
//! the job's; a core without a job takes it at once, and what comes next on it begins so much later. A core that has used up
//! its budget is stalled: no job executes anything on it, whoever it is, until its budget is renewed or all go on. The
//! dispatcher decides all the same, and a job that it takes off a stalled core leaves at once. Time stalled is none of
//! a job's execution; it is a part of its response. Handlers of the schedule run nevertheless, and what they write back
//! uses no budget up: it is a part of the schedule, and as a handler reads no line, counters of misses see nothing of it. What a moved page costs its
//! task (`recoloring.rs`) is the core's own traffic, and uses up its budget.

use super::Engine;
use crate::bandwidth::{Regulator, Renewal};
use fresco_dram::{NEVER, Ps};

impl Engine<'_> {
    /// When the timer of the next period fires.
    pub(super) fn next_period(&self) -> Ps {
        self.regulator.as_ref().map_or(NEVER, Regulator::next)
    }

    /// Looks at the counter of a core.
    #[inline]
    pub(super) fn count_lines(&mut self, number: usize) {
        let Some(regulator) = &mut self.regulator else { return };
        if regulator.counted(number as u32, self.memory.lines(number as u32))
            && let Some(loaded) = &self.cpus[number].loaded
        {
            self.tasks[loaded.task].process.interrupt();
        }
    }

    /// Looks at the counters of all cores if what they ask for may be accepted later than asked.
    #[inline]
    pub(super) fn count_late_lines(&mut self) {
        if self.regulator.is_some() && self.memory.may_refuse() {
            (0..self.cpus.len()).for_each(|number| self.count_lines(number));
        }
    }

    /// What a core has moved since its counter was last looked at was a handler's.
    pub(super) fn pass_over_lines(&mut self, number: usize) {
        if let Some(regulator) = &mut self.regulator {
            regulator.passed_over(number as u32, self.memory.lines(number as u32));
        }
    }

    /// A period begins: cores that waited go on, the others are interrupted by the timer.
    pub(super) fn renew_budgets(&mut self, now: Ps) {
        let Some(regulator) = self.regulator.as_mut().filter(|regulator| regulator.next() <= now) else {
            return;
        };
        let counts = match (&self.phases, &self.experiment.regulation) {
            (Some(phases), _) => phases.opened.is_some(),
            (None, regulation) => regulation.as_ref().is_some_and(|one| one.counted_from <= now),
        };
        for (core, renewal) in regulator.renew(now, counts) {
            match renewal {
                Renewal::GoesOn => self.end_stall(core as usize, now),
                Renewal::Interrupted => self.interrupt(core as usize, now),
            }
        }
    }

    /// Stops the job of a core; without one, the core takes the interrupt at once.
    fn interrupt(&mut self, number: usize, at: Ps) {
        match &self.cpus[number].loaded {
            Some(loaded) => self.tasks[loaded.task].process.interrupt(),
            None => self.interrupted(number, at),
        }
    }

    /// The job that has just left a core was to be interrupted: now the core is, without it.
    pub(super) fn take_interrupt(&mut self, number: usize, at: Ps) {
        if std::mem::take(&mut self.cpus[number].interrupted) {
            self.interrupted(number, at);
        }
    }

    /// A core takes an interrupt, everything before being complete at `at`: the regulator's, or that of a shootdown, which is
    /// paid for when the task goes on.
    pub(super) fn interrupted(&mut self, number: usize, at: Ps) {
        let task = self.cpus[number].loaded.as_ref().map(|loaded| loaded.task);
        let is_shot = task.is_some_and(|task| self.is_shot(task, number));
        let Some(regulator) = self.regulator.as_mut().filter(|_| !is_shot) else {
            return self.go_on_at(number, at, at);
        };
        let answer = regulator.interrupted(number as u32, at);
        match answer.goes_on {
            Some(on) => self.go_on_at(number, at, on),
            None => self.stall(number, at),
        }
        for core in answer.others {
            self.end_stall(core as usize, at);
        }
    }

    /// Returns true if the interrupt of a task on a core is that of a shootdown alone.
    pub(super) fn is_shot(&self, task: usize, number: usize) -> bool {
        let is_due = |regulator: &Regulator| regulator.is_due(number as u32);
        self.owes(task) && !self.regulator.as_ref().is_some_and(is_due)
    }

    /// The handler has returned: the core goes on with its job, or with what comes next.
    fn go_on_at(&mut self, number: usize, at: Ps, on: Ps) {
        let task = self.cpus[number].loaded.as_ref().map(|loaded| loaded.task);
        match task {
            Some(task) => {
                let on = self.paid(number, task, on);
                self.cpus[number].core.resume(on);
            }
            None => {
                let cpu = &mut self.cpus[number];
                cpu.free_since = cpu.free_since.max(at) + (on - at);
            }
        }
    }

    /// A core waits for a budget. A job that was to leave it leaves.
    fn stall(&mut self, number: usize, at: Ps) {
        self.had_core(number, at);
        let cpu = &mut self.cpus[number];
        cpu.stalled_since = Some(at);
        let Some(loaded) = &cpu.loaded else { return };
        // What came under way to this interrupt has asked for it again: that is taken with this one.
        self.tasks[loaded.task].process.take_interrupt();
        if loaded.stopping.is_some() {
            self.stopped(number, at);
        }
    }

    /// A core has a budget again.
    fn end_stall(&mut self, number: usize, at: Ps) {
        let Some(regulator) = &self.regulator else { return };
        let on = regulator.resumes(at);
        self.record_stall(number, at);
        let cpu = &mut self.cpus[number];
        cpu.stalled_since = None;
        if let Some(loaded) = &mut cpu.loaded {
            loaded.since = at;
        }
        self.go_on_at(number, at, on);
        self.enforce(number, at);
    }

    /// Notes a stall that lasts to `at` or ends then.
    pub(super) fn record_stall(&mut self, number: usize, at: Ps) {
        let cpu = &self.cpus[number];
        if let Some(since) = cpu.stalled_since {
            self.recording.stall(cpu.number, since, at);
        }
    }
}

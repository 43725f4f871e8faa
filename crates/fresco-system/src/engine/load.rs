// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs come on a core and leave it.

use super::Engine;
use super::cpu::{Counters, Loaded};
use crate::experiment::Activity;
use fresco_dram::Ps;
use fresco_input::InputError;

impl Engine<'_> {
    /// The oldest job of a task comes on a core that is free, as soon as its process has left any other core.
    pub(super) fn load(&mut self, number: usize, task: usize, instance: usize, now: Ps) {
        let Some(job) = self.jobs.oldest(task).copied() else {
            return;
        };
        let state = &mut self.tasks[task];
        if state.core.is_some() {
            return;
        }
        let begins = state.begin(&job, instance, now);
        if let Some(instance) = begins {
            state.change_instance(instance, &self.experiment.tasks[task], self.line_bytes);
            self.begin_longer(task);
        }
        let cpu = &mut self.cpus[number];
        let mut resume = now.max(cpu.free_since);
        if cpu.last_task.replace(task) != Some(task) {
            cpu.outcome.context_switches += 1;
            resume += self.experiment.context_switch_ns * 1000;
        }
        let resume = self.paid(number, task, resume);
        self.tasks[task].core = Some(number);
        let (then, write_backs) = (self.counters(number), self.write_backs_of(number));
        self.mask_ways(number, task);
        let cpu = &mut self.cpus[number];
        let process = &mut self.tasks[task].process;
        process.go_on();
        process.swap_caches(&mut cpu.caches);
        let stalls = self.experiment.tasks[task].stalls;
        cpu.core
            .set_stalls(stalls.unwrap_or_else(|| process.program().stalls()));
        if !self.tasks[task].waits_for_others {
            cpu.core.resume(resume);
        }
        cpu.loaded = Some(Loaded {
            task,
            job: job.job,
            instance: self.tasks[task].instance,
            since: now,
            from: resume,
            then,
            write_backs,
            stopping: None,
        });
    }

    /// A core has the ways of the last-level cache that its task may fill, if any task is kept from some.
    fn mask_ways(&mut self, number: usize, task: usize) {
        let tasks = &self.experiment.tasks;
        if let Some(llc) = &self.experiment.machine.llc
            && tasks.iter().any(|task| task.ways.is_some())
        {
            let ways = tasks[task].ways.unwrap_or_else(|| llc.all_ways());
            self.memory.set_ways(number as u32, ways);
        }
    }

    /// Takes the job off a core, which is free from `at` on. The process can come on any core again.
    pub(super) fn unload(&mut self, number: usize, at: Ps) -> usize {
        if self.cpus[number].stalled_since.is_none() {
            self.had_core(number, at);
        }
        let write_backs = self.write_backs_of(number);
        let task = self.cpus[number].loaded.as_ref().expect("a job is on the core").task;
        let (counted, is_shot) = (self.counted(task), self.is_shot(task, number));
        let cpu = &mut self.cpus[number];
        let loaded = cpu.loaded.take().expect("a job is on the core");
        let state = &mut self.tasks[task];
        state.process.swap_caches(&mut cpu.caches);
        cpu.free_since = at;
        cpu.interrupted |= state.process.take_interrupt() && !is_shot;
        if let Some(asked) = loaded.stopping {
            cpu.outcome.longest_drain_ps = cpu.outcome.longest_drain_ps.max(at.saturating_sub(asked));
        }
        state.counted = counted;
        state.write_backs += write_backs - loaded.write_backs;
        state.core = None;
        task
    }

    /// The job on a core has had it up to `at`.
    pub(super) fn had_core(&mut self, number: usize, at: Ps) {
        let cpu = &mut self.cpus[number];
        let Some(loaded) = &mut cpu.loaded else { return };
        let since = std::mem::replace(&mut loaded.since, at);
        let time = at - since;
        cpu.outcome.executing_ps += time;
        let activity = Activity::Run {
            task: loaded.task,
            job: loaded.job,
            instance: loaded.instance,
        };
        self.recording.run(cpu.number, activity, since, at);
        let state = &mut self.tasks[loaded.task];
        state.executed(time);
        state.executing += time;
    }

    /// Dirty lines of a core that have left the last cache.
    fn write_backs_of(&self, number: usize) -> u64 {
        let stats = &self.memory.core_stats()[number];
        match self.experiment.machine.llc {
            Some(_) => stats.llc.write_backs,
            None => stats.write_backs,
        }
    }

    /// A job has stopped before its end, as it was asked to.
    pub(super) fn stopped(&mut self, number: usize, at: Ps) {
        let task = self.unload(number, at);
        self.cpus[number].outcome.preemptions += 1;
        self.tasks[task].preempted();
        self.take_interrupt(number, at);
        self.enforce(number, at);
        self.offer(task, number, at);
    }

    /// A program has completed a pass: the job ends, unless the task is a batch. Returns whether it goes on.
    ///
    /// # Errors
    /// Its phases count what it does not have.
    pub(super) fn pass(&mut self, task: usize, at: Ps) -> Result<bool, InputError> {
        if self.is_dropped(task) {
            // An abandoned job does not end: it leaves its core, as it was asked to.
            if let Some(number) = self.tasks[task].core {
                self.stopped(number, at);
            }
            return Ok(false);
        }
        if self.goes_on_in_high_mode(task) {
            return Ok(true);
        }
        self.tasks[task].passes += 1;
        self.note_pass(task, at)?;
        if self.experiment.tasks[task].timing.periodic().is_none() {
            return Ok(true);
        }
        // A thread may have been taken off its core while it waited for the others.
        let core = self.tasks[task].core;
        if let Some(number) = core {
            self.unload(number, at);
        }
        let job = self.jobs.complete(task).expect("a job that passes is ready");
        self.tasks[task].ended(at);
        if let Some(number) = core {
            self.take_interrupt(number, at);
        }
        let told: Vec<usize> = (0..self.cpus.len()).filter(|other| self.is_for(*other, task)).collect();
        for &other in &told {
            self.passed(other, at);
            self.cpus[other].dispatcher.completed(at, &job);
        }
        for other in told {
            self.decide(other, at);
        }
        if let Some(number) = core {
            // The core may have been another's by the table.
            self.enforce(number, at);
        }
        self.find_next_dispatch();
        Ok(false)
    }

    /// For how long a task has had a core up to `at`.
    pub(super) fn executing_of(&self, task: usize, at: Ps) -> Ps {
        let state = &self.tasks[task];
        let on_core = state.core.and_then(|core| {
            let cpu = &self.cpus[core];
            let loaded = cpu.loaded.as_ref().filter(|_| cpu.stalled_since.is_none())?;
            Some(at - loaded.since)
        });
        state.executing + on_core.unwrap_or(0)
    }

    /// What a core has counted.
    fn counters(&self, number: usize) -> Counters {
        Counters {
            instructions: self.cpus[number].core.instructions(),
            lines: self.memory.lines(number as u32),
            walks: self.cpus[number].core.walks(),
        }
    }

    /// What cores have counted while a task had them.
    pub(super) fn counted(&self, task: usize) -> Counters {
        let state = &self.tasks[task];
        let mut counted = state.counted;
        if let Some(core) = state.core
            && let Some(loaded) = &self.cpus[core].loaded
        {
            let (now, then) = (self.counters(core), &loaded.then);
            counted.instructions += now.instructions - then.instructions;
            counted.lines.read += now.lines.read - then.lines.read;
            counted.lines.written += now.lines.written - then.lines.written;
            counted.walks += now.walks.since(&then.walks);
        }
        counted
    }

    /// The process of a task has left a core: another core may have waited for it.
    fn offer(&mut self, task: usize, left: usize, at: Ps) {
        let waits = |cpu: &super::Cpu| {
            cpu.loaded.is_none()
                && matches!(cpu.decision.activity, Activity::Run { task: wanted, .. } if wanted == task)
        };
        if let Some(other) = (0..self.cpus.len()).find(|other| *other != left && waits(&self.cpus[*other])) {
            self.enforce(other, at);
        }
    }
}

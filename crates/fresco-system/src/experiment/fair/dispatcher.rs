// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler of one core, slice by slice.

use super::FairSchedule;
use super::banks::{Shares, Slices};
use super::queue::{Candidate, pick_next};
use crate::experiment::{Activity, Decision, Dispatcher, Experiment, Jobs, ReadyJob};
use fresco_dram::Ps;

/// A core's queue.
pub(crate) struct FairDispatcher {
    schedule: FairSchedule,
    slices: Slices,
    shares: Shares,
    /// Tasks that have come, with their virtual run times.
    queue: Vec<(usize, Ps)>,
    /// The slice that goes on, and whose it is.
    slice: u64,
    chosen: Option<usize>,
    /// Whose the next one is, once that is settled.
    next: Option<usize>,
    /// The task that runs since the last decision.
    running: Option<usize>,
}

impl FairDispatcher {
    /// An empty queue at time 0.
    pub fn new(experiment: &Experiment, schedule: FairSchedule, shares: Shares) -> Self {
        Self {
            schedule,
            slices: Slices::new(experiment),
            shares,
            queue: Vec::new(),
            slice: 0,
            chosen: None,
            next: None,
            running: None,
        }
    }

    fn pick(&self, slice: u64) -> Option<usize> {
        let bank = self.slices.bank(slice);
        let candidate = |&(task, virtual_run_time): &(usize, Ps)| Candidate {
            task,
            virtual_run_time,
            share_ppm: self.shares.of(task, bank),
        };
        let mut queue: Vec<Candidate> = self.queue.iter().map(candidate).collect();
        pick_next(&mut queue, &self.schedule)
    }

    fn run(&mut self, task: Option<usize>, until: Ps, jobs: &Jobs) -> Decision {
        let job = task.and_then(|task| jobs.oldest(task));
        self.running = job.map(|job| job.task);
        Decision {
            activity: job.map_or(Activity::Idle, |job| Activity::Run {
                task: job.task,
                job: job.job,
                instance: job.instance,
            }),
            until,
            owner: None,
        }
    }
}

impl Dispatcher for FairDispatcher {
    fn released(&mut self, _now: Ps, job: &ReadyJob) {
        // As CFS places a task that wakes: not behind the others by all that it has not run.
        let least = self.queue.iter().map(|&(_, time)| time).min().unwrap_or(0);
        self.queue.push((job.task, least));
    }

    fn completed(&mut self, _now: Ps, job: &ReadyJob) {
        self.queue.retain(|&(task, _)| task != job.task);
        if self.chosen == Some(job.task) {
            self.chosen = None;
        }
        if self.next == Some(job.task) {
            self.next = None;
        }
    }

    fn pages_changed(&mut self, task: usize, by_bank: &[(u32, u64)]) {
        self.shares.set(task, by_bank);
    }

    fn ran(&mut self, from: Ps, to: Ps) {
        let running = self.running;
        if let Some((_, time)) = self.queue.iter_mut().find(|(task, _)| Some(*task) == running) {
            *time += to - from;
        }
    }

    fn decide(&mut self, now: Ps, jobs: &Jobs) -> Decision {
        while self.slices.end(self.slice) <= now {
            self.slice += 1;
            self.chosen = self.next.take();
        }
        if self.chosen.is_none() {
            self.chosen = self.pick(self.slice);
        }
        let end = self.slices.end(self.slice);
        let guard = end.saturating_sub(self.schedule.guard_ns * 1000);
        if now < guard {
            return self.run(self.chosen, guard, jobs);
        }
        if self.next.is_none() {
            self.next = self.pick(self.slice + 1);
        }
        let stays = self.next == self.chosen;
        self.run(self.chosen.filter(|_| stays), end, jobs)
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core that serves tasks in slots, one tick at a time: bursts, late jobs, critical sections, switches and reloads. It shares nothing with the
//! library but the task and the order of priorities.

use fresco_rt::policy::{Order, Policy};
use fresco_rt::{Task, Time};

/// A core, and what it serves.
pub struct Core<'a> {
    pub tasks: &'a [Task],
    pub policy: Policy,
    /// Slots in every `length`.
    pub slots: &'a [(Time, Time)],
    pub length: Time,
    /// Ticks of a switch, in which nothing else is done, from one job to another, to none, or from none.
    pub switch: Time,
}

/// A job as it will come.
#[derive(Clone, Debug)]
pub struct Coming {
    pub task: usize,
    pub number: u64,
    pub arrived: Time,
    pub ready: Time,
    pub execution: Time,
    /// The ticks of its execution in which no other job may preempt it: the first, and how many.
    pub section: (Time, Time),
}

/// Which job goes first.
pub struct Rule<'a> {
    tasks: &'a [Task],
    by_deadline: bool,
    ranks: Vec<usize>,
}

impl<'a> Rule<'a> {
    pub fn of(tasks: &'a [Task], policy: Policy) -> Self {
        let order = match policy {
            Policy::Edf => Order::DeadlineMonotonic,
            Policy::FixedPriority(order) => order,
        };
        Self {
            tasks,
            by_deadline: policy == Policy::Edf,
            ranks: order.ranks(tasks),
        }
    }

    pub fn deadline(&self, job: &Coming) -> Time {
        job.arrived + self.tasks[job.task].deadline
    }

    /// The job with the smallest goes first.
    pub fn key(&self, job: &Coming) -> (Time, usize, u64) {
        let deadline = if self.by_deadline { self.deadline(job) } else { 0 };
        (deadline, self.ranks[job.task], job.number)
    }
}

/// Task and number of a job.
type Name = (usize, u64);

/// A job that is there.
struct Job {
    coming: Coming,
    done: Time,
    /// Ticks of a reload that are left.
    reload: Time,
    preempted: bool,
}

impl Job {
    fn name(&self) -> Name {
        (self.coming.task, self.coming.number)
    }

    fn in_section(&self) -> bool {
        let (first, length) = self.coming.section;
        first < self.done && self.done < first + length
    }
}

impl Core<'_> {
    /// Serves `jobs`, in order of readiness, up to `end`; the longest response of each task, from arrival to end.
    ///
    /// # Errors
    /// The task of the first job that is not done at its deadline.
    pub fn run(&self, jobs: &[Coming], end: Time) -> Result<Vec<Time>, usize> {
        let rule = Rule::of(self.tasks, self.policy);
        let deadline = |job: &Job| rule.deadline(&job.coming);
        let first = |job: &&Job| rule.key(&job.coming);
        let mut coming = jobs.iter().cloned().peekable();
        let mut there: Vec<Job> = Vec::new();
        let mut running: Option<Name> = None;
        let mut switch: Option<(Time, Option<Name>)> = None;
        let mut worst = vec![0; self.tasks.len()];
        for now in 0..end {
            while let Some(coming) = coming.next_if(|job| job.ready <= now) {
                there.push(Job {
                    coming,
                    done: 0,
                    reload: 0,
                    preempted: false,
                });
            }
            if let Some(late) = there.iter().find(|job| deadline(job) <= now) {
                return Err(late.coming.task);
            }
            if let Some((left, to)) = switch {
                if left > 0 {
                    switch = Some((left - 1, to));
                    continue;
                }
                (running, switch) = (to, None);
            }
            // Nobody when only the switches at the end of the slot still fit; else who is in a section, or goes first.
            let within = now % self.length;
            let served = |&(from, to): &(Time, Time)| from <= within && within + 2 * self.switch < to;
            let wanted = match self.slots.iter().any(served) {
                false => None,
                true => there
                    .iter()
                    .find(|job| job.in_section())
                    .or(there.iter().min_by_key(first))
                    .map(Job::name),
            };
            if wanted != running {
                for job in &mut there {
                    if Some(job.name()) == wanted && job.preempted {
                        job.reload = self.tasks[job.coming.task].cache_reload;
                    }
                    job.preempted |= Some(job.name()) == running;
                }
                if self.switch > 0 {
                    switch = Some((self.switch - 1, wanted));
                    continue;
                }
                running = wanted;
            }
            let Some(place) = there.iter().position(|job| Some(job.name()) == running) else {
                continue;
            };
            let job = &mut there[place];
            match job.reload {
                0 => job.done += 1,
                _ => job.reload -= 1,
            }
            if job.done == job.coming.execution {
                let Coming { task, arrived, .. } = job.coming;
                worst[task] = worst[task].max(now + 1 - arrived);
                there.remove(place);
            }
        }
        Ok(worst)
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores that tasks share, one tick at a time: the first `m` ready jobs run, and a job that was preempted goes on on any core. Refreshes stop all cores,
//! and close rows that jobs open again when they run next. It shares nothing with the library but the task and the order of priorities.

use fresco_rt::policy::Policy;
use fresco_rt::{Task, Time};
use rand::Rng;
use rand_pcg::Pcg64;

use super::tick::{Coming, Rule};

/// When all cores stop.
#[derive(Clone, Copy, Debug)]
pub enum Stops {
    Never,
    /// For `stop` ticks in every `every`, wherever cores are; then up to `rows` rows are open no more.
    Stalls {
        every: Time,
        stop: Time,
        rows: u64,
    },
    /// For the first `stop` ticks of every `every`; jobs are taken off the cores before.
    Bursts {
        every: Time,
        stop: Time,
    },
}

/// Cores, and what they serve.
pub struct Cores<'a> {
    pub tasks: &'a [Task],
    pub policy: Policy,
    pub cores: usize,
    pub stops: Stops,
    /// The stops are so much earlier than from 0 on.
    pub phase: Time,
    /// Ticks of a switch, in which nothing else is done on a core.
    pub switch: Time,
}

type Name = (usize, u64);

struct Job {
    coming: Coming,
    done: Time,
    /// Ticks of a reload, and of rows to open, that are left.
    reload: Time,
    rows: Time,
    preempted: bool,
}

impl Job {
    fn name(&self) -> Name {
        (self.coming.task, self.coming.number)
    }
}

#[derive(Clone, Default)]
struct Core {
    /// Who is to have it, and who has it.
    wanted: Option<Name>,
    running: Option<Name>,
    /// A switch: ticks left, and to whom.
    switch: Option<(Time, Option<Name>)>,
}

impl Cores<'_> {
    /// Serves `jobs`, in order of readiness, up to `end`; the longest response of each task, from arrival to end.
    ///
    /// # Errors
    /// The task of the first job that is not done at its deadline.
    pub fn run(&self, jobs: &[Coming], end: Time, rng: &mut Pcg64) -> Result<Vec<Time>, usize> {
        let rule = Rule::of(self.tasks, self.policy);
        let deadline = |job: &Job| rule.deadline(&job.coming);
        let priority = |job: &Job| rule.key(&job.coming);
        let mut coming = jobs.iter().cloned().peekable();
        let mut there: Vec<Job> = Vec::new();
        let mut cores = vec![Core::default(); self.cores];
        let mut worst = vec![0; self.tasks.len()];
        for now in 0..end {
            while let Some(coming) = coming.next_if(|job| job.ready <= now) {
                there.push(Job {
                    coming,
                    done: 0,
                    reload: 0,
                    rows: 0,
                    preempted: false,
                });
            }
            if let Some(late) = there.iter().find(|job| deadline(job) <= now) {
                return Err(late.coming.task);
            }
            let (frozen, open) = self.stopped(now, &mut there, rng);
            if frozen {
                continue;
            }
            there.sort_by_key(priority);
            let mut first: Vec<Name> = Vec::new();
            for job in there.iter().filter(|_| open) {
                // Jobs of a task run one after the other.
                if first.len() < self.cores && first.iter().all(|(task, _)| *task != job.coming.task) {
                    first.push(job.name());
                }
            }
            assign(&mut cores, &first);
            for core in &mut cores {
                self.tick(core, &mut there, now, &mut worst);
            }
        }
        Ok(worst)
    }

    /// Whether all cores stand still, and whether jobs may be on them at all. A refresh that begins closes rows.
    fn stopped(&self, now: Time, there: &mut [Job], rng: &mut Pcg64) -> (bool, bool) {
        match self.stops {
            Stops::Never => (false, true),
            Stops::Stalls { every, stop, rows } => {
                let within = (now + self.phase) % every;
                if within == 0 {
                    let open: Vec<usize> = (0..there.len()).filter(|&job| there[job].done > 0).collect();
                    // A row that is closed already cannot be closed again.
                    let closed: Time = there.iter().map(|job| job.rows).sum();
                    let mostly = rng.random_range(0..open.len().max(1));
                    for _ in closed..rows {
                        if let Some(&job) = open.get(mostly) {
                            there[job].rows += 1;
                        }
                    }
                }
                (within < stop, true)
            }
            Stops::Bursts { every, stop } => {
                let within = (now + self.phase) % every;
                (false, stop <= within && within + 2 * self.switch < every)
            }
        }
    }

    /// A tick of a core.
    fn tick(&self, core: &mut Core, there: &mut Vec<Job>, now: Time, worst: &mut [Time]) {
        if let Some((left, to)) = core.switch {
            if left > 0 {
                core.switch = Some((left - 1, to));
                return;
            }
            (core.running, core.switch) = (to, None);
        }
        if core.wanted != core.running {
            for job in there.iter_mut() {
                if Some(job.name()) == core.wanted && job.preempted {
                    job.reload = self.tasks[job.coming.task].cache_reload;
                }
                job.preempted |= Some(job.name()) == core.running && job.done > 0;
            }
            if self.switch > 0 {
                core.switch = Some((self.switch - 1, core.wanted));
                return;
            }
            core.running = core.wanted;
        }
        let Some(place) = there.iter().position(|job| Some(job.name()) == core.running) else {
            return;
        };
        let job = &mut there[place];
        match (job.reload, job.rows) {
            (0, 0) => job.done += 1,
            (0, _) => job.rows -= 1,
            _ => job.reload -= 1,
        }
        if job.done == job.coming.execution {
            let Coming { task, arrived, .. } = job.coming;
            worst[task] = worst[task].max(now + 1 - arrived);
            there.remove(place);
        }
    }
}

/// Jobs that have a core keep it; the others get those that are free, at first those that no switch is under way on.
fn assign(cores: &mut [Core], first: &[Name]) {
    for core in cores.iter_mut() {
        core.wanted = core.wanted.filter(|job| first.contains(job));
    }
    for job in first {
        if cores.iter().any(|core| core.wanted == Some(*job)) {
            continue;
        }
        let free = (0..cores.len()).filter(|&core| cores[core].wanted.is_none());
        let ease = |&core: &usize| (cores[core].switch.is_some(), cores[core].running.is_some());
        let core = free.min_by_key(ease).expect("as many cores as jobs");
        cores[core].wanted = Some(*job);
    }
}

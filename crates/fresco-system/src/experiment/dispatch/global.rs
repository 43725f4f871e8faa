// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs that migrate: one queue for all cores. Who has a core keeps it while it is among the first, so that a job changes its core only after another
//! has taken it.

use super::by_color::begun;
use super::{Activity, Decision, Dispatcher, Handler, Jobs, ReadyJob};
use fresco_dram::Ps;
use fresco_rt::policy::Policy;
use fresco_rt::simulation::{self, Dispatch, Job, Processor};
use fresco_rt::toplevel::Locks;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the cores share.
pub(super) struct Queue {
    policy: Policy,
    /// Rank of each task of the experiment, 0 the highest.
    ranks: Vec<usize>,
    /// Ready jobs in the order of the policy.
    ready: BTreeSet<Job>,
    /// The task that has each core.
    on: Vec<Option<usize>>,
}

impl Queue {
    /// An empty queue of so many cores.
    pub fn new(policy: Policy, ranks: Vec<usize>, cores: usize) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            policy,
            ranks,
            ready: BTreeSet::new(),
            on: vec![None; cores],
        }))
    }

    /// The job as the order of the policy knows it: the same for all cores that tell of it.
    fn job(&self, job: &ReadyJob) -> Job {
        let times = (job.release, job.deadline);
        Job::new(self.policy, self.ranks[job.task], (job.task, job.job), times, u64::MAX)
    }

    /// Gives the cores to the first jobs; of each task its first job, as jobs of a task run one after the other.
    fn assign(&mut self) {
        let mut first = Vec::with_capacity(self.on.len());
        for job in &self.ready {
            if first.len() == self.on.len() {
                break;
            }
            if !first.contains(&job.task) {
                first.push(job.task);
            }
        }
        for task in &mut self.on {
            *task = task.filter(|task| first.contains(task));
        }
        for task in first {
            if !self.on.contains(&Some(task))
                && let Some(free) = self.on.iter_mut().find(|task| task.is_none())
            {
                *free = Some(task);
            }
        }
    }
}

/// A core that takes its jobs from the queue of all.
pub(super) struct Global {
    core: usize,
    queue: Rc<RefCell<Queue>>,
    /// It has no jobs: when the memory is locked, and what handlers then do.
    locks: Processor,
}

impl Global {
    /// A core; all times in picoseconds.
    pub fn new(core: usize, queue: Rc<RefCell<Queue>>, locks: Option<Locks>) -> Self {
        Self {
            core,
            queue,
            locks: Processor::new(1, Dispatch::Flat, locks),
        }
    }
}

impl Dispatcher for Global {
    fn released(&mut self, _now: Ps, job: &ReadyJob) {
        let mut queue = self.queue.borrow_mut();
        let job = queue.job(job);
        // Each core tells of it.
        queue.ready.insert(job);
    }

    fn completed(&mut self, _now: Ps, job: &ReadyJob) {
        let mut queue = self.queue.borrow_mut();
        let job = queue.job(job);
        queue.ready.remove(&job);
    }

    fn decide(&mut self, now: Ps, jobs: &Jobs) -> Decision {
        let simulation::Decision { activity, until, .. } = self.locks.decide(now);
        let activity = match activity {
            simulation::Activity::Lock { color } => Activity::Handler(Handler::Lock { color }),
            simulation::Activity::Unlock { color } => Activity::Handler(Handler::Unlock { color }),
            _ if self.locks.locked()[0] => Activity::Idle,
            _ => {
                let mut queue = self.queue.borrow_mut();
                queue.assign();
                let job = queue.on[self.core].and_then(|task| jobs.oldest(task));
                job.map_or(Activity::Idle, |job| Activity::Run {
                    task: job.task,
                    job: job.job,
                    instance: job.instance,
                })
            }
        };
        Decision {
            activity,
            until,
            owner: None,
        }
    }

    fn locks_begun(&self, now: Ps) -> Vec<(usize, Ps, Ps, Ps)> {
        begun(&self.locks, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(task: usize, deadline: Ps) -> ReadyJob {
        ReadyJob {
            task,
            job: 0,
            release: 0,
            deadline,
            instance: 0,
            color: 0,
        }
    }

    /// A job that comes takes the core of the last of those that run; that one goes on where a core becomes free.
    #[test]
    fn the_first_jobs_run_and_keep_their_cores() {
        let queue = Queue::new(Policy::Edf, vec![0, 1, 2, 3], 2);
        let mut cores = [0, 1].map(|core| Global::new(core, queue.clone(), None));
        let mut jobs = Jobs::new(4);
        let tell = |cores: &mut [Global; 2], jobs: &mut Jobs, came: &[ReadyJob], ended: &[ReadyJob]| {
            for job in came {
                jobs.release(*job);
                cores.iter_mut().for_each(|core| core.released(0, job));
            }
            for job in ended {
                jobs.complete(job.task);
                cores.iter_mut().for_each(|core| core.completed(0, job));
            }
            cores.each_mut().map(|core| match core.decide(0, jobs).activity {
                Activity::Run { task, .. } => Some(task),
                _ => None,
            })
        };
        let all = [job(0, 30), job(1, 20), job(2, 10), job(3, 15)];
        assert_eq!(tell(&mut cores, &mut jobs, &all[..1], &[]), [Some(0), None]);
        assert_eq!(tell(&mut cores, &mut jobs, &all[1..2], &[]), [Some(0), Some(1)]);
        assert_eq!(tell(&mut cores, &mut jobs, &all[2..3], &[]), [Some(2), Some(1)]);
        assert_eq!(tell(&mut cores, &mut jobs, &all[3..], &[]), [Some(2), Some(3)]);
        assert_eq!(tell(&mut cores, &mut jobs, &[], &all[3..]), [Some(2), Some(1)]);
        // Task 0 began on core 0, and goes on on core 1.
        assert_eq!(tell(&mut cores, &mut jobs, &[], &all[1..2]), [Some(2), Some(0)]);
        assert_eq!(tell(&mut cores, &mut jobs, &[], &all[2..3]), [None, Some(0)]);
    }
}

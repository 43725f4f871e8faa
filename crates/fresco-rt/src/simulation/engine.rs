// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event loop: from instant to instant at which something may change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::arrivals::Arrivals;
use super::outcome::{Miss, Outcome};
use super::processor::{Decision, Processor};
use super::queue::Job;
use super::recorder::{Activity, Completion, Recorder, Segment};
use super::{Dispatch, Horizon, MAX_EVENTS, Simulation, SimulationError};
use crate::patience::Progress;
use crate::policy::{Order, Policy};
use crate::task::Task;
use crate::time::{Overflow, Time};

/// Steps from one question whether to go on to the next: some 100 microseconds.
const ASKED_EVERY: u64 = 1 << 10;

/// A run under way.
pub(super) struct Engine<'r, A, R> {
    simulation: &'r Simulation<'r>,
    arrivals: &'r mut A,
    recorder: &'r mut R,
    tasks: Vec<&'r Task>,
    colors: Vec<usize>,
    ranks: Vec<usize>,
    processor: Processor,
    /// Next release of each task, with the job's index.
    releases: BinaryHeap<Reverse<(Time, usize, u64)>>,
    now: Time,
    mark: Time,
    state_at_mark: State,
    outcome: Outcome,
    /// Whether the first miss ends the run.
    until_miss: bool,
}

/// What the future depends on: pending jobs as (task, age, remaining), and budgets.
type State = (Vec<(usize, Time, Time)>, Vec<Time>);

impl<'r, A: Arrivals, R: Recorder> Engine<'r, A, R> {
    pub(super) fn new(
        simulation: &'r Simulation<'r>,
        horizon: Horizon,
        arrivals: &'r mut A,
        recorder: &'r mut R,
    ) -> Result<Self, SimulationError> {
        let colored = || {
            simulation
                .workloads
                .iter()
                .enumerate()
                .flat_map(|(c, w)| w.iter().map(move |task| (c, task)))
        };
        let tasks: Vec<&Task> = colored().map(|(_, task)| task).collect();
        let order = match simulation.policy {
            Policy::FixedPriority(order) => order,
            Policy::Edf => Order::DeadlineMonotonic,
        };
        let all: Vec<Task> = tasks.iter().map(|&task| task.clone()).collect();
        let servers = match &simulation.dispatch {
            Dispatch::Idling(servers) | Dispatch::Donating(servers) | Dispatch::Deferrable(servers) => {
                servers.as_slice()
            }
            Dispatch::Flat | Dispatch::Slots(_) => &[],
        };
        let end = horizon.end()?;
        // Every deadline of a job released up to the end, and every boundary, must fit.
        let reach = all
            .iter()
            .map(|task| task.period)
            .chain(servers.iter().map(|s| s.period()))
            .max()
            .unwrap_or(0);
        end.checked_add(reach).ok_or(Overflow)?;
        let periods = all
            .iter()
            .map(|task| task.period)
            .chain(servers.iter().map(|server| server.period()));
        let events = periods.map(|period| end / period).fold(0, Time::saturating_add);
        if events > MAX_EVENTS {
            return Err(SimulationError::TooLong(events));
        }
        let releases = tasks
            .iter()
            .enumerate()
            .map(|(i, task)| Reverse((arrivals.first(i, task), i, 0)))
            .collect();
        let colors = simulation.workloads.len();
        Ok(Engine {
            simulation,
            arrivals,
            recorder,
            colors: colored().map(|(color, _)| color).collect(),
            ranks: order.ranks(&all),
            processor: Processor::new(colors, simulation.dispatch.clone(), simulation.locks.cloned()),
            releases,
            now: 0,
            mark: end - horizon.repeat.min(end),
            state_at_mark: State::default(),
            outcome: Outcome {
                horizon: end,
                misses: 0,
                first_miss: None,
                worst_response: vec![None; tasks.len()],
                jobs_done: 0,
                converged: false,
                unhidden: vec![0; colors],
            },
            tasks,
            until_miss: false,
        })
    }

    /// From here on the first miss ends the run.
    pub(super) fn until_miss(mut self) -> Self {
        self.until_miss = true;
        self
    }

    pub(super) fn run(mut self) -> Result<Outcome, SimulationError> {
        let end = self.outcome.horizon;
        for step in 0u64.. {
            let at = Progress {
                what: "ns of a run",
                done: self.now,
                most: end,
            };
            if step % ASKED_EVERY == 0 && self.simulation.patience.is_over(at) {
                return Err(SimulationError::Stopped);
            }
            self.processor.replenish(self.now, self.recorder);
            if self.now == self.mark {
                self.state_at_mark = self.state();
            }
            if self.now == end || self.until_miss && self.outcome.misses > 0 {
                break;
            }
            self.release()?;
            let decision = self.processor.decide(self.now);
            self.record_locks();
            let release = self.releases.peek().map_or(Time::MAX, |Reverse((at, ..))| *at);
            let mark = if self.mark > self.now { self.mark } else { end };
            let until = [decision.until, release, mark, end]
                .into_iter()
                .min()
                .expect("not empty");
            debug_assert!(until > self.now, "time advances");
            self.advance(until, &decision);
        }
        self.outcome.converged = self.state_at_mark == self.state();
        self.outcome.horizon = self.now;
        self.count_unfinished();
        Ok(self.outcome)
    }

    /// Queues the jobs released now.
    fn release(&mut self) -> Result<(), SimulationError> {
        while let Some(&Reverse((at, i, index))) = self.releases.peek() {
            if at > self.now {
                break;
            }
            self.releases.pop();
            let task = self.tasks[i];
            let execution = self.arrivals.execution(i, task);
            debug_assert!((1..=task.wcet).contains(&execution));
            let deadline = at.checked_add(task.deadline).ok_or(Overflow)?;
            let job = Job::new(
                self.simulation.policy,
                self.ranks[i],
                (i, index),
                (at, deadline),
                execution,
            );
            self.processor.release(self.colors[i], job);
            let distance = self.arrivals.distance(i, task);
            debug_assert!(distance >= task.period);
            self.releases.push(Reverse((at.saturating_add(distance), i, index + 1)));
        }
        Ok(())
    }

    fn record_locks(&mut self) {
        let Some(locks) = self.simulation.locks else { return };
        for (color, lock) in locks.colors().iter().enumerate() {
            let begins = self
                .now
                .checked_sub(lock.phase)
                .is_some_and(|since| since % locks.retention() == 0);
            if begins && self.processor.locked()[color] {
                self.recorder
                    .lock(color, locks.window(color, self.now / locks.retention()));
            }
        }
    }

    fn advance(&mut self, until: Time, decision: &Decision) {
        let passed = until - self.now;
        let activity = decision.activity;
        self.recorder.segment(Segment {
            start: self.now,
            end: until,
            activity,
        });
        if matches!(activity, Activity::Idle | Activity::Burn { .. }) {
            for color in 0..self.outcome.unhidden.len() {
                if self.processor.is_blocked(color) {
                    self.outcome.unhidden[color] += passed;
                }
            }
        }
        self.now = until;
        if let Some(job) = self.processor.advance(decision, passed) {
            self.complete(job);
        }
    }

    fn complete(&mut self, job: Job) {
        let Job {
            task,
            index,
            release,
            deadline,
            ..
        } = job;
        self.outcome.jobs_done += 1;
        let worst = &mut self.outcome.worst_response[task];
        *worst = (*worst).max(Some(self.now - release));
        if self.now > deadline {
            self.outcome.miss(Miss {
                task,
                job: index,
                deadline,
            });
        }
        self.recorder.completed(Completion {
            task,
            job: index,
            release,
            deadline,
            end: self.now,
        });
    }

    fn count_unfinished(&mut self) {
        for job in self.processor.ready() {
            if job.deadline <= self.outcome.horizon {
                self.outcome.miss(Miss {
                    task: job.task,
                    job: job.index,
                    deadline: job.deadline,
                });
            }
        }
    }

    fn state(&self) -> State {
        let pending = self.processor.ready();
        let mut jobs: Vec<_> = pending
            .map(|job| (job.task, self.now - job.release, job.remaining))
            .collect();
        jobs.sort_unstable();
        (jobs, self.processor.budgets().to_vec())
    }
}

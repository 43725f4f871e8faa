// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who has the processor: the decisions of a dispatch, apart from the time that passes.
//!
//! The exact simulation drives it with worst-case execution times; a simulator of a machine drives it with what jobs
//! really take. Per instant: [`Processor::replenish`], [`Processor::release`] and [`Processor::complete`], then
//! [`Processor::decide`]; and before the next instant [`Processor::advance`].

use crate::time::Time;
use crate::toplevel::{Locks, Server};

use super::Dispatch;
use super::grant::{LockState, lock_state, slot_at};
use super::queue::{Job, Queue};
use super::recorder::{Activity, Recorder};

/// Budgets, ready jobs and locks of one processor.
#[derive(Clone, Debug)]
pub struct Processor {
    dispatch: Dispatch,
    locks: Option<Locks>,
    servers: Vec<Server>,
    budgets: Vec<Time>,
    queues: Vec<Queue>,
    state: LockState,
    replenishment: Time,
}

/// What happens next: an activity until an instant at the latest, consuming budget of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What the processor does.
    pub activity: Activity,
    /// When to decide anew at the latest; earlier if a job is released or completes. After the instant of the decision.
    pub until: Time,
    /// The server whose budget is consumed.
    pub charged: Option<usize>,
}

impl Decision {
    fn uncharged(activity: Activity, until: Time) -> Self {
        let charged = None;
        Decision {
            activity,
            until,
            charged,
        }
    }

    /// The first job of a color to its end; nothing if there is none.
    fn first_of(queue: &Queue, color: usize, now: Time) -> Self {
        match queue.first() {
            None => Decision::uncharged(Activity::Idle, Time::MAX),
            Some(job) => {
                let (task, job, until) = (job.task, job.index, now.saturating_add(job.remaining));
                Decision::uncharged(Activity::Run { task, job, color }, until)
            }
        }
    }
}

impl Processor {
    /// A processor of `colors` colors without ready jobs, budgets not yet set. Servers and slots of `dispatch` and
    /// colors of `locks` are as many as `colors`: [`super::Simulation::new`] checks that.
    pub fn new(colors: usize, dispatch: Dispatch, locks: Option<Locks>) -> Self {
        let servers = match &dispatch {
            Dispatch::Idling(servers) | Dispatch::Donating(servers) | Dispatch::Deferrable(servers) => servers.clone(),
            Dispatch::Flat | Dispatch::Slots(_) => Vec::new(),
        };
        Processor {
            state: LockState::open(colors),
            budgets: vec![0; servers.len()],
            queues: vec![Queue::default(); colors],
            replenishment: Time::MAX,
            dispatch,
            locks,
            servers,
        }
    }

    /// Sets the budgets of the servers whose period begins at `now`.
    pub fn replenish(&mut self, now: Time, recorder: &mut impl Recorder) {
        self.replenishment = Time::MAX;
        for (color, server) in self.servers.iter().enumerate() {
            let since = now % server.period();
            if since == 0 {
                self.budgets[color] = server.budget();
                recorder.replenished(color, now, server.budget());
            }
            self.replenishment = self.replenishment.min(now + (server.period() - since));
        }
    }

    /// A job of a color is ready.
    pub fn release(&mut self, color: usize, job: Job) {
        self.queues[color].push(job);
    }

    /// A job of a color is done, by the word of the caller. Returns whether it was ready.
    pub fn complete(&mut self, color: usize, task: usize, index: u64) -> bool {
        self.queues[color].remove(task, index)
    }

    /// What the processor does from `now` on. Budgets are those set and consumed up to `now`.
    pub fn decide(&mut self, now: Time) -> Decision {
        lock_state(self.locks.as_ref(), now, &mut self.state);
        let mut decision = self.choose(now);
        decision.until = decision.until.min(self.state.until).min(self.replenishment);
        decision
    }

    /// Handlers first, then what the dispatch allows.
    fn choose(&self, now: Time) -> Decision {
        let Self { budgets, queues, .. } = self;
        if let Some(handler) = self.state.handler {
            return Decision::uncharged(handler, Time::MAX);
        }
        let open = |color: &usize| !self.state.locked[*color];
        let chosen = match &self.dispatch {
            Dispatch::Idling(_) | Dispatch::Donating(_) => (0..budgets.len()).filter(open).find(|&c| budgets[c] > 0),
            Dispatch::Deferrable(_) => (0..budgets.len())
                .filter(open)
                .find(|&c| budgets[c] > 0 && !queues[c].is_empty()),
            Dispatch::Flat => self.first_ready(),
            Dispatch::Slots(tables) => {
                let (owner, until) = slot_at(tables, now);
                let mut decision = match owner.filter(open) {
                    Some(color) => Decision::first_of(&queues[color], color, now),
                    None => Decision::uncharged(Activity::Idle, until),
                };
                decision.until = decision.until.min(until);
                return decision;
            }
        };
        let Some(color) = chosen else {
            return Decision::uncharged(Activity::Idle, Time::MAX);
        };
        let mut decision = Decision::first_of(&queues[color], color, now);
        if decision.activity == Activity::Idle
            && matches!(self.dispatch, Dispatch::Donating(_))
            && let Some(other) = self.first_ready()
        {
            decision = Decision::first_of(&queues[other], other, now);
        }
        if let Some(budget) = budgets.get(color) {
            decision.charged = Some(color);
            decision.until = decision.until.min(now + budget);
            if decision.activity == Activity::Idle {
                decision.activity = Activity::Burn { color };
            }
        }
        decision
    }

    /// The color of the first ready job by the policy whose color is unlocked.
    fn first_ready(&self) -> Option<usize> {
        let open = (0..self.queues.len()).filter(|&c| !self.state.locked[c] && !self.queues[c].is_empty());
        open.min_by_key(|&c| self.queues[c].first())
    }

    /// The decision was carried out for `passed`, no longer than it allows. Returns the job that had no more than that
    /// left; whoever knows no execution times gives jobs [`Time::MAX`] and tells with [`Processor::complete`].
    pub fn advance(&mut self, decision: &Decision, passed: Time) -> Option<Job> {
        if let Some(color) = decision.charged {
            self.budgets[color] -= passed;
        }
        match decision.activity {
            Activity::Run { color, .. } => self.queues[color].execute(passed),
            _ => None,
        }
    }

    /// The locks.
    pub fn locks(&self) -> Option<&Locks> {
        self.locks.as_ref()
    }

    /// Whether each color was locked at the last decision.
    pub fn locked(&self) -> &[bool] {
        &self.state.locked
    }

    /// Whether a color's server could have run at the last decision but for its lock: work, and budget where there are
    /// servers.
    pub(super) fn is_blocked(&self, color: usize) -> bool {
        let budget = self.budgets.get(color).is_none_or(|&budget| budget > 0);
        self.state.locked[color] && budget && !self.queues[color].is_empty()
    }

    /// The budgets left, by server.
    pub fn budgets(&self) -> &[Time] {
        &self.budgets
    }

    /// Ready jobs of all colors, in no order.
    pub fn ready(&self) -> impl Iterator<Item = &Job> {
        self.queues.iter().flat_map(Queue::jobs)
    }

    /// The color whose slot `now` lies in, where there are slots.
    pub fn slot_owner(&self, now: Time) -> Option<usize> {
        match &self.dispatch {
            Dispatch::Slots(tables) => slot_at(tables, now).0,
            _ => None,
        }
    }
}

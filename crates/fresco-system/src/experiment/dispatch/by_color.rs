// SPDX-License-Identifier: MIT OR Apache-2.0
//! Priorities or deadlines inside colors, under servers, slots and locks: the decisions of the exact simulation, in
//! picoseconds.

use super::{Activity, Decision, Dispatcher, Handler, Jobs, ReadyJob};
use fresco_dram::Ps;
use fresco_rt::policy::Policy;
use fresco_rt::simulation::{self, Dispatch, Job, Processor};
use fresco_rt::supply::{SlotTable, Supply};
use fresco_rt::toplevel::Locks;

/// A core under the decisions of [`Processor`].
pub(super) struct ByColor {
    processor: Processor,
    policy: Policy,
    /// Rank of each task of the experiment, 0 the highest.
    ranks: Vec<usize>,
    /// Slots and the length of the handler before each.
    slots: Option<(Vec<SlotTable>, Ps)>,
    /// Without colors all jobs are of color 0.
    colored: bool,
    last: Option<simulation::Decision>,
}

impl ByColor {
    /// All times in picoseconds.
    pub fn new(
        (colors, colored): (usize, bool),
        policy: Policy,
        ranks: Vec<usize>,
        dispatch: Dispatch,
        locks: Option<Locks>,
        handler: Ps,
    ) -> Self {
        let slots = match &dispatch {
            Dispatch::Slots(tables) => Some((tables.clone(), handler)),
            _ => None,
        };
        Self {
            processor: Processor::new(colors, dispatch, locks),
            policy,
            ranks,
            slots,
            colored,
            last: None,
        }
    }

    fn color(&self, job: &ReadyJob) -> usize {
        if self.colored { job.color } else { 0 }
    }

    /// The handler of a slot at `now`, and when that changes.
    fn slot_handler(&self, now: Ps) -> (Option<Handler>, Ps) {
        let (mut found, mut until) = (None, Ps::MAX);
        let Some((tables, length)) = self.slots.as_ref().filter(|(_, length)| *length > 0) else {
            return (None, Ps::MAX);
        };
        for (color, table) in tables.iter().enumerate() {
            let (slots, period) = (table.slots(), table.period());
            let within = now % period;
            // The next slot to start, perhaps in the next round.
            let next = slots.iter().find(|(start, _)| *start > within);
            let start = match (next, slots.first()) {
                (Some((start, _)), _) => now - within + start,
                (None, Some((start, _))) => now - within + period + start,
                (None, None) => continue,
            };
            let begins = start.saturating_sub(*length);
            if begins <= now {
                found = Some(Handler::Slot { color });
                until = until.min(start);
            } else {
                until = until.min(begins);
            }
        }
        (found, until)
    }
}

impl Dispatcher for ByColor {
    fn released(&mut self, _now: Ps, job: &ReadyJob) {
        let times = (job.release, job.deadline);
        // What is left is for the machine to find out.
        let ready = Job::new(self.policy, self.ranks[job.task], (job.task, job.job), times, u64::MAX);
        self.processor.release(self.color(job), ready);
    }

    fn completed(&mut self, _now: Ps, job: &ReadyJob) {
        let known = self.processor.complete(self.color(job), job.task, job.job);
        debug_assert!(known, "a job that ends was released");
    }

    fn ran(&mut self, from: Ps, to: Ps) {
        if let Some(last) = &self.last {
            let ended = self.processor.advance(last, to - from);
            debug_assert!(ended.is_none(), "no job takes for ever");
        }
    }

    fn decide(&mut self, now: Ps, jobs: &Jobs) -> Decision {
        self.processor.replenish(now, &mut ());
        let decision = self.processor.decide(now);
        let (handler, until) = self.slot_handler(now);
        let until = decision.until.min(until);
        let (activity, owner) = match decision.activity {
            _ if handler.is_some() => (handler.map_or(Activity::Idle, Activity::Handler), None),
            simulation::Activity::Run { task, job, color } => {
                let instance = jobs.oldest(task).map_or(0, |oldest| oldest.instance);
                (Activity::Run { task, job, instance }, Some(color))
            }
            simulation::Activity::Burn { color } => (Activity::Idle, Some(color)),
            simulation::Activity::Lock { color } => (Activity::Handler(Handler::Lock { color }), None),
            simulation::Activity::Unlock { color } => (Activity::Handler(Handler::Unlock { color }), None),
            simulation::Activity::Idle => (Activity::Idle, self.processor.slot_owner(now)),
        };
        self.last = Some(decision);
        Decision {
            activity,
            until,
            owner: owner.filter(|_| self.colored),
        }
    }

    fn locks_begun(&self, now: Ps) -> Vec<(usize, Ps, Ps, Ps)> {
        begun(&self.processor, now)
    }
}

/// As [`Dispatcher::locks_begun`], of a processor.
pub(super) fn begun(processor: &Processor, now: Ps) -> Vec<(usize, Ps, Ps, Ps)> {
    let Some(locks) = processor.locks() else {
        return Vec::new();
    };
    let begins = |phase: Ps| now.checked_sub(phase).filter(|since| since % locks.retention() == 0);
    let phases = locks.colors().iter().enumerate();
    phases
        .filter_map(|(color, lock)| {
            let window = locks.window(color, begins(lock.phase)? / locks.retention());
            Some((color, window.burst_start, window.burst_end, window.end))
        })
        .collect()
}

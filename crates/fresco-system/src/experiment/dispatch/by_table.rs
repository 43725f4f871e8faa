// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cyclic table (CR-5, CR-24): what runs is what stands there, if it is ready.

use super::{Activity, Decision, Dispatcher, Handler, Jobs};
use fresco_dram::Ps;

/// One slot, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableSlot {
    pub start: Ps,
    pub end: Ps,
    pub task: usize,
    /// Number of the job within a turn.
    pub job: u64,
    pub instance: usize,
}

/// When the jobs of a task come, in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Releases {
    pub phase: Ps,
    pub period: Ps,
}

/// One core of a table.
pub(super) struct ByTable {
    pub length: Ps,
    /// By start.
    pub slots: Vec<TableSlot>,
    pub releases: Vec<Releases>,
    /// Colors and the starts of their bursts within a turn, by start.
    pub bursts: Vec<(Ps, usize)>,
    /// Length of the handler at the start of a burst.
    pub handler: Ps,
    /// Lengths of the bursts with their overheads, in the same order.
    pub burst_lengths: Vec<Ps>,
}

impl ByTable {
    /// The job that a slot of this turn is for, counted from the start of the run: the latest one that has been released and
    /// has this number within its turn. A slot before the release stands for the turn before.
    fn job_of(&self, slot: &TableSlot, turn_start: Ps) -> Option<u64> {
        let Releases { phase, period } = self.releases[slot.task];
        let jobs = (self.length / period).max(1);
        let released = (turn_start + slot.start).checked_sub(phase)? / period;
        released.checked_sub((released + jobs - slot.job % jobs) % jobs)
    }

    /// The handler at `now`, and when that changes.
    fn handler_at(&self, now: Ps) -> (Option<Handler>, Ps) {
        let within = now % self.length;
        let turn = now - within;
        let mut until = Ps::MAX;
        for &(start, color) in &self.bursts {
            if start <= within && within < start + self.handler {
                return (Some(Handler::Lock { color }), turn + start + self.handler);
            }
            let next = if start > within {
                turn + start
            } else {
                turn + self.length + start
            };
            until = until.min(next);
        }
        (None, until)
    }
}

impl Dispatcher for ByTable {
    fn decide(&mut self, now: Ps, jobs: &Jobs) -> Decision {
        let (handler, until) = self.handler_at(now);
        if let Some(handler) = handler {
            return Decision {
                activity: Activity::Handler(handler),
                until,
                owner: None,
            };
        }
        let within = now % self.length;
        let turn = now - within;
        let next = self.slots.partition_point(|slot| slot.end <= within);
        let idle = |until| Decision {
            activity: Activity::Idle,
            until,
            owner: None,
        };
        match self.slots.get(next) {
            None => idle(until.min(turn + self.length)),
            Some(slot) if slot.start > within => idle(until.min(turn + slot.start)),
            Some(slot) => {
                let until = until.min(turn + slot.end);
                let ready = jobs.oldest(slot.task).map(|job| job.job);
                match (self.job_of(slot, turn), ready) {
                    (Some(meant), Some(ready)) if ready <= meant => Decision {
                        activity: Activity::Run {
                            task: slot.task,
                            job: ready,
                            instance: slot.instance,
                        },
                        until,
                        owner: None,
                    },
                    _ => idle(until),
                }
            }
        }
    }

    fn locks_begun(&self, now: Ps) -> Vec<(usize, Ps, Ps, Ps)> {
        let within = now % self.length;
        let bursts = self.bursts.iter().zip(&self.burst_lengths);
        bursts
            .filter(|((start, _), _)| *start == within)
            .map(|((_, color), length)| (*color, now + self.handler, now + length, now + length))
            .collect()
    }
}

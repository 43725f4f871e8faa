// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run of periodic tasks by priorities, each in the spans that its color leaves it: plain, slow, and nobody else's code.

use super::runs::RunSize;
use crate::limits::MOST_EVENTS;
use fresco_rt::policy::{Order, Policy};
use fresco_rt::time::lcm;
use fresco_rt::{Task, Time};

/// Which color the jobs of a task run in: job `k` that at place `k` modulo the length. A job in another than the job before
/// first copies.
pub(super) struct Jobs {
    pub colors: Vec<usize>,
    pub copy: Time,
}

impl Jobs {
    /// All jobs in one color.
    pub fn of_one(color: usize) -> Self {
        Self {
            colors: vec![color],
            copy: 0,
        }
    }

    fn color(&self, job: u64) -> usize {
        self.colors[(job % self.colors.len() as u64) as usize]
    }

    /// The first job counts as following the last of the list.
    fn copies(&self, job: u64) -> bool {
        self.color(job) != self.color(job + self.colors.len() as u64 - 1)
    }
}

/// Who runs: tasks with their colors, and when each color may run, repeated after `length`.
pub(super) struct Replay<'a> {
    pub tasks: &'a [Task],
    pub jobs: &'a [Jobs],
    pub open: &'a [Vec<(Time, Time)>],
    pub length: Time,
    pub policy: Policy,
}

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// No job misses, and the state repeats; longest responses by task.
    Repeats(Vec<Time>),
    /// This job of this task misses.
    Misses(usize, u64),
    /// Jobs and colors do not repeat together within 2^64 ns.
    Endless,
    /// So many events before the state repeats, or more: too many.
    TooLong(u64),
    /// No job misses in so many turns, but the state does not repeat.
    Changes(Time),
}

/// A job that has been released and is not done.
#[derive(Clone, PartialEq, Eq)]
struct Pending {
    task: usize,
    job: u64,
    release: Time,
    left: Time,
}

/// Longest run, in repeats.
const MOST_REPEATS: Time = 32;

impl Replay<'_> {
    /// After how long the releases, the colors of jobs and the spans repeat together, if within 64 bits.
    fn turn(&self) -> Option<Time> {
        let cycles = self.tasks.iter().zip(self.jobs);
        let mut cycles = cycles.map(|(task, jobs)| task.period.checked_mul(jobs.colors.len() as Time));
        cycles.try_fold(self.length, |turn, cycle| lcm(turn, cycle?).ok())
    }

    /// Runs until the state repeats.
    pub fn run(&self) -> End {
        let Some(turn) = self.turn() else {
            return End::Endless;
        };
        let size = RunSize::new(self.open, self.length);
        let phase = self.tasks.iter().map(|task| task.phase).max().unwrap_or(0);
        let ranks = match self.policy {
            Policy::FixedPriority(order) => order.ranks(self.tasks),
            Policy::Edf => Order::DeadlineMonotonic.ranks(self.tasks),
        };
        let mut next: Vec<(Time, u64)> = self.tasks.iter().map(|task| (task.phase, 0)).collect();
        let (mut now, mut pending, mut worst) = (0, Vec::<Pending>::new(), vec![0; self.tasks.len()]);
        let mut before: Option<Vec<(usize, Time, Time)>> = None;
        for repeat in 1..=MOST_REPEATS {
            let end = turn.saturating_mul(repeat).saturating_add(phase);
            let events = size.events(self.tasks, end);
            if events > MOST_EVENTS || end > 1 << 62 {
                return End::TooLong(events);
            }
            while now < end {
                for (task, (at, job)) in next.iter_mut().enumerate() {
                    while *at <= now {
                        let copy = if self.jobs[task].copies(*job) {
                            self.jobs[task].copy
                        } else {
                            0
                        };
                        let (release, left) = (*at, self.tasks[task].wcet.saturating_add(copy));
                        pending.push(Pending {
                            task,
                            job: *job,
                            release,
                            left,
                        });
                        (*at, *job) = (*at + self.tasks[task].period, *job + 1);
                    }
                }
                // Such jobs would only gather: nobody starts the next turn with them.
                let late = pending.iter().find(|p| p.release + self.tasks[p.task].deadline <= now);
                if let Some(late) = late {
                    return End::Misses(late.task, late.job);
                }
                let coming = next.iter().map(|&(at, _)| at).min().unwrap_or(end);
                let (allowed, until) = self.allowed(now);
                let mut until = until.min(coming).min(end);
                let key = |p: &Pending| match self.policy {
                    Policy::Edf => (p.release + self.tasks[p.task].deadline, ranks[p.task], p.job),
                    Policy::FixedPriority(_) => (0, ranks[p.task], p.release),
                };
                let first = (0..pending.len())
                    .filter(|&i| {
                        allowed
                            .get(self.jobs[pending[i].task].color(pending[i].job))
                            .copied()
                            .unwrap_or(false)
                    })
                    .min_by_key(|&i| key(&pending[i]));
                if let Some(i) = first {
                    until = until.min(now + pending[i].left);
                    pending[i].left -= until - now;
                    if pending[i].left == 0 {
                        let done = pending.swap_remove(i);
                        worst[done.task] = worst[done.task].max(until - done.release);
                        if until - done.release > self.tasks[done.task].deadline {
                            return End::Misses(done.task, done.job);
                        }
                    }
                }
                now = until;
            }
            let late = pending.iter().find(|p| p.release + self.tasks[p.task].deadline <= now);
            if let Some(late) = late {
                return End::Misses(late.task, late.job);
            }
            let mut state: Vec<_> = pending.iter().map(|p| (p.task, now - p.release, p.left)).collect();
            state.sort_unstable();
            if before.replace(state.clone()).is_some_and(|before| before == state) {
                return End::Repeats(worst);
            }
        }
        End::Changes(MOST_REPEATS)
    }

    /// Which colors may run at `now`, and until when this stays so.
    fn allowed(&self, now: Time) -> (Vec<bool>, Time) {
        let (base, within) = (now - now % self.length, now % self.length);
        let mut until = base + self.length;
        let mut allowed = Vec::with_capacity(self.open.len());
        for spans in self.open {
            let span = spans.get(spans.partition_point(|&(_, end)| end <= within));
            let inside = span.is_some_and(|&(start, _)| start <= within);
            if let Some(&(start, end)) = span {
                until = until.min(base + if inside { end } else { start });
            }
            allowed.push(inside);
        }
        (allowed, until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(phase: Time, period: Time, wcet: Time) -> Task {
        Task::new("t", phase, period, wcet, period).unwrap()
    }

    #[test]
    fn two_tasks_on_a_whole_processor() {
        let tasks = [task(0, 4, 2), task(0, 6, 3)];
        let run = |policy| {
            Replay {
                tasks: &tasks,
                jobs: &[Jobs::of_one(0), Jobs::of_one(0)],
                open: &[vec![(0, 12)]],
                length: 12,
                policy,
            }
            .run()
        };
        assert_eq!(run(Policy::Edf), End::Repeats(vec![3, 6]));
        assert_eq!(run(Policy::FixedPriority(Order::RateMonotonic)), End::Misses(1, 0));
    }

    /// Jobs take turns between two colors, each open in one half of the time; a copy of 1 comes with every job.
    #[test]
    fn copies_follow_their_list() {
        let tasks = [task(0, 8, 2)];
        let jobs = |colors: [usize; 2]| {
            [Jobs {
                colors: colors.to_vec(),
                copy: 1,
            }]
        };
        let open = [vec![(0, 8)], vec![(8, 16)]];
        let run = |colors| {
            Replay {
                tasks: &tasks,
                jobs: &jobs(colors),
                open: &open,
                length: 16,
                policy: Policy::Edf,
            }
            .run()
        };
        assert_eq!(run([0, 1]), End::Repeats(vec![3]));
        assert_eq!(run([1, 0]), End::Misses(0, 0));
    }

    #[test]
    fn a_color_waits_for_its_spans() {
        let tasks = [task(0, 8, 2), task(1, 8, 1)];
        let open = [vec![(3, 8)], vec![(0, 4)]];
        let replay = Replay {
            tasks: &tasks,
            jobs: &[Jobs::of_one(0), Jobs::of_one(1)],
            open: &open,
            length: 8,
            policy: Policy::Edf,
        };
        assert_eq!(replay.run(), End::Repeats(vec![5, 1]));
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Filling cells in the order of deadlines: exact, in `O(N log N)`, as long as no color forbids anything (F4).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::placement::{Placement, Share};
use super::problem::Problem;
use crate::time::Time;

/// What filling by deadline gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdfFill {
    /// Where each job runs, complete or not.
    pub placement: Placement,
    /// Jobs, by number, that do not get all of their time, and how much they lack. Empty iff the set is feasible on one core.
    pub missing: Vec<(usize, Time)>,
}

/// A job that waits, in the order of service: times are counted from one turn before the first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    deadline: Time,
    release: Time,
    task: usize,
    job: usize,
    window_end: Time,
    needed: Time,
}

impl Problem {
    /// Fills each cell with the jobs that may run in it by earliest deadline, then release, then number of the task, on one
    /// core and blind to colors. A job is dropped at the end of its window.
    ///
    /// Three turns are played and the last is taken: the backlog at the start of a turn no longer changes after the first
    /// two, if nothing is missed (Leung and Merrill), so that windows which wrap around the end are filled as in the
    /// schedule that repeats for ever.
    pub fn edf_fill(&self) -> EdfFill {
        const TURNS: u64 = 3;
        let length = self.length();
        let jobs = self.jobs();
        let mut by_start: Vec<usize> = (0..jobs.len()).filter(|&job| jobs[job].length > 0).collect();
        by_start.sort_by_key(|&job| jobs[job].start);

        let mut shares: Vec<Vec<Share>> = vec![Vec::new(); jobs.len()];
        let mut ready: BinaryHeap<Reverse<Waiting>> = BinaryHeap::new();
        for turn in 0..TURNS {
            let mut arriving = by_start.iter().copied().peekable();
            for (number, cell) in self.cells().iter().enumerate() {
                while let Some(job) = arriving.next_if(|&job| jobs[job].start <= cell.start) {
                    let arrived = &jobs[job];
                    // One turn ahead, because a window moved to a frame boundary starts after its release.
                    let start = (turn + 1) * length + arrived.start;
                    let release = start - (arrived.start + length - arrived.release) % length;
                    ready.push(Reverse(Waiting {
                        deadline: release + arrived.deadline,
                        release,
                        task: arrived.task,
                        job,
                        window_end: start + arrived.length,
                        needed: arrived.demand,
                    }));
                }
                let now = (turn + 1) * length + cell.start;
                let mut room = cell.length;
                while room > 0 {
                    let Some(Reverse(next)) = ready.pop() else { break };
                    if next.window_end <= now {
                        continue;
                    }
                    let time = room.min(next.needed);
                    room -= time;
                    if turn + 1 == TURNS {
                        shares[next.job].push(Share { cell: number, time });
                    }
                    if next.needed > time {
                        ready.push(Reverse(Waiting {
                            needed: next.needed - time,
                            ..next
                        }));
                    }
                }
            }
        }
        let lacks = |job: usize| jobs[job].demand - shares[job].iter().map(|share| share.time).sum::<Time>();
        let missing = (0..jobs.len())
            .map(|job| (job, lacks(job)))
            .filter(|&(_, lack)| lack > 0)
            .collect();
        EdfFill {
            placement: Placement { shares },
            missing,
        }
    }
}

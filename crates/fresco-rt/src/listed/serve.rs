// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running listed jobs in slots, turn after turn, until a turn ends as it began.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::{JobList, ListError, ListedJob};
use crate::supply::SlotTable;
use crate::time::Time;

/// A job runs without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// First instant, within the turn.
    pub start: Time,
    /// First instant after.
    pub end: Time,
    /// Index into the list's jobs.
    pub job: usize,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Served {
    /// Every job meets its deadline in every turn; holds the slices of the turn that repeats, by start.
    Met(Vec<Slice>),
    /// This job (an index into the list) misses its deadline, which is so many whole turns and a rest after the start.
    Missed {
        /// Index into the list's jobs.
        job: usize,
        /// The deadline, counted from the start of the first turn.
        deadline: Time,
    },
    /// No miss, but no two turns begin alike within [`MAX_TURNS`]. The proofs exclude it.
    Unsettled,
}

/// Turns that are run at most. The second already begins like the third if nothing is missed (Leung and Merrill 1980).
pub const MAX_TURNS: Time = 8;

/// A released job: the key, least first, then its index, deadline and what it lacks.
type Pending = ((Time, Time, u64), usize, Time, Time);

impl JobList {
    /// Runs the jobs preemptively in the slots of a table: by earliest deadline, or with `ranks` of the tasks by these.
    ///
    /// Exact for known phases, and sustainable in execution times: slots are fixed and each job has one priority (F27).
    /// Turns begin empty; a task that starts later than in the first turn only does less.
    ///
    /// # Errors
    /// If the turn is no multiple of the table, or has too many slots.
    pub fn serve(&self, table: &SlotTable, ranks: Option<&[usize]>) -> Result<Served, ListError> {
        let mut slices = Vec::new();
        let served = self.serve_until(table, ranks, &self.by_release(), Time::MAX, Some(&mut slices))?;
        let served = served.expect("a run of any length");
        Ok(match served {
            Served::Met(_) => Served::Met(joined(slices, self.jobs())),
            missed => missed,
        })
    }

    /// Indices of the jobs by release.
    pub(crate) fn by_release(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.jobs().len()).collect();
        order.sort_by_key(|&job| self.jobs()[job].release);
        order
    }

    /// As [`Self::serve`] without slices, with [`Self::by_release`] known, up to an instant; `None` if there is no miss up to then.
    pub(crate) fn first_miss(
        &self,
        table: &SlotTable,
        ranks: Option<&[usize]>,
        by_release: &[usize],
        until: Time,
    ) -> Result<Option<Served>, ListError> {
        self.serve_until(table, ranks, by_release, until, None)
    }

    /// The begin of a window up to `deadline`, in the first turn, that has too few slots for the jobs that are released and due in it: of these
    /// windows the one that lacks most, `None` if there is none.
    pub(crate) fn overfull(&self, table: &SlotTable, by_release: &[usize], deadline: Time) -> Option<Time> {
        if deadline > self.length() {
            return None;
        }
        let supplied = table.delivered(deadline).ok()?;
        let before = by_release.partition_point(|&job| self.jobs()[job].release < deadline);
        let (mut demand, mut most) = (0, None);
        for &job in by_release[..before].iter().rev() {
            let job = &self.jobs()[job];
            if job.release + job.deadline > deadline {
                continue;
            }
            demand += u128::from(job.demand);
            let supply = u128::from(supplied - table.delivered(job.release).ok()?);
            let lack = demand.saturating_sub(supply);
            if lack > most.map_or(0, |(lack, _)| lack) {
                most = Some((lack, job.release));
            }
        }
        most.map(|(_, from)| from)
    }

    /// Runs the jobs up to an instant; of a run that meets all deadlines the slices of the last turn are told.
    fn serve_until(
        &self,
        table: &SlotTable,
        ranks: Option<&[usize]>,
        by_release: &[usize],
        until: Time,
        mut slices: Option<&mut Vec<Slice>>,
    ) -> Result<Option<Served>, ListError> {
        let mut pending: BinaryHeap<Reverse<Pending>> = BinaryHeap::new();
        for turn in 0..MAX_TURNS {
            let base = turn * self.length();
            let before = state(&pending);
            let mut arriving = by_release.iter().copied().peekable();
            if let Some(slices) = &mut slices {
                slices.clear();
            }
            for (start, end) in self.slots(table)? {
                let mut now = base + start;
                if now >= until {
                    return Ok(first_late(&pending, until));
                }
                while now < base + end {
                    while let Some(job) = arriving.next_if(|&job| base + self.jobs()[job].release <= now) {
                        pending.push(Reverse(released(job, &self.jobs()[job], base, ranks)));
                    }
                    let next = arriving.peek().map(|&job| base + self.jobs()[job].release);
                    let until = next.map_or(base + end, |next| next.min(base + end));
                    let Some(mut first) = pending.peek_mut() else {
                        now = until;
                        continue;
                    };
                    let Reverse((_, job, deadline, lacks)) = *first;
                    let stop = until.min(now + lacks);
                    if stop > deadline {
                        return Ok(Some(Served::Missed { job, deadline }));
                    }
                    if let Some(slices) = &mut slices {
                        slices.push(Slice {
                            start: now - base,
                            end: stop - base,
                            job,
                        });
                    }
                    if now + lacks > stop {
                        // The key does not depend on what is left, so the order stays.
                        first.0.3 -= stop - now;
                    } else {
                        PeekMut::pop(first);
                    }
                    now = stop;
                }
            }
            let ended = base + self.length();
            for job in arriving {
                pending.push(Reverse(released(job, &self.jobs()[job], base, ranks)));
            }
            if let Some(missed) = first_late(&pending, ended) {
                return Ok(Some(missed));
            }
            // A first turn that ends empty, as it began, is what all others are.
            if before == state(&pending) {
                return Ok(Some(Served::Met(Vec::new())));
            }
        }
        Ok(Some(Served::Unsettled))
    }
}

/// The pending job with the earliest deadline, if that has passed.
fn first_late(pending: &BinaryHeap<Reverse<Pending>>, now: Time) -> Option<Served> {
    let late = pending.iter().filter(|Reverse((_, _, deadline, _))| *deadline <= now);
    let first = late.min_by_key(|Reverse((_, job, deadline, _))| (*deadline, *job));
    first.map(|&Reverse((_, job, deadline, _))| Served::Missed { job, deadline })
}

fn released(index: usize, job: &ListedJob, base: Time, ranks: Option<&[usize]>) -> Pending {
    let release = base + job.release;
    let deadline = release + job.deadline;
    let key = match ranks {
        None => (deadline, job.task as Time, job.index),
        Some(ranks) => (ranks[job.task] as Time, release, job.index),
    };
    (key, index, deadline, job.demand)
}

/// Pending jobs and what they lack: as no job is late, each is there once.
fn state(pending: &BinaryHeap<Reverse<Pending>>) -> Vec<(usize, Time)> {
    let mut state: Vec<_> = pending
        .iter()
        .map(|Reverse((_, job, _, lacks))| (*job, *lacks))
        .collect();
    state.sort_unstable();
    state
}

/// Slices that go on are one.
fn joined(slices: Vec<Slice>, jobs: &[ListedJob]) -> Vec<Slice> {
    let mut joined: Vec<Slice> = Vec::with_capacity(slices.len());
    for slice in slices {
        match joined.last_mut() {
            // A job whose window wraps round the turn may end where it is released anew: these are two runs.
            Some(last)
                if last.job == slice.job && last.end == slice.start && slice.start != jobs[slice.job].release =>
            {
                last.end = slice.end;
            }
            _ => joined.push(slice),
        }
    }
    joined
}

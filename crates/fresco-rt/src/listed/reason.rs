// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why jobs cannot be served in their slots by anyone: jobs that together need more than there is between release and deadline.

use super::JobList;
use crate::supply::SlotTable;
use crate::time::Time;

/// Jobs (indices into the list), what they need, and what their slots supply from the first release to the last deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shortage {
    pub(super) jobs: Vec<usize>,
    pub(super) demand: u128,
    pub(super) room: Time,
}

impl JobList {
    /// The jobs of the shortest interval that ends with the deadline at which a job missed under EDF; all jobs if they exceed a turn.
    ///
    /// EDF misses only if there is such an interval; while a turn's demand fits, cutting a turn off a longer interval leaves one.
    pub(super) fn shortage(&self, table: &SlotTable, deadline: Time) -> Option<Shortage> {
        let supplied = |t: Time| table.delivered(t).ok();
        let total: u128 = self.jobs().iter().map(|job| u128::from(job.demand)).sum();
        let room = supplied(self.length())?;
        if total > u128::from(room) {
            return Some(Shortage {
                jobs: (0..self.jobs().len()).collect(),
                demand: total,
                room,
            });
        }
        let turns = deadline / self.length() + 1;
        let mut inside: Vec<(Time, usize)> = (0..turns)
            .flat_map(|turn| {
                let jobs = self.jobs().iter().enumerate();
                jobs.map(move |(index, job)| (turn * self.length() + job.release, index))
            })
            .filter(|&(release, index)| release + self.jobs()[index].deadline <= deadline)
            .collect();
        inside.sort_unstable_by(|a, b| b.cmp(a));
        let mut demand = 0;
        for (count, &(release, index)) in inside.iter().enumerate() {
            demand += u128::from(self.jobs()[index].demand);
            let room = supplied(deadline)? - supplied(release)?;
            if demand > u128::from(room) {
                let mut jobs: Vec<usize> = inside[..=count].iter().map(|&(_, index)| index).collect();
                jobs.sort_unstable();
                return Some(Shortage { jobs, demand, room });
            }
        }
        None
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From amounts in cells to slots on cores: any order on one core, McNaughton's wrap-around on several.

use super::co_assign::Assignment;
use super::cores::Cores;
use super::placement::Placement;
use super::problem::Problem;
use super::table::{Burst, Slot, Table};
use crate::time::Time;

/// Jobs that run in a cell, and for how long.
type Work = Vec<(usize, Time)>;

impl Assignment {
    /// The table of this solution; `problem` is the one it solves.
    pub fn table(&self, problem: &Problem) -> Table {
        let slots = problem.slots(&self.placement, &self.instance_of_job);
        problem.table_of(slots, self.memory.clone(), self.copy_cost.clone())
    }
}

impl Problem {
    /// The table of a placement without colors: no task owns memory.
    pub fn uncolored_table(&self, placement: &Placement) -> Table {
        let memory = vec![vec![vec![0; self.rotation().colors()]]; self.tasks().len()];
        let slots = self.slots(placement, &vec![0; self.jobs().len()]);
        self.table_of(slots, memory, vec![None; self.tasks().len()])
    }

    fn table_of(&self, slots: Vec<Slot>, memory: Vec<Vec<Vec<u64>>>, copy_cost: Vec<Option<Time>>) -> Table {
        let rotation = self.rotation();
        let burst = |number: Time| {
            let start = number * rotation.frame();
            Burst {
                color: rotation.color_of(start),
                start,
                length: rotation.blocked(),
            }
        };
        Table {
            length: self.length(),
            cores: self.cores().count(),
            slots,
            bursts: (0..self.length() / rotation.frame()).map(burst).collect(),
            memory,
            copy_cost,
        }
    }

    /// Sequences the shares in each cell, by core and start.
    fn slots(&self, placement: &Placement, instance_of_job: &[usize]) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        for (first_core, shares) in self.shares_by_cell(placement).into_iter().enumerate() {
            let mut last = None;
            for (number, cell) in self.cells().iter().enumerate() {
                let mut work = shares[number].clone();
                let goes_on = |job: usize| {
                    shares
                        .get(number + 1)
                        .is_some_and(|next| next.iter().any(|&(j, _)| j == job))
                };
                // Who ran last goes on, who runs next comes last: fewer slices.
                work.sort_by_key(|&(job, _)| (Some(job) != last, goes_on(job), job));
                last = work.last().map(|&(job, _)| job);
                for (job, core, offset, length) in wrap_around(&work, first_core, cell.length) {
                    let (task, index) = (self.jobs()[job].task, self.jobs()[job].index);
                    let (start, instance, blocked) = (cell.start + offset, instance_of_job[job], cell.blocked);
                    slots.push(Slot {
                        core,
                        start,
                        length,
                        task,
                        job: index,
                        instance,
                        blocked,
                    });
                }
            }
        }
        slots.sort_by_key(|slot| (slot.core, slot.start));
        self.merge(slots)
    }

    /// Jobs and their times in each cell: for all cores together, or for each core of a partition.
    fn shares_by_cell(&self, placement: &Placement) -> Vec<Vec<Work>> {
        let groups = match self.cores() {
            Cores::Global(_) => 1,
            Cores::Partitioned(_) => self.cores().count(),
        };
        let mut by_cell = vec![vec![Work::new(); self.cells().len()]; groups];
        for (job, shares) in placement.shares.iter().enumerate() {
            let group = match self.cores() {
                Cores::Global(_) => 0,
                Cores::Partitioned(core_of) => core_of[self.jobs()[job].task],
            };
            shares
                .iter()
                .for_each(|share| by_cell[group][share.cell].push((job, share.time)));
        }
        by_cell
    }

    /// Joins slots of a job that follow each other while nothing changes.
    fn merge(&self, mut slots: Vec<Slot>) -> Vec<Slot> {
        slots.dedup_by(|slot, before| {
            let what = |slot: &Slot| (slot.core, slot.task, slot.job, slot.instance, slot.blocked);
            // A window as long as the table ends where it starts: what follows is the job of the next turn.
            let release = self.jobs()[self.jobs_of_task(slot.task).start + slot.job as usize].release;
            let joined =
                what(before) == what(slot) && before.start + before.length == slot.start && slot.start != release;
            if joined {
                before.length += slot.length;
            }
            joined
        });
        slots
    }
}

/// McNaughton's rule: core after core is filled, and a job that reaches the end of the cell goes on at its start on the next
/// core. No job overlaps itself, because none has more time than the cell. Yields job, core, offset in the cell and length.
fn wrap_around(work: &[(usize, Time)], first_core: usize, cell: Time) -> Vec<(usize, usize, Time, Time)> {
    let (mut core, mut offset) = (first_core, 0);
    let mut pieces = Vec::with_capacity(work.len() + 1);
    for &(job, time) in work {
        debug_assert!(time <= cell);
        let mut rest = time;
        while rest > 0 {
            if offset == cell {
                (core, offset) = (core + 1, 0);
            }
            let length = rest.min(cell - offset);
            pieces.push((job, core, offset, length));
            (offset, rest) = (offset + length, rest - length);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_jobs_wrap_around_two_cores() {
        let pieces = wrap_around(&[(0, 6), (1, 6), (2, 8)], 0, 10);
        assert_eq!(pieces, [(0, 0, 0, 6), (1, 0, 6, 4), (1, 1, 0, 2), (2, 1, 2, 8)]);
    }
}

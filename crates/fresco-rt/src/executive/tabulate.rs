// SPDX-License-Identifier: MIT OR Apache-2.0
//! From amounts in cells to slots on cores: any order on one core, McNaughton's wrap-around on several.

use super::co_assign::Assignment;
use super::cores::Cores;
use super::placement::Placement;
use super::problem::Problem;
use super::table::{Burst, Slot, Table};
use crate::time::Time;

impl Assignment {
    /// The table of this solution; `problem` is the one it solves.
    pub fn table(&self, problem: &Problem) -> Table {
        let slots = problem.slots(&self.placement, &self.instance_of_job);
        problem.table_of(slots, self.memory.clone(), self.copy_cost.clone())
    }
}

impl Problem {
    /// The table of a placement without colours: no task owns memory.
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
        let mut in_cell: Vec<Vec<(usize, Time)>> = vec![Vec::new(); self.cells().len()];
        for (job, shares) in placement.shares.iter().enumerate() {
            shares
                .iter()
                .for_each(|share| in_cell[share.cell].push((job, share.time)));
        }
        let mut slots: Vec<Slot> = Vec::new();
        let groups = match self.cores() {
            Cores::Global(_) => 1,
            Cores::Partitioned(_) => self.cores().count(),
        };
        for group in 0..groups {
            let here = |job: usize| match self.cores() {
                Cores::Global(_) => true,
                Cores::Partitioned(core_of) => core_of[self.jobs()[job].task] == group,
            };
            let mut last: Option<usize> = None;
            for (number, cell) in self.cells().iter().enumerate() {
                let mut work: Vec<(usize, Time)> =
                    in_cell[number].iter().copied().filter(|&(job, _)| here(job)).collect();
                let goes_on = |job: usize| {
                    in_cell
                        .get(number + 1)
                        .is_some_and(|next| next.iter().any(|&(j, _)| j == job))
                };
                // Who ran last goes on, who runs next comes last: fewer slices.
                work.sort_by_key(|&(job, _)| (Some(job) != last, goes_on(job), job));
                last = work.last().map(|&(job, _)| job);
                let (mut core, mut offset) = (group, 0);
                for (job, time) in work {
                    let mut rest = time;
                    while rest > 0 {
                        if offset == cell.length {
                            (core, offset) = (core + 1, 0);
                        }
                        let length = rest.min(cell.length - offset);
                        let &super::jobs::Job { task, index, .. } = &self.jobs()[job];
                        let (start, blocked) = (cell.start + offset, cell.blocked);
                        slots.push(Slot {
                            core,
                            start,
                            length,
                            task,
                            job: index,
                            instance: instance_of_job[job],
                            blocked,
                        });
                        offset += length;
                        rest -= length;
                    }
                }
                debug_assert!(core < self.cores().count(), "a cell holds no more than the cores give");
            }
        }
        slots.sort_by_key(|slot| (slot.core, slot.start));
        slots.dedup_by(|slot, before| {
            let same = |a: &Slot, b: &Slot| {
                (a.core, a.task, a.job, a.instance, a.blocked) == (b.core, b.task, b.job, b.instance, b.blocked)
            };
            // A window as long as the table ends where it starts: what follows is the job of the next turn.
            let release = self.jobs()[self.jobs_of_task(slot.task).start + slot.job as usize].release;
            let continues = same(before, slot) && before.start + before.length == slot.start && slot.start != release;
            if continues {
                before.length += slot.length;
            }
            continues
        });
        slots
    }
}

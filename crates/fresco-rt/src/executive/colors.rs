// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colors a task can have: available in one placement (F6a), or avoidable in some placement (F6b).

use super::bottleneck::Bottleneck;
use super::placement::Placement;
use super::problem::Problem;

impl Problem {
    /// For each task, the colors that are blocked at some time it runs, ascending: the occupied frames of Tables 4.2 and 4.3.
    pub fn occupied_colors(&self, placement: &Placement) -> Vec<Vec<usize>> {
        let mut occupied = vec![vec![false; self.rotation().colors()]; self.tasks().len()];
        for (job, shares) in self.jobs().iter().zip(&placement.shares) {
            for color in shares.iter().filter_map(|share| self.cells()[share.cell].blocked) {
                occupied[job.task][color] = true;
            }
        }
        occupied.iter().map(|of_task| numbers(of_task, true)).collect()
    }

    /// For each task, the *available* colors of a placement (CR-6): those not occupied. They depend on which of many
    /// placements the solver returned, hence say little about the task set.
    pub fn available_colors(&self, placement: &Placement) -> Vec<Vec<usize>> {
        let occupied = self.occupied_colors(placement);
        let free = |of_task: &Vec<usize>| (0..self.rotation().colors()).filter(|c| !of_task.contains(c)).collect();
        occupied.iter().map(free).collect()
    }

    /// For each task, its *avoidable* colors `A_i`: those that it can stay away from, while blocked, if all other tasks go
    /// where they like. Unique, and necessary: no placement gives a task a color outside `A_i`.
    ///
    /// # Errors
    /// The bottleneck, if the tasks cannot even be placed without colors.
    pub fn avoidable_colors(&self) -> Result<Vec<Vec<usize>>, Bottleneck> {
        let mut network = self.network();
        if !network.solve() {
            return Err(self.bottleneck(&mut network));
        }
        let mut avoidable = vec![vec![false; self.rotation().colors()]; self.tasks().len()];
        for (task, of_task) in avoidable.iter_mut().enumerate() {
            for (color, possible) in of_task.iter_mut().enumerate() {
                let edges: Vec<u32> = self
                    .jobs_of_task(task)
                    .flat_map(|job| self.edges_blocked(&network, job, color))
                    .collect();
                edges.iter().for_each(|&edge| network.close(edge as usize));
                *possible = network.solve();
                edges.iter().for_each(|&edge| network.open(edge as usize));
                network.solve();
            }
        }
        Ok(avoidable.iter().map(|of_task| numbers(of_task, true)).collect())
    }
}

fn numbers(flags: &[bool], wanted: bool) -> Vec<usize> {
    flags
        .iter()
        .enumerate()
        .filter(|&(_, &flag)| flag == wanted)
        .map(|(number, _)| number)
        .collect()
}

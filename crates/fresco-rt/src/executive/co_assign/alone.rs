// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colors each job can stay away from while all other jobs go where they like: as F6b, job by job.

use super::super::bottleneck::Bottleneck;
use super::super::problem::Problem;
use super::super::transport::Transport;
use crate::patience::{Patience, Progress};

/// What is known of the jobs of each task; the same for any numbers of instances, so that searches of one problem share it.
pub(in super::super) struct JobsAlone {
    /// For each task, if it is known, for each of its jobs and each color in turn.
    possible: Vec<Option<Vec<bool>>>,
    /// For each task and each color in turn, whether all its jobs can; empty until a search without copies has found out.
    of_tasks: Vec<bool>,
    colors: usize,
    /// All jobs placed, as if there were no colors: where each search begins.
    placed: Transport,
}

impl JobsAlone {
    /// Nothing is known but where jobs go without colors.
    ///
    /// # Errors
    /// The jobs that find no place even so.
    pub fn new(problem: &Problem) -> Result<Self, Bottleneck> {
        let mut placed = problem.network();
        if !placed.solve() {
            return Err(problem.bottleneck(&mut placed));
        }
        Ok(JobsAlone {
            possible: vec![None; problem.tasks().len()],
            of_tasks: Vec::new(),
            colors: problem.rotation().colors(),
            placed,
        })
    }

    /// The time network, with a complete flow.
    pub fn placed(&self) -> &Transport {
        &self.placed
    }

    /// Finds out about these tasks; `None` if the patience is over before.
    pub fn find_out(
        &mut self,
        problem: &Problem,
        tasks: impl Iterator<Item = usize>,
        patience: Patience<'_>,
    ) -> Option<()> {
        let unknown: Vec<usize> = tasks.filter(|&task| self.possible[task].is_none()).collect();
        if unknown.is_empty() {
            return Some(());
        }
        let mut network = self.placed.clone();
        let jobs: usize = unknown.iter().map(|&task| problem.jobs_of_task(task).len()).sum();
        let mut done = 0;
        for task in unknown {
            let mut possible = Vec::new();
            for job in problem.jobs_of_task(task) {
                let at = Progress {
                    what: "jobs looked at alone",
                    done,
                    most: jobs as u64,
                };
                if patience.is_over(at) {
                    return None;
                }
                possible.extend((0..self.colors).map(|color| can_avoid(problem, &mut network, job, color)));
                done += 1;
            }
            self.possible[task] = Some(possible);
        }
        Some(())
    }

    /// Notes what a search without copies has found: the tasks and colors that are impossible.
    pub fn note_tasks(&mut self, impossible: impl Iterator<Item = (usize, usize)>) {
        self.of_tasks = vec![true; self.possible.len() * self.colors];
        for (task, color) in impossible {
            self.of_tasks[task * self.colors + color] = false;
        }
    }

    /// Whether all jobs of a task can stay away from the color, if that is known.
    pub fn is_task_possible(&self, task: usize, color: usize) -> Option<bool> {
        self.of_tasks.get(task * self.colors + color).copied()
    }

    /// Whether job `number` of a task of which it is known can stay away from the color.
    pub fn is_possible(&self, task: usize, number: usize, color: usize) -> bool {
        let possible = self.possible[task].as_ref();
        possible.is_none_or(|possible| possible[number * self.colors + color])
    }
}

/// Whether a complete flow without the job's edges in cells of the color exists; the flow stays complete.
fn can_avoid(problem: &Problem, network: &mut Transport, job: usize, color: usize) -> bool {
    let edges = problem.edges_blocked(network, job, color);
    let moved: u64 = edges.iter().map(|&edge| network.edge(edge as usize).flow).sum();
    if moved == 0 {
        return true;
    }
    // Mostly there is room for it elsewhere in the job's own window.
    let mut closed = edges.iter().peekable();
    let elsewhere = network.edges_of_row(job).filter(|&(number, _)| {
        let is_closed = closed.next_if(|&&edge| edge as usize == number).is_some();
        !is_closed
    });
    let room = elsewhere.map(|(_, edge)| {
        let column = edge.column();
        (edge.capacity - edge.flow).min(network.capacity(column) - network.used(column))
    });
    if room.fold(0, u64::saturating_add) >= moved {
        return true;
    }
    edges.iter().for_each(|&edge| network.close(edge as usize));
    let is_possible = network.solve();
    edges.iter().for_each(|&edge| network.open(edge as usize));
    network.solve();
    is_possible
}

#[cfg(test)]
mod tests {
    use super::super::super::cores::Cores;
    use super::super::super::problem::Slicing;
    use super::super::super::rotation::Rotation;
    use super::*;
    use crate::Task;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// As a network from nothing says, on random sets.
    #[test]
    fn jobs_alone_are_as_placed_from_nothing() {
        let mut random = Pcg64::seed_from_u64(5);
        let mut outcomes = [0, 0];
        for _ in 0..60 {
            let task = |random: &mut Pcg64| {
                let period = [8, 10, 16, 20][random.random_range(0..4)];
                let wcet = random.random_range(1..=period / 3);
                Task::new("t", 0, period, wcet, random.random_range(wcet.max(period / 2)..=period)).unwrap()
            };
            let tasks: Vec<Task> = (0..3).map(|_| task(&mut random)).collect();
            let rotation = Rotation::bursts(16, 2, random.random_range(1..=6)).unwrap();
            let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
            let Ok(mut alone) = JobsAlone::new(&problem) else {
                assert!(problem.place(|_, _| false).is_err());
                continue;
            };
            alone.find_out(&problem, 0..3, Patience::ENDLESS).unwrap();
            for job in problem.jobs() {
                for color in 0..2 {
                    let plainly = problem.place(|other, c| other == job && c == color).is_ok();
                    assert_eq!(alone.is_possible(job.task, job.index as usize, color), plainly);
                    outcomes[usize::from(plainly)] += 1;
                }
            }
        }
        assert!(outcomes.iter().all(|&count| count > 50), "{outcomes:?}");
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Co-assignment: frames and colors chosen together, exactly (F8, CR-9 to CR-11).
//!
//! Decides which colors each instance of each task owns, on which instance each job runs, and when, so that no job runs
//! while a color of its instance is blocked and all memory fits. This is NP-hard from two colors on; it is solved by
//! search with no-goods over two flow networks.

mod alone;
mod answer;
mod explain;
mod guide;
mod hiding;
mod variables;

pub(super) use alone::JobsAlone;
pub use answer::{Answer, Assignment, NoAssignment, Unavoidable};

use super::error::ProblemError;
use super::memory::assign_memory;
use super::problem::Problem;
use super::search::{Effort, Ending, Search};
use crate::patience::Patience;
use crate::time::{Overflow, Time};
use hiding::Hiding;

/// No-goods after which a search gives up, unless told otherwise.
pub const DEFAULT_BUDGET: u64 = 20_000;

/// How much an answer says of tasks that no color suits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reasons {
    /// Of each, what stands in the way of each color, which takes long.
    Whole,
    /// Of the first, what stands in the way of the first color: as much as is told in words.
    Told,
    /// Which tasks they are.
    TasksAlone,
}

/// A question for the co-assignment. Build it with one of the constructors and change what is special.
#[derive(Clone, Debug)]
pub struct CoAssign<'a> {
    /// Tasks, rotation and cores.
    pub problem: &'a Problem,
    /// Memory of one instance of each task, in units of any size (pages, ranks); a task without memory needs no color.
    pub memory: Vec<u64>,
    /// Units that each color holds (F7).
    pub capacity: Vec<u64>,
    /// Most instances of each task: 1, or more for copy tasks (CR-10). An instance that no job runs on needs no memory.
    pub instances: Vec<usize>,
    /// For each task, the time of a copy from instance to instance if its jobs hand data on, to be spent by every job that
    /// runs on another instance than the job before (F10, F12); `None` if jobs are independent. Such a job avoids the colors
    /// of both instances from its first slice to its last, so that the copy is safe whichever slice it falls into.
    pub copy_cost: Vec<Option<Time>>,
    /// Most no-goods to learn before giving up.
    pub budget: u64,
}

impl<'a> CoAssign<'a> {
    /// One color per task, which tasks may share.
    pub fn one_color(problem: &'a Problem) -> Self {
        CoAssign::instances(problem, 1)
    }

    /// One color per task, shared by no other task.
    pub fn one_color_private(problem: &'a Problem) -> Self {
        CoAssign {
            capacity: vec![1; problem.rotation().colors()],
            ..CoAssign::one_color(problem)
        }
    }

    /// Up to so many instances of each task with one color each; jobs are independent and colors may be shared.
    pub fn instances(problem: &'a Problem, count: usize) -> Self {
        let tasks = problem.tasks().len();
        CoAssign {
            problem,
            memory: vec![1; tasks],
            capacity: vec![tasks.saturating_mul(count) as u64; problem.rotation().colors()],
            instances: vec![count; tasks],
            copy_cost: vec![None; tasks],
            budget: DEFAULT_BUDGET,
        }
    }

    fn check(&self) -> Result<(), ProblemError> {
        let (tasks, colors) = (self.problem.tasks().len(), self.problem.rotation().colors());
        let counts = [
            ("memory", self.memory.len(), tasks),
            ("capacity", self.capacity.len(), colors),
            ("instances", self.instances.len(), tasks),
            ("copy cost", self.copy_cost.len(), tasks),
        ];
        for (what, found, needed) in counts {
            if found != needed {
                return Err(ProblemError::WrongCount { what, found, needed });
            }
        }
        for (task, &instances) in self.problem.tasks().iter().zip(&self.instances) {
            if instances == 0 || instances > colors {
                return Err(ProblemError::Instances {
                    task: task.name.clone(),
                    instances,
                    colors,
                });
            }
        }
        let copying = self
            .problem
            .jobs()
            .iter()
            .map(|job| u128::from(self.copy_cost[job.task].unwrap_or(0)));
        u64::try_from(copying.sum::<u128>() + u128::from(self.problem.demand())).map_err(|_| Overflow)?;
        Ok(())
    }

    /// Searches.
    ///
    /// # Errors
    /// Lists of the wrong length, numbers of instances that are impossible, copy costs beyond 64 bits.
    pub fn solve(&self) -> Result<(Answer, Effort), ProblemError> {
        self.check()?;
        let mut alone = match JobsAlone::new(self.problem) {
            Ok(alone) => alone,
            Err(bottleneck) => {
                let reason = NoAssignment::Unschedulable(bottleneck);
                return Ok((Answer::Impossible(reason), Effort::default()));
            }
        };
        Ok(self
            .solve_while(&mut alone, Patience::ENDLESS, Reasons::Whole)?
            .expect("endless patience"))
    }

    /// As [`Self::solve`], as long as the patience lasts; `None` if it was over before. `alone` is of the same problem.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub(super) fn solve_while(
        &self,
        alone: &mut JobsAlone,
        patience: Patience<'_>,
        reasons: Reasons,
    ) -> Result<Option<(Answer, Effort)>, ProblemError> {
        self.check()?;
        let problem = self.problem;
        let time = alone.placed().clone();
        let several = (0..self.instances.len()).filter(|&task| self.instances[task] > 1);
        if alone.find_out(problem, several, patience).is_none() {
            return Ok(None);
        }
        let mut search = Search::default();
        let Some(mut hiding) = Hiding::new(self, time, alone, &mut search, patience) else {
            return Ok(None);
        };
        let answer = match search.run(&mut hiding, self.budget, patience) {
            Ending::Stopped => return Ok(None),
            Ending::Found => Answer::Found(Box::new(self.read(&search, &hiding))),
            Ending::OutOfBudget => Answer::Unknown,
            Ending::Impossible => {
                let avoidable = self.avoidable(&hiding);
                drop(hiding);
                Answer::Impossible(self.why_impossible(avoidable, search.effort.no_goods, reasons))
            }
        };
        Ok(Some((answer, search.effort)))
    }

    /// For each task, the colors that it can stay away from if all others go where they like (F6b), as the search has found; of a task whose
    /// jobs choose, all.
    fn avoidable(&self, hiding: &Hiding) -> Vec<Vec<usize>> {
        let colors = self.problem.rotation().colors();
        let of_task = |task| {
            let possible = (0..colors).filter(|&color| !hiding.impossible.contains(&(task, color)));
            possible.collect()
        };
        (0..self.instances.len()).map(of_task).collect()
    }

    /// The simplest reason: tasks that no color suits, memory that does not fit, or all no-goods together.
    fn why_impossible(&self, mut allowed: Vec<Vec<usize>>, no_goods: u64, reasons: Reasons) -> NoAssignment {
        let problem = self.problem;
        let all: Vec<usize> = (0..problem.rotation().colors()).collect();
        let hidden_alone = |task: usize| self.instances[task] == 1 && self.memory[task] > 0;
        let stuck: Vec<usize> = (0..allowed.len())
            .filter(|&task| hidden_alone(task) && allowed[task].is_empty())
            .collect();
        let without = |task: usize| {
            let avoid = |color: usize| problem.place(|job, c| job.task == task && c == color).err();
            let looked_at = match reasons {
                Reasons::Whole => all.as_slice(),
                Reasons::Told if stuck.first() == Some(&task) => &all[..1],
                Reasons::Told | Reasons::TasksAlone => &[],
            };
            let name = problem.tasks()[task].name.clone();
            Unavoidable {
                task,
                name,
                without: looked_at.iter().filter_map(|&color| avoid(color)).collect(),
            }
        };
        if !stuck.is_empty() {
            return NoAssignment::NoAvoidableColor(stuck.iter().map(|&task| without(task)).collect());
        }
        for (task, colors) in allowed.iter_mut().enumerate() {
            if !hidden_alone(task) {
                colors.clone_from(&all);
            }
        }
        match assign_memory(&self.memory, &self.capacity, &allowed) {
            Err(shortage) => {
                let name = |&task: &usize| problem.tasks()[task].name.clone();
                NoAssignment::Memory {
                    tasks: shortage.tasks.iter().map(name).collect(),
                    shortage,
                }
            }
            Ok(_) => NoAssignment::Exhausted(no_goods),
        }
    }

    /// Reads a solution; colors that are owned but hold no memory are left out.
    fn read(&self, search: &Search, hiding: &Hiding) -> Assignment {
        let (variables, trail) = (&hiding.variables, &search.trail);
        let owned: Vec<Vec<usize>> = variables
            .instances
            .iter()
            .map(|instance| {
                (0..instance.owns.len())
                    .filter(|&color| trail.holds(instance.owns[color]))
                    .collect()
            })
            .collect();
        let needs: Vec<u64> = (0..variables.instances.len())
            .map(|row| hiding.memory.supply(row))
            .collect();
        let memory = assign_memory(&needs, &self.capacity, &owned).expect("the search ends with room for all memory");
        let by_task = |task: &Vec<usize>| task.iter().map(|&row| memory[row].clone()).collect::<Vec<_>>();
        let memory: Vec<Vec<Vec<u64>>> = variables.of_task.iter().map(by_task).collect();
        let colors_of = |units: &Vec<u64>| (0..units.len()).filter(|&color| units[color] > 0).collect::<Vec<_>>();
        let instance_of_job: Vec<usize> = variables
            .picks
            .iter()
            .map(|picks| picks.iter().position(|&pick| trail.holds(pick)).unwrap_or(0))
            .collect();
        let mut placement = self.problem.placement(&hiding.time);
        let mut copying = vec![0; instance_of_job.len()];
        for &(_, job, cost) in variables
            .switches
            .iter()
            .filter(|(variable, ..)| trail.holds(*variable))
        {
            if instance_of_job[variables.before(job)] == instance_of_job[job] {
                placement.shorten(job, cost); // room was kept, but no copy is made
            } else {
                copying[job] = cost;
            }
        }
        Assignment {
            colors: memory.iter().map(|task| task.iter().map(colors_of).collect()).collect(),
            memory,
            copy_cost: self
                .copy_cost
                .iter()
                .zip(&self.instances)
                .map(|(cost, &n)| cost.filter(|_| n > 1))
                .collect(),
            instance_of_job,
            copying,
            placement,
        }
    }
}

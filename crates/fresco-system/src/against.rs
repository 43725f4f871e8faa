// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of a scenario in which one copy of a task is watched, and tasks of other cores run programs that are given to them in place of their own.

use crate::experiment::{Experiment, Once, Paging, Timing, Work};
use crate::results::RunResult;
use crate::{Role, RunSpec, batch, runs};
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_load::Program;

/// A run of a scenario, and the copy that is watched in it: the only measured task, or with the other threads of its program.
#[derive(Clone, Copy)]
pub struct Against<'s> {
    spec: &'s RunSpec,
    watched: usize,
}

/// What a copy runs in place of its own program. All of its memory is mapped before anything runs.
pub struct Rival {
    /// The copy.
    pub copy: usize,
    /// A program without end. Its passes are its jobs, if it has some.
    pub program: Box<dyn Program>,
    /// When it begins.
    pub begins: Begins,
}

/// When a program begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// It has its memory and does nothing.
    Never,
    /// With the run, or when all tasks have set up their data.
    AtOnce,
    /// A job of one pass is released at this offset from the begin of the run and then each period, in nanoseconds; only in a scenario with periodic tasks.
    Every {
        /// Distance of releases, at least 1.
        period_ns: u64,
        /// The first.
        offset_ns: u64,
    },
}

impl<'s> Against<'s> {
    /// Watches copy `watched` in a run of a scenario.
    pub fn new(spec: &'s RunSpec, watched: usize) -> Self {
        Self { spec, watched }
    }

    /// The copies that may run other programs: those on other cores, but for threads of its own program.
    pub fn others(&self) -> Vec<usize> {
        let copies = &self.spec.point.setup.copies;
        let other = |copy: &usize| copies[*copy].core != copies[self.watched].core && !self.is_of_its_program(*copy);
        (0..copies.len()).filter(other).collect()
    }

    /// Returns true if a copy is watched, or is a thread of the program that is.
    fn is_of_its_program(&self, copy: usize) -> bool {
        let setup = &self.spec.point.setup;
        let task = setup.copies[self.watched].task;
        copy == self.watched || setup.copies[copy].task == task && setup.program(task).kind().is_team()
    }

    /// The run, with `rivals` in place of their copies; others run what they run in the scenario. `None` if it is given up.
    ///
    /// # Errors
    /// As of [`crate::run`].
    pub fn run(&self, rivals: Vec<Rival>, is_given_up: &dyn Fn() -> bool) -> Result<Option<RunResult>, InputError> {
        let experiment = self.experiment(rivals)?;
        batch::made_unless(self.spec, &experiment, is_given_up)
    }

    /// The run in which nobody else does anything, without budgets and devices: `rivals` and the others have their memory and never begin.
    ///
    /// # Errors
    /// As of [`crate::run`].
    pub fn alone(
        &self,
        mut rivals: Vec<Rival>,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Option<RunResult>, InputError> {
        rivals.iter_mut().for_each(|rival| rival.begins = Begins::Never);
        let mut experiment = self.experiment(rivals)?;
        experiment.heeds_order = true;
        for (number, task) in experiment.tasks.iter_mut().enumerate() {
            if !self.is_of_its_program(number) {
                (task.start, task.timing) = (batch::NEVER_BEGINS, Timing::Batch);
            }
        }
        experiment.agents.iter_mut().for_each(|agent| agent.enabled = false);
        (experiment.dynamic, experiment.regulation) = (None, None);
        batch::made_unless(self.spec, &experiment, is_given_up)
    }

    fn experiment(&self, rivals: Vec<Rival>) -> Result<Experiment, InputError> {
        let mut experiment = runs::experiment(self.spec)?;
        for (number, task) in experiment.tasks.iter_mut().enumerate() {
            task.role = match self.is_of_its_program(number) {
                true => Role::Measured,
                false => Role::Background,
            };
        }
        for rival in rivals {
            let task = &mut experiment.tasks[rival.copy];
            (task.start, task.timing) = match rival.begins {
                Begins::Never => (batch::NEVER_BEGINS, Timing::Batch),
                Begins::AtOnce => (0, Timing::Batch),
                Begins::Every { period_ns, offset_ns } => (0, every(&task.name, period_ns, offset_ns)),
            };
            task.work = Work::Live(Once::new(rival.program));
            (task.team, task.stalls, task.paging) = (None, None, Paging::AtStart);
        }
        Ok(experiment)
    }
}

/// Jobs whose deadlines and execution times nobody asks for.
fn every(name: &str, period_ns: u64, offset_ns: u64) -> Timing {
    let task = fresco_rt::Task::new(name, offset_ns, period_ns.max(1), 1, period_ns.max(1));
    Timing::Periodic(task.expect("an execution time of 1 ns fits into any period"))
}

/// The longest work that a task shows, in picoseconds: a job of it (of one that has not ended what it has executed), or its measured phase.
pub fn longest_work(task: &crate::results::TaskResult) -> Ps {
    match &task.jobs {
        None => task.run_time_ps,
        Some(jobs) => jobs.jobs.iter().map(|job| job.execution_ps).max().unwrap_or(0),
    }
}

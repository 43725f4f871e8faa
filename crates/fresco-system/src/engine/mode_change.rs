// SPDX-License-Identifier: MIT OR Apache-2.0
//! The run changes to high mode (F37): at the change tasks are dropped, and at a multiple of the retention time schedule and refresh follow. The memory
//! knows the time of its refreshes from the begin.

use super::Engine;
use super::build::seed;
use crate::experiment::{Dispatcher, Experiment, Fate, ModeSpan, dispatch};
use fresco_dram::{NEVER, Ps};
use fresco_input::InputError;
use fresco_load::Program;

/// Dispatchers of all cores.
type Cores = Vec<Box<dyn Dispatcher>>;

/// A change of mode to come.
pub(super) struct Modes {
    /// When something of it is due next; [`NEVER`] when all is done.
    pub next: Ps,
    /// The change has come.
    pub is_high: bool,
    /// By task: what the program of a synthetic one is followed by.
    then_programs: Vec<Then>,
    /// Dispatchers without jobs from the change on, and from the begin of the schedule of high mode on.
    then: [Option<Cores>; 2],
}

/// Programs that follow that of a synthetic task, whose jobs are longer in high mode.
#[derive(Default)]
struct Then {
    /// What a job under way at the change makes beyond what it has in low mode.
    rest: Option<Box<dyn Program>>,
    /// What jobs make that begin after the change.
    longer: Option<Box<dyn Program>>,
}

impl Modes {
    /// The change of an experiment, if there is one; `pages` as [`dispatch::dispatchers`] has them.
    pub fn of(experiment: &Experiment, pages: &[Vec<(u32, u64)>]) -> Result<Option<Self>, InputError> {
        let Some(change) = &experiment.mode_change else {
            return Ok(None);
        };
        let dispatchers = |schedule| dispatch::dispatchers(experiment, schedule, pages).map(Some);
        Ok(Some(Self {
            next: change.at_ns * 1000,
            is_high: false,
            then_programs: experiment.tasks.iter().map(|_| Then::default()).collect(),
            then: [dispatchers(&experiment.schedule)?, dispatchers(&change.schedule)?],
        }))
    }
}

impl Engine<'_> {
    /// Synthetic jobs make so many operations in high mode, by task; 0 for as many as before.
    ///
    /// # Errors
    /// None in practice: programs of other lengths could be built.
    pub fn lengthened(mut self, operations: &[u64]) -> Result<Self, InputError> {
        let Some(modes) = &mut self.modes else { return Ok(self) };
        for (task, &longer) in operations.iter().enumerate() {
            // Lines are drawn anew, so that none of them is where it was.
            let seed = seed(self.experiment, (operations.len() + task) as u64);
            let build = |operations: u64| -> Result<_, InputError> {
                let mut programs = self.experiment.tasks[task].programs(self.experiment, operations, seed, 1)?;
                Ok(programs.pop())
            };
            let usual = self.operations[task];
            if longer > usual {
                modes.then_programs[task] = Then {
                    rest: build(longer - usual)?,
                    longer: build(longer)?,
                };
            }
        }
        Ok(self)
    }

    /// When the mode changes next.
    #[inline]
    pub(super) fn next_mode(&self) -> Ps {
        self.modes.as_ref().map_or(NEVER, |modes| modes.next)
    }

    /// The run is in high mode.
    pub(super) fn is_high(&self) -> bool {
        self.modes.as_ref().is_some_and(|modes| modes.is_high)
    }

    /// By how much earlier than they are due the jobs of a task that are released now are ordered.
    pub(super) fn ordered_earlier(&self, task: usize) -> Ps {
        match self.is_high() {
            true => 0,
            false => self.experiment.tasks[task].earlier_ns * 1000,
        }
    }

    /// The task has been dropped.
    pub(super) fn is_dropped(&self, task: usize) -> bool {
        let change = self.experiment.mode_change.as_ref().filter(|_| self.is_high());
        change.is_some_and(|change| change.tasks[task] == Fate::Dropped)
    }

    /// Does what is due of the change, but for decisions. Returns whether every core has to decide anew.
    pub(super) fn change_mode(&mut self, now: Ps) -> bool {
        let (Some(modes), Some(change)) = (&mut self.modes, &self.experiment.mode_change) else {
            return false;
        };
        if modes.next > now {
            return false;
        }
        let begins = change.begins_ns * 1000;
        let comes = !std::mem::replace(&mut modes.is_high, true);
        let first = if comes { modes.then[0].take() } else { None };
        let second = if now >= begins { modes.then[1].take() } else { None };
        modes.next = if now >= begins { NEVER } else { begins };
        if comes {
            self.drop_tasks(now);
            self.recording.mode(ModeSpan {
                changes_ps: now,
                begins_ps: begins,
            });
        }
        let dispatchers = second.or(first).expect("either is due");
        for (number, dispatcher) in dispatchers.into_iter().enumerate() {
            self.passed(number, now);
            self.cpus[number].dispatcher = dispatcher;
            let own: Vec<_> = self
                .jobs
                .all()
                .filter(|job| self.is_for(number, job.task))
                .copied()
                .collect();
            for job in &own {
                self.cpus[number].dispatcher.released(now, job);
            }
        }
        true
    }

    /// Jobs of dropped tasks are abandoned, and those of the others are ordered by when they are due.
    fn drop_tasks(&mut self, now: Ps) {
        let Some(change) = &self.experiment.mode_change else {
            return;
        };
        for (task, fate) in change.tasks.iter().enumerate() {
            match fate {
                Fate::Dropped => {
                    self.jobs.abandon(task);
                    self.tasks[task].abandoned(now);
                }
                Fate::Kept { .. } => {
                    let earlier = self.experiment.tasks[task].earlier_ns * 1000;
                    self.jobs.order_later(task, earlier);
                }
            }
        }
        self.releases
            .retain(|release| change.tasks[release.0.1] != Fate::Dropped);
    }

    /// A job of a task begins: in high mode a synthetic one is longer from now on.
    pub(super) fn begin_longer(&mut self, task: usize) {
        let Some(modes) = self.modes.as_mut().filter(|modes| modes.is_high) else {
            return;
        };
        let Then { longer, .. } = std::mem::take(&mut modes.then_programs[task]);
        if let Some(longer) = longer {
            self.tasks[task].process.restart(longer);
        }
    }

    /// The job of a task has made all the operations that its program has. Returns whether it has more to make, since the mode has changed meanwhile.
    pub(super) fn goes_on_in_high_mode(&mut self, task: usize) -> bool {
        let modes = self.modes.as_mut().filter(|modes| modes.is_high);
        let Some(rest) = modes.and_then(|modes| modes.then_programs[task].rest.take()) else {
            return false;
        };
        self.tasks[task].process.restart(rest);
        true
    }
}

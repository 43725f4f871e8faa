// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run that changes from low to high mode (F37).

use super::setup::floor;
use super::{Experiment, RefreshPlan, Schedule};
use fresco_dram::Cycle;
use fresco_input::InputError;
use fresco_machine::RefreshPolicy;
use fresco_memory::checker::Hotter;

/// A change of mode: some tasks are dropped at once, jobs of the others may take longer from there on, and schedule and refresh follow.
#[derive(Clone, Debug)]
pub struct ModeChange {
    /// When it comes, in nanoseconds.
    pub at_ns: u64,
    /// When schedule and refresh of high mode begin, in nanoseconds: `at_ns` or later, a multiple of the periods of both modes' schedule and refresh.
    pub begins_ns: u64,
    /// What becomes of each task.
    pub tasks: Vec<Fate>,
    /// Who runs when, from `begins_ns` on.
    pub schedule: Schedule,
    /// When the memory is refreshed from there on. [`RefreshPlan::Machine`] is the policy of the machine, all ranks at the same time, at intervals that are shorter
    /// as `retention_ns` is.
    pub refresh: RefreshPlan,
    /// Within how many nanoseconds a row refreshed in high mode has to be refreshed again. The retention time of the machine is a multiple of it.
    pub retention_ns: u64,
    /// So long after `begins_ns` every row has to have been refreshed in high mode, in nanoseconds.
    pub settled_ns: u64,
}

/// What becomes of a task when the mode changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Jobs that have not ended are abandoned, and none is released any more.
    Dropped,
    /// It goes on.
    Kept {
        /// What a job may take from the change on, in nanoseconds; 0 of a task without a period. Those of synthetic tasks do, also those that have begun.
        wcet_ns: u64,
    },
}

impl ModeChange {
    /// Refuses what cannot be run.
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), InputError> {
        let wrong = |found: &str| Err(experiment.error(format!("found a change of mode {found}")));
        if experiment.phases.is_some() || experiment.dynamic.is_some() || experiment.migrates {
            return wrong("where phases end the run, colors move, or jobs migrate");
        }
        if self.at_ns >= experiment.horizon_ns {
            let error = experiment.error(format!("found a change of mode at {} ns", self.at_ns));
            return Err(error
                .allowed(format!("before the run ends, at {} ns", experiment.horizon_ns))
                .help("simulate for longer: --horizon"));
        }
        if self.tasks.len() != experiment.tasks.len() {
            return wrong("of other tasks");
        }
        let alike = matches!(
            (&experiment.refresh, &self.refresh),
            (RefreshPlan::Machine, RefreshPlan::Machine) | (RefreshPlan::Windows { .. }, RefreshPlan::Windows { .. })
        );
        if !alike {
            return wrong("from refresh by the machine to refresh in windows, or back");
        }
        let policy = experiment.machine.memory.controller.refresh;
        if self.refresh == RefreshPlan::Machine && policy != RefreshPolicy::AllBankSimultaneous {
            return wrong("of a controller that does not refresh all ranks at the same time");
        }
        if self.retention_ns == 0 || self.begins_ns == 0 || self.begins_ns < self.at_ns {
            return wrong("whose refresh never begins");
        }
        if self.interval(experiment) <= experiment.machine.memory.timing.rfc_ab {
            return wrong("to a refresh that leaves no time between two commands");
        }
        for (task, fate) in experiment.tasks.iter().zip(&self.tasks) {
            let timing = task.timing.periodic();
            let possible = match (fate, timing) {
                (Fate::Dropped, timing) => timing.is_some(),
                (Fate::Kept { .. }, None) => true,
                (Fate::Kept { wcet_ns }, Some(timing)) => *wcet_ns >= timing.wcet,
            };
            if !possible {
                return wrong(&format!("that {} cannot follow", task.name));
            }
        }
        self.schedule.check(experiment)
    }

    /// What the devices ask for, in cycles of the memory's clock.
    pub(crate) fn hotter(&self, experiment: &Experiment) -> Hotter {
        let timing = &experiment.machine.memory.timing;
        let from = match &experiment.refresh {
            // Whole periods, as the windows count them.
            RefreshPlan::Windows { period_ns, .. } => {
                self.begins_ns / period_ns.max(&1) * floor(timing.clock, *period_ns)
            }
            RefreshPlan::Machine => floor(timing.clock, self.begins_ns),
        };
        let settled = timing.clock.cycle_at_or_after(self.settled_ns * 1000);
        Hotter {
            from,
            refw: floor(timing.clock, self.retention_ns).min(timing.refw),
            settled: from + settled,
        }
    }

    /// Cycles from one refresh of the controller to the next, in high mode: as much less than in low mode as the refresh window is. What is left of a window in
    /// low mode, for refreshes that wait for accesses, is left in high mode.
    pub(crate) fn interval(&self, experiment: &Experiment) -> Cycle {
        let timing = &experiment.machine.memory.timing;
        let shorter =
            u128::from(timing.refi) * u128::from(self.hotter(experiment).refw) / u128::from(timing.refw.max(1));
        // `hotter` has no longer window than the devices have.
        Cycle::try_from(shorter).unwrap_or(timing.refi)
    }
}

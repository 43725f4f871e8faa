// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who runs when: the schedules there are.

use super::Experiment;
use super::fair::FairSchedule;
use fresco_input::InputError;
use fresco_rt::executive::Table;
use fresco_rt::policy::Policy;
use fresco_rt::supply::SlotTable;
use fresco_rt::toplevel::{Locks, Server};

/// A schedule; all its times are in nanoseconds. What is given per core is in the order of the cores.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// A cyclic table (CR-5). At the start of each burst every core runs a handler for `lock_ns`, which locks its color.
    Table {
        /// The table; it names tasks by their index in the experiment.
        table: Table,
        /// Length of that handler; it takes from the slot that it falls into.
        lock_ns: u64,
    },
    /// A server per color on each core, under the locks of the colors (CRS-2 to CRS-7).
    Servers {
        /// Servers of each core, by color, higher priority first.
        cores: Vec<Vec<Server>>,
        /// Servers burn their budget when they have no work; else they keep it until their period ends.
        idling: bool,
        /// Locks, for all cores alike.
        locks: Locks,
        /// Inside a server.
        policy: Policy,
    },
    /// Fixed slots per color, refresh inside what they leave out (F29).
    Slots {
        /// Slots of each core.
        cores: Vec<CoreSlots>,
        /// Inside a slot.
        policy: Policy,
    },
    /// The first ready job whose color is not locked (F28).
    Flat {
        /// Locks, for all cores alike.
        locks: Locks,
        /// Among jobs.
        policy: Policy,
    },
    /// Fair shares of batch tasks, in slices as long as the turn of a bank in the controller's refresh (COD-6).
    Fair(FairSchedule),
    /// The first ready job, whatever is refreshed.
    Plain {
        /// Among jobs.
        policy: Policy,
    },
    /// The first ready job, and nothing while the burst of all ranks is on (Bhat and Mueller). Colors are not told apart.
    Burst {
        /// The lock of the one color there is.
        locks: Locks,
        /// Among jobs.
        policy: Policy,
    },
}

/// The slots of one core.
#[derive(Clone, Debug)]
pub struct CoreSlots {
    /// When tasks of each color may run.
    pub slots: Vec<SlotTable>,
    /// Length of the handler just before each slot: it locks the other colors, in nanoseconds.
    pub handler_ns: u64,
}

impl Schedule {
    /// Colors that the schedule tells apart.
    pub fn colors(&self) -> usize {
        match self {
            Self::Table { table, .. } => table.bursts.iter().map(|burst| burst.color + 1).max().unwrap_or(0),
            Self::Servers { locks, .. } | Self::Flat { locks, .. } => locks.colors().len(),
            Self::Slots { cores, .. } => cores.first().map_or(0, |core| core.slots.len()),
            Self::Plain { .. } | Self::Burst { .. } | Self::Fair(_) => 1,
        }
    }

    /// Returns true if it heeds the colors of tasks.
    pub(super) fn is_colored(&self) -> bool {
        !matches!(self, Self::Plain { .. } | Self::Burst { .. } | Self::Fair(_))
    }

    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), InputError> {
        let cores = experiment.machine.cores as usize;
        let given = match self {
            Self::Table { table, .. } => table.cores,
            Self::Servers { cores, .. } => cores.len(),
            Self::Slots { cores, .. } => cores.len(),
            Self::Flat { .. } | Self::Plain { .. } | Self::Burst { .. } | Self::Fair(_) => cores,
        };
        // A table names the core of each slot; cores that have none do nothing.
        let fits = given == cores || given < cores && matches!(self, Self::Table { .. });
        if !fits {
            return Err(experiment
                .error(format!("found a schedule of {given} cores"))
                .allowed(format!("{cores}, as many as the machine has"))
                .help("plan for the machine that it is run on"));
        }
        if experiment.migrates && !matches!(self, Self::Plain { .. } | Self::Burst { .. }) {
            return Err(experiment
                .error("found jobs that migrate under a schedule for each core".to_owned())
                .allowed("priorities alone, or beside the burst of all ranks")
                .help("let tasks keep their cores"));
        }
        let colors = self.colors();
        let per_core = match self {
            Self::Servers { cores, .. } => cores.iter().map(Vec::len).collect(),
            Self::Slots { cores, .. } => cores.iter().map(|core| core.slots.len()).collect(),
            _ => Vec::new(),
        };
        if let Some(other) = per_core.into_iter().find(|other| *other != colors) {
            return Err(experiment
                .error(format!("found a core with {other} colors in a schedule of {colors}"))
                .allowed("one server or slot table per color on each core")
                .help("give a core that does not run a color an empty slot table or a budget of 0"));
        }
        if let Self::Fair(fair) = self {
            fair.check(experiment)?;
        }
        if let Self::Burst { locks, .. } = self
            && locks.colors().len() != 1
        {
            return Err(experiment
                .error(format!(
                    "found a burst of all ranks with {} locks",
                    locks.colors().len()
                ))
                .allowed("one lock")
                .help("use a flat schedule for several colors"));
        }
        for task in experiment.tasks.iter().filter(|_| !matches!(self, Self::Table { .. })) {
            if let Some(instance) = task.instances.iter().find(|i| self.is_colored() && i.color >= colors) {
                return Err(experiment
                    .error(format!("found task {:?} in color {}", task.name, instance.color))
                    .allowed(format!("colors 0 to {}", colors.saturating_sub(1)))
                    .help("give it a color of the schedule"));
            }
        }
        if let Self::Table { table, .. } = self {
            for slot in &table.slots {
                let task = experiment.tasks.get(slot.task);
                if task.is_none_or(|task| slot.instance >= task.instances.len() || task.timing.wcet().is_none()) {
                    return Err(experiment
                        .error(format!(
                            "found a slot of task {} on instance {}",
                            slot.task, slot.instance
                        ))
                        .allowed("periodic tasks of the experiment and their instances")
                        .help("number tasks as the experiment does"));
                }
            }
        }
        Ok(())
    }
}

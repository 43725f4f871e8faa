// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cyclic table: what a dispatcher and a refresh timer replay for ever (CR-5, CR-24).

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// One turn of a schedule of tasks and refresh. Both run off one clock; at `length` the table starts over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// L: length of one turn, a multiple of the retention period and of all periods.
    pub length: Time,
    /// Number of cores.
    pub cores: usize,
    /// What runs, by core and start.
    pub slots: Vec<Slot>,
    /// What is refreshed, by start. No slot of an instance overlaps a burst of a colour it owns.
    pub bursts: Vec<Burst>,
    /// `memory[i][a][c]`: units of instance `a` of task `i` in colour `c`.
    pub memory: Vec<Vec<Vec<u64>>>,
    /// For each task, the time a job takes to copy its data when the job before ran on another instance; `None` if jobs are
    /// independent or there is one instance.
    pub copy_cost: Vec<Option<Time>>,
}

/// A job on a core for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Core, from 0.
    pub core: usize,
    /// Start within the turn.
    pub start: Time,
    /// Length, at least 1.
    pub length: Time,
    /// Number of the task.
    pub task: usize,
    /// Number of the job within the turn.
    pub job: u64,
    /// Instance of the task that runs.
    pub instance: usize,
    /// The colour blocked by refresh meanwhile.
    pub blocked: Option<usize>,
}

/// A colour out of bounds for a while: lock, refresh burst and unlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// Colour, from 0.
    pub color: usize,
    /// Start within the turn.
    pub start: Time,
    /// Length, overheads included.
    pub length: Time,
}

impl Table {
    /// Number of dispatches in one turn: slots that do not continue the one before. Each costs a context switch and a cold
    /// cache, which execution times must contain (CR-23).
    pub fn dispatches(&self) -> usize {
        let continues = |pair: &[Slot]| {
            let (before, slot) = (pair[0], pair[1]);
            (before.core, before.task, before.job) == (slot.core, slot.task, slot.job)
                && before.start + before.length == slot.start
        };
        self.slots.len() - self.slots.windows(2).filter(|pair| continues(pair)).count()
    }

    /// Most dispatches of any one job of the task: what to multiply the cost of a slice with.
    pub fn most_slices(&self, task: usize) -> usize {
        let mut slices = std::collections::BTreeMap::<u64, usize>::new();
        let mut before: Option<Slot> = None;
        for slot in &self.slots {
            let continued = before.is_some_and(|b| {
                (b.core, b.task, b.job) == (slot.core, slot.task, slot.job) && b.start + b.length == slot.start
            });
            if slot.task == task && !continued {
                *slices.entry(slot.job).or_default() += 1;
            }
            before = Some(*slot);
        }
        slices.into_values().max().unwrap_or(0)
    }
}

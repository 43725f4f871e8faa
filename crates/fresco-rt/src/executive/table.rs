// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cyclic table: what a dispatcher and a refresh timer replay for ever (CR-5, CR-24).

use std::collections::BTreeMap;

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
    /// What is refreshed, by start. No slot of an instance overlaps a burst of a color it owns.
    pub bursts: Vec<Burst>,
    /// `memory[i][a][c]`: units of instance `a` of task `i` in color `c`.
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
    /// The color blocked by refresh meanwhile.
    pub blocked: Option<usize>,
}

/// A color out of bounds for a while: lock, refresh burst and unlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// Color, from 0.
    pub color: usize,
    /// Start within the turn.
    pub start: Time,
    /// Length, overheads included.
    pub length: Time,
}

impl Table {
    /// When a core runs nothing and none of `colors` is blocked: ascending, disjoint `(start, end)` within the turn. What
    /// sporadic and best-effort work in these colors can have (CR-20).
    pub fn free(&self, core: usize, colors: &[usize]) -> Vec<(Time, Time)> {
        let slots = self
            .slots
            .iter()
            .filter(|slot| slot.core == core)
            .map(|slot| (slot.start, slot.length));
        let bursts = self.bursts.iter().filter(|burst| colors.contains(&burst.color));
        let mut taken: Vec<(Time, Time)> = slots.chain(bursts.map(|burst| (burst.start, burst.length))).collect();
        taken.sort_unstable();
        let (mut free, mut now) = (Vec::new(), 0);
        for (start, length) in taken {
            if start > now {
                free.push((now, start));
            }
            now = now.max(start.saturating_add(length));
        }
        if now < self.length {
            free.push((now, self.length));
        }
        free
    }

    /// Number of dispatches in one turn: slots that do not continue the one before. Each costs a context switch and a cold
    /// cache, which execution times must contain (CR-23).
    pub fn dispatches(&self) -> usize {
        self.dispatched().count()
    }

    /// Most dispatches of any one job of the task: what to multiply the cost of a slice with.
    pub fn most_slices(&self, task: usize) -> usize {
        let mut slices = BTreeMap::<u64, usize>::new();
        for slot in self.dispatched().filter(|slot| slot.task == task) {
            *slices.entry(slot.job).or_default() += 1;
        }
        slices.into_values().max().unwrap_or(0)
    }

    fn dispatched(&self) -> impl Iterator<Item = &Slot> {
        let mut before: Option<&Slot> = None;
        self.slots.iter().filter(move |slot| {
            let goes_on = |b: &Slot| {
                (b.core, b.task, b.job) == (slot.core, slot.task, slot.job) && b.start + b.length == slot.start
            };
            !before.replace(slot).is_some_and(goes_on)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let slot = |start, length, task, job| Slot {
            core: 0,
            start,
            length,
            task,
            job,
            instance: 0,
            blocked: None,
        };
        Table {
            length: 20,
            cores: 1,
            slots: vec![
                slot(0, 2, 0, 0),
                slot(2, 3, 1, 0),
                slot(5, 1, 1, 0),
                slot(8, 2, 1, 0),
                slot(12, 2, 0, 1),
            ],
            bursts: vec![
                Burst {
                    color: 0,
                    start: 9,
                    length: 2,
                },
                Burst {
                    color: 1,
                    start: 16,
                    length: 2,
                },
            ],
            memory: Vec::new(),
            copy_cost: Vec::new(),
        }
    }

    #[test]
    fn free_time_is_idle_and_unblocked() {
        assert_eq!(table().free(0, &[]), [(6, 8), (10, 12), (14, 20)]);
        assert_eq!(table().free(0, &[0, 1]), [(6, 8), (11, 12), (14, 16), (18, 20)]);
        assert_eq!(table().free(1, &[1]), [(0, 16), (18, 20)]);
        assert!(
            crate::supply::SlotTable::new(20, &table().free(0, &[0])).is_ok(),
            "a supply for a server"
        );
    }

    #[test]
    fn slots_that_go_on_are_one_dispatch() {
        assert_eq!(table().dispatches(), 4);
        assert_eq!(
            (table().most_slices(0), table().most_slices(1), table().most_slices(2)),
            (1, 2, 0)
        );
    }
}

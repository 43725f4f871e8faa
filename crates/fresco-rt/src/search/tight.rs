// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lengths of time that were too short for splits of the same tasks: most other splits are refused by them at once.

use super::candidates::Side;
use crate::aligned::RefreshDemand;
use crate::budget::{Family, least_slot};
use crate::demand::dbf;
use crate::task::Task;
use crate::time::{Overflow, Time};

/// Lengths that are kept.
const KEPT: usize = 8;

/// Lengths in which slots have fallen short, the latest first.
pub(super) struct Tight {
    tasks: Vec<Task>,
    lengths: Vec<Length>,
}

/// A length of time, and what each task demands in it.
struct Length {
    length: Time,
    demand: Vec<u128>,
}

impl Tight {
    /// Nothing is known of these tasks.
    pub fn of(tasks: &[Task]) -> Self {
        let (tasks, lengths) = (tasks.to_vec(), Vec::new());
        Tight { tasks, lengths }
    }

    /// Whether the demand in one of the lengths alone asks for slots that are longer than the frame, under any policy.
    pub fn are_short(&mut self, side: &Side, period: Time, demand: RefreshDemand) -> bool {
        let is_short = |kept: &Length| {
            let mut of_color = [0u128; 2];
            for (demand, &color) in kept.demand.iter().zip(side) {
                of_color[usize::from(color)] += demand;
            }
            let slots = of_color.map(|demand| {
                let demand = Time::try_from(demand).ok()?;
                Family::Tdma.least_budget_at(period, kept.length, demand)
            });
            !fits(slots, period, demand)
        };
        let Some(place) = self.lengths.iter().position(is_short) else {
            return false;
        };
        self.lengths[..=place].rotate_right(1);
        true
    }

    /// Whether the least slots of both colors under EDF fit the frame; remembers what decides.
    ///
    /// # Errors
    /// As [`least_budget`](crate::budget::least_budget).
    pub fn fit(&mut self, sets: [&[Task]; 2], period: Time, demand: RefreshDemand) -> Result<bool, Overflow> {
        let mut slots = [Some(0); 2];
        for (slot, tasks) in slots.iter_mut().zip(sets).filter(|(_, tasks)| !tasks.is_empty()) {
            let least = least_slot(tasks, period)?;
            if let Some(length) = least.length {
                self.remember(length);
            }
            *slot = least.budget;
        }
        Ok(fits(slots, period, demand))
    }

    fn remember(&mut self, length: Time) {
        if self.lengths.iter().any(|kept| kept.length == length) {
            return;
        }
        let demand = self.tasks.iter().map(|task| dbf(std::slice::from_ref(task), length));
        let demand = demand.collect();
        self.lengths.truncate(KEPT - 1);
        self.lengths.insert(0, Length { length, demand });
    }
}

/// Whether slots with these times for tasks fit the frame; `None` is more than any slot.
fn fits(slots: [Option<Time>; 2], period: Time, demand: RefreshDemand) -> bool {
    let needed = slots.map(|slot| {
        let switches = if slot? == 0 { 0 } else { demand.slice.total() };
        Some(u128::from(slot?) + u128::from(switches) + u128::from(demand.handler))
    });
    matches!(needed, [Some(first), Some(second)] if first + second <= u128::from(period))
}

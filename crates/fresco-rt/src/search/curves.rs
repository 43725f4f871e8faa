// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tables of servers supply, by the budget of the first: of many workloads most budgets are refused without a table.
//!
//! The tables of a period depend on the first budget alone, not on workloads. In any length of time the first server gets no less with a larger
//! budget, and the second no more: what was once too little for a demand is too little for every demand as large.

use std::collections::BTreeMap;

use super::doubts::KEPT;
use crate::demand::dbf;
use crate::task::Task;
use crate::time::Time;

/// The demand of a workload in lengths of time, each worked out once.
pub(super) struct Demand<'a> {
    tasks: &'a [Task],
    known: Vec<(Time, u128)>,
}

impl<'a> Demand<'a> {
    /// Of these tasks.
    pub fn of(tasks: &'a [Task]) -> Self {
        let known = Vec::new();
        Demand { tasks, known }
    }

    fn within(&mut self, length: Time) -> u128 {
        match self.known.iter().find(|(known, _)| *known == length) {
            Some(&(_, demand)) => demand,
            None => {
                let demand = dbf(self.tasks, length);
                self.known.push((length, demand));
                demand
            }
        }
    }
}

/// What one of the servers is supplied, by period.
#[derive(Clone, Debug, Default)]
pub(super) struct Curves(BTreeMap<Time, Vec<Curve>>);

/// In one length of time.
#[derive(Clone, Debug)]
struct Curve {
    length: Time,
    /// Budgets of the first server, ascending, with what is supplied.
    samples: Vec<(Time, Time)>,
}

impl Curves {
    /// Notes that with a budget of the first server so much is supplied in the length of time.
    pub fn note(&mut self, period: Time, budget: Time, length: Time, supply: Time) {
        let curves = self.0.entry(period).or_default();
        let place = curves.iter().position(|curve| curve.length == length);
        match place {
            Some(place) => curves[..=place].rotate_right(1),
            None => {
                curves.truncate(KEPT - 1);
                let samples = Vec::new();
                curves.insert(0, Curve { length, samples });
            }
        }
        let samples = &mut curves[0].samples;
        if let Err(place) = samples.binary_search_by_key(&budget, |sample| sample.0) {
            samples.insert(place, (budget, supply));
        }
    }

    /// The greatest budget of the first server that is known to give it too little; 0 if none is.
    pub fn too_little(&self, period: Time, demand: &mut Demand<'_>) -> Time {
        let last = |curve: &Curve| {
            let demand = demand.within(curve.length);
            let short = curve.samples.partition_point(|sample| u128::from(sample.1) < demand);
            short.checked_sub(1).map_or(0, |last| curve.samples[last].0)
        };
        self.0.get(&period).into_iter().flatten().map(last).max().unwrap_or(0)
    }

    /// The least budget of the first server that is known to leave the second too little; `None` if none is.
    pub fn too_much(&self, period: Time, demand: &mut Demand<'_>) -> Option<Time> {
        let first = |curve: &Curve| {
            let demand = demand.within(curve.length);
            let enough = curve.samples.partition_point(|sample| u128::from(sample.1) >= demand);
            curve.samples.get(enough).map(|sample| sample.0)
        };
        self.0.get(&period).into_iter().flatten().filter_map(first).min()
    }
}

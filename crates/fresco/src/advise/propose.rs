// SPDX-License-Identifier: MIT OR Apache-2.0
//! From measurements to a proposal.

use super::candidate::{Amount, Candidate};
use super::goal::Goals;
use super::measure::{Bench, Outcome};
use super::sensitivity::{Curve, curves, does_not_fit, steps};
use fresco_input::InputError;
use fresco_system::bandwidth::Guaranteed;
use indicatif::ProgressBar;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The goals.
    pub goals: Goals,
    /// Bandwidth that each controller guarantees, in bytes per second (MG-3).
    pub guaranteed_bytes_per_s: u64,
    /// Speed of each measured task alone with less of a resource.
    pub curves: Vec<Curve>,
    /// Partitions that were run, in order of their cost; the first one is none.
    pub tried: Vec<Tried>,
    /// Partitions that the programs do not fit.
    pub too_small: usize,
    /// Place in `tried` of the cheapest partition that meets the goals.
    pub proposed: Option<usize>,
    /// Warnings in words.
    pub warnings: Vec<String>,
}

/// A partition and what came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The partition.
    pub candidate: Candidate,
    /// What the tasks did.
    pub outcome: Outcome,
    /// No cheaper partition has as small a largest slowdown.
    pub on_frontier: bool,
}

/// Measures and proposes.
///
/// # Errors
/// A run that fails for another reason than that data do not fit their colours.
pub fn advise(bench: &Bench, goals: &Goals, bar: &ProgressBar) -> Result<Advice, InputError> {
    let guaranteed = Guaranteed::of(&bench.overview.machine, true).bytes_per_s();
    let curves = curves(bench, guaranteed, bar)?;
    let mut search = Search {
        bench,
        goals,
        guaranteed,
        tried: Vec::new(),
        too_small: 0,
    };
    search.run_all(search.uniform(), bar)?;
    search.grow(bar)?;
    search.run_all(search.with_budgets(), bar)?;
    search.shrink(bar)?;
    let Search {
        mut tried, too_small, ..
    } = search;
    tried.sort_by(|a, b| a.candidate.cost.total_cmp(&b.candidate.cost));
    let on_frontier: Vec<bool> = tried.iter().map(|one| is_on_frontier(one, &tried)).collect();
    for (one, on_frontier) in std::iter::zip(&mut tried, on_frontier) {
        one.on_frontier = on_frontier;
    }
    let proposed = tried.iter().position(|one| one.outcome.meets_goals);
    let warnings = super::show::warnings(bench, &curves, &tried, proposed);
    Ok(Advice {
        goals: goals.clone(),
        guaranteed_bytes_per_s: guaranteed,
        curves,
        tried,
        too_small,
        proposed,
        warnings,
    })
}

/// Has no partition that costs no more a smaller largest slowdown?
fn is_on_frontier(one: &Tried, all: &[Tried]) -> bool {
    let cost = |tried: &Tried| (tried.candidate.cost, tried.outcome.max_slowdown);
    let (own, slowdown) = cost(one);
    !all.iter()
        .map(cost)
        .any(|(other, better)| (other <= own && better < slowdown) || (other < own && better <= slowdown))
}

struct Search<'b> {
    bench: &'b Bench,
    goals: &'b Goals,
    guaranteed: u64,
    tried: Vec<Tried>,
    too_small: usize,
}

impl Search<'_> {
    /// Partitions in which all measured tasks have the same amounts, without budgets.
    fn uniform(&self) -> Vec<Candidate> {
        let overview = &self.bench.overview;
        let space = &overview.space;
        let zero_and = |most: u32| std::iter::once(0).chain(steps(most)).collect::<Vec<u32>>();
        let llc_steps = if space.llc_colors() > 1 {
            zero_and(space.llc_colors())
        } else {
            vec![0]
        };
        let mut candidates = Vec::new();
        for banks in zero_and(space.bank_colors()) {
            for &llc in &llc_steps {
                let amounts = self
                    .goals
                    .keys()
                    .map(|name| (name.clone(), Amount { banks, llc }))
                    .collect();
                candidates.extend(Candidate::new(overview, amounts, None, self.guaranteed));
            }
        }
        candidates
    }

    /// The partitions that are worth their cost, with budgets.
    fn with_budgets(&self) -> Vec<Candidate> {
        let Some(reserved) = self.reservations() else {
            return Vec::new();
        };
        let frontier = self.tried.iter().filter(|one| is_on_frontier(one, &self.tried));
        let with = |one: &Tried| {
            let amounts = one.candidate.amounts.clone();
            Candidate::new(&self.bench.overview, amounts, Some(reserved.clone()), self.guaranteed)
        };
        frontier.filter_map(with).collect()
    }

    /// Bandwidth for each copy of the tasks with goals: what is asked for, else what the task uses alone, all of them cut down
    /// to what is guaranteed. `None` if tasks are periodic, for which there are no budgets.
    fn reservations(&self) -> Option<BTreeMap<String, u64>> {
        let overview = &self.bench.overview;
        if overview.tasks.iter().any(|task| task.is_periodic) {
            return None;
        }
        let mut wanted = BTreeMap::new();
        let mut by_node = vec![0u64; overview.machine.topology.nodes() as usize];
        for (name, goal) in self.goals {
            let task = overview.tasks.iter().find(|task| task.name == *name)?;
            let alone = self.bench.solo[name].bandwidth_bytes_per_s as u64;
            let copies = task.cores.len() as u64;
            let each = match goal.bandwidth_bytes_per_s {
                Some(bytes) => bytes.div_ceil(copies),
                // Alone one copy ran, or all threads.
                None => alone / if task.is_team { copies } else { 1 },
            };
            let each = each.max(LEAST_RESERVATION);
            for core in &task.cores {
                by_node[overview.machine.topology.node_of_core[*core as usize] as usize] += each;
            }
            wanted.insert(name.clone(), each);
        }
        let most = by_node.into_iter().max().unwrap_or(0);
        // Something is left for the others.
        let room = self.guaranteed / 10 * 9;
        if most > room {
            for bytes in wanted.values_mut() {
                let share = u128::from(*bytes) * u128::from(room) / u128::from(most);
                *bytes = u64::try_from(share).unwrap_or(u64::MAX).max(1);
            }
        }
        Some(wanted)
    }

    /// Runs candidates that have not been run.
    fn run_all(&mut self, candidates: Vec<Candidate>, bar: &ProgressBar) -> Result<(), InputError> {
        let is_new = |candidate: &Candidate| !self.tried.iter().any(|tried| tried.candidate == *candidate);
        let candidates: Vec<Candidate> = candidates.into_iter().filter(is_new).collect();
        bar.inc_length(candidates.len() as u64);
        let outcomes: Vec<Option<Outcome>> = candidates
            .par_iter()
            .map(|candidate| {
                let outcome = self
                    .bench
                    .together(&candidate.overrides(&self.bench.overview), self.goals);
                bar.inc(1);
                match outcome {
                    Ok(outcome) => Ok(Some(outcome)),
                    Err(error) if does_not_fit(&error) => Ok(None),
                    Err(error) => Err(error),
                }
            })
            .collect::<Result<_, InputError>>()?;
        for (candidate, outcome) in std::iter::zip(candidates, outcomes) {
            match outcome {
                Some(outcome) => self.tried.push(Tried {
                    candidate,
                    outcome,
                    on_frontier: false,
                }),
                None => self.too_small += 1,
            }
        }
        Ok(())
    }

    /// Gives single tasks more, as long as that helps the one that is slowed down most: what serves one need not serve all.
    fn grow(&mut self, bar: &ProgressBar) -> Result<(), InputError> {
        let space = &self.bench.overview.space;
        let least = |all: u32| steps(all)[0];
        let (banks, llc) = (least(space.bank_colors()), least(space.llc_colors()));
        loop {
            let Some(best) = fastest(&self.tried) else {
                return Ok(());
            };
            if best.outcome.meets_goals {
                return Ok(());
            }
            let mut larger = Vec::new();
            for (name, amount) in &best.candidate.amounts {
                let doubled = [
                    Amount {
                        banks: (2 * amount.banks).max(banks),
                        ..*amount
                    },
                    Amount {
                        llc: (2 * amount.llc).max(llc),
                        ..*amount
                    },
                ];
                for amount in doubled {
                    let mut amounts = best.candidate.amounts.clone();
                    amounts.insert(name.clone(), amount);
                    larger.extend(Candidate::new(&self.bench.overview, amounts, None, self.guaranteed));
                }
            }
            let before = best.outcome.max_slowdown;
            self.run_all(larger, bar)?;
            if fastest(&self.tried).is_none_or(|best| best.outcome.max_slowdown > before * WORTH_A_STEP) {
                return Ok(());
            }
        }
    }

    /// Takes back from one task after the other what it can do without: half of its banks, half of its cache.
    fn shrink(&mut self, bar: &ProgressBar) -> Result<(), InputError> {
        loop {
            let cheapest = |tried: &[Tried]| {
                let good = tried.iter().filter(|one| one.outcome.meets_goals);
                let by_cost = |a: &&Tried, b: &&Tried| a.candidate.cost.total_cmp(&b.candidate.cost);
                good.min_by(by_cost).map(|one| one.candidate.clone())
            };
            let Some(best) = cheapest(&self.tried) else {
                return Ok(());
            };
            let mut smaller = Vec::new();
            for (name, amount) in &best.amounts {
                let halves = [
                    Amount {
                        banks: amount.banks / 2,
                        ..*amount
                    },
                    Amount {
                        llc: amount.llc / 2,
                        ..*amount
                    },
                ];
                for half in halves.into_iter().filter(|half| half != amount) {
                    let mut amounts = best.amounts.clone();
                    amounts.insert(name.clone(), half);
                    let candidate =
                        Candidate::new(&self.bench.overview, amounts, best.reserved.clone(), self.guaranteed);
                    smaller.extend(candidate);
                }
            }
            self.run_all(smaller, bar)?;
            if cheapest(&self.tried).is_none_or(|now| now.cost >= best.cost) {
                return Ok(());
            }
        }
    }
}

/// A step that makes the slowest task less than one percent faster is the last.
const WORTH_A_STEP: f64 = 0.99;

/// The partition without budgets whose largest slowdown is smallest; of several the first.
fn fastest(tried: &[Tried]) -> Option<&Tried> {
    let without = tried.iter().filter(|one| one.candidate.reserved.is_none());
    without.min_by(|a, b| a.outcome.max_slowdown.total_cmp(&b.outcome.max_slowdown))
}

/// A task that uses less keeps this reservation, in bytes per second.
const LEAST_RESERVATION: u64 = 10_000_000;

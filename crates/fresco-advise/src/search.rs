// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which partitions are run: equal amounts for all tasks first, then more for single ones, then budgets, then less.

use super::candidate::{Amount, Candidate};
use super::goal::Goals;
use super::measure::{Bench, Outcome};
use super::propose::{Tried, is_on_frontier};
use super::reservations::{self, Reserved};
use super::sensitivity::steps;
use crate::Observer;
use fresco_input::{InputError, Kind};
use fresco_system::TaskOverview;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// All partitions that were run, and how many the programs do not fit. `guaranteed` is what a controller guarantees, in bytes
/// per second; without `budgets` none are tried. Once the bench's `stop` says so nothing more is run.
///
/// # Errors
/// A run that fails for another reason than that data do not fit their colors.
pub(super) fn search(
    bench: &Bench,
    goals: &Goals,
    guaranteed: u64,
    budgets: bool,
    observer: &dyn Observer,
) -> Result<(Vec<Tried>, usize), InputError> {
    let mut search = Search {
        bench,
        goals,
        guaranteed,
        tried: Vec::new(),
        too_small: 0,
    };
    search.run_all(search.uniform(), observer)?;
    search.grow(observer)?;
    if budgets {
        search.run_all(search.with_budgets(), observer)?;
    }
    search.shrink(observer)?;
    Ok((search.tried, search.too_small))
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
        let space = &self.bench.overview.space;
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
                candidates.extend(self.candidate(amounts, None));
            }
        }
        candidates
    }

    /// The partitions that are worth their cost, with budgets.
    fn with_budgets(&self) -> Vec<Candidate> {
        let reserved = self.reservations();
        let frontier = self.tried.iter().filter(|one| is_on_frontier(one, &self.tried));
        let with = |one: &Tried| self.candidate(one.candidate.amounts.clone(), Some(reserved.clone()));
        frontier.filter_map(with).collect()
    }

    /// What is asked for, else what the task uses alone, all of them cut down to what is guaranteed.
    fn reservations(&self) -> Reserved {
        let overview = &self.bench.overview;
        let of_task = |task: &TaskOverview| {
            let asked = reservations::asked(task, self.goals.get(&task.name)?);
            let alone = self.bench.solo[&task.name].bandwidth_bytes_per_s as u64;
            // Alone one copy ran, or all threads.
            let each = alone / if task.is_team { task.cores.len() as u64 } else { 1 };
            let wanted = if asked > 0 { asked } else { each };
            Some((task.name.clone(), wanted.max(reservations::LEAST)))
        };
        let wanted = overview.tasks.iter().filter_map(of_task).collect();
        // Something is left for the others.
        reservations::fit(overview, &wanted, self.guaranteed / 10 * 9)
    }

    /// Runs candidates that have not been run.
    fn run_all(&mut self, candidates: Vec<Candidate>, observer: &dyn Observer) -> Result<(), InputError> {
        let is_new = |candidate: &Candidate| !self.tried.iter().any(|tried| tried.candidate == *candidate);
        let candidates: Vec<Candidate> = candidates.into_iter().filter(is_new).collect();
        observer.planned(candidates.len() as u64);
        let outcomes: Vec<Run> = candidates
            .par_iter()
            .map(|candidate| {
                if observer.is_stopped() {
                    return Ok(Run::NotMade);
                }
                let outcome = self
                    .bench
                    .together(&candidate.overrides(&self.bench.overview), self.goals, observer);
                observer.done();
                match outcome {
                    Ok(Some(outcome)) => Ok(Run::Made(Box::new(outcome))),
                    Ok(None) => Ok(Run::NotMade),
                    Err(error) if error.kind == Kind::DoesNotFit => Ok(Run::TooSmall),
                    Err(error) => Err(error),
                }
            })
            .collect::<Result<_, InputError>>()?;
        for (candidate, outcome) in std::iter::zip(candidates, outcomes) {
            match outcome {
                Run::Made(outcome) => self.tried.push(Tried {
                    candidate,
                    outcome: *outcome,
                    on_frontier: false,
                }),
                Run::TooSmall => self.too_small += 1,
                Run::NotMade => {}
            }
        }
        Ok(())
    }

    /// Gives single tasks more, as long as that helps the one that is slowed down most: what serves one need not serve all.
    fn grow(&mut self, observer: &dyn Observer) -> Result<(), InputError> {
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
                    larger.extend(self.candidate(amounts, None));
                }
            }
            let before = best.outcome.max_slowdown;
            self.run_all(larger, observer)?;
            if fastest(&self.tried).is_none_or(|best| best.outcome.max_slowdown > before * WORTH_A_STEP) {
                return Ok(());
            }
        }
    }

    /// The partition of these amounts, if the machine has so much.
    fn candidate(&self, amounts: BTreeMap<String, Amount>, reserved: Option<Reserved>) -> Option<Candidate> {
        Candidate::new(&self.bench.overview, amounts, reserved, self.guaranteed)
    }

    /// The reservations of a partition, with half of what one task has; `None` below what it asks for, or what counts.
    fn with_less_bandwidth(&self, candidate: &Candidate, name: &str) -> Option<Reserved> {
        let overview = &self.bench.overview;
        let mates = reservations::mates(overview, name);
        let tasks = overview.tasks.iter().filter(|task| mates.contains(&task.name));
        let asked = tasks.map(|task| reservations::asked(task, &self.goals[&task.name]));
        let least = asked.max().unwrap_or(0).max(reservations::LEAST);
        reservations::halved(overview, candidate.reserved.as_ref()?, name, least)
    }

    /// Takes back from one task after the other what it can do without: half of its banks, half of its cache, half of its
    /// bandwidth.
    fn shrink(&mut self, observer: &dyn Observer) -> Result<(), InputError> {
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
                    smaller.extend(self.candidate(amounts, best.reserved.clone()));
                }
                smaller.extend(
                    self.with_less_bandwidth(&best, name)
                        .and_then(|reserved| self.candidate(best.amounts.clone(), Some(reserved))),
                );
            }
            self.run_all(smaller, observer)?;
            if cheapest(&self.tried).is_none_or(|now| now.cost >= best.cost) {
                return Ok(());
            }
        }
    }
}

/// What came of a partition.
enum Run {
    Made(Box<Outcome>),
    /// Programs do not fit it.
    TooSmall,
    /// Ctrl-C came first.
    NotMade,
}

/// A step that makes the slowest task less than one percent faster is the last.
const WORTH_A_STEP: f64 = 0.99;

/// The partition without budgets whose largest slowdown is smallest; of several the first.
fn fastest(tried: &[Tried]) -> Option<&Tried> {
    let without = tried.iter().filter(|one| one.candidate.reserved.is_none());
    without.min_by(|a, b| a.outcome.max_slowdown.total_cmp(&b.outcome.max_slowdown))
}

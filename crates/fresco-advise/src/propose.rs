// SPDX-License-Identifier: MIT OR Apache-2.0
//! From measurements to a proposal.

use super::candidate::Candidate;
use super::goal::Goals;
use super::measure::{Bench, Outcome};
use super::search::search;
use super::sensitivity::{Curve, curves};
use crate::Observer;
use fresco_input::InputError;
use fresco_plan::Plan;
use fresco_system::bandwidth::Guaranteed;
use serde::Serialize;

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The goals.
    pub goals: Goals,
    /// Bandwidth that each controller guarantees, in bytes per second (MG-3).
    pub guaranteed_bytes_per_s: u64,
    /// Whole periods of budgets in the shortest measured phase. Budgets are tried from ten on.
    pub budget_periods: u64,
    /// Speed of each measured task alone with less of a resource.
    pub curves: Vec<Curve>,
    /// Partitions that were run, in order of their cost; the first one is none, unless Ctrl-C came before it.
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

impl Advice {
    /// The partition that is proposed, and what came of it; `None` if none that was tried meets the goals.
    pub fn proposal(&self) -> Option<&Tried> {
        self.proposed.map(|place| &self.tried[place])
    }

    /// The keys that make the proposal part of the scenario, one to a line as `--set` takes them; none without a proposal.
    pub fn keys(&self, bench: &Bench) -> Vec<String> {
        let proposal = self.proposal();
        proposal.map_or_else(Vec::new, |tried| tried.candidate.overrides(&bench.overview))
    }

    /// The proposal as a plan, with what was measured among its reasons; `None` without a proposal.
    ///
    /// # Errors
    /// As [`Bench::plan`].
    pub fn plan(&self, bench: &Bench) -> Result<Option<Plan>, InputError> {
        let proposal = self.proposal();
        proposal
            .map(|tried| bench.planned(&tried.candidate, super::words::reasons(tried)))
            .transpose()
    }
}

/// Measures and proposes.
///
/// # Errors
/// A run that fails for another reason than that data do not fit their colors.
pub fn advise(bench: &Bench, goals: &Goals, observer: &dyn Observer) -> Result<Advice, InputError> {
    let guaranteed = Guaranteed::of(&bench.overview.machine, true).bytes_per_s();
    let budget_periods = bench.budget_periods()?;
    let budgets = (budget_periods >= LEAST_PERIODS).then_some(guaranteed);
    let curves = curves(bench, budgets, observer)?;
    let (mut tried, too_small) = search(bench, goals, guaranteed, budgets.is_some(), observer)?;
    tried.sort_by(|a, b| a.candidate.cost.total_cmp(&b.candidate.cost));
    let on_frontier: Vec<bool> = tried.iter().map(|one| is_on_frontier(one, &tried)).collect();
    for (one, on_frontier) in std::iter::zip(&mut tried, on_frontier) {
        one.on_frontier = on_frontier;
    }
    let proposed = tried.iter().position(|one| one.outcome.meets_goals);
    let mut warnings = super::words::warnings(&curves, &tried, proposed);
    if budgets.is_none() {
        warnings.push(format!(
            "bandwidth budgets were not tried: measured phases have {budget_periods} whole periods of budgets, at least \
             {LEAST_PERIODS} show what budgets do; lengthen [measure], or shorten bandwidth.period"
        ));
    }
    if observer.is_stopped() {
        warnings.push(
            "stopped before all was tried: partitions that were not run may be cheaper, or meet the goals".to_owned(),
        );
    }
    Ok(Advice {
        goals: goals.clone(),
        guaranteed_bytes_per_s: guaranteed,
        budget_periods,
        curves,
        tried,
        too_small,
        proposed,
        warnings,
    })
}

/// Returns true if no partition that costs no more has a smaller largest slowdown, and no cheaper one the same.
pub(super) fn is_on_frontier(one: &Tried, all: &[Tried]) -> bool {
    let cost = |tried: &Tried| (tried.candidate.cost, tried.outcome.max_slowdown);
    let (own, slowdown) = cost(one);
    !all.iter()
        .map(cost)
        .any(|(other, better)| (other <= own && better < slowdown) || (other < own && better <= slowdown))
}

/// Phases of fewer whole periods of budgets show what is left of the budgets at their beginning, not what budgets do.
const LEAST_PERIODS: u64 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_scenario::Source;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Stops from some time on.
    #[derive(Default)]
    struct Stopping(AtomicBool);

    impl Observer for Stopping {
        fn planned(&self, _: u64) {}

        fn done(&self) {}

        fn is_stopped(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn what_is_stopped_runs_nothing_more_and_says_so() {
        let text = include_str!("../../../scenarios/advise-four.toml").to_owned();
        let source = Source::of_text("advise-four.toml", text, "".as_ref()).expect("a scenario");
        let short = ["warm_up.operations=100", "measure.operations=400"].map(str::to_owned);
        let mut bench = Bench::new(source, &short).expect("one point");
        let goals = super::super::goals(&[], 1.1, &bench.measured()).expect("goals");
        let observer = Stopping::default();
        bench.run_alone(&observer).expect("runs");
        observer.0.store(true, Ordering::Relaxed);
        let advice = advise(&bench, &goals, &observer).expect("nothing fails");
        assert!(advice.tried.is_empty() && advice.curves.is_empty() && advice.proposed.is_none());
        assert!(advice.plan(&bench).expect("none").is_none() && advice.keys(&bench).is_empty());
        let warned = advice
            .warnings
            .iter()
            .any(|warning| warning.starts_with("stopped before"));
        assert!(warned, "{:?}", advice.warnings);
    }
}

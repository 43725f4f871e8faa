// SPDX-License-Identifier: MIT OR Apache-2.0
//! From measurements to a proposal.

use super::candidate::Candidate;
use super::goal::Goals;
use super::measure::{Bench, Outcome};
use super::search::search;
use super::sensitivity::{Curve, curves};
use fresco_input::InputError;
use fresco_system::bandwidth::Guaranteed;
use indicatif::ProgressBar;
use serde::Serialize;

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
    let (mut tried, too_small) = search(bench, goals, guaranteed, bar)?;
    tried.sort_by(|a, b| a.candidate.cost.total_cmp(&b.candidate.cost));
    let on_frontier: Vec<bool> = tried.iter().map(|one| is_on_frontier(one, &tried)).collect();
    for (one, on_frontier) in std::iter::zip(&mut tried, on_frontier) {
        one.on_frontier = on_frontier;
    }
    let proposed = tried.iter().position(|one| one.outcome.meets_goals);
    let warnings = super::show::warnings(&curves, &tried, proposed);
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
pub(super) fn is_on_frontier(one: &Tried, all: &[Tried]) -> bool {
    let cost = |tried: &Tried| (tried.candidate.cost, tried.outcome.max_slowdown);
    let (own, slowdown) = cost(one);
    !all.iter()
        .map(cost)
        .any(|(other, better)| (other <= own && better < slowdown) || (other < own && better <= slowdown))
}

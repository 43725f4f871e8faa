// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partitions, warnings and reasons in words.

use super::candidate::Candidate;
use super::propose::Tried;
use super::sensitivity::{Curve, Resource};

/// A task that loses more than this share of its speed gets a warning: the 10 % rule (BPM-18).
const TEN_PERCENT: f64 = 0.9;

/// What the user should know: tasks that a partition of their own slows down, goals that nothing meets.
pub(crate) fn warnings(curves: &[Curve], tried: &[Tried], proposed: Option<usize>) -> Vec<String> {
    let mut warnings = Vec::new();
    for curve in curves {
        let slow = curve
            .points
            .iter()
            .filter(|(_, speed)| *speed < TEN_PERCENT)
            .max_by_key(|(amount, _)| *amount);
        if let Some((amount, speed)) = slow {
            warnings.push(format!(
                "{}: with {} alone on the machine it has {:.0} % of its speed (10 % rule, BPM-18)",
                curve.task,
                curve.resource.amount(*amount),
                100.0 * speed
            ));
        }
    }
    let none = tried.iter().find(|one| one.candidate.is_none());
    let full = tried
        .iter()
        .filter(|one| {
            one.candidate.reserved.is_none() && one.candidate.amounts.values().all(|a| a.banks > 0 && a.llc > 0)
        })
        .min_by(|a, b| a.outcome.max_slowdown.total_cmp(&b.outcome.max_slowdown));
    if let (Some(none), Some(full)) = (none, full) {
        let ratio = full.outcome.weighted_speedup / none.outcome.weighted_speedup;
        if ratio < 1.0 {
            warnings.push(format!(
                "full coloring hurts here: with banks and cache of their own the tasks together have {:.1} % less throughput \
                 than without a partition (LIM-5)",
                100.0 * (1.0 - ratio)
            ));
        }
    }
    if proposed.is_none() {
        let best = tried
            .iter()
            .min_by(|a, b| a.outcome.max_slowdown.total_cmp(&b.outcome.max_slowdown));
        if let Some(best) = best {
            warnings.push(format!(
                "no partition that was tried meets all goals; the best largest slowdown is {:.2}, with {}",
                best.outcome.max_slowdown,
                in_words(&best.candidate)
            ));
        }
    }
    warnings
}

/// A partition in words: `hrt: 4 bank colors, 1 LLC color`.
pub fn in_words(candidate: &Candidate) -> String {
    let mut parts = Vec::new();
    for (name, amount) in &candidate.amounts {
        let mut own = Vec::new();
        if amount.banks > 0 {
            own.push(Resource::Banks.amount(amount.banks));
        }
        if amount.llc > 0 {
            own.push(Resource::Llc.amount(amount.llc));
        }
        if let Some(bytes) = candidate.reserved.as_ref().and_then(|reserved| reserved.get(name)) {
            own.push(format!("{} MB/s", bytes / 1_000_000));
        }
        if !own.is_empty() {
            parts.push(format!("{name}: {}", own.join(", ")));
        }
    }
    match parts.is_empty() {
        true => "no partition".to_owned(),
        false => parts.join("; "),
    }
}

/// Why a partition is proposed, for its plan.
pub(crate) fn reasons(proposed: &Tried) -> Vec<String> {
    let slowdowns = proposed.outcome.slowdowns.iter();
    let slowdowns: Vec<String> = slowdowns.map(|(task, ratio)| format!("{task} {ratio:.3}")).collect();
    vec![
        format!(
            "the cheapest partition that was found to meet all goals: {}; it sets aside {:.1} % of the machine",
            in_words(&proposed.candidate),
            100.0 * proposed.candidate.cost
        ),
        format!("slowdowns as measured on the model: {}", slowdowns.join(", ")),
    ]
}

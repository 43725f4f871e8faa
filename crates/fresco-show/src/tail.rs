// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slowest reads in a sentence: what a deadline has to reckon with.

use super::lead::under;
use super::sweep::Sweep;
use fresco_report::number::fixed;
use fresco_system::Role;
use fresco_system::results::TaskSummary;

/// The read that took longest, where interference is strongest.
struct Longest {
    /// Copy of a task, as the table names it, and what it was beside.
    whose: String,
    max_ns: f64,
    /// Of the same copy.
    p99_ns: f64,
}

/// `The longest read takes 2609 ns under shared (victim, p99 1527 ns), the worst, and 1037 ns under private (victim, p99
/// 588 ns), the best.` The values compared are ordered by their longest reads. `None` if nothing was read from memory.
pub fn sentence(sweep: &Sweep<'_>) -> Option<String> {
    let compared = 0..sweep.count(sweep.compared);
    let mut all: Vec<(usize, Longest)> = compared
        .filter_map(|value| Some((value, longest(sweep, value)?)))
        .collect();
    let order = |one: &Longest, other: &Longest| {
        one.max_ns
            .total_cmp(&other.max_ns)
            .then(one.p99_ns.total_cmp(&other.p99_ns))
    };
    all.sort_by(|a, b| order(&a.1, &b.1));
    let (best, worst) = (all.first()?, all.last()?);
    let time = |ns: f64| format!("{} ns", fixed(ns, 0));
    if order(&best.1, &worst.1).is_eq() {
        let Longest { whose, max_ns, p99_ns } = &worst.1;
        return Some(format!(
            "The longest read is one of {whose}: {}; 99 % of its reads take at most {}.",
            time(*max_ns),
            time(*p99_ns)
        ));
    }
    let one = |(value, longest): &(usize, Longest)| {
        format!(
            "{}{} ({}, p99 {})",
            time(longest.max_ns),
            under(sweep, *value),
            longest.whose,
            time(longest.p99_ns)
        )
    };
    Some(format!(
        "The longest read takes {}, the worst, and {}, the best.",
        one(worst),
        one(best)
    ))
}

/// The longest read of all measured tasks for a compared value, in whichever panel.
fn longest(sweep: &Sweep<'_>, compared: usize) -> Option<Longest> {
    let mut found: Option<(Vec<usize>, &TaskSummary)> = None;
    for panel in sweep.panels() {
        let tasks = &sweep.point(&panel, compared, sweep.most()).tasks;
        for task in tasks
            .iter()
            .filter(|task| task.role == Role::Measured && task.reads.count > 0)
        {
            let max_ns = |task: &TaskSummary| task.reads.latency.max_ns;
            if found.as_ref().is_none_or(|(_, longest)| max_ns(task) > max_ns(longest)) {
                found = Some((panel.clone(), task));
            }
        }
    }
    let (panel, task) = found?;
    let beside = sweep.panel_name(&panel);
    Some(Longest {
        whose: if beside.is_empty() {
            task.name.clone()
        } else {
            format!("{} at {beside}", task.name)
        },
        max_ns: task.reads.latency.max_ns,
        p99_ns: task.reads.latency.p99_ns,
    })
}

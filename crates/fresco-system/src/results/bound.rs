// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bound on a task's slowdown, from the runs of a point and of its baseline.

use super::RunResult;
use crate::bandwidth::bound::{self, Work};

/// The largest bound over the repetitions; `None` if one has none.
pub(super) fn slowdown(runs: &[RunResult], baseline: &[RunResult], number: usize) -> Option<f64> {
    let bounds = std::iter::zip(runs, baseline).map(|(run, base)| of_run(run, base, number));
    bounds.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}

fn of_run(run: &RunResult, base: &RunResult, number: usize) -> Option<f64> {
    let task = &run.tasks[number];
    // Of jobs, the formula knows neither those that wait for each other nor the pages that move.
    let is_told = run
        .tasks
        .iter()
        .all(|task| task.jobs.is_none() && task.pages.recolored == 0);
    // Nor does it know those that a cache lets wait, whosever misses they wait for; what is prefetched, which page tables are in caches, and what
    // coherence does, depends on others.
    let caches = &task.caches;
    let others = caches.blocked.is_some() || caches.prefetch.is_some() || caches.coherence.is_some();
    if !is_told || others || task.tlb.is_some() {
        return None;
    }
    let alone = base.tasks.iter().find(|one| one.name == task.name)?;
    let (regulation, own) = (run.regulation.as_ref()?, task.regulation.as_ref()?);
    if !regulation.count_write_backs || own.guaranteed_bytes_per_s == 0.0 {
        return None;
    }
    let node = regulation.nodes.iter().find(|one| one.node == own.node)?;
    let cores = run.tasks.iter().enumerate().filter(|(other, _)| *other != number);
    let others = cores
        .filter_map(|(_, other)| other.regulation.as_ref())
        .filter(|other| other.node == own.node);
    let (reserved, overshoot) = others.fold((0, 0), |(reserved, overshoot), other| {
        (reserved + other.reserved_lines, overshoot + other.counts.overshoot)
    });
    // What others donate or nobody has reserved is for any of them.
    let given = if regulation.reclaim {
        node.total_lines - own.reserved_lines
    } else {
        reserved
    };
    let line = regulation.line_bytes * 1_000_000_000_000 / node.guaranteed_bytes_per_s.max(1);
    bound::slowdown(&Work {
        alone: (
            alone.reads.count - alone.reads.joined + alone.write_backs,
            alone.run_time_ps,
        ),
        reserved: own.reserved_lines,
        others: given + overshoot,
        line,
        period: regulation.period_ps,
        // The timer's, and one for an exhausted budget; each waits for what is in flight.
        interrupts: 2 * (regulation.interrupt_ps + u64::from(regulation.in_flight) * line),
        run: task.run_time_ps,
    })
}

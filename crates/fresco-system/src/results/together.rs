// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tasks of a point amount to together: throughput, fairness, locality, balance (MET-6, MET-7, MET-8, BPM-16).

use super::spread::{Spread, ratio};
use super::{RunResult, TaskResult};
use crate::Role;
use serde::{Deserialize, Serialize};

/// Figures of all tasks of a point. A [`Spread`] has one value per repetition; there is none where one of the repetitions has
/// no value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Together {
    /// Σ of the shares of its speed at the baseline's point that each measured task keeps: IPC here over IPC there (MET-6). For
    /// the same work, that is the published Σ run time alone over run time shared.
    pub weighted_speedup: Option<Spread>,
    /// The largest slowdown of a measured task (MET-6).
    pub maximum_slowdown: Option<Spread>,
    /// Harmonic mean of these shares: measured tasks over the sum of their slowdowns (MET-8).
    pub harmonic_mean: Option<Spread>,
    /// Sum of the bandwidths of all tasks, in bytes per second: Sum(BW).
    pub bandwidth_bytes_per_s: Spread,
    /// Mean share of reads that find their row open, each task weighted by its bandwidth: Average(RBL).
    pub row_hit_share: Option<Spread>,
    /// Standard deviation of these shares, weighted alike: Stdev(RBL).
    pub row_hit_share_stddev: Option<Spread>,
    /// Sum(BW)·Stdev(RBL), in bytes per second: how much a partition of banks may gain (BPM-16).
    pub bandwidth_times_stddev: Option<Spread>,
    /// Bandwidth of the busiest channel over that of the idlest, less 1: |BUC1 - BUC2| / MIN(BUC1, BUC2), for more than two
    /// channels with the extremes (MET-7). None for one channel, or where one serves nothing.
    pub channel_unbalance: Option<Spread>,
}

impl Together {
    /// Of the repetitions of a point, and of those of its baseline.
    pub(super) fn of(runs: &[RunResult], baseline: Option<&[RunResult]>) -> Self {
        let spread = |values: Vec<Option<f64>>| -> Option<Spread> {
            let values: Option<Vec<f64>> = values.into_iter().collect();
            values.filter(|values| !values.is_empty()).map(Spread::of)
        };
        let speed = |value: fn(&[f64]) -> Option<f64>| {
            let pairs = std::iter::zip(runs, baseline?);
            spread(pairs.map(|(run, base)| value(&slowdowns(run, base)?)).collect())
        };
        let loads: Vec<Vec<Load>> = runs
            .iter()
            .map(|run| run.tasks.iter().map(Load::of).collect())
            .collect();
        let load = |value: fn(&[Load]) -> Option<f64>| spread(loads.iter().map(|loads| value(loads)).collect());
        Self {
            weighted_speedup: speed(weighted_speedup),
            maximum_slowdown: speed(maximum_slowdown),
            harmonic_mean: speed(harmonic_mean),
            bandwidth_bytes_per_s: Spread::of(loads.iter().map(|loads| bandwidth(loads))),
            row_hit_share: load(mean_share),
            row_hit_share_stddev: load(stddev_share),
            bandwidth_times_stddev: load(|loads| Some(bandwidth(loads) * stddev_share(loads)?)),
            channel_unbalance: spread(runs.iter().map(|run| unbalance(&channels(run))).collect()),
        }
    }
}

/// The slowdown of each measured task; `None` if one of them has no baseline or came to a standstill.
fn slowdowns(run: &RunResult, base: &RunResult) -> Option<Vec<f64>> {
    let measured = run.tasks.iter().filter(|task| task.role == Role::Measured);
    let of_task = |task: &TaskResult| {
        let base = base.tasks.iter().find(|other| other.name == task.name)?;
        let (here, there) = (task.instructions_per_cycle, base.instructions_per_cycle);
        (here > 0.0 && there > 0.0).then(|| there / here)
    };
    measured.map(of_task).collect()
}

fn weighted_speedup(slowdowns: &[f64]) -> Option<f64> {
    (!slowdowns.is_empty()).then(|| slowdowns.iter().map(|slowdown| 1.0 / slowdown).sum())
}

fn maximum_slowdown(slowdowns: &[f64]) -> Option<f64> {
    slowdowns.iter().copied().reduce(f64::max)
}

fn harmonic_mean(slowdowns: &[f64]) -> Option<f64> {
    (!slowdowns.is_empty()).then(|| slowdowns.len() as f64 / slowdowns.iter().sum::<f64>())
}

/// What a task asks of memory.
#[derive(Clone, Copy, Debug)]
struct Load {
    /// Bytes per second.
    bandwidth: f64,
    /// Share of its reads that found their row open (RBL); `None` without reads.
    row_hits: Option<f64>,
}

impl Load {
    fn of(task: &TaskResult) -> Self {
        Self {
            bandwidth: task.bandwidth_bytes_per_s,
            row_hits: task.reads.rows.hit_share(),
        }
    }
}

fn bandwidth(loads: &[Load]) -> f64 {
    loads.iter().map(|load| load.bandwidth).sum()
}

/// Weights and shares of the tasks that have a share, and the sum of the weights; `None` where that is 0.
fn weighted(loads: &[Load]) -> Option<(Vec<(f64, f64)>, f64)> {
    let shares: Vec<(f64, f64)> = loads
        .iter()
        .filter_map(|load| Some((load.bandwidth, load.row_hits?)))
        .collect();
    let sum: f64 = shares.iter().map(|(weight, _)| weight).sum();
    (sum > 0.0).then_some((shares, sum))
}

fn mean_share(loads: &[Load]) -> Option<f64> {
    let (shares, sum) = weighted(loads)?;
    Some(shares.iter().map(|(weight, share)| weight * share).sum::<f64>() / sum)
}

/// Weighted standard deviation of the tasks there are, not of a sample of them.
fn stddev_share(loads: &[Load]) -> Option<f64> {
    let (shares, sum) = weighted(loads)?;
    let mean = mean_share(loads)?;
    let squares = shares.iter().map(|(weight, share)| weight * (share - mean).powi(2));
    Some((squares.sum::<f64>() / sum).sqrt())
}

/// Bandwidths of all channels of a run, in the order of controllers.
fn channels(run: &RunResult) -> Vec<f64> {
    let channels = run.controllers.iter().flat_map(|controller| &controller.channels);
    channels.map(|channel| channel.bandwidth_bytes_per_s).collect()
}

fn unbalance(bandwidths: &[f64]) -> Option<f64> {
    let most = bandwidths.iter().copied().reduce(f64::max)?;
    let least = bandwidths.iter().copied().reduce(f64::min)?;
    (bandwidths.len() > 1 && least > 0.0).then(|| ratio(most - least, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, wanted: f64) {
        let found = found.expect("a value");
        assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}");
    }

    /// Two tasks, one at half of its speed, one at a quarter.
    #[test]
    fn throughput_and_fairness() {
        let slowdowns = [2.0, 4.0];
        close(weighted_speedup(&slowdowns), 0.75);
        close(maximum_slowdown(&slowdowns), 4.0);
        // 2 / (2 + 4): below the arithmetic mean of the shares, 3/8.
        close(harmonic_mean(&slowdowns), 1.0 / 3.0);
        assert_eq!(weighted_speedup(&[]), None);
        assert_eq!(harmonic_mean(&[]), None);
    }

    /// 3 GB/s that hit always beside 1 GB/s that never do: mean 3/4, variance (3·(1/4)² + 1·(3/4)²) / 4 = 3/16.
    #[test]
    fn locality_weighted_by_bandwidth() {
        let load = |bandwidth: f64, row_hits: Option<f64>| Load { bandwidth, row_hits };
        let loads = [
            load(3e9, Some(1.0)),
            load(1e9, Some(0.0)),
            load(0.0, Some(0.5)),
            load(1e9, None),
        ];
        close(mean_share(&loads), 0.75);
        close(stddev_share(&loads), 3.0_f64.sqrt() / 4.0);
        assert_eq!(bandwidth(&loads), 5e9);
        assert_eq!(stddev_share(&[load(0.0, Some(1.0))]), None);
        close(stddev_share(&[load(2.0, Some(0.4))]), 0.0);
    }

    #[test]
    fn balance_of_channels() {
        close(unbalance(&[3.0, 2.0]), 0.5);
        close(unbalance(&[2.0, 2.0]), 0.0);
        close(unbalance(&[4.0, 3.0, 1.0]), 3.0);
        assert_eq!(unbalance(&[1.0]), None);
        assert_eq!(unbalance(&[1.0, 0.0]), None);
    }
}

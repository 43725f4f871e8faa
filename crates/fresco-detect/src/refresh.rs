// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a line's rank is refreshed: period and phase, from the latencies of single loads (MAP-17).

use crate::governor::{ACTIVATIONS_PER_WINDOW, Governor, WINDOW_NS};
use crate::stats::{median, quantile};
use crate::timer::Load;
use serde::Serialize;

/// Loads of the first look: some periods of any standard at 50 to 200 ns each.
const FIRST: u32 = 1_400;
/// Loads of the later ones: a little more than the longest period.
const LATER: u32 = 250;
/// Delayed loads that the first look has to find.
const LEAST: usize = 5;
/// Looks back that are taken, further and further away.
const LOOKS: usize = 12;
/// The last look is this far from the first, in nanoseconds.
const FURTHEST: f64 = 2e9;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RefreshTimes {
    /// Time from refresh to refresh, in nanoseconds.
    pub period: f64,
    /// When one ended, modulo the period, in nanoseconds of the timer's clock.
    pub phase: f64,
    /// Delayed loads that it rests on.
    pub delays: u64,
    /// Deviation of their ends from the period, in nanoseconds.
    pub jitter: f64,
}

/// Ends of loads that took much longer than most: they waited for a refresh. Loads one after the other cannot tell when
/// a refresh began, but they tell when it was over.
fn delayed(loads: &[Load]) -> Vec<f64> {
    let times: Vec<f64> = loads.iter().map(|load| load.took).collect();
    let usual = median(&times);
    let spread = (quantile(&times, 0.84) - usual).max(usual * 0.02);
    // tRFC is above 60 ns in every standard, and a row must be opened again.
    let limit = usual + (6.0 * spread).max(25.0);
    loads
        .iter()
        .filter(|load| load.took > limit)
        .map(|load| load.at + load.took)
        .collect()
}

/// Finds period and phase of the refreshes that a line meets; `None` if its delays have no period.
pub fn find(governor: &mut Governor<'_>, line: u64) -> Option<RefreshTimes> {
    governor.fresh_batch();
    let first = delayed(&governor.series(line, FIRST));
    if first.len() < LEAST {
        return None;
    }
    let gaps: Vec<f64> = first.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Some delays are interrupts, and some refreshes fall between loads: the gap that most are multiples of.
    let (mut period, _) = gaps
        .iter()
        .map(|gap| (*gap, misfit(&first, *gap)))
        .filter(|(gap, _)| *gap > 500.0)
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    // A gap is a rough period: over few of them the count of refreshes is certain, and then over more.
    let mut ends = Vec::new();
    for reach in [4, 8, 16, 32, 64, usize::MAX] {
        ends = fitting(
            &first[..reach.min(first.len())],
            period,
            &first[..reach.min(first.len())],
        );
        if let Some(fit) = line_through(&ends, period) {
            period = fit.0;
        }
    }
    let mut away = 40.0 * period;
    for _ in 0..LOOKS {
        if let Some(fit) = line_through(&ends, period) {
            period = fit.0;
        }
        let left = ACTIVATIONS_PER_WINDOW - FIRST;
        if left < LATER || away > WINDOW_NS {
            governor.fresh_batch();
        }
        governor.wait(away);
        let later = delayed(&governor.series(line, LATER));
        ends.extend(fitting(&later, period, &ends));
        away = (away * 4.0).min(FURTHEST);
    }
    let (period, phase, jitter) = line_through(&ends, period)?;
    // Ends that fit no better than chance are no period: the deviation of a uniform one is 0.29 periods.
    (ends.len() >= 2 * LEAST && jitter < 0.06 * period).then_some(RefreshTimes {
        period,
        phase: phase.rem_euclid(period),
        delays: ends.len() as u64,
        jitter,
    })
}

/// How badly gaps between ends are multiples of a period: median distance to a multiple, in periods; small gaps of a
/// multiple count against multiples of it.
fn misfit(ends: &[f64], period: f64) -> f64 {
    let distances: Vec<f64> = ends
        .windows(2)
        .map(|pair| {
            let ratio = (pair[1] - pair[0]) / period;
            if ratio < 0.5 {
                0.5
            } else {
                (ratio - ratio.round()).abs()
            }
        })
        .collect();
    quantile(&distances, 0.7)
}

/// The ends that lie within a quarter of a period of where the last known ones say.
fn fitting(ends: &[f64], period: f64, known: &[f64]) -> Vec<f64> {
    let Some((period, phase, _)) = line_through(known, period) else {
        return Vec::new();
    };
    let far = |end: &f64| ((end - phase) / period - ((end - phase) / period).round()).abs();
    ends.iter().copied().filter(|end| far(end) < 0.25).collect()
}

/// Period, one end, and deviation: the line through the ends over the number of the refresh, by least squares.
fn line_through(ends: &[f64], period: f64) -> Option<(f64, f64, f64)> {
    let origin = *ends.first()?;
    // The origin may itself be an outlier by part of a period: the median phase is not.
    let phases: Vec<f64> = ends.iter().map(|end| wrapped((end - origin) / period)).collect();
    let origin = origin + median(&phases) * period;
    let points: Vec<(f64, f64)> = ends
        .iter()
        .map(|end| (((end - origin) / period).round(), end - origin))
        .filter(|(k, t)| (t - k * period).abs() < 0.25 * period)
        .collect();
    let n = points.len() as f64;
    if points.len() < 3 {
        return None;
    }
    let (mk, mt) = (
        points.iter().map(|p| p.0).sum::<f64>() / n,
        points.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let squares: f64 = points.iter().map(|(k, _)| (k - mk).powi(2)).sum();
    if squares == 0.0 {
        return None;
    }
    let slope = points.iter().map(|(k, t)| (k - mk) * (t - mt)).sum::<f64>() / squares;
    let residuals: f64 = points.iter().map(|(k, t)| (t - mt - slope * (k - mk)).powi(2)).sum();
    Some((slope, origin + mt - slope * mk, (residuals / (n - 1.0)).sqrt()))
}

/// To −0.5 … 0.5.
fn wrapped(x: f64) -> f64 {
    x - x.round()
}

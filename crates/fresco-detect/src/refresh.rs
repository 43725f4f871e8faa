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

/// Deviation of ends from a period, in periods; that of times at random is 0.29.
const MOST_JITTER: f64 = 0.05;
/// How often the line is drawn again without what lies far from it.
const TRIMMED: usize = 3;
/// Error of a gap between two ends, in nanoseconds.
const GAP_ERROR: f64 = 10.0;
/// Refreshes are no closer together in any standard, in nanoseconds: one bank of LPDDR5 every 488 ns.
const LEAST_PERIOD: f64 = 400.0;

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
pub(crate) fn delayed(loads: &[Load]) -> Vec<f64> {
    let times: Vec<f64> = loads.iter().map(|load| load.took).collect();
    let usual = median(&times);
    let spread = quantile(&times, 0.75) - usual;
    // tRFC is above 60 ns in every standard, and a row must be opened again.
    let limit = usual + (4.0 * spread).max(25.0);
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
    // Some delays are interrupts, and some refreshes fall between loads. Ends that fit a period fit its parts as well: of
    // gaps that fit as many ends the longest is the period.
    let rated: Vec<(f64, usize)> = gaps
        .iter()
        .filter(|gap| **gap > LEAST_PERIOD)
        .map(|gap| (*gap, in_step(&first, *gap)))
        .collect();
    let most = rated.iter().map(|(_, fit)| *fit).max()?;
    let alike = rated.iter().filter(|(_, fit)| 5 * fit >= 4 * most).map(|(gap, _)| *gap);
    let mut period = alike.max_by(f64::total_cmp)?;
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
    (ends.len() >= 2 * LEAST && jitter < MOST_JITTER * period).then_some(RefreshTimes {
        period,
        phase: phase.rem_euclid(period),
        delays: ends.len() as u64,
        jitter,
    })
}

/// How many ends are a multiple of a period from one of them, the best one. A period taken from one gap is a little wrong:
/// it may be off by more the further away an end is.
fn in_step(ends: &[f64], period: f64) -> usize {
    let from = |one: f64| {
        let near = |end: &&f64| {
            let count = ((**end - one) / period).round();
            let allowed = (0.02 * period + GAP_ERROR * count.abs()).min(0.1 * period);
            (**end - one - count * period).abs() <= allowed
        };
        ends.iter().filter(near).count()
    };
    ends.iter().map(|one| from(*one)).max().unwrap_or(0)
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
    let mut points: Vec<(f64, f64)> = ends
        .iter()
        .map(|end| (((end - origin) / period).round(), end - origin))
        .filter(|(k, t)| (t - k * period).abs() < 0.25 * period)
        .collect();
    // Interrupts delay loads, too: what lies far from the line is left out, and the line drawn again.
    let mut line = least_squares(&points)?;
    for _ in 0..TRIMMED {
        let far = |(k, t): &(f64, f64)| (t - line.0 * k - line.1).abs();
        let usual = median(&points.iter().map(far).collect::<Vec<_>>());
        let near: Vec<(f64, f64)> = points.iter().copied().filter(|p| far(p) <= 3.0 * usual + 5.0).collect();
        line = least_squares(&near)?;
        points = near;
    }
    let squares: f64 = points.iter().map(|(k, t)| (t - line.0 * k - line.1).powi(2)).sum();
    Some((line.0, origin + line.1, (squares / (points.len() - 1) as f64).sqrt()))
}

/// Slope and height at 0 of the line through points; `None` for fewer than three, or if all are above one another.
fn least_squares(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    if points.len() < 3 {
        return None;
    }
    let (mk, mt) = (
        points.iter().map(|p| p.0).sum::<f64>() / n,
        points.iter().map(|p| p.1).sum::<f64>() / n,
    );
    let squares: f64 = points.iter().map(|(k, _)| (k - mk).powi(2)).sum();
    let slope = points.iter().map(|(k, t)| (k - mk) * (t - mt)).sum::<f64>() / squares;
    (squares > 0.0).then_some((slope, mt - slope * mk))
}

/// To −0.5 … 0.5.
fn wrapped(x: f64) -> f64 {
    x - x.round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Formula;
    use crate::timer::{Stream, Timer};
    use std::ops::Range;

    /// Loads of 80 ns, one of which waits for a refresh every `period`.
    struct Refreshed {
        inner: Formula,
        period: f64,
        phase: f64,
    }

    impl Timer for Refreshed {
        fn ranges(&self) -> &[Range<u64>] {
            self.inner.ranges()
        }
        fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
            self.inner.pair(a, b, rounds)
        }
        fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
            self.inner.streams(streams, accesses)
        }
        fn series(&mut self, _line: u64, accesses: u32) -> Vec<Load> {
            (0..accesses)
                .map(|_| {
                    let at = self.inner.now();
                    let since = (at - self.phase).rem_euclid(self.period);
                    // The refresh takes the last 160 ns of each period.
                    let left = self.period - since;
                    let took = if left < 160.0 { 80.0 + left } else { 80.0 };
                    self.inner.wait(took);
                    Load { at, took }
                })
                .collect()
        }
        fn wait(&mut self, nanoseconds: f64) {
            self.inner.wait(nanoseconds);
        }
        fn now(&self) -> f64 {
            self.inner.now()
        }
    }

    #[test]
    fn period_and_phase_are_found_over_seconds() {
        for (period, phase) in [(7_800.0, 1_234.0), (3_904.0, 17.0), (1_950.3, 900.0)] {
            let inner = Formula::xor(1 << 30, &[1 << 13]);
            let mut timer = Refreshed { inner, period, phase };
            let found = find(&mut Governor::new(&mut timer), 0).expect("a period");
            assert!((found.period - period).abs() < 0.01, "{found:?}");
            // A load that met the refresh is over 80 ns after it.
            let off = wrapped((found.phase - phase - 80.0) / period) * period;
            assert!(off.abs() < 30.0, "{found:?}");
            assert!(found.delays > 15 && found.jitter < 50.0, "{found:?}");
        }
    }

    #[test]
    fn loads_that_are_never_delayed_have_no_period() {
        let mut timer = Formula::xor(1 << 30, &[1 << 13]);
        assert_eq!(find(&mut Governor::new(&mut timer), 0), None);
    }
}

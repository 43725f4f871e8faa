// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which banks are refreshed at the same time: loads of both are delayed in the same phase of the refresh interval.

use super::sampler::Sampler;
use super::tally::{Quotient, sums};
use crate::governor::{ACTIVATIONS_PER_WINDOW, Governor};
use crate::refresh::{RefreshTimes, delayed};
use crate::stats::median;
use serde::Serialize;

/// Refresh intervals that each line is loaded for, by as many loads as that takes: at most half a batch, so that both lines of a pair
/// are loaded right after one another and their clocks cannot drift apart.
const INTERVALS: f64 = 6.0;
const MOST_LOADS: u32 = ACTIVATIONS_PER_WINDOW / 2;
/// Loads that show how long one takes.
const FIRST_LOADS: u32 = 64;
/// Delayed loads that a phase takes, at least.
const LEAST: usize = 3;
/// Pairs of lines asked of each difference, until two answers agree.
const TRIES: usize = 5;
/// Ends this close to one another are of the same refresh, in nanoseconds: less than any refresh takes (60 ns).
const SAME_NS: f64 = 50.0;
/// Refreshes that end further apart than this are two, in nanoseconds: between, nothing is said.
const APART_NS: f64 = 100.0;
/// Differences asked at most.
const MOST_ASKED: usize = 127;
/// Of the answers at most this share may contradict the rest: a delayed load may be an interrupt.
const MOST_WRONG: f64 = 0.05;
/// Banks of the same phase beyond twice the least that span their space, where not all differences are asked: each of them is outside
/// of a smaller space with probability 1/2.
const SPARE: usize = 20;
/// At least this share of the differences has to be answered.
const LEAST_ANSWERED: f64 = 0.8;

/// What refreshes say of the banks of a channel.
#[derive(Clone, Debug)]
pub enum Units {
    /// No period of refreshes is known.
    Invisible,
    /// A period, but banks cannot be grouped by it.
    Unclear(Answers),
    /// The functions that move the phase, with those that were kept anyway; without others where all banks have the same phase.
    Told(Quotient, Answers),
}

/// Differences by what was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// Differences of banks asked.
    pub asked: u64,
    /// Refreshed at the same time.
    pub same: u64,
    /// At another time.
    pub other: u64,
    /// Answers that contradict the conclusion.
    pub wrong: u64,
}

/// Groups the banks that `kept` does not tell apart.
pub fn find(sampler: &mut Sampler<'_, '_>, kept: &Quotient, refresh: Option<&RefreshTimes>) -> Units {
    let Some(refresh) = refresh else {
        return Units::Invisible;
    };
    let mut differences = sums(kept.kept());
    let draws = &mut sampler.probe().draws;
    draws.shuffle(&mut differences);
    differences.truncate(MOST_ASKED);
    let asked = differences.len();
    let loads = loads(sampler, refresh.period);
    // Lines of one bank have one phase, or the period is none.
    if answer(sampler, 0, loads, refresh.period) != Some(true) {
        return Units::Invisible;
    }
    let mut seen = Vec::new();
    for difference in differences {
        if sampler.is_stopped() {
            return Units::Invisible;
        }
        if let Some(same) = answer(sampler, difference, loads, refresh.period) {
            seen.push((difference, same));
        }
    }
    group(kept, asked, &seen)
}

/// Whether banks of this difference are refreshed at the same time: what two of some pairs of lines agree about.
fn answer(sampler: &mut Sampler<'_, '_>, difference: u64, loads: u32, period: f64) -> Option<bool> {
    let mut answers = [0; 2];
    for _ in 0..TRIES {
        let (a, b) = sampler.pair(difference);
        if let Some(same) = together(&mut sampler.probe().governor, [a, b], loads, period) {
            answers[usize::from(same)] += 1;
            if answers[usize::from(same)] == 2 {
                return Some(same);
            }
        }
    }
    None
}

/// The functions that move the phase: those in which no two banks that are refreshed together differ.
fn group(kept: &Quotient, asked: usize, seen: &[(u64, bool)]) -> Units {
    let differs = |function: u64, d: u64| (function & d).count_ones() & 1 == 1;
    let same: Vec<u64> = seen.iter().filter(|(_, same)| *same).map(|(d, _)| *d).collect();
    let crossing = |f: &u64| same.iter().filter(|d| differs(*f, **d)).count() as f64;
    let most = MOST_WRONG * same.len() as f64;
    let moving: Vec<u64> = kept.others().into_iter().filter(|f| crossing(f) <= most).collect();
    let units = kept.and(moving);
    let wrong = seen.iter().filter(|(d, same)| units.keeps(*d) != *same).count();
    let answers = Answers {
        asked: asked as u64,
        same: same.len() as u64,
        other: (seen.len() - same.len()) as u64,
        wrong: wrong as u64,
    };
    // Where not all differences were asked, functions may seem to move the phase for want of two banks that show they do not.
    let left = kept.kept().len() - (units.bits() - kept.bits());
    let is_known = asked + 1 == 1 << kept.kept().len() || same.len() >= 2 * left + SPARE;
    let is_clear = is_known
        && wrong as f64 <= MOST_WRONG * seen.len() as f64
        && seen.len() as f64 >= LEAST_ANSWERED * asked as f64;
    if is_clear {
        Units::Told(units, answers)
    } else {
        Units::Unclear(answers)
    }
}

/// Loads of a line that last for some refresh intervals.
fn loads(sampler: &mut Sampler<'_, '_>, period: f64) -> u32 {
    let (line, _) = sampler.pair(0);
    let first = sampler.probe().governor.series(line, FIRST_LOADS);
    let span = first.last().map_or(0.0, |last| last.at - first[0].at);
    let each = (span / f64::from(FIRST_LOADS - 1)).max(1.0);
    ((INTERVALS * period / each) as u32).clamp(FIRST_LOADS, MOST_LOADS)
}

/// Whether two lines are refreshed at the same time; `None` if it cannot be said.
fn together(governor: &mut Governor<'_>, lines: [u64; 2], loads: u32, period: f64) -> Option<bool> {
    let phases = lines.map(|line| phase(&delayed(&governor.series(line, loads)), period));
    let (first, second) = (phases[0]?, phases[1]?);
    let apart = wrapped(second - first, period).abs();
    match apart {
        _ if apart < SAME_NS => Some(true),
        _ if apart > APART_NS => Some(false),
        _ => None,
    }
}

/// Where most ends lie within the period. Interrupts delay loads, too: those that lie elsewhere do not count.
fn phase(ends: &[f64], period: f64) -> Option<f64> {
    let near = |one: f64| -> Vec<f64> {
        let off = ends.iter().map(|end| wrapped(end - one, period));
        off.filter(|off| off.abs() < SAME_NS).collect()
    };
    let (at, around) = ends
        .iter()
        .map(|end| (*end, near(*end)))
        .max_by_key(|(_, around)| around.len())?;
    let enough = around.len() >= LEAST && 2 * around.len() > ends.len();
    enough.then(|| at + median(&around))
}

/// To −period/2 … period/2.
fn wrapped(x: f64, period: f64) -> f64 {
    x - (x / period).round() * period
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(kept: &Quotient, same: impl Fn(u64) -> bool) -> Vec<(u64, bool)> {
        sums(kept.kept()).into_iter().map(|d| (d, same(d))).collect()
    }

    #[test]
    fn functions_that_move_the_phase_are_found() {
        let none = Quotient::of([], 4);
        // Two ranks by the sum of the first and the last function.
        let truth = Quotient::of([0b1001], 4);
        let answers = seen(&none, |d| truth.keeps(d));
        let Units::Told(units, counts) = group(&none, 15, &answers) else {
            panic!("told")
        };
        assert_eq!((units.members(), counts.wrong), (vec![0b1001], 0));
        // All alike: no function moves it.
        let Units::Told(units, _) = group(&none, 15, &seen(&none, |_| true)) else {
            panic!("told")
        };
        assert_eq!(units.bits(), 0);
        // A staircase that is no XOR: unclear.
        let answers = seen(&none, |d| d < 6);
        assert!(matches!(group(&none, 15, &answers), Units::Unclear(_)));
        // Half of the lines show no phase: unclear.
        let answers = &seen(&none, |d| truth.keeps(d))[..7];
        assert!(matches!(group(&none, 15, answers), Units::Unclear(_)));
    }

    #[test]
    fn phases_are_where_most_ends_lie() {
        // Four ends at 100 of 1000, one interrupt.
        assert_eq!(
            phase(&[1_100.0, 2_102.0, 3_700.0, 4_100.0, 5_101.0], 1_000.0)
                .map(|p| wrapped(p - 100.5, 1_000.0).abs() < 2.0),
            Some(true)
        );
        assert_eq!(phase(&[1_100.0, 2_300.0, 3_700.0, 4_000.0], 1_000.0), None);
        assert_eq!(phase(&[], 1_000.0), None);
        assert_eq!(wrapped(990.0, 1_000.0), -10.0);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts by values that are not exact, as those of shorter runs: what hangs on how far they are off is left open.

use super::check::Test;
use super::judge::judge;
use super::model::Claim;
use super::results::{Results, Row};
use super::rules::SAME;
use super::verdict::{Outcome, Verdict};

/// How far a value may be off: two that pass as the same differ by twice as much. Of a percentage these are points.
const OFF: f64 = SAME / 2.0;
/// How often a claim is judged by other values.
const DRAWS: u64 = 32;

/// Judges `claim` by `results` whose values may be off by 2.5 %, or by 2.5 points if they are percentages, in the experiments for which
/// `is_rough` returns true: once as they are, and 32 times with each of them that much larger or smaller, at random but always alike. A
/// verdict that is not the same each time is left open, and so is a claim for want of rows that longer runs have.
pub fn judge_roughly(claim: &Claim, results: &Results, is_rough: impl Fn(&str) -> bool) -> Verdict {
    let mut verdict = judge(claim, results);
    let why = match verdict.outcome {
        Outcome::CannotBeRun
            if claim
                .check
                .iter()
                .any(|check| matches!(check.test, Test::Cannot { .. })) =>
        {
            return verdict;
        }
        Outcome::CannotBeRun => "shorter runs do not tell".to_owned(),
        outcome => {
            let other = |draw| judge(claim, &drawn(claim, results, &is_rough, draw)).outcome;
            if (0..DRAWS).all(|draw| other(draw) == outcome) {
                return verdict;
            }
            format!("too close to tell by shorter runs: {} as they are", outcome.text())
        }
    };
    verdict.outcome = Outcome::Open;
    verdict.explanation = why;
    verdict
}

/// The rows that a claim reads, with other values where these are rough.
fn drawn(claim: &Claim, results: &Results, is_rough: impl Fn(&str) -> bool, draw: u64) -> Results {
    let mut number = draw << 32;
    let mut other = |row: &Row| {
        let value = |(name, value): (&String, &f64)| {
            number += 1;
            (name.clone(), off(name, *value, is_up(number)))
        };
        Row {
            labels: row.labels.clone(),
            values: row.values.iter().map(value).collect(),
        }
    };
    let of = |name: &str| {
        let rows = results.0.get(name)?;
        let rows = match is_rough(name) {
            true => rows.iter().map(&mut other).collect(),
            false => rows.clone(),
        };
        Some((name.to_owned(), rows))
    };
    Results(claim.experiments().into_iter().filter_map(of).collect())
}

fn off(name: &str, value: f64, is_up: bool) -> f64 {
    let off = if is_up { OFF } else { -OFF };
    match name {
        percentage if percentage.contains("_pct") => value + 100.0 * off,
        correlation if correlation.contains("correlation") => value + off,
        _ => value * (1.0 + off),
    }
}

/// A coin: the highest bit of SplitMix64's output for this state (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
fn is_up(number: u64) -> bool {
    let z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) >> 63 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_values_are_larger() {
        let up = (0..10_000).filter(|number| is_up(*number)).count();
        assert!((4800..5200).contains(&up), "{up}");
    }

    #[test]
    fn a_value_is_off_by_as_much_as_it_is_told_in() {
        let is_off = |name, value, is_up, expected: f64| (off(name, value, is_up) - expected).abs() < 1e-9;
        assert!(is_off("time_ms.mean", 200.0, true, 205.0));
        assert!(is_off("time_ms.mean", 200.0, false, 195.0));
        assert!(is_off("gain_pct.mean", 1.0, false, -1.5));
        assert!(is_off("misses", 0.0, true, 0.0));
    }
}

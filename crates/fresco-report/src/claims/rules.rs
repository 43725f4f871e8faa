// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a number agrees with the paper's: one rule for each kind of test, none for a single claim.
//!
//! - order: each value below the next by more than what counts as the same.
//! - factors, and absolute values as ratio to their baseline: within 25 % of the paper's.
//! - percentages: within 25 % of the paper's or 5 percentage points, whichever is wider.
//! - both: by no more than half of the paper's effect, its distance from 0 % or from 1 x. "No effect" agrees with a paper that reports none
//!   alone, and a small effect that is missing is none.
//! - same, constant, no noticeable slowdown, single-core equivalence: largest and smallest differ by 5 % at most.
//! - bounds: strict. Counts and settings: exact.

/// Relative half-width of the band around a number.
const RELATIVE: f64 = 0.25;
/// Least half-width around a percentage, in percentage points.
const POINTS: f64 = 5.0;
/// Values are the same if the largest exceeds the smallest by this share of it at most.
pub(super) const SAME: f64 = 0.05;

/// Half-width of a band in relation to the effect that a paper reports.
const OF_EFFECT: f64 = 0.5;

/// Lowest and highest value that agree with the factor `paper`.
pub(super) fn factor_band(paper: f64) -> (f64, f64) {
    let half = match (paper - 1.0).abs() {
        0.0 => SAME,
        effect => (paper.abs() * RELATIVE).min(effect * OF_EFFECT),
    };
    (paper - half, paper + half)
}

/// Lowest and highest value that agree with the percentage `paper`.
pub(super) fn percentage_band(paper: f64) -> (f64, f64) {
    let half = match paper.abs() {
        0.0 => POINTS,
        effect => (effect * RELATIVE).max(POINTS.min(effect * OF_EFFECT)),
    };
    (paper - half, paper + half)
}

/// Share by which the largest of `values` exceeds the smallest; zero if all are zero, infinite if only some are.
pub(super) fn spread(values: &[f64]) -> f64 {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    if max == min { 0.0 } else { (max - min) / min.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_the_wider_of_relative_and_absolute() {
        assert_eq!(factor_band(2.0), (1.5, 2.5));
        assert_eq!(percentage_band(40.0), (30.0, 50.0));
        assert_eq!(percentage_band(16.0), (11.0, 21.0));
        assert_eq!(percentage_band(-18.0), (-23.0, -13.0));
    }

    #[test]
    fn no_effect_agrees_with_none_alone() {
        assert_eq!(percentage_band(4.0), (2.0, 6.0));
        assert_eq!(percentage_band(-0.5), (-0.75, -0.25));
        assert_eq!(percentage_band(0.0), (-5.0, 5.0));
        assert_eq!(factor_band(1.5), (1.25, 1.75));
        assert_eq!(factor_band(0.75), (0.625, 0.875));
        assert_eq!(factor_band(1.0), (0.95, 1.05));
    }

    #[test]
    fn spread_is_relative_to_the_smallest() {
        assert_eq!(spread(&[100.0, 104.0, 102.0]), 0.04);
        assert_eq!(spread(&[0.0, 0.0]), 0.0);
        assert_eq!(spread(&[0.0, 1.0]), f64::INFINITY);
    }
}

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
//! - orders and bounds of runs that are repeated: seed by seed the difference is so large beside how much it varies that chance would not
//!   have it (Student's t-test).

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

/// Quantiles of Student's t-distribution at 95 % for 1 to 30 degrees of freedom.
const T_95: [f64; 30] = [
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746,
    1.740, 1.734, 1.729, 1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697,
];
/// The same for more, at which it is nearly normal: that for 31.
const T_95_BEYOND: f64 = 1.696;

/// Returns true if `differences`, one of each seed, are larger than 0 and not by chance: if there were none, so much beside how they vary
/// would be found in one case of twenty (one-sided t-test). A single one says nothing of chance, and passes.
pub(super) fn is_no_chance(differences: &[f64]) -> bool {
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let freedom = differences.len().saturating_sub(1);
    let Some(before) = freedom.checked_sub(1) else {
        return mean > 0.0;
    };
    let variance = differences.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / freedom as f64;
    mean > 0.0 && mean >= T_95.get(before).unwrap_or(&T_95_BEYOND) * (variance / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_by_how_much_it_varies() {
        // Mean 2, deviation 1: t is 3.46 with three seeds, 2.83 with two.
        assert!(is_no_chance(&[1.0, 2.0, 3.0]));
        assert!(!is_no_chance(&[2.0 - 0.5_f64.sqrt(), 2.0 + 0.5_f64.sqrt()]));
        // All three are larger than 0, and it may be chance: mean 2, deviation 1.73, t is 2.0.
        assert!(!is_no_chance(&[1.0, 1.0, 4.0]));
        // One of ten is smaller.
        assert!(is_no_chance(&[1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 2.0, -0.5]));
        assert!(is_no_chance(&[0.1, 0.1]) && !is_no_chance(&[0.0, 0.0]) && !is_no_chance(&[-1.0, -2.0, -3.0]));
        assert!(is_no_chance(&[0.1]) && !is_no_chance(&[-0.1]) && !is_no_chance(&[]));
        assert!(is_no_chance(&[[0.0; 300], [1.0; 300]].concat()));
    }

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

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
//! - orders and bounds of runs that are repeated: by each seed alone as well, but for so few that chance would not have it (sign test).

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

/// Chance that a difference of no size passes as one.
const CHANCE: f64 = 0.05;

/// How many of `seeds` may say the opposite of an order or a bound that holds by all of them together: where each says so or so by
/// chance alone, that few do in one case of twenty at most (one-sided sign test). With fewer than eight seeds that is none.
pub(super) fn may_contradict(seeds: usize) -> usize {
    let all = 0.5_f64.powi(i32::try_from(seeds).unwrap_or(i32::MAX));
    // Of `seeds` just `few`, and that few or fewer.
    let (mut few, mut exactly, mut as_few) = (0_usize, all, all);
    loop {
        exactly *= (seeds - few) as f64 / (few + 1) as f64;
        as_few += exactly;
        if few == seeds || as_few > CHANCE {
            return few;
        }
        few += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_seeds_must_all_agree_of_many_some_may_not() {
        // Tables of the sign test at 5 %, one-sided: none of 5 to 7, 1 of 8 to 10, 2 of 11 or 12, 5 of 20.
        let most = [1, 2, 3, 5, 7, 8, 10, 11, 12, 20, 1000].map(may_contradict);
        assert_eq!(most, [0, 0, 0, 0, 0, 1, 1, 2, 2, 5, 473]);
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

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From pairs of lines of one bank to the functions that select banks.

mod odd;

pub use odd::odd;

use crate::model::{Form, Model, Odd};
use crate::random::Draws;
use crate::wide::{Basis, parity, sparsest};
use std::ops::Range;

/// Share of the pairs that functions have to explain.
pub const LEAST_EXPLAINED: f64 = 0.97;
/// Offsets are tried in steps of this, up to 4 GiB: what firmware leaves below 4 GiB for devices begins at such steps.
const OFFSET_STEP: u64 = 16 << 20;
const MOST_OFFSET: u64 = 4 << 30;
/// Subsets of the pairs from which functions are taken, to find one without a wrong pair.
const SUBSETS: usize = 24;
/// Pairs beyond the number of features that a subset has: each halves the chance of a function that is none.
pub const SPARE: usize = 12;

/// What the pairs say.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The model.
    pub model: Model,
    /// Pairs explained.
    pub explained: u64,
    /// Pairs given.
    pub pairs: u64,
    /// Features that no pair of lines varies, or that others determine: functions that read them cannot be told from
    /// those that do not.
    pub fixed: u128,
    /// Other offsets of the last range that explain as much with as many functions.
    pub alias_offsets: Vec<u64>,
}

/// Number of features that vary over `ranges`, for a form: what the solver needs pairs for.
pub fn features(ranges: &[Range<u64>], odd: Option<Odd>) -> usize {
    let top = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    let plain = (64 - top.saturating_sub(1).leading_zeros()).saturating_sub(6) as usize;
    match odd {
        None => plain,
        Some(odd) => plain + (plain + 6).saturating_sub(odd.granule_bits as usize),
    }
}

/// The plain solution: parity functions of the address, offsets of regions if need be. Lines lie in `ranges`, which lie
/// in `regions`.
pub fn plain(ranges: &[Range<u64>], regions: &[Range<u64>], pairs: &[(u64, u64)], draws: &mut Draws) -> Solution {
    let mut form = Form::plain(regions);
    let mut best = solve(&form, ranges, pairs, draws);
    for index in 0..form.spans.len() {
        // Ranges take their offsets one after the other; those to come take no part yet.
        let known: Vec<(u64, u64)> = pairs
            .iter()
            .copied()
            .filter(|(a, b)| form.span_of(*a).max(form.span_of(*b)) <= Some(index))
            .collect();
        let mut chosen = (solve(&form, ranges, &known, draws), 0);
        let mut aliases = Vec::new();
        let most = form.spans[index].base.min(MOST_OFFSET);
        for offset in (1..=most / OFFSET_STEP).map(|step| step * OFFSET_STEP) {
            form.spans[index].offset = offset;
            let solution = solve(&form, ranges, &known, draws);
            match rank(&solution).cmp(&rank(&chosen.0)) {
                std::cmp::Ordering::Greater => {
                    chosen = (solution, offset);
                    aliases.clear();
                }
                std::cmp::Ordering::Equal => aliases.push(offset),
                std::cmp::Ordering::Less => {}
            }
        }
        form.spans[index].offset = chosen.1;
        best = solve(&form, ranges, pairs, draws);
        best.alias_offsets = aliases;
    }
    best
}

/// More is better: pairs explained well, then functions, then pairs.
fn rank(solution: &Solution) -> (bool, usize, u64) {
    let explained = solution.explained as f64 >= LEAST_EXPLAINED * solution.pairs as f64;
    (explained, solution.model.functions.len(), solution.explained)
}

/// The functions that vanish on the differences of all pairs but a few.
pub fn solve(form: &Form, ranges: &[Range<u64>], pairs: &[(u64, u64)], draws: &mut Draws) -> Solution {
    let fixed = fixed_features(form, ranges, draws);
    let mask = u128::MAX >> 6 << 6 & !fixed;
    let differences: Vec<Option<u128>> = pairs.iter().map(|(a, b)| difference(form, *a, *b, mask)).collect();
    let usable: Vec<u128> = differences.iter().flatten().copied().collect();
    let varying = mask.count_ones() as usize;
    let size = (Basis::of(usable.iter().copied()).rank() + SPARE)
        .min(usable.len())
        .min(varying + SPARE);
    let mut best: (usize, Vec<u128>) = (0, Vec::new());
    let mut order: Vec<usize> = (0..usable.len()).collect();
    for subset in 0..SUBSETS {
        let functions = Basis::of(order[..size].iter().map(|i| usable[*i])).annihilator(mask);
        let explained = usable
            .iter()
            .filter(|d| functions.iter().all(|function| parity(function & *d) == 0))
            .count();
        let enough = explained as f64 >= LEAST_EXPLAINED * pairs.len() as f64;
        let best_enough = best.0 as f64 >= LEAST_EXPLAINED * pairs.len() as f64;
        let better = if enough && best_enough {
            functions.len() > best.1.len()
        } else {
            explained > best.0
        };
        if subset == 0 || better {
            best = (explained, functions);
        }
        draws.shuffle(&mut order);
    }
    // All explained pairs together leave the fewest functions that are none.
    let inliers = usable
        .iter()
        .filter(|d| best.1.iter().all(|function| parity(function & *d) == 0));
    let functions = Basis::of(inliers.copied()).annihilator(mask);
    Solution {
        model: Model {
            form: form.clone(),
            functions: sparsest(&functions),
        },
        explained: best.0 as u64,
        pairs: pairs.len() as u64,
        fixed,
        alias_offsets: Vec::new(),
    }
}

/// The difference of two addresses of one way, as far as `mask` goes; `None` if their ways differ.
fn difference(form: &Form, a: u64, b: u64, mask: u128) -> Option<u128> {
    let (a, b) = (form.features(a)?, form.features(b)?);
    (a.way == b.way).then_some((a.bits ^ b.bits) & mask)
}

/// Features that never differ between lines of one way, or that are determined by others: one of each such relation.
fn fixed_features(form: &Form, ranges: &[Range<u64>], draws: &mut Draws) -> u128 {
    let mask = u128::MAX >> 6 << 6;
    let mut basis = Basis::default();
    let mut since = 0;
    while since < 64 {
        let (a, b) = (draws.line(ranges), draws.line(ranges));
        let Some(difference) = difference(form, a, b, mask) else {
            continue;
        };
        since = if basis.insert(difference) { 0 } else { since + 1 };
    }
    Basis::of(basis.annihilator(mask)).pivots()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::LINE;

    /// Pairs of one bank, found by trying.
    fn pairs(ranges: &[Range<u64>], bank: impl Fn(u64) -> u64, n: usize, draws: &mut Draws) -> Vec<(u64, u64)> {
        let mut pairs = Vec::new();
        while pairs.len() < n {
            let a = draws.line(ranges);
            let b = draws.line(ranges);
            if bank(a) == bank(b) && a / LINE != b / LINE {
                pairs.push((a, b));
            }
        }
        pairs
    }

    fn bank(functions: &[u64], address: u64) -> u64 {
        functions
            .iter()
            .enumerate()
            .fold(0, |bank, (i, f)| bank | parity(u128::from(f & address)) << i)
    }

    const FUNCTIONS: [u64; 3] = [1 << 13 | 1 << 17, 1 << 14 | 1 << 18, 1 << 6 | 1 << 12 | 1 << 29];

    fn expected() -> Vec<u128> {
        sparsest(&FUNCTIONS.map(u128::from))
    }

    #[test]
    fn xor_functions_are_found_in_spite_of_a_wrong_pair() {
        let mut draws = Draws::new(1);
        #[allow(clippy::single_range_in_vec_init)]
        let ranges = [0..1 << 32];
        let mut pairs = pairs(&ranges, |a| bank(&FUNCTIONS, a), 60, &mut draws);
        pairs[7].1 ^= 1 << 13;
        let solution = plain(&ranges, &ranges, &pairs, &mut draws);
        assert_eq!(solution.model.functions, expected());
        assert_eq!((solution.explained, solution.pairs), (59, 60));
    }

    #[test]
    fn the_offset_behind_a_hole_is_found_with_its_aliases() {
        let mut draws = Draws::new(2);
        let ranges = [0..3 << 30, 4 << 30..6 << 30];
        let functions = [1 << 13 | 1 << 17, 1 << 14 | 1 << 28, 1 << 15 | 1 << 31];
        let normal = |a: u64| if a >> 32 != 0 { a - (1 << 30) - (256 << 20) } else { a };
        let pairs = pairs(&ranges, |a| bank(&functions, normal(a)), 80, &mut draws);
        let solution = plain(&ranges, &ranges, &pairs, &mut draws);
        assert_eq!(solution.model.functions, sparsest(&functions.map(u128::from)));
        assert_eq!(solution.model.form.spans[1].offset, (1 << 30) + (256 << 20));
        assert!(solution.alias_offsets.is_empty(), "{:?}", solution.alias_offsets);
    }

    #[test]
    fn three_ways_are_found_and_periods_near_theirs_are_not() {
        let mut draws = Draws::new(3);
        #[allow(clippy::single_range_in_vec_init)]
        let ranges = [0..3 << 30];
        let place = |a: u64| {
            let (page, q) = (a >> 12, (a >> 12) / 3);
            (page % 3) << 8 | bank(&[1 << 6, 1 << 8 | 1 << 14 | 1 << 21], a) << 2 | bank(&[1 << 3 | 1 << 9, 1], q)
        };
        let pairs = pairs(&ranges, place, 120, &mut draws);
        let solution = odd(&ranges, &ranges, &pairs, &mut draws).expect("an interleave");
        assert_eq!(
            solution.model.form.odd,
            Some(Odd {
                ways: 3,
                granule_bits: 12
            })
        );
        assert_eq!(solution.model.functions.len(), 4);
        assert_eq!(solution.explained, 120);
        for (x, y) in &pairs {
            assert!(solution.model.same_bank(*x, *y));
        }
        // A memory whose pages go round 23 or 25: no odd interleave of the form explains it.
        for period in [23, 25] {
            let other = |a: u64| (a >> 12) % period;
            let pairs = super::tests::pairs(&ranges, other, 120, &mut draws);
            let found = odd(&ranges, &ranges, &pairs, &mut draws);
            assert!(found.is_none() || period == 25, "{period}");
            assert!(plain(&ranges, &ranges, &pairs, &mut draws).model.functions.is_empty());
        }
    }

    #[test]
    fn pairs_that_have_nothing_in_common_have_no_function() {
        let mut draws = Draws::new(4);
        #[allow(clippy::single_range_in_vec_init)]
        let ranges = [0..1 << 33];
        let pairs = pairs(&ranges, |_| 0, 80, &mut draws);
        assert!(plain(&ranges, &ranges, &pairs, &mut draws).model.functions.is_empty());
        assert!(odd(&ranges, &ranges, &pairs, &mut draws).is_none());
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interleaves over an odd number: three groups of channels, and the like.

use super::{LEAST_EXPLAINED, Solution, solve};
use crate::model::{Form, Model, Odd};
use crate::random::Draws;
use std::collections::BTreeSet;
use std::ops::Range;

/// Lines by which banks are counted: some for each bank of the largest machine.
const SAMPLED: usize = 1 << 15;

/// The solution with the interleave over an odd number that the pairs speak for; `None` if they speak for none.
pub fn odd(ranges: &[Range<u64>], regions: &[Range<u64>], pairs: &[(u64, u64)], draws: &mut Draws) -> Option<Solution> {
    let mut form = Form::plain(regions);
    let smallest = regions.iter().map(|range| range.end - range.start).min()?;
    let mut best: Option<(f64, Odd)> = None;
    for ways in [3, 5, 7] {
        // Few granules would fall together by themselves.
        for granule_bits in (6..40).take_while(|bits| smallest >> bits >= 64 * ways) {
            let way = |address: u64| (address >> granule_bits) % ways;
            let inside: Vec<_> = pairs
                .iter()
                .filter(|(a, b)| form.span_of(*a) == form.span_of(*b))
                .collect();
            let equal = inside.iter().filter(|(a, b)| way(*a) == way(*b)).count() as f64 / inside.len() as f64;
            if equal >= LEAST_EXPLAINED && best.is_none_or(|(most, _)| equal > most) {
                best = Some((equal, Odd { ways, granule_bits }));
            }
        }
    }
    form.odd = Some(best?.1);
    let mut solution = solve(&form, ranges, pairs, draws);
    drop_determined(&mut solution.model, ranges, draws);
    Some(solution)
}

/// Drops functions that the way and the others determine. Where the lowest bit of the quotient is known, so is a sum of
/// the next bits of quotient and address, as three times a number adds without carry up to there: linear on each bank,
/// but no function that tells banks apart.
fn drop_determined(model: &mut Model, ranges: &[Range<u64>], draws: &mut Draws) {
    let lines: Vec<u64> = (0..SAMPLED).map(|_| draws.line(ranges)).collect();
    let banks = |model: &Model| {
        lines
            .iter()
            .map(|line| model.bank(*line))
            .collect::<BTreeSet<_>>()
            .len()
    };
    let all = banks(model);
    // Those that mix address and quotient most are the ones that nobody would build.
    let mut order = model.functions.clone();
    order.sort_unstable_by_key(|function| std::cmp::Reverse(((*function as u64 != 0) as u32, function.count_ones())));
    for function in order {
        let mut without = model.clone();
        without.functions.retain(|other| *other != function);
        if banks(&without) == all {
            *model = without;
        }
    }
}

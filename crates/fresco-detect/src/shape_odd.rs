// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows and columns under an interleave over an odd number of ways. A difference of addresses is none of places within a
//! way there, as quotients carry. So rows are looked for among functions of the address within its way, from pairs of
//! near lines of one bank that are fast together, and have to predict other such pairs.

use crate::model::Model;
use crate::probe::Probe;
use crate::random::LINE;
use crate::shape::{LINE_BITS, Shape, row_functions};
use crate::solve::SPARE;
use crate::stats::Proportion;
use crate::wide::{Basis, bits, parity, sparsest};

/// Lines are near within so many bytes: rows of some ways of the largest interleaves.
const NEAR: u64 = 2 << 20;
/// Near lines tried for one of the bank.
const TRIES: usize = 20_000;
/// Pairs of one bank measured at most, to find some of one row.
const MOST_MEASURED: usize = 1_500;
/// Pairs that are predicted.
const PREDICTED: usize = 150;
/// Bits of features that are those of the address within its way.
const WITHIN: u128 = (u64::MAX as u128) >> LINE_BITS << LINE_BITS << 64;

/// Finds rows and columns of a model with an odd interleave.
///
/// # Errors
/// Why they are not known.
pub fn find(probe: &mut Probe<'_>, model: &Model, fixed: u128, threshold: f64) -> Result<Shape, String> {
    let varying = varying(probe, model) & !(fixed & WITHIN);
    let wanted = varying.count_ones() as usize + 2 * SPARE;
    let mut differences = Vec::new();
    for _ in 0..MOST_MEASURED {
        if differences.len() == wanted {
            break;
        }
        let Some((a, b, difference)) = near_pair(probe, model) else {
            return Err("rows and columns: near lines of one bank are too few".to_owned());
        };
        if probe.contrast(a, b) <= threshold {
            differences.push(difference & varying);
        }
    }
    if differences.len() < wanted {
        let found = differences.len();
        return Err(format!(
            "rows and columns: {found} pairs of near lines are of one row, and {wanted} are needed"
        ));
    }
    let columns = Basis::of(differences.iter().copied());
    let banks: Vec<u128> = model.functions.iter().copied().filter(|f| f & !WITHIN == 0).collect();
    let rows = row_functions(&columns.annihilator(varying), &banks);
    let outcome = predict(probe, model, &rows, threshold)?;
    if outcome.value() < 0.98 {
        return Err(format!(
            "rows and columns: functions of the address within its way predict {} of {} pairs of near lines",
            outcome.hits, outcome.n
        ));
    }
    let read = rows.iter().chain(&banks).fold(0, |all, function| all | function);
    let moved = columns.rows().iter().fold(0, |all, column| all | column);
    Ok(Shape {
        columns: sparsest(columns.rows()),
        rows,
        column_bits: bits(moved & !read).collect(),
    })
}

/// Bits of addresses within a way that vary in what can be probed.
fn varying(probe: &mut Probe<'_>, model: &Model) -> u128 {
    let mut seen: Option<(u128, u128)> = None;
    for _ in 0..4096 {
        let line = probe.line();
        if let Some(features) = model.form.features(line) {
            let (ones, zeros) = seen.unwrap_or((0, 0));
            seen = Some((ones | features.bits, zeros | !features.bits));
        }
    }
    seen.map_or(0, |(ones, zeros)| ones & zeros & WITHIN)
}

/// Two near lines of one bank, and the difference of their addresses within their way.
fn near_pair(probe: &mut Probe<'_>, model: &Model) -> Option<(u64, u64, u128)> {
    for _ in 0..TRIES / 64 {
        let a = probe.line();
        for _ in 0..64 * 4 {
            let distance = probe.draws.below(2 * NEAR / LINE) * LINE;
            let Some(b) = (a + distance).checked_sub(NEAR).filter(|b| *b != a) else {
                continue;
            };
            let there = probe.governor.ranges().iter().any(|range| range.contains(&b));
            if there && model.same_bank(a, b) {
                let (a_features, b_features) = (model.form.features(a)?, model.form.features(b)?);
                return Some((a, b, (a_features.bits ^ b_features.bits) & WITHIN));
            }
        }
    }
    None
}

/// How many near pairs of one bank are fast exactly if the functions say that they share a row. Both kinds have to occur.
fn predict(probe: &mut Probe<'_>, model: &Model, rows: &[u128], threshold: f64) -> Result<Proportion, String> {
    let (mut right, mut together) = (0, 0);
    for _ in 0..PREDICTED {
        let (a, b, difference) =
            near_pair(probe, model).ok_or("rows and columns: near lines of one bank are too few")?;
        let same_row = rows.iter().all(|row| parity(row & difference) == 0);
        together += u64::from(same_row);
        right += u64::from((probe.contrast(a, b) <= threshold) == same_row);
    }
    match (5..PREDICTED as u64 - 5).contains(&together) {
        true => Ok(Proportion::new(right, PREDICTED as u64)),
        false => Err(format!(
            "rows and columns: {together} of {PREDICTED} near pairs are of one row by what was found"
        )),
    }
}

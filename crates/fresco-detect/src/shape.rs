// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows and columns: which differences within a bank stay in a row.

use crate::model::Model;
use crate::probe::Probe;
use crate::wide::{Basis, bits, sparsest};

/// log2 of a line: what is below is column and byte, and no timing of lines tells them apart.
pub const LINE_BITS: u32 = 6;
/// Row functions below a bit that are tried in combination with it. Each doubles the work; few maps have any.
const MOST_LOW_ROWS: usize = 3;
/// Pairs asked of each difference; the majority decides.
const VOTES: usize = 3;

/// Rows and columns of a map, as masks of features ([`crate::model::Features`]): of bits of (physical address − offset),
/// and where there is an odd interleave of bits of the address within its way, from bit 64 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Independent differences of lines of one row.
    pub columns: Vec<u128>,
    /// Functions that select the row; single bits where there are some that do. Sums with bank functions would do as
    /// well.
    pub rows: Vec<u128>,
    /// Bits that only columns change, above those within a line.
    pub column_bits: Vec<u32>,
}

/// Finds the columns among the differences that keep the bank: those that are fast. `None` where the model is no plain
/// XOR, or has more than it can explain.
pub fn find(probe: &mut Probe<'_>, model: &Model, fixed: u128, threshold: f64) -> Option<Shape> {
    let functions: Vec<u128> = model.masks()?.into_iter().map(u128::from).collect();
    let top = model.form.spans.iter().map(|span| span.end - span.offset).max()?;
    let all = u128::from(top.next_power_of_two() - 1) >> LINE_BITS << LINE_BITS;
    let varying = all & !fixed;
    // Differences that keep the bank, reduced: top bits differ from one to the next.
    let kernel = Basis::of(Basis::of(functions.iter().map(|f| f & varying)).annihilator(varying));
    let mut kernel: Vec<u128> = kernel.rows().to_vec();
    kernel.sort_unstable();
    let mut columns: Vec<u128> = Vec::new();
    let mut low_rows: Vec<u128> = Vec::new();
    for difference in kernel {
        let usable = low_rows.len().min(MOST_LOW_ROWS);
        let mut sums = (0u32..1 << usable).map(|combination| {
            let chosen = low_rows.iter().enumerate().filter(|(i, _)| combination >> i & 1 == 1);
            chosen.fold(difference, |sum, (_, row)| sum ^ row)
        });
        match sums.find(|sum| stays_in_row(probe, model, *sum as u64, threshold)) {
            Some(column) => columns.push(column),
            None => low_rows.push(difference),
        }
    }
    let within: Vec<u128> = columns.clone();
    let row_and_bank = Basis::of(within.iter().copied()).annihilator(varying);
    let rows = row_functions(&row_and_bank, &functions);
    let moved = within.iter().fold(0, |all, column| all | column);
    let read = rows.iter().chain(&functions).fold(0, |all, function| all | function);
    Some(Shape {
        columns: sparsest(&columns),
        rows,
        column_bits: bits(moved & !read).collect(),
    })
}

/// A complement of the bank functions in `space`, with as few bits as can be, high bits first.
pub(crate) fn row_functions(space: &[u128], functions: &[u128]) -> Vec<u128> {
    let mut basis = Basis::of(functions.iter().copied());
    let whole = Basis::of(space.iter().copied());
    let mut rows = Vec::new();
    // Single bits first, from the top: in a permutation such as 13^17 the upper one is the row's.
    let singles = (0..128)
        .rev()
        .map(|bit| 1u128 << bit)
        .filter(|unit| whole.reduce(*unit) == 0);
    for row in singles.chain(space.iter().copied()) {
        if basis.insert(row) {
            rows.push(row);
        }
    }
    rows.reverse();
    rows
}

/// Returns true if lines that differ by `difference` are fast together, by the majority of some bases.
fn stays_in_row(probe: &mut Probe<'_>, model: &Model, difference: u64, threshold: f64) -> bool {
    let (mut fast, mut asked) = (0, 0);
    for _ in 0..64 * VOTES {
        let line = probe.line();
        let Some(span) = model.form.span_of(line).map(|index| &model.form.spans[index]) else {
            continue;
        };
        let Some(partner) = ((line - span.offset) ^ difference).checked_add(span.offset) else {
            continue;
        };
        if !probe.governor.ranges().iter().any(|range| range.contains(&partner)) {
            continue;
        }
        asked += 1;
        fast += usize::from(probe.contrast(line, partner) <= threshold);
        if asked == VOTES || fast > VOTES / 2 || asked - fast > VOTES / 2 {
            break;
        }
    }
    2 * fast > asked
}

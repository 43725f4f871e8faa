// SPDX-License-Identifier: MIT OR Apache-2.0
//! Does a model predict what was never measured? Held-out verification on fresh pages.

use crate::model::Model;
use crate::probe::Probe;
use crate::stats::Proportion;
use serde::Serialize;
use std::collections::BTreeSet;

/// Pairs predicted to conflict.
pub const SAME: usize = 150;
/// Pairs predicted not to, at least; as many for each function as make 16.
pub const DIFFERENT: usize = 150;
const PER_FUNCTION: usize = 16;
/// Lines tried for one pair of the wanted kind, at most: some times the banks of the largest machine.
const TRIES: usize = 1 << 20;
/// log2 of a page: lines on pages that the solver used are left out.
const PAGE_BITS: u32 = 12;
/// log2 of a huge page, over which predictions are counted apart.
const HUGE_BITS: u32 = 21;

/// A pair of lines and what a model says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// One line.
    pub a: u64,
    /// The other.
    pub b: u64,
    /// Same bank?
    pub same: bool,
}

/// How predictions came true.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Predicted conflicts that conflict.
    pub same: Proportion,
    /// Predicted others that do not.
    pub different: Proportion,
    /// All predictions that came true.
    pub all: Proportion,
    /// Huge pages with at least one predicted pair, and how many had no wrong prediction.
    pub huge_pages: Proportion,
}

impl Outcome {
    /// Enough to defend a map: at most one in a hundred wrong, and no kind of prediction much worse.
    pub fn is_enough(&self) -> bool {
        self.all.value() >= 0.99 && self.all.low >= 0.97 && self.same.value() >= 0.98 && self.different.value() >= 0.98
    }
}

/// Chooses pairs on pages outside `used`: half of one bank, half of banks that differ in a single function, each
/// function (and the way of an odd interleave) in turn. `None` if the model leaves no such pairs.
pub fn choose(probe: &mut Probe<'_>, model: &Model, used: &BTreeSet<u64>, share: f64) -> Option<Vec<Predicted>> {
    let kinds = model.functions.len() + usize::from(model.form.odd.is_some());
    let different = DIFFERENT.max(PER_FUNCTION * kinds);
    let count = |n: usize| ((n as f64 * share) as usize).max(kinds);
    let mut pairs = Vec::new();
    for _ in 0..count(SAME) {
        pairs.push(find(probe, model, used, None)?);
    }
    for i in 0..if kinds == 0 { 0 } else { count(different) } {
        pairs.push(find(probe, model, used, Some(i % kinds))?);
    }
    probe.draws.shuffle(&mut pairs);
    Some(pairs)
}

/// A pair of one bank, or one that differs only in function `only` (the way, if there is no such function).
fn find(probe: &mut Probe<'_>, model: &Model, used: &BTreeSet<u64>, only: Option<usize>) -> Option<Predicted> {
    let fresh = |line: u64| !used.contains(&(line >> PAGE_BITS));
    for _ in 0..64 {
        let a = probe.line();
        let bank = model.bank(a)?;
        if !fresh(a) {
            continue;
        }
        for _ in 0..TRIES / 64 {
            let b = probe.line();
            let difference = model.bank(b)? ^ bank;
            let wanted = match only {
                None => difference == 0,
                Some(function) if function < model.functions.len() => difference == 1 << function,
                Some(_) => difference != 0 && difference << 8 == 0,
            };
            if wanted && b != a && fresh(b) {
                return Some(Predicted {
                    a,
                    b,
                    same: only.is_none(),
                });
            }
        }
    }
    None
}

/// Measures the pairs.
pub fn measure(probe: &mut Probe<'_>, pairs: &[Predicted], threshold: f64) -> Outcome {
    let (mut same, mut different) = ((0, 0), (0, 0));
    let mut touched = BTreeSet::new();
    let mut wrong = BTreeSet::new();
    for pair in pairs {
        let right = (probe.contrast(pair.a, pair.b) > threshold) == pair.same;
        let count = if pair.same { &mut same } else { &mut different };
        count.0 += u64::from(right);
        count.1 += 1;
        for line in [pair.a, pair.b] {
            touched.insert(line >> HUGE_BITS);
            if !right {
                wrong.insert(line >> HUGE_BITS);
            }
        }
    }
    let huge = touched.len() as u64;
    Outcome {
        same: Proportion::new(same.0, same.1),
        different: Proportion::new(different.0, different.1),
        all: Proportion::new(same.0 + different.0, same.1 + different.1),
        huge_pages: Proportion::new(huge - wrong.len() as u64, huge),
    }
}

/// The pages of lines.
pub fn pages(lines: impl IntoIterator<Item = u64>) -> BTreeSet<u64> {
    lines.into_iter().map(|line| line >> PAGE_BITS).collect()
}

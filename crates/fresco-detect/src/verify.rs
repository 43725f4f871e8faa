// SPDX-License-Identifier: MIT OR Apache-2.0
//! Held-out verification: checks on fresh pages that a model predicts what was never measured.

use crate::evidence::{Evidence, Stage};
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

/// A map, as far as it can be verified: which addresses share a bank, and which banks differ least.
pub trait Banks {
    /// A number of the bank of an address; `None` where there is no memory.
    fn bank(&self, address: u64) -> Option<u64>;
    /// How many ways there are in which two banks can differ least: one for each function.
    fn kinds(&self) -> usize;
    /// In which of them two banks differ whose numbers have this XOR; `None` if in none or in more than one.
    fn kind(&self, difference: u64) -> Option<usize>;
}

impl Banks for Model {
    fn bank(&self, address: u64) -> Option<u64> {
        Model::bank(self, address)
    }

    fn kinds(&self) -> usize {
        self.functions.len() + usize::from(self.form.odd.is_some())
    }

    fn kind(&self, difference: u64) -> Option<usize> {
        // The way is above all functions.
        match difference {
            0 => None,
            _ if difference << 8 == 0 => Some(self.functions.len()),
            _ => difference
                .is_power_of_two()
                .then(|| difference.trailing_zeros() as usize),
        }
    }
}

/// A pair of lines and what a model says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// One line.
    pub a: u64,
    /// The other.
    pub b: u64,
    /// In which way their banks differ, see [`Banks::kind`]; `None` if they are the same.
    pub kind: Option<usize>,
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
    /// Predicted others that do not conflict, by the function in which they differ.
    pub by_function: Vec<Proportion>,
    /// Huge pages with at least one predicted pair, and how many had no wrong prediction.
    pub huge_pages: Proportion,
}

impl Outcome {
    /// Notes what came of predictions; says whether it is enough.
    pub fn note(&self, stage: Stage, evidence: &mut Evidence) -> bool {
        let asked = "at least 0.99, interval above 0.97, each kind at least 0.98".to_owned();
        let what = "predictions on fresh pages that came true";
        let interval = Some((self.all.low, self.all.high));
        evidence.push(
            stage,
            what,
            self.all.value(),
            interval,
            self.all.n,
            asked,
            self.is_enough(),
        )
    }

    /// Enough to defend a map: at most one in a hundred wrong, and no kind of prediction much worse.
    pub fn is_enough(&self) -> bool {
        self.all.value() >= 0.99 && self.all.low >= 0.97 && self.same.value() >= 0.98 && self.different.value() >= 0.98
    }
}

/// Chooses pairs on pages outside `used`: half of one bank, half of banks that differ in a single function, each
/// function (and the way of an odd interleave) in turn. `None` if the model leaves no such pairs.
pub fn choose(probe: &mut Probe<'_>, model: &dyn Banks, used: &BTreeSet<u64>, share: f64) -> Option<Vec<Predicted>> {
    let kinds = model.kinds();
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
fn find(probe: &mut Probe<'_>, model: &dyn Banks, used: &BTreeSet<u64>, only: Option<usize>) -> Option<Predicted> {
    let fresh = |line: u64| !used.contains(&(line >> PAGE_BITS));
    for _ in 0..64 {
        let a = probe.line();
        let Some(bank) = model.bank(a).filter(|_| fresh(a)) else {
            continue;
        };
        for _ in 0..TRIES / 64 {
            let b = probe.line();
            let Some(difference) = model.bank(b).map(|other| other ^ bank) else {
                continue;
            };
            let wanted = match only {
                None => difference == 0,
                Some(kind) => model.kind(difference) == Some(kind),
            };
            if wanted && b != a && fresh(b) {
                return Some(Predicted { a, b, kind: only });
            }
        }
    }
    None
}

/// Measures the pairs.
pub fn measure(probe: &mut Probe<'_>, pairs: &[Predicted], threshold: f64) -> Outcome {
    let (mut same, mut different) = ((0, 0), (0, 0));
    let kinds = pairs
        .iter()
        .filter_map(|pair| pair.kind)
        .max()
        .map_or(0, |most| most + 1);
    let mut by_function = vec![(0, 0); kinds];
    let mut touched = BTreeSet::new();
    let mut wrong = BTreeSet::new();
    for pair in pairs {
        let right = (probe.contrast(pair.a, pair.b) > threshold) == pair.kind.is_none();
        let count = if pair.kind.is_none() { &mut same } else { &mut different };
        let own = pair.kind.map(|kind| &mut by_function[kind]);
        for count in own.into_iter().chain([count]) {
            count.0 += u64::from(right);
            count.1 += 1;
        }
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
        by_function: by_function
            .into_iter()
            .map(|(hits, n)| Proportion::new(hits, n))
            .collect(),
        huge_pages: Proportion::new(huge - wrong.len() as u64, huge),
    }
}

/// The pages of lines.
pub fn pages(lines: impl IntoIterator<Item = u64>) -> BTreeSet<u64> {
    lines.into_iter().map(|line| line >> PAGE_BITS).collect()
}

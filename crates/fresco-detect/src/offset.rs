// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chooses among several offsets that explain the classes, by timing pairs about which they disagree.

use crate::model::Model;
use crate::probe::Probe;
use crate::solve::{self, Solution};

/// Pairs measured for each two offsets.
const ASKED: usize = 9;
/// Lines tried for them.
const TRIES: usize = 20_000;

/// Lets the offsets of the last range compete. Those that agree with the winner about all pairs stay as aliases: no
/// measurement can tell them apart.
pub fn settle(probe: &mut Probe<'_>, mut best: Solution, pairs: &[(u64, u64)], threshold: f64) -> Solution {
    let Some(last) = best.model.form.spans.len().checked_sub(1) else {
        return best;
    };
    let mut aliases = Vec::new();
    for offset in std::mem::take(&mut best.alias_offsets) {
        let mut form = best.model.form.clone();
        form.spans[last].offset = offset;
        let other = solve::solve(&form, probe.governor.ranges(), pairs, &mut probe.draws);
        match first_is_right(probe, &best.model, &other.model, threshold) {
            None => aliases.push(offset),
            Some(true) => {}
            Some(false) => {
                aliases.clear();
                best = other;
            }
        }
    }
    best.alias_offsets = aliases;
    best
}

/// Measures pairs that share a bank by exactly one of two models; `None` if there are none.
fn first_is_right(probe: &mut Probe<'_>, first: &Model, second: &Model, threshold: f64) -> Option<bool> {
    let (mut asked, mut right) = (0, 0);
    for _ in 0..TRIES {
        let (a, b) = (probe.line(), probe.line());
        let (one, two) = (first.same_bank(a, b), second.same_bank(a, b));
        if one == two {
            continue;
        }
        asked += 1;
        right += usize::from((probe.contrast(a, b) > threshold) == one);
        if asked == ASKED {
            break;
        }
    }
    (asked > 0).then_some(2 * right > asked)
}

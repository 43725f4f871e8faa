// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which shares of axes are exact: where every value meets the same of all else.

use crate::{Axis, Sweep};
use std::collections::BTreeMap;

/// Returns true if the column of this number is an axis of the grid, and each of its values was measured at the same combinations of the others, a
/// sample being one more of these: then the means of its values differ by what the axis does, and by nothing else. `values` are measured at
/// these points, whose numbers ascend.
pub(crate) fn is_balanced(sweep: &Sweep, column: usize, values: &[(u32, f64)]) -> bool {
    let spec = &sweep.spec;
    let Some(axis) = column
        .checked_sub(spec.sampled.len())
        .filter(|axis| *axis < spec.grid.len())
    else {
        return false;
    };
    let drawn = spec.combinations * u64::from(spec.samples);
    if values.last().is_none_or(|(last, _)| u64::from(*last) >= drawn) {
        return false;
    }
    // The last key is fastest.
    let step: u64 = spec.grid[axis + 1..].iter().map(Axis::count).product();
    let mut met: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (point, _) in values {
        let point = u64::from(*point);
        let level = point / step % spec.grid[axis].count();
        met.entry(level).or_default().push(point - level * step);
    }
    let mut met = met.values();
    let first = met.next();
    met.all(|others| Some(others) == first)
}

/// From how many samples the share of a column is estimated: listed points count as one each. `None` if its axis is not sampled.
pub(crate) fn draws(sweep: &Sweep, column: usize, values: &[(u32, f64)]) -> Option<usize> {
    let spec = &sweep.spec;
    if column >= spec.sampled.len() {
        return None;
    }
    let drawn = spec.combinations * u64::from(spec.samples);
    let sample = |point: u64| match point < drawn {
        true => point / spec.combinations,
        false => u64::from(spec.samples) + (point - drawn),
    };
    let mut samples: Vec<u64> = values.iter().map(|(point, _)| sample(u64::from(*point))).collect();
    samples.dedup();
    Some(samples.len())
}

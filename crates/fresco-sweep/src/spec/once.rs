// SPDX-License-Identifier: MIT OR Apache-2.0
//! A key that varies has one axis: else the last one that sets it wins, and the columns of the others lie.

use super::tasks::{Tasks, is_below, meet};
use super::{Axis, Set, Spec, Values};
use fresco_input::InputError;
use std::borrow::Cow;

/// # Errors
/// Two axes of one name; a key that two axes set, or `[set]` and an axis; also where one key is a table of the other one.
pub(super) fn check(spec: &Spec, tasks: &Tasks) -> Result<(), InputError> {
    let axes: Vec<&Axis> = spec.sampled.iter().chain(&spec.grid).collect();
    for (number, axis) in axes.iter().enumerate() {
        let before = &axes[..number];
        if let (true, Some(place)) = (before.iter().any(|other| other.key == axis.key), axis.place()) {
            let error = fresco_scenario::error_at(place, format!("found a second axis {:?}", axis.key));
            return Err(error.allowed("each key once").help("remove one of the two"));
        }
        before.iter().try_for_each(|other| apart(other, axis, tasks))?;
    }
    for set in &spec.set {
        // What an axis refines of the value of all points is not lost; what it replaces is.
        let is_lost = |axis: &&Axis| {
            let key = tasks.plain(set.key());
            axis.key == set.key() || keys(axis, tasks).iter().any(|own| *own == key || is_below(&key, own))
        };
        let of_variants = |axis: &&Axis| axis.key != set.key() && axis.is_of_variants();
        if axes.iter().any(|axis| is_lost(axis) && !of_variants(axis)) {
            let error = fresco_scenario::error_at(&set.place, "found a key that has an axis");
            return Err(error
                .allowed("keys that have one value at all points")
                .help("remove it from [set], or the axis"));
        }
    }
    Ok(())
}

/// That two axes set different keys.
fn apart(one: &Axis, other: &Axis, tasks: &Tasks) -> Result<(), InputError> {
    for (axis, beside) in [(other, one), (one, other)] {
        let taken = keys(beside, tasks);
        // The place of a variant tells most: there the key stands beside others.
        let mut of_variant = sets(axis).into_iter().filter(|set| set.key() != axis.key);
        if let Some(set) = of_variant.find(|set| taken.iter().any(|key| meet(&tasks.plain(set.key()), key))) {
            return Err(has_axis(&set.place, beside).help("remove it from the variant, or the other axis"));
        }
    }
    let (own, others) = (keys(one, tasks), keys(other, tasks));
    match other.place() {
        Some(place) if own.iter().any(|a| others.iter().any(|b| meet(a, b))) => {
            Err(has_axis(place, one).help("remove one of the two axes"))
        }
        _ => Ok(()),
    }
}

/// What stands at a place is set by this axis, too.
fn has_axis(place: &InputError, axis: &Axis) -> InputError {
    let found = format!("found a key that has an axis: {:?} sets it, too", axis.key);
    fresco_scenario::error_at(place, found)
        .allowed("keys that no other axis sets, nor a table of them or a key in them")
}

/// What the values of an axis set; nothing of ranges.
fn sets(axis: &Axis) -> Vec<&Set> {
    match &axis.values {
        Values::Levels(levels) => levels.iter().flat_map(|level| &level.sets).collect(),
        Values::Range(_) => Vec::new(),
    }
}

/// The keys that an axis sets, each once.
fn keys<'a>(axis: &'a Axis, tasks: &Tasks) -> Vec<Cow<'a, str>> {
    let mut keys: Vec<Cow<'a, str>> = match &axis.values {
        Values::Levels(_) => sets(axis).iter().map(|set| tasks.plain(set.key())).collect(),
        Values::Range(_) => vec![tasks.plain(&axis.key)],
    };
    keys.sort_unstable();
    keys.dedup();
    keys
}

impl Axis {
    /// Where its first value is written.
    fn place(&self) -> Option<&InputError> {
        match &self.values {
            Values::Levels(levels) => levels.first()?.sets.first().map(|set| &set.place),
            Values::Range(range) => Some(range.place()),
        }
    }
}

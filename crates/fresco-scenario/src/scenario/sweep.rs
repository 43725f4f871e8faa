// SPDX-License-Identifier: MIT OR Apache-2.0
//! One file, many experiments: axes, named variants, and the cross product of the axes.

use super::OF_ALL_POINTS;
use super::assignment::Assignment;
use super::machine::OF_MACHINE;
use fresco_input::{InputError, Item, Table};
use serde::{Deserialize, Serialize};

/// One dimension of a sweep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Axis {
    /// Its key in `[sweep]`.
    pub name: String,
    /// Its values as they are written.
    pub values: Vec<String>,
}

/// Axes and what each of their values sets.
#[derive(Debug)]
pub(crate) struct Sweep {
    pub axes: Vec<Axis>,
    /// `[axis][value]`
    assignments: Vec<Vec<Vec<Assignment>>>,
}

/// A named set of assignments.
struct Variant {
    name: String,
    assignments: Vec<Assignment>,
}

/// Points a sweep may have.
const MOST_POINTS: usize = 10_000;

/// First segments of the keys that may be swept, besides those of the machine.
const SWEPT: &[&str] = &[
    "corunners",
    "machine",
    "policy",
    "rows",
    "bandwidth",
    "task",
    "agent",
    "fill",
    "warm_up",
    "measure",
    "check",
    "trace_dir",
];

/// The same, with those of the machine.
fn swept() -> impl Iterator<Item = &'static str> {
    SWEPT.iter().chain(OF_MACHINE).copied()
}

/// As messages list them.
fn swept_keys() -> String {
    swept().collect::<Vec<_>>().join(", ")
}

impl Sweep {
    /// Reads `[sweep]` and `[[variant]]`.
    pub fn read(root: &Table<'_>) -> Result<Self, InputError> {
        let variants = read_variants(root)?;
        let mut sweep = Self {
            axes: Vec::new(),
            assignments: Vec::new(),
        };
        let Some(table) = root.opt_table("sweep")? else {
            return Ok(sweep);
        };
        for (key, item) in table.leaves("")? {
            let (labels, assignments) = read_axis(&key, &item, &variants)?;
            sweep.axes.push(Axis {
                name: key,
                values: labels,
            });
            sweep.assignments.push(assignments);
        }
        let points = sweep
            .axes
            .iter()
            .try_fold(1usize, |points, axis| points.checked_mul(axis.values.len()));
        match points.filter(|points| *points <= MOST_POINTS) {
            Some(_) => Ok(sweep),
            None => Err(root
                .error_at("sweep", "found more combinations of values than that")
                .allowed(format!("{MOST_POINTS} combinations at most"))
                .help("sweep fewer values, or fewer axes")),
        }
    }

    /// All combinations, the last axis running fastest: the number of the value on each axis.
    pub fn points(&self) -> Vec<Vec<usize>> {
        let mut points = vec![Vec::new()];
        for axis in &self.axes {
            points = points
                .iter()
                .flat_map(|point| {
                    (0..axis.values.len()).map(move |value| {
                        let mut longer = point.clone();
                        longer.push(value);
                        longer
                    })
                })
                .collect();
        }
        points
    }

    /// What one combination sets, in the order of the axes.
    pub fn assignments(&self, point: &[usize]) -> Vec<&Assignment> {
        std::iter::zip(&self.assignments, point)
            .flat_map(|(axis, value)| &axis[*value])
            .collect()
    }
}

fn read_variants(root: &Table<'_>) -> Result<Vec<Variant>, InputError> {
    let mut variants: Vec<Variant> = Vec::new();
    for table in root.array_of_tables("variant")? {
        let name = table.text("name")?.to_owned();
        if variants.iter().any(|known| known.name == name) {
            let error = table.error_at("name", format!("found a second variant {name:?}"));
            return Err(error.allowed("each name once").help("rename one of the two"));
        }
        let set = table.table("set")?;
        let assignments = Assignment::all_in(&set, "", &format!("variant {name:?}"))?;
        for (key, item) in set.leaves("")? {
            check_key(&key, &item)?;
        }
        table.finish()?;
        variants.push(Variant { name, assignments });
    }
    Ok(variants)
}

type AxisValues = (Vec<String>, Vec<Vec<Assignment>>);

/// The values of one axis. If all of them name variants they stand for these; else they are values of the key.
fn read_axis(key: &str, item: &Item<'_>, variants: &[Variant]) -> Result<AxisValues, InputError> {
    let items = item.list()?;
    if items.is_empty() {
        let error = item.error("found an empty list").allowed("one value or more");
        return Err(error.help("name the values, or remove the axis"));
    }
    let variant = |item: &Item<'_>| {
        let name = item.text().ok()?;
        variants.iter().find(|variant| variant.name == name)
    };
    let named = items.iter().filter(|item| variant(item).is_some()).count();
    let first = key.split('.').next().unwrap_or(key);
    let is_key = swept().any(|one| one == first);
    let mut labels: Vec<String> = Vec::new();
    let mut assignments = Vec::new();
    for value in &items {
        let label = value.text().map_or_else(|_| value.to_toml(), str::to_owned);
        if labels.contains(&label) {
            let error = value.error(format!("found {label} twice")).allowed("each value once");
            return Err(error.help("remove one of the two"));
        }
        assignments.push(match variant(value) {
            Some(variant) => variant.assignments.clone(),
            None if is_key && named == 0 => vec![Assignment::new(key, value, "the sweep")],
            None if named == 0 && OF_ALL_POINTS.contains(&key.split('.').next().unwrap_or(key)) => {
                return Err(of_all_points(key, item));
            }
            None => return Err(no_variant(key, value, &label, variants)),
        });
        labels.push(label);
    }
    Ok((labels, assignments))
}

/// A key that a sweep cannot vary, since all points have one value of it.
fn of_all_points(key: &str, item: &Item<'_>) -> InputError {
    let help = match key {
        "seed" => "write repetitions = N: run n of each point has the seed seed + n".to_owned(),
        _ => format!("write {key} outside of [sweep], with one value"),
    };
    item.error(format!("found a sweep of {key}, which is one for all points"))
        .allowed(format!("keys that begin with {}; or names of variants", swept_keys()))
        .help(help)
}

fn no_variant(key: &str, value: &Item<'_>, label: &str, variants: &[Variant]) -> InputError {
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    let first = key.split('.').next().unwrap_or(key);
    let help = match (
        fresco_input::closest(label, names.iter().copied()),
        fresco_input::closest(first, swept()),
    ) {
        (Some(near), _) => format!("did you mean {near:?}?"),
        (None, Some(near)) if near != first => format!("did you mean the key {near:?}?"),
        _ => format!("write a [[variant]] with name = {label:?}, or use a key as the name of the axis"),
    };
    let variants = match names.is_empty() {
        true => "variants (there is none)".to_owned(),
        false => format!("variants ({})", names.join(", ")),
    };
    value
        .error(format!("found {label:?}, which is no variant"))
        .allowed(format!("{variants}, or values of a key: {}", swept_keys()))
        .help(help)
}

fn check_key(key: &str, item: &Item<'_>) -> Result<(), InputError> {
    let first = key.split('.').next().unwrap_or(key);
    if swept().any(|one| one == first) {
        return Ok(());
    }
    let help = match fresco_input::closest(first, swept()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "set this once for the whole scenario instead".to_owned(),
    };
    Err(item
        .error("a variant cannot set this")
        .allowed(format!("keys that begin with {}", swept_keys()))
        .help(help))
}

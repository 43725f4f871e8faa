// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of a sweep's file.

use super::axis::{Axis, Level, Range, Set, Values, label};
use fresco_input::{InputError, Item, Table};
use std::collections::{BTreeMap, BTreeSet};

/// A named set of values.
pub(super) struct Variant {
    name: String,
    sets: Vec<Set>,
}

/// First segments of keys that are the same at all points of a sweep.
const REFUSED: [&str; 5] = ["name", "title", "sweep", "variant", "baseline"];

/// That a key can be varied.
fn check_key(key: &str, item: &Item<'_>) -> Result<(), InputError> {
    let first = key.split('.').next().unwrap_or(key);
    if !REFUSED.contains(&first) {
        return Ok(());
    }
    let help = match first {
        "name" | "title" => "name the sweep instead",
        _ => "change it in the scenario itself: its own sweep is made at each point",
    };
    Err(item
        .error(format!("found {key:?}, which is the same at all points"))
        .allowed(format!(
            "keys of the scenario, but those that begin with {}",
            REFUSED.join(", ")
        ))
        .help(help))
}

fn sets_below(table: &Table<'_>) -> Result<Vec<Set>, InputError> {
    let mut sets = Vec::new();
    for (key, item) in table.leaves("")? {
        check_key(&key, &item)?;
        sets.push(Set::new(&key, &item.to_toml(), item.error("")));
    }
    Ok(sets)
}

/// `[[variant]]`, each with `name` and `set`.
pub(super) fn variants(root: &Table<'_>) -> Result<Vec<Variant>, InputError> {
    let mut variants: Vec<Variant> = Vec::new();
    for table in root.array_of_tables("variant")? {
        let name = table.text("name")?.to_owned();
        if variants.iter().any(|known| known.name == name) {
            let error = table.error_at("name", format!("found a second variant {name:?}"));
            return Err(error.allowed("each name once").help("rename one of the two"));
        }
        let sets = sets_below(&table.table("set")?)?;
        table.finish()?;
        variants.push(Variant { name, sets });
    }
    Ok(variants)
}

/// `[set]`: values of all points.
pub(super) fn set(root: &Table<'_>) -> Result<Vec<Set>, InputError> {
    let table = root.opt_table("set")?;
    let sets = table.map(|table| sets_below(&table)).transpose()?;
    Ok(sets.unwrap_or_default())
}

/// `[grid]`: keys with lists of values, or with ranges of which each value is taken.
pub(super) fn grid(table: &Table<'_>, variants: &[Variant]) -> Result<Vec<Axis>, InputError> {
    if table.has("over") && table.item("over", "")?.is_table() {
        let error = table.error_at("over", "found a table that [random] and [latin_hypercube] have");
        return Err(error
            .allowed("keys of the scenario, with their values")
            .help("write the keys themselves, for example grid.seed = [1, 2]"));
    }
    let axes = over(table, variants)?;
    for axis in &axes {
        if let Values::Range(range) = &axis.values {
            range.check_of_grid()?;
        }
    }
    Ok(axes)
}

fn empty(table: &Table<'_>) -> InputError {
    let error = table
        .error("found no key")
        .allowed("keys of the scenario, with their values");
    error.help("add one, for example corunners = [0, 1], or remove the table")
}

/// `over` of samples: keys with ranges, or with lists of choices.
pub(super) fn over(table: &Table<'_>, variants: &[Variant]) -> Result<Vec<Axis>, InputError> {
    let mut axes = Vec::new();
    collect(table, "", variants, &mut axes)?;
    Ok(axes)
}

fn collect(table: &Table<'_>, prefix: &str, variants: &[Variant], axes: &mut Vec<Axis>) -> Result<(), InputError> {
    if table.keys().next().is_none() {
        return Err(empty(table));
    }
    for key in table.keys() {
        let item = table.item(key, "")?;
        let key = match prefix {
            "" => key.to_owned(),
            _ => format!("{prefix}.{key}"),
        };
        if !item.is_table() {
            axes.push(levels(&key, &item, variants)?);
            continue;
        }
        let below = item.table()?;
        if below.keys().any(|key| key == "from" || key == "to") {
            check_key(&key, &item)?;
            let values = Values::Range(Range::read(&below)?);
            below.finish()?;
            axes.push(Axis { key, values });
        } else {
            collect(&below, &key, variants, axes)?;
        }
    }
    Ok(())
}

/// An axis of listed values. If all of them name variants they stand for these; else they are values of the key.
fn levels(key: &str, item: &Item<'_>, variants: &[Variant]) -> Result<Axis, InputError> {
    let items = item.list().map_err(|error| {
        error
            .allowed("a list of values, or a range such as { from = 1, to = 64, step = 1 }")
            .help(format!("write for example {key} = [1, 2]"))
    })?;
    if items.is_empty() {
        let error = item.error("found an empty list").allowed("one value or more");
        return Err(error.help("name the values, or remove the axis"));
    }
    let variant = |item: &Item<'_>| {
        let name = item.text().ok()?;
        variants.iter().find(|variant| variant.name == name)
    };
    let are_variants = items.iter().all(|item| variant(item).is_some());
    if !are_variants {
        check_key(key, item)?;
    }
    let mut levels: Vec<Level> = Vec::new();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for value in &items {
        let label = label(value);
        let meaning = match are_variants {
            true => label.clone(),
            false => meaning(value),
        };
        if let Some(before) = known.insert(meaning, label.clone()) {
            let found = match before == label {
                true => format!("found {label} twice"),
                false => format!("found {label}, which is {before} once more"),
            };
            return Err(value
                .error(found)
                .allowed("each value once")
                .help("remove one of the two"));
        }
        let sets = match variant(value).filter(|_| are_variants) {
            Some(variant) => variant.sets.clone(),
            None => {
                check_key(key, value)?;
                vec![Set::new(key, &value.to_toml(), value.error("").in_field(item.path()))]
            }
        };
        levels.push(Level { label, sets });
    }
    Ok(Axis {
        key: key.to_owned(),
        values: Values::Levels(levels),
    })
}

/// What a value is, however it is written: 1 as 1.0, "1 MiB" as "1024 KiB" and as 1048576.
fn meaning(value: &Item<'_>) -> String {
    let written = value.to_toml();
    if let Ok(number) = written.replace('_', "").parse::<f64>() {
        // Not every whole number is a float.
        return written
            .parse::<i128>()
            .map_or_else(|_| number.to_string(), |number| number.to_string());
    }
    let size = value.size(0..=u64::MAX).map(|bytes| bytes.to_string());
    let time = || value.duration(0..=u64::MAX).map(|ps| format!("{ps} ps"));
    let frequency = || value.frequency(0..=u64::MAX).map(|hertz| format!("{hertz} Hz"));
    size.or_else(|_| time()).or_else(|_| frequency()).unwrap_or(written)
}

/// `[[point]]`: the keys of each and their values.
pub(super) fn listed(root: &Table<'_>, axes: &[&Axis]) -> Result<Vec<Vec<(String, Level)>>, InputError> {
    let mut points = Vec::new();
    let mut known = BTreeSet::new();
    for table in root.array_of_tables("point")? {
        let leaves = table.leaves("")?;
        if leaves.is_empty() {
            return Err(empty(&table));
        }
        let mut meanings: Vec<(String, String)> =
            leaves.iter().map(|(key, item)| (key.clone(), meaning(item))).collect();
        meanings.sort();
        if !known.insert(meanings) {
            let error = table
                .error("found a point that is listed before")
                .allowed("each point once");
            return Err(error.help("remove one of the two"));
        }
        let mut point = Vec::new();
        for (key, item) in leaves {
            check_key(&key, &item)?;
            if let Some(axis) = axes.iter().find(|axis| axis.key == key) {
                check_beside(axis, &item)?;
            }
            let level = Level {
                label: label(&item),
                sets: vec![Set::new(&key, &item.to_toml(), item.error(""))],
            };
            point.push((key, level));
        }
        points.push(point);
    }
    Ok(points)
}

/// That a value of a listed point can stand in the column of an axis.
fn check_beside(axis: &Axis, item: &Item<'_>) -> Result<(), InputError> {
    let unit = axis.unit();
    let label = label(item);
    let number = label.strip_suffix(unit).map(|number| number.trim_end().parse::<f64>());
    if !unit.is_empty() && !matches!(number, Some(Ok(_))) {
        let error = item.error(format!(
            "found {label}, where the axis {:?} has numbers of {unit}",
            axis.key
        ));
        return Err(error
            .allowed(format!("a number with this unit, such as \"1 {unit}\""))
            .help("convert it, or list all values of the axis"));
    }
    if axis.is_of_variants() {
        let error = item.error(format!(
            "found a key that is the name of an axis of variants: {:?}",
            axis.key
        ));
        return Err(error
            .allowed("keys of the scenario")
            .help("write what the variant sets"));
    }
    Ok(())
}

impl Range {
    /// Where it is written.
    pub(super) fn place(&self) -> &InputError {
        &self.place
    }
}

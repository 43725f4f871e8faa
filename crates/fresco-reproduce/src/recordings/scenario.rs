// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario with recordings in place of its models.

use super::Run;
use super::recipes::Recipe;
use crate::World;
use fresco_input::{InputError, quoted};
use fresco_load::ProgramSpec;
use fresco_programs::Gallery;
use fresco_scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// The scenario of a recipe with recordings; `None` if a program that all runs need is not recorded.
pub(super) fn prepared(
    gallery: &Gallery,
    recipe: &Recipe,
    world: World,
) -> Result<Option<(Run, Scenario)>, InputError> {
    let set = recipe.set.iter().map(|set| (*set).to_owned());
    let mut run = Run::new(recipe.scenario, set.collect());
    let of_world = world.set(recipe.scenario);
    let read = |set: &[String], more: &[String]| {
        let overrides: Vec<String> = set.iter().chain(more).chain(&of_world).cloned().collect();
        fresco_scenario::builtin(recipe.scenario, &overrides)
    };
    let parsec = |value: &str| format!("Parsec {value}");
    let models = read(&run.set, &[])?;
    let kept: Vec<&str> = match recipe.axis {
        Some(_) if !recipe.parsec.is_empty() => {
            let is_recorded = |value: &&str| gallery.stand_in(&parsec(value)).is_some();
            let (kept, left): (Vec<&str>, Vec<&str>) = recipe.parsec.iter().copied().partition(is_recorded);
            run.left_out.extend(left.into_iter().map(parsec));
            for value in &kept {
                run.add(gallery, &parsec(value));
            }
            kept
        }
        Some(axis) => recorded_values(gallery, &models, axis),
        None => Vec::new(),
    };
    let mut more = Vec::new();
    if let Some(axis) = recipe.axis {
        if kept.is_empty() {
            return Ok(None);
        }
        let kept: Vec<String> = kept.into_iter().map(quoted).collect();
        run.set.push(format!("sweep.{axis}=[{}]", kept.join(", ")));
    }
    // Not among the keys that are told: it is another one on each machine.
    if !recipe.parsec.is_empty() {
        let directory = std::path::absolute(gallery.directory()).unwrap_or_else(|_| gallery.directory().to_owned());
        more.push(format!("trace_dir={}", quoted(&directory.to_string_lossy())));
    }
    let mut scenario = read(&run.set, &more)?;
    let mut specs = BTreeMap::new();
    for of in models_of(&scenario) {
        match run.add(gallery, of) {
            Some((trace, thread)) => {
                let parameters = format!("file = {}\nthread = {thread}", quoted(&trace.to_string_lossy()));
                specs.insert(of, ProgramSpec::parse("trace", &parameters)?);
            }
            None => return Ok(None),
        }
    }
    scenario.replace_models(|of| specs.get(of).cloned());
    let without = models_of(&models).into_iter().filter(|of| !specs.contains_key(of));
    run.left_out.extend(without.map(str::to_owned));
    Ok(Some((run, scenario)))
}

/// The values of this axis of which every run has recordings of all its programs.
///
/// # Panics
/// If the scenario has no such axis.
fn recorded_values<'a>(gallery: &Gallery, models: &'a Scenario, axis: &str) -> Vec<&'a str> {
    let number = models.axes.iter().position(|one| one.name == axis);
    let number = number.expect("a recipe names an axis of its scenario");
    let is_recorded = |of: &str| gallery.stand_in(of).is_some();
    let is_whole = |value: usize| {
        let with_it = models.points.iter().filter(|point| point.values[number] == value);
        with_it.flat_map(|point| Scenario::models_at(point)).all(is_recorded)
    };
    let values = models.axes[number].values.iter().enumerate();
    values
        .filter(|(value, _)| is_whole(*value))
        .map(|(_, name)| name.as_str())
        .collect()
}

/// Names of the programs whose models a scenario runs.
fn models_of(scenario: &Scenario) -> BTreeSet<&'static str> {
    scenario
        .points
        .iter()
        .flat_map(|point| Scenario::models_at(point))
        .collect()
}

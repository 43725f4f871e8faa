// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verifies certificates of interference bounds (schema `fresco-bound-certificate/3`), apart from what finds them.
//!
//! A certificate says what is known of memory and tasks, what each term of a bound is, and what refreshes, queues and budgets make of the
//! sum. Each of these is looked at by the formulas of `docs/bound.md`: a term may be larger than its formula, never less; where a bound
//! depends on itself, what it implies may be no more than it. With the scenario, what is known is read from it once more ([`Scenario`]).
//! What work is alone is taken as it stands, as long as it can be: it was simulated.

mod columns;
mod document;
mod memory;
mod nat;
mod read;
mod scenario;
mod verdict;
mod work;

use memory::Memory;
use read::Read;
use serde_json::Value;
use std::collections::BTreeSet;
use verdict::{list, named, no_less, number, refused, text};

pub use document::parse;
pub use scenario::Scenario;
pub use verdict::{Failure, Refused};

/// What was verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Tasks whose reads are bounded.
    pub tasks: usize,
    /// Bounds of reads, one for each different crowd.
    pub reads: usize,
    /// Bounds of work.
    pub works: usize,
}

/// Verifies what a certificate holds (its `data`), against a scenario if there is one.
///
/// # Errors
/// It is no certificate; the first fact that does not hold.
pub fn check(certificate: &Value, scenario: Option<&Scenario<'_>>) -> Result<Verified, Failure> {
    let mut verified = Verified::default();
    let points = list(certificate, "points")?;
    if points.is_empty() {
        return Err(Failure::broken("points is empty".to_owned()));
    }
    if let Some(scenario) = scenario
        && scenario.points.len() != points.len()
    {
        return refused("points", "those of the scenario", points.len(), scenario.points.len());
    }
    if let Some(scenario) = scenario {
        let name = text(certificate, "scenario")?;
        if name != scenario.name {
            return refused("scenario", "the name of the scenario", name, scenario.name);
        }
        scenario::check_texts(
            "axes",
            "those of the scenario",
            named(certificate, "axes")?,
            &scenario.axes,
        )?;
    }
    for (number, point) in points.iter().enumerate() {
        let setup = scenario.map(|scenario| scenario.points[number].1);
        let memory = Memory(named(point, "memory")?);
        let here = format!("point {number}");
        for name in COUNTS {
            no_less(name, "at least one", memory.at(name)?, nat::n(1)).map_err(|failure| failure.at(&here))?;
        }
        if let Some(scenario) = scenario {
            let values = named(point, "values")?;
            scenario::check_texts(
                "values",
                "those of the scenario's point",
                values,
                &scenario.points[number].0,
            )
            .map_err(|failure| failure.at(&here))?;
        }
        if let Some(setup) = setup {
            scenario::check_memory(setup, memory).map_err(|failure| failure.at(&here))?;
        }
        let mut names = BTreeSet::new();
        for task in list(point, "tasks")? {
            let name = text(task, "name")?;
            let place = format!("{here}, task {name}");
            if !names.insert(name) {
                return refused("name", "each task once", name, name).map_err(|failure: Failure| failure.at(&place));
            }
            let checked = check_task(memory, task, setup).map_err(|failure| failure.at(&place))?;
            verified.tasks += 1;
            verified.reads += checked.0;
            verified.works += usize::from(checked.1);
        }
        let measured = setup.into_iter().flat_map(scenario::measured);
        if let Some(missing) = measured.into_iter().find(|name| !names.contains(name)) {
            return refused(
                "tasks",
                "each measured task of the scenario",
                format!("none of {missing}"),
                missing,
            )
            .map_err(|failure: Failure| failure.at(&here));
        }
    }
    Ok(verified)
}

/// Inputs that are never 0.
const COUNTS: [&str; 9] = [
    "channels",
    "ranks",
    "bank_groups",
    "banks",
    "bus_bytes",
    "places",
    "writes",
    "transfers",
    "rate_mts",
];

/// How many crowds there are, and whether its work is bounded.
fn check_task(memory: Memory, task: &Value, setup: Option<&fresco_scenario::Setup>) -> Result<(usize, bool), Failure> {
    let bounds = list(task, "bounds")?;
    let reads: Vec<Read> = bounds
        .iter()
        .map(|bound| read::check(memory, bound))
        .collect::<Result<_, _>>()?;
    if reads.is_empty() {
        return Err(Failure::broken("bounds is empty".to_owned()));
    }
    for read in &reads {
        no_less(
            "longest_ps",
            "that of each crowd",
            number(task, "longest_ps")?,
            memory.longest_ps(read.longest)?,
        )?;
    }
    let work = named(task, "work")?;
    if !work.is_null() {
        work::check(memory, &reads, work)?;
    }
    if let Some(setup) = setup {
        scenario::check_task(setup, memory, task, &reads)?;
    }
    Ok((reads.len(), !work.is_null()))
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows about refresh for which no program runs under a schedule: theory, machine files, allocators, and the memory with
//! single reads.

mod codesign;
mod coloring;
mod commands;
mod examples;
mod executive;
mod facts;
mod models;
mod packing;
mod servers;
mod soundness;
mod statements;
mod theorems;
mod top_level;

pub use codesign::{allocation, capacity, codesign_facts, machine};
pub use coloring::{cr_allocation, cr_coloring};
pub use commands::timing;
pub use examples::{example_1, example_2, table_4_4};
pub use facts::{facts, modes};
pub use models::{MODELS, Model, misses_alone, models};
pub use servers::{crs_analysis, crs_example};
pub use soundness::soundness;
pub use statements::cr_analysis;
pub use top_level::{crs_facts, crs_toplevel};

use fresco_input::InputError;
use fresco_machine::{Machine, load_with};
use fresco_plan::TaskSet;
use fresco_rt::{Task, Time};
use std::path::Path;

/// A millisecond.
const MS: Time = 1_000_000;
/// Ranks of the dissertation's machine.
const RANKS: usize = 8;
/// The sets of tables 4.4 and 5.2, the latter with its servers.
const TABLE_4_4: &str = include_str!("../../../../../tasks/table-4.4.toml");
const TABLE_5_2: &str = include_str!("../../../../../tasks/crs-published.toml");

fn ms(time: Time) -> f64 {
    time as f64 / MS as f64
}

/// 1 or 0.
fn one_if(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn failed(error: impl std::fmt::Display) -> InputError {
    InputError::new("an experiment", format!("found a case without an answer: {error}"))
}

/// A task without phase whose deadline is its period.
fn task(name: &str, period: Time, wcet: Time) -> Result<Task, InputError> {
    Task::new(name, 0, period, wcet, period).map_err(failed)
}

/// Tasks by name, period and execution time in milliseconds.
fn tasks(set: &[(&str, Time, Time)]) -> Result<Vec<Task>, InputError> {
    set.iter()
        .map(|&(name, period, wcet)| task(name, period * MS, wcet * MS))
        .collect()
}

fn task_set(text: &str) -> Result<TaskSet, InputError> {
    TaskSet::parse("a built-in task set", text, Path::new(""), &[])
}

/// A built-in machine with devices of another density, its organisation kept (REF-17), and further changes.
fn at_density(name: &str, gbit: u32, changes: &[(&str, &str)]) -> Result<Machine, InputError> {
    let gbit = gbit.to_string();
    let density = [
        ("memory.density", gbit.as_str()),
        ("memory.density_scales_refresh_only", "true"),
    ];
    let all = density.iter().chain(changes);
    let overrides: Vec<(String, String)> = all.map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    load_with(name, &overrides)
}

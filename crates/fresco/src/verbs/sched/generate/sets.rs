// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sets themselves: as files, as JSON, as a table.

use super::Level;
use fresco_input::{InputError, write_atomically};
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_rt::generate::{Periods, Recipe};
use fresco_rt::{Task, Time};
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// What was drawn.
#[derive(Serialize)]
pub struct ShownRecipe {
    pub tasks: usize,
    pub sets: u32,
    pub shares: fresco_rt::generate::Shares,
    pub bounds: [f64; 2],
    pub periods: ShownPeriods,
    pub deadlines: fresco_rt::generate::Deadlines,
    pub phases: fresco_rt::generate::Phases,
    pub seed: u64,
}

/// Where periods come from: one of a list, or log-uniform between two.
#[derive(Serialize)]
pub struct ShownPeriods {
    pub list_ns: Option<Vec<Time>>,
    pub least_ns: Option<Time>,
    pub most_ns: Option<Time>,
    pub step_ns: Option<Time>,
}

impl ShownRecipe {
    pub fn of(recipe: &Recipe, sets: u32) -> Self {
        let list = match &recipe.periods {
            Periods::List(list) => Some(list.clone()),
            Periods::LogUniform { .. } => None,
        };
        let range = match recipe.periods {
            Periods::List(_) => None,
            Periods::LogUniform { least, most, step } => Some((least, most, step)),
        };
        Self {
            tasks: recipe.tasks,
            sets,
            shares: recipe.shares,
            bounds: [recipe.bounds.0, recipe.bounds.1].map(share),
            periods: ShownPeriods {
                list_ns: list,
                least_ns: range.map(|range| range.0),
                most_ns: range.map(|range| range.1),
                step_ns: range.map(|range| range.2),
            },
            deadlines: recipe.deadlines,
            phases: recipe.phases,
            seed: recipe.seed,
        }
    }
}

/// One set.
#[derive(Serialize)]
pub struct ShownSet {
    name: String,
    utilization: f64,
    tasks: Vec<ShownTask>,
}

#[derive(Serialize)]
struct ShownTask {
    name: String,
    phase_ns: Time,
    period_ns: Time,
    wcet_ns: Time,
    deadline_ns: Time,
}

/// A share in millionths as a number.
pub fn share(millionths: u32) -> f64 {
    f64::from(millionths) / 1e6
}

/// Name of a set, and of its file.
fn name(utilization: u32, index: usize) -> String {
    format!("u{}-{index:05}", share(utilization))
}

pub fn shown(levels: &[Level]) -> Vec<ShownSet> {
    let of_level = |level: &Level| {
        let sets = level.sets.iter().enumerate().map(|(index, set)| ShownSet {
            name: name(level.utilization, index),
            utilization: load(set),
            tasks: set.iter().map(shown_task).collect(),
        });
        sets.collect::<Vec<_>>()
    };
    levels.iter().flat_map(of_level).collect()
}

fn shown_task(task: &Task) -> ShownTask {
    ShownTask {
        name: task.name.clone(),
        phase_ns: task.phase,
        period_ns: task.period,
        wcet_ns: task.wcet,
        deadline_ns: task.deadline,
    }
}

/// The utilisation that a set has: execution times are whole nanoseconds.
fn load(set: &[Task]) -> f64 {
    set.iter().map(|task| task.wcet as f64 / task.period as f64).sum()
}

/// Writes each set as a file of tasks.
pub fn write(directory: &Path, recipe: &Recipe, levels: &[Level]) -> Result<(), InputError> {
    std::fs::create_dir_all(directory).map_err(|error| {
        InputError::new(directory.display().to_string(), format!("cannot be created: {error}"))
            .in_field("--out")
            .allowed("a directory that can be created or written to")
            .help("name another directory")
    })?;
    for level in levels {
        for (index, set) in level.sets.iter().enumerate() {
            let name = name(level.utilization, index);
            let text = toml(&name, recipe, level.utilization, set);
            let path = directory.join(format!("{name}.toml"));
            write_atomically(path, text.as_bytes()).map_err(|error| error.in_field("--out"))?;
        }
    }
    Ok(())
}

fn toml(name: &str, recipe: &Recipe, utilization: u32, set: &[Task]) -> String {
    let mut text = format!(
        "# Drawn: {} tasks, utilization {}, seed {}.\nname = {name:?}\n",
        recipe.tasks,
        share(utilization),
        recipe.seed
    );
    for task in set {
        let times = [
            ("period", task.period),
            ("wcet", task.wcet),
            ("deadline", task.deadline),
            ("phase", task.phase),
        ];
        // Writing to a text does not fail.
        let _ = write!(text, "\n[[task]]\nname = {:?}\n", task.name);
        for (key, time) in times {
            let _ = writeln!(text, "{key} = \"{}\"", duration(time));
        }
    }
    text
}

/// A time in the largest unit that holds it without a fraction.
fn duration(ns: Time) -> String {
    match ns {
        0 => "0 ns".to_owned(),
        ns => fresco_input::format_duration(ns.saturating_mul(1000)),
    }
}

/// A row for each set.
pub fn table(sets: &[ShownSet]) -> Result<Table, ReportError> {
    let columns = vec![
        Column::text("set"),
        Column::number("utilization", "", 6),
        Column::text("tasks (WCET / period)"),
    ];
    let mut table = Table::new(format!("{} task sets", sets.len()), columns);
    for set in sets {
        let tasks = set.tasks.iter().map(|task| {
            let (wcet, period) = (task.wcet_ns as f64 / 1e6, task.period_ns as f64 / 1e6);
            format!("{wcet:.3}/{period}")
        });
        let tasks = tasks.collect::<Vec<_>>().join(", ") + " ms";
        table.push(vec![
            set.name.as_str().into(),
            Cell::Number(set.utilization),
            tasks.into(),
        ])?;
    }
    Ok(table)
}

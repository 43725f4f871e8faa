// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading `sweep.toml`.

mod axis;
mod draw;
mod once;
mod parts;
mod tasks;

pub use axis::{Axis, Level, Range, Set, Values};
pub use draw::Design;
pub(crate) use tasks::{Tasks, meet};

use crate::PlanRun;
use fresco_input::{Document, InputError, Table};
use parts::{grid, listed, over, set, variants};
use std::path::Path;

/// Points that a sweep may have: what its index is planned for.
pub const MOST_POINTS: u64 = 1_000_000;

/// A sweep as its file says it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Name in results: that of the file without its ending, if the file gives none.
    pub name: String,
    /// One line for people; may be empty.
    pub title: String,
    /// The scenario, as named there.
    pub scenario: String,
    /// Where that is written.
    pub scenario_place: InputError,
    /// Seed of samples.
    pub seed: u32,
    /// Names of the tables that are kept.
    pub tables: Vec<&'static str>,
    /// How points that are planned are run, and where that is written; `None` if the file does not say it.
    pub plan_run: Option<(PlanRun, InputError)>,
    /// What all points set.
    pub set: Vec<Set>,
    /// Axes that are sampled.
    pub sampled: Vec<Axis>,
    /// Samples; one, of no axes, if none are drawn.
    pub samples: u32,
    /// Places of the samples: `[axis][sample]`, in [0, 1).
    pub places: Vec<Vec<f64>>,
    /// Axes of which all combinations are made.
    pub grid: Vec<Axis>,
    /// Combinations of the grid; 0 if there is nothing but listed points.
    pub combinations: u64,
    /// Points that are listed one by one, each with the values that it sets.
    pub listed: Vec<Vec<(String, Level)>>,
}

impl Spec {
    /// Reads a sweep from its text, with values set in it, `key=value` as `--set` takes them. `file` is the name that errors give.
    ///
    /// # Errors
    /// Anything that is no sweep: keys that are missing, unknown or out of range, an axis twice, no point, more than [`MOST_POINTS`].
    pub fn parse(file: &str, text: &str, overrides: &[String]) -> Result<Self, InputError> {
        let mut document = Document::parse(file, text)?;
        overrides.iter().try_for_each(|one| document.set(one))?;
        let root = document.root();
        Self::read(root, file)
    }

    /// A key that varies has one axis, by whatever name of a task.
    pub(crate) fn check_keys(&self, tasks: &Tasks) -> Result<(), InputError> {
        once::check(self, tasks)
    }

    fn read(root: Table<'_>, file: &str) -> Result<Self, InputError> {
        let scenario = root.text("scenario")?.to_owned();
        let scenario_place = root.error_at("scenario", "");
        let variants = variants(&root)?;
        let random = root.opt_table("random")?;
        let hypercube = root.opt_table("latin_hypercube")?;
        if let (Some(_), Some(second)) = (&random, &hypercube) {
            let error = second.error("found a second way to draw samples, beside [random]");
            return Err(error.allowed("one of the two").help("remove one, or make two sweeps"));
        }
        let seed = root.opt_integer("seed", 0..=u32::MAX)?.unwrap_or(1);
        let (samples, sampled, places) = match random
            .map(|table| (table, Design::Random))
            .or(hypercube.map(|table| (table, Design::LatinHypercube)))
        {
            Some((table, design)) => {
                let samples = table.integer("samples", 1..=MOST_POINTS as u32)?;
                let axes = over(&table.table("over")?, &variants)?;
                table.finish()?;
                let places = draw::places(design, seed, samples, axes.len());
                (samples, axes, places)
            }
            None => (1, Vec::new(), Vec::new()),
        };
        let grid = match root.opt_table("grid")? {
            Some(table) => grid(&table, &variants)?,
            None => Vec::new(),
        };
        let axes: Vec<&Axis> = sampled.iter().chain(&grid).collect();
        let listed = listed(&root, &axes)?;
        let product = grid
            .iter()
            .try_fold(1u64, |product, axis| product.checked_mul(axis.count()));
        let combinations = match (grid.is_empty() && sampled.is_empty(), product) {
            (true, _) => Some(0),
            (false, product) => product,
        };
        let all = combinations.and_then(|one| one.checked_mul(u64::from(samples))?.checked_add(listed.len() as u64));
        let (Some(combinations), Some(_)) = (combinations, all.filter(|all| *all <= MOST_POINTS)) else {
            let found = all.map_or_else(
                || "more points than can be counted".to_owned(),
                |all| format!("{all} points"),
            );
            let error = root
                .error(format!("found {found}"))
                .allowed(format!("{MOST_POINTS} points at most"));
            return Err(error
                .help("sweep fewer values, draw fewer samples, or make several sweeps")
                .too_large());
        };
        let (name, title) = (
            read_name(&root, file)?,
            root.opt_text("title")?.unwrap_or_default().to_owned(),
        );
        let (tables, plan_run, set) = (tables(&root)?, plan_run(&root)?, set(&root)?);
        let no_point = root
            .error("found no point")
            .allowed("[grid], [random], [latin_hypercube], [[point]]")
            .help("add a [grid] with a key and its values, for example corunners = [0, 1]");
        // A table whose name is misspelled is told as that.
        root.finish()?;
        if all == Some(0) {
            return Err(no_point);
        }
        let spec = Self {
            name,
            title,
            scenario,
            scenario_place,
            seed,
            tables,
            plan_run,
            set,
            sampled,
            samples,
            places,
            grid,
            combinations,
            listed,
        };
        spec.check_keys(&Tasks::default())?;
        Ok(spec)
    }
}

/// The tables that are kept: the observations, unless the file names others beside them.
fn tables(root: &Table<'_>) -> Result<Vec<&'static str>, InputError> {
    let names = fresco_tidy::NAMES;
    let choices: Vec<(&str, &'static str)> = names.iter().map(|name| (*name, *name)).collect();
    let mut found = vec![fresco_tidy::OBSERVATIONS];
    for item in root.opt_list("tables")?.unwrap_or_default() {
        let name = item.choice(&choices)?;
        if !found.contains(&name) {
            found.push(name);
        }
    }
    // In one order, whatever that of the file.
    Ok(names.into_iter().filter(|name| found.contains(name)).collect())
}

/// `[plan_run]`, and where it stands.
fn plan_run(root: &Table<'_>) -> Result<Option<(PlanRun, InputError)>, InputError> {
    let Some(table) = root.opt_table("plan_run")? else {
        return Ok(None);
    };
    let place = table.error("");
    Ok(Some((PlanRun::read(table)?, place)))
}

const A_NAME: &str = "1 to 60 lower-case letters, digits, \"-\" and \".\", not beginning with \".\"";

fn read_name(root: &Table<'_>, file: &str) -> Result<String, InputError> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    let is_good =
        |name: &str| !name.is_empty() && name.len() <= 60 && name.bytes().all(plain) && !name.starts_with('.');
    let Some(name) = root.opt_text("name")? else {
        let stem = Path::new(file)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        return Ok(stem.filter(|stem| is_good(stem)).unwrap_or_else(|| "sweep".to_owned()));
    };
    match is_good(name) {
        true => Ok(name.to_owned()),
        false => Err(root
            .error_at("name", format!("found the name {name:?}"))
            .allowed(A_NAME)
            .help("choose a name that can be that of a file")),
    }
}

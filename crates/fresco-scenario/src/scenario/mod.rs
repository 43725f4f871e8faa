// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios: an experiment as one TOML file.
//!
//! A scenario names a machine, tasks and a policy. `[sweep]` makes many runs of it: every key below it is an *axis*,
//! and the runs are all combinations of their values.
//!
//! - An axis whose values name `[[variant]]`s stands for these: each variant is a set of values for other keys.
//! - Any other axis is named by the key that its values are for: `corunners`, `policy.frames`,
//!   `task.NAME.parameters.bytes`.
//!
//! Axes apply in the order of the file, later ones over earlier ones, all of them over the file's own values. The
//! command line's `--set` comes first of all: it changes the file, sweep and variants included.

mod agent;
pub(crate) mod assignment;
pub(crate) mod bandwidth;
mod coloring;
mod dynamic;
pub(crate) mod extent;
pub(crate) mod jobs;
pub(crate) mod machine;
mod overview;
mod part;
mod place;
mod placement;
pub(crate) mod policy;
pub(crate) mod program;
mod recorded;
pub(crate) mod room;
mod rows;
pub(crate) mod setup;
mod sharing;
mod stand_in;
pub(crate) mod sweep;
pub(crate) mod task;
mod ways;

pub use agent::{Agent, Pattern};
pub use dynamic::Dynamic;
pub use extent::Extent;
pub use overview::{Overview, TaskOverview};
pub use place::error_at;
pub(crate) use place::of_second;
pub use rows::Rows;
pub use setup::{Copy, Setup};
pub use sweep::Axis;
pub use task::{MOST_STALLS, Paging, Role, Task};

use crate::Source;
use assignment::Assignment;
use fresco_input::{Document, InputError, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use sweep::Sweep;

/// Keys that hold for all points of a sweep.
pub(crate) const OF_ALL_POINTS: &[&str] = &["name", "title", "seed", "repetitions", "sweep", "variant", "baseline"];

/// Repetitions a scenario may ask for, and runs it may amount to.
pub(crate) const MOST_REPETITIONS: u32 = 1000;
const MOST_RUNS: u64 = 100_000;

/// Points of a scenario that have a timeline where one is wanted: more would fill a report with what nobody looks at.
pub const POINTS_SHOWN: usize = 8;

/// An experiment, checked: every run of it can start.
///
/// ```
/// let text = r#"
///     name = "banks"
///     machine = "xeon-w3530"
///     repetitions = 3
///     seed = 7
///     sweep.corunners = [0, 1]
///     [[task]]
///     name = "chase"
///     program = "latency"
///     core = 0
///     [[task]]
///     name = "noise"
///     program = "random"
///     core = 1
///     role = "background"
/// "#;
/// let scenario = fresco_scenario::Scenario::parse("banks.toml", text, "".as_ref(), &[])?;
/// // Alone and with one co-runner, three times each; every repetition has a seed of its own.
/// let runs: Vec<(usize, u64)> = scenario.runs().iter().map(|run| (run.point_number, run.seed)).collect();
/// assert_eq!(runs, [(0, 7), (0, 8), (0, 9), (1, 7), (1, 8), (1, 9)]);
///
/// // A wrong file is refused with the line, before anything runs.
/// let wrong = text.replace("xeon-w3530", "xeon-w3531");
/// let error = fresco_scenario::Scenario::parse("banks.toml", &wrong, "".as_ref(), &[]).err().expect("no such machine");
/// assert_eq!((error.line, error.field.as_str()), (Some(3), "machine"));
/// # Ok::<(), fresco_input::InputError>(())
/// ```
#[derive(Clone)]
pub struct Scenario {
    /// Short name: lower-case letters, digits, `.`, `-`.
    pub name: String,
    /// One line for people; may be empty.
    pub title: String,
    /// The axes of the sweep; none for a single point.
    pub axes: Vec<Axis>,
    /// Runs of each point; run `i` has seed `seed + i`.
    pub repetitions: u32,
    /// Seed of the first repetition.
    pub seed: u64,
    /// The points, the last axis running fastest.
    pub points: Vec<Arc<Point>>,
    /// A timeline of the first run of each of the first [`POINTS_SHOWN`] points is wanted, though the file does not ask for one.
    /// False after reading.
    pub timelines: bool,
}

/// One combination of values.
pub struct Point {
    /// The number of the value on each axis.
    pub values: Vec<usize>,
    /// The point that this one is compared with, if it is another one.
    pub baseline: Option<usize>,
    /// What runs.
    pub setup: Arc<Setup>,
}

/// One simulation to be made.
#[derive(Clone)]
pub struct RunSpec {
    /// What runs.
    pub point: Arc<Point>,
    /// Number of its point.
    pub point_number: usize,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Its timeline is wanted, though the file does not ask for one.
    pub timeline: bool,
}

impl Scenario {
    /// Reads a scenario from a file, or the tasks of a plan as one. `overrides` are `key=value` as `--set` takes them; a task is named in a key:
    /// `task.foreground.core=1`.
    ///
    /// # Errors
    /// The file cannot be read, or anything that [`Scenario::parse`] finds.
    pub fn load(path: impl AsRef<Path>, overrides: &[String]) -> Result<Self, InputError> {
        Self::of(&Source::read(path)?, overrides)
    }

    /// Reads a scenario from its source.
    ///
    /// # Errors
    /// Anything that [`Scenario::parse`] finds.
    pub fn of(source: &Source, overrides: &[String]) -> Result<Self, InputError> {
        Self::parse(&source.file, &source.text, &source.directory, overrides).map_err(|error| source.told(error))
    }

    /// Reads a scenario from its text. `file` is the name that errors give, `directory` what relative paths are
    /// relative to.
    ///
    /// # Errors
    /// Anything that would stop a run, with its place and help: no TOML; keys that are missing, unknown or out of
    /// range; a machine, program, task, variant or color that does not exist; two tasks on one core; programs that do
    /// not fit the memory or their colors.
    pub fn parse(file: &str, text: &str, directory: &Path, overrides: &[String]) -> Result<Self, InputError> {
        assignment::read_with(file, text, overrides, |document, overrides| {
            Self::read(document, directory, overrides)
        })
    }

    fn read(document: &Document, directory: &Path, overrides: &[Assignment]) -> Result<Self, InputError> {
        let root = document.root();
        let sweep = Sweep::read(&root)?;
        refuse_swept(&sweep, overrides)?;
        let baselines = read_baselines(&root, &sweep)?;
        let mut room = room::Room::default();
        let mut points = Vec::new();
        // Points keep their documents: with the values of all others in each, memory would grow with the square of their number.
        let of_point = document.emptied("sweep");
        for (values, baseline) in std::iter::zip(sweep.points(), baselines) {
            let assignments = sweep.assignments(&values);
            let setup = read_point(&of_point, &assignments, directory, &mut room);
            let setup = setup.map_err(|error| assignments.iter().fold(error, |error, a| a.relocate(error)))?;
            points.push(Arc::new(Point {
                values,
                baseline,
                setup: Arc::new(setup),
            }));
        }
        let repetitions = root.opt_integer("repetitions", 1..=MOST_REPETITIONS)?.unwrap_or(1);
        if points.len() as u64 * u64::from(repetitions) > MOST_RUNS {
            let found = format!("found {} points, {repetitions} times each", points.len());
            let error = root
                .error_at("repetitions", found)
                .allowed(format!("{MOST_RUNS} runs at most"));
            return Err(error.help("repeat less often, or sweep fewer values"));
        }
        Ok(Self {
            name: read_name(&root)?,
            title: root.opt_text("title")?.unwrap_or_default().to_owned(),
            axes: sweep.axes,
            repetitions,
            seed: root.opt_integer("seed", 0..=u64::from(u32::MAX))?.unwrap_or(1),
            points,
            timelines: false,
        })
    }

    /// All runs, point by point, repetition by repetition.
    pub fn runs(&self) -> Vec<RunSpec> {
        let of_point = |(point_number, point): (usize, &Arc<Point>)| {
            let point = Arc::clone(point);
            (0..self.repetitions).map(move |repetition| RunSpec {
                point: Arc::clone(&point),
                point_number,
                repetition,
                seed: self.seed + u64::from(repetition),
                timeline: self.timelines && repetition == 0 && point_number < POINTS_SHOWN,
            })
        };
        self.points.iter().enumerate().flat_map(of_point).collect()
    }
}

/// A machine that a scenario uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineUsed {
    /// Its name.
    pub name: String,
    /// The file, unless it is built in.
    pub path: Option<PathBuf>,
    /// Of the file's text and of what the scenario changes in it.
    pub digest: String,
}

/// A trace that a task replays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceUsed {
    /// As the scenario names it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// All its threads are replayed together.
    pub is_together: bool,
}

impl Scenario {
    /// The machines of all points, each once.
    pub fn machines(&self) -> Vec<MachineUsed> {
        distinct(self.points.iter().map(|point| point.setup.machine_used()))
    }

    /// The traces that tasks of any point replay, each once.
    pub fn traces(&self) -> Vec<TraceUsed> {
        distinct(self.points.iter().flat_map(|point| point.setup.traces()))
    }
}

/// Each once, in the order of their first occurrence.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

fn read_point(
    document: &Document,
    assignments: &[&Assignment],
    directory: &Path,
    room: &mut room::Room,
) -> Result<Setup, InputError> {
    let mut document = document.clone();
    assignments
        .iter()
        .try_for_each(|assignment| assignment.apply(&mut document))?;
    let setup = Setup::read(document, directory)?;
    room.check(&setup)?;
    Ok(setup)
}

const A_NAME: &str = "1 to 60 lower-case letters, digits, \"-\" and \".\", not beginning with \".\"";

fn read_name(root: &Table<'_>) -> Result<String, InputError> {
    let item = root.item("name", A_NAME)?;
    let name = item.text_like("^[a-z0-9-][a-z0-9.-]{0,59}$")?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    if !name.is_empty() && name.len() <= 60 && name.bytes().all(plain) && !name.starts_with('.') {
        return Ok(name.to_owned());
    }
    let error = item.error(format!("found the name {name:?}"));
    Err(error.allowed(A_NAME).help("choose a name that can be that of a file"))
}

/// A key that is swept has the sweep's values: setting it once more would change nothing.
fn refuse_swept(sweep: &Sweep, overrides: &[Assignment]) -> Result<(), InputError> {
    let swept = |key: &str| sweep.axes.iter().any(|axis| axis.name == key);
    let Some(Assignment { key, value, .. }) = overrides.iter().find(|assignment| swept(&assignment.key)) else {
        return Ok(());
    };
    let error = InputError::new(format!("--set {key}={value}"), "found a key that the scenario sweeps").in_field(key);
    let bare_word = value.starts_with(|c: char| c.is_ascii_alphabetic()) && value != "true" && value != "false";
    let quote = if bare_word { "\"" } else { "" };
    let help = format!(
        "to have this value alone, give fresco sim --set 'sweep.{key}=[{quote}{value}{quote}]', or change [sweep] in the file of the scenario"
    );
    Err(error.allowed("keys that have one value").help(help))
}

/// For each point the one it is compared with: the point that has the values of `[baseline]` on its axes and is the
/// same on the others. Without `[baseline]`, an axis `corunners` with a value 0 is taken: the solo run.
fn read_baselines(root: &Table<'_>, sweep: &Sweep) -> Result<Vec<Option<usize>>, InputError> {
    let mut fixed: Vec<(usize, usize)> = Vec::new();
    match root.opt_table("baseline")? {
        Some(table) => {
            for (key, item) in table.leaves("")? {
                let label = item.text().map_or_else(|_| item.to_toml(), str::to_owned);
                let axis = sweep.axes.iter().position(|axis| axis.name == key);
                let axis = axis.ok_or_else(|| {
                    let names: Vec<&str> = sweep.axes.iter().map(|axis| axis.name.as_str()).collect();
                    let error = item
                        .error("found no such axis")
                        .allowed(format!("axes of the sweep: {}", names.join(", ")));
                    error.help("name an axis and one of its values")
                })?;
                let values = &sweep.axes[axis].values;
                let value = values.iter().position(|value| *value == label).ok_or_else(|| {
                    item.error(format!("found {label}"))
                        .allowed(values.join(", "))
                        .help("name a value of the axis")
                })?;
                fixed.push((axis, value));
            }
        }
        None => {
            let solo = |axis: &Axis| (axis.name == "corunners").then(|| axis.values.iter().position(|v| v == "0"));
            let solo = sweep
                .axes
                .iter()
                .enumerate()
                .find_map(|(i, axis)| Some((i, solo(axis)??)));
            fixed.extend(solo);
        }
    }
    let points = sweep.points();
    let baseline = |point: &Vec<usize>| {
        let mut base = point.clone();
        fixed.iter().for_each(|(axis, value)| base[*axis] = *value);
        points
            .iter()
            .position(|other| *other == base)
            .filter(|_| base != *point)
    };
    Ok(points.iter().map(baseline).collect())
}

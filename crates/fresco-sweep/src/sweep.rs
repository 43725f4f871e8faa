// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sweep: its points by number, and one of them as a scenario.

use crate::address::{Digest, Inputs, Seen, Spelling};
use crate::planned::asks_for_a_plan;
use crate::spec::{Axis, Level, Set, Spec, Tasks, Values, meet};
use crate::{PLANNER, PlanRun};
use fresco_input::{Document, InputError, file_name, read_file};
use fresco_report::dataset::{DataColumn, Kind, Value};
use fresco_scenario::{Source, builtin_source};
use std::path::{Component, Path, PathBuf};

/// A list of points, each a scenario with some of its keys set.
///
/// ```
/// let text = "scenario = \"first\"\n[grid]\nmeasure.operations = [100, 200]\nseed = [1, 2, 3]\n";
/// let sweep = fresco_sweep::Sweep::parse("s.toml", text, "".as_ref(), &[])?;
/// let labels: Vec<String> = (0..sweep.points()).map(|number| sweep.point(number).set().join(" ")).collect();
/// assert_eq!(labels[0], "measure.operations=100 seed=1");
/// assert_eq!(labels[1], "measure.operations=100 seed=2");
/// assert_eq!(labels[5], "measure.operations=200 seed=3");
/// # Ok::<(), fresco_input::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sweep {
    /// As its file says it.
    pub spec: Spec,
    /// The name of its file, as errors give it.
    pub file: String,
    /// The text of its file.
    pub text: String,
    /// What the command line has changed in it.
    pub overrides: Vec<String>,
    /// Its columns in tables, in their order.
    pub columns: Vec<Column>,
    /// Axes of the scenario's own sweep, which is made at each point.
    pub inner: Vec<fresco_scenario::Axis>,
    pub(crate) scenario: Source,
    /// Its file, as it was when it was read.
    seen: Option<Seen>,
    /// The scenario has `[plan]`.
    pub(crate) has_plan: bool,
    tasks: Tasks,
    /// Of what all points share.
    common: Digest,
}

/// A column of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The key, or the name under which variants stand.
    pub key: String,
    /// Unit of its numbers; empty without.
    pub unit: String,
    /// What its values are.
    pub kind: Kind,
}

/// One point.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its number, from 0.
    pub number: u32,
    /// Its value of each column, as people read it; `None` where a listed point does not set the key.
    pub values: Vec<Option<String>>,
    pub(crate) sets: Vec<Set>,
}

impl Point {
    /// What it sets in the scenario, `key=value`.
    pub fn set(&self) -> Vec<String> {
        self.sets.iter().map(|set| set.assignment.clone()).collect()
    }

    /// In words: `corunners = 3, policy = private`.
    pub fn words(&self, sweep: &Sweep) -> String {
        let named = std::iter::zip(&sweep.columns, &self.values).filter_map(|(column, value)| {
            let unit = match column.unit.as_str() {
                "" => String::new(),
                unit => format!(" {unit}"),
            };
            Some(format!("{} = {}{unit}", column.key, value.as_ref()?))
        });
        named.collect::<Vec<_>>().join(", ")
    }
}

impl Sweep {
    /// Reads a sweep from a file, and its scenario. `overrides` are `key=value` of the file, as `--set` takes them.
    ///
    /// # Errors
    /// The file or the scenario cannot be read, or is wrong: see [`Spec::parse`]. What is wrong with a single point is found when it is run.
    pub fn load(path: impl AsRef<Path>, overrides: &[String]) -> Result<Self, InputError> {
        let path = path.as_ref();
        let text = read_file(path)?;
        // Results do not tell from where it was run: they have but the last part of its name.
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| file_name(path));
        let sweep = Self::parse(&name, &text, path.parent().unwrap_or(Path::new("")), overrides);
        sweep.map_err(|error| match (error.file == name, error.line) {
            (true, Some(line)) => error.moved_to(&InputError::new(file_name(path), "").at_line(line)),
            (true, None) => error.moved_to(&InputError::new(file_name(path), "")),
            _ => error,
        })
    }

    /// Reads a sweep from its text; its scenario is named as seen from `directory`.
    ///
    /// # Errors
    /// As [`Sweep::load`].
    pub fn parse(file: &str, text: &str, directory: &Path, overrides: &[String]) -> Result<Self, InputError> {
        let spec = Spec::parse(file, text, overrides)?;
        let name = &spec.scenario;
        let is_path = name.contains('/') || name.ends_with(".toml") || name.ends_with(".json");
        // Names of files that it names begin with one dot, not with one for each file that led there.
        let parts = Path::new(name).components().filter(|part| *part != Component::CurDir);
        let path = directory.join(parts.collect::<PathBuf>());
        // Before it is read, so that what changes it meanwhile is noticed.
        let seen = is_path.then(|| Seen::look(path.clone())).flatten();
        let scenario = match is_path {
            true => Source::read(path),
            false => builtin_source(name),
        };
        let at = |error: InputError| match error.line {
            None => error.moved_to(&spec.scenario_place),
            Some(_) => error,
        };
        let mut scenario = scenario.map_err(at)?;
        if is_path {
            scenario.file.clone_from(name);
        }
        if scenario.is_plan() {
            let error = fresco_scenario::error_at(&spec.scenario_place, "found a plan");
            return Err(error
                .allowed("a scenario, which may have [plan]: its tasks are planned anew at each point")
                .help("name the scenario that the plan was made of, or simulate the plan with fresco sim"));
        }
        let document = Document::parse(&scenario.file, &scenario.text)?;
        let (has_plan, tasks) = (document.root().has("plan"), Tasks::of(&document.root())?);
        spec.check_keys(&tasks)?;
        let common = Digest::of(["fresco sweep 1", crate::MODEL, &scenario.text, &spec.tables.join(" ")]);
        let sweep = Self {
            inner: scenario.axes()?,
            columns: columns(&spec),
            spec,
            file: file.to_owned(),
            text: text.to_owned(),
            overrides: overrides.to_vec(),
            scenario,
            seen,
            has_plan,
            tasks,
            common,
        };
        sweep.refuse_idle_keys()?;
        Ok(sweep)
    }

    /// `[plan_run]` is of plans.
    fn refuse_idle_keys(&self) -> Result<(), InputError> {
        let Some((_, place)) = self.spec.plan_run.as_ref().filter(|_| !self.has_plans()) else {
            return Ok(());
        };
        let error = fresco_scenario::error_at(place, "found how plans are run, and no point is planned");
        Err(error
            .allowed("it with a scenario that has [plan], or with a key of it that points set")
            .help("remove it, or write set.plan.method = \"crs\""))
    }

    /// Returns true if any point is planned.
    fn has_plans(&self) -> bool {
        let spec = &self.spec;
        let of_axis = |axis: &Axis| match &axis.values {
            Values::Levels(levels) => levels.iter().flat_map(|level| &level.sets).any(is_of_plan),
            Values::Range(_) => asks_for_a_plan(&axis.key),
        };
        self.has_plan
            || spec.set.iter().any(is_of_plan)
            || spec.sampled.iter().chain(&spec.grid).any(of_axis)
            || spec.listed.iter().flatten().any(|(key, _)| asks_for_a_plan(key))
    }

    /// Returns true if the point is planned: the scenario has `[plan]`, or the point sets a key of it.
    pub fn is_planned(&self, point: &Point) -> bool {
        self.has_plan || point.sets.iter().any(is_of_plan)
    }

    /// Options with which `fresco sim` runs the point alone, beside what it sets.
    pub fn options(&self, point: &Point) -> Vec<String> {
        match self.is_planned(point) {
            false => Vec::new(),
            true => self.plan_run().options(),
        }
    }

    /// How its plans are run.
    pub fn plan_run(&self) -> PlanRun {
        self.spec.plan_run.as_ref().map_or(PlanRun::default(), |(run, _)| *run)
    }

    /// How many points it has.
    pub fn points(&self) -> u32 {
        let spec = &self.spec;
        (spec.combinations * u64::from(spec.samples)) as u32 + spec.listed.len() as u32
    }

    /// The values of a column as the file has them, in its order; none of ranges.
    pub(crate) fn written(&self, column: &Column) -> Vec<String> {
        let spec = &self.spec;
        let axes = spec.sampled.iter().chain(&spec.grid);
        let levels = axes
            .filter(|axis| axis.key == column.key)
            .flat_map(|axis| match &axis.values {
                Values::Levels(levels) => &levels[..],
                Values::Range(_) => &[],
            });
        let listed = spec.listed.iter().flatten();
        let listed = listed.filter_map(|(key, level)| (*key == column.key).then_some(level));
        let labels = levels.chain(listed);
        labels
            .map(|level| without(&level.label, &column.unit).to_owned())
            .collect()
    }

    /// The point of a number below [`Sweep::points`]: for each sample all combinations of the grid, the last key fastest; at the end the listed ones.
    ///
    /// # Panics
    /// There is no such point.
    pub fn point(&self, number: u32) -> Point {
        assert!(number < self.points(), "point {number} of {}", self.points());
        let spec = &self.spec;
        let drawn = spec.combinations * u64::from(spec.samples);
        let mut levels: Vec<(&str, Level)> = Vec::new();
        match u64::from(number).checked_sub(drawn) {
            Some(listed) => levels.extend(
                spec.listed[listed as usize]
                    .iter()
                    .map(|(key, level)| (key.as_str(), level.clone())),
            ),
            None => {
                let (sample, mut rest) = (
                    u64::from(number) / spec.combinations,
                    u64::from(number) % spec.combinations,
                );
                for (axis, places) in std::iter::zip(&spec.sampled, &spec.places) {
                    levels.push((&axis.key, axis.at(places[sample as usize])));
                }
                let before = levels.len();
                for axis in spec.grid.iter().rev() {
                    levels.insert(before, (&axis.key, axis.nth(rest % axis.count())));
                    rest /= axis.count();
                }
            }
        }
        let value = |column: &Column| {
            let level = levels.iter().find(|(key, _)| *key == column.key);
            level.map(|(_, level)| without(&level.label, &column.unit).to_owned())
        };
        let values = self.columns.iter().map(value).collect();
        let own = levels.into_iter().flat_map(|(_, level)| level.sets);
        Point {
            number,
            values,
            sets: spec.set.iter().cloned().chain(own).collect(),
        }
    }

    /// What decides the results of a point, but the files that it reads: the same in whatever order it sets its keys, if that does not count.
    pub fn spelling(&self, point: &Point) -> Spelling {
        let mut sets: Vec<&Set> = point.sets.iter().collect();
        sets.sort_by_key(|set| set.key());
        let mut keys: Vec<_> = sets.iter().map(|set| self.tasks.plain(set.key())).collect();
        keys.sort_unstable();
        // Keys that begin alike are neighbours now.
        let order_counts = keys.iter().enumerate().any(|(n, outer)| {
            let mut alike = keys[n + 1..].iter().take_while(|inner| inner.starts_with(&**outer));
            alike.any(|inner| meet(inner, outer))
        });
        if order_counts {
            sets = point.sets.iter().collect();
        }
        let spelling = self.common.and(sets.iter().map(|set| set.assignment.as_str()));
        match self.is_planned(point) {
            false => spelling,
            true => spelling.and([PLANNER, &self.plan_run().options().join(" ")]),
        }
    }

    /// The files that a point reads, where they lie and what is in them.
    pub fn inputs(&self) -> Inputs {
        Inputs::new(&self.scenario.directory, self.seen.clone())
    }

    /// Digest of all that decides which points it has, and of the model.
    pub fn digest(&self) -> Digest {
        let planner = if self.has_plans() { PLANNER } else { "" };
        Digest::of([
            planner,
            &self.common.to_string(),
            &self.file,
            &self.text,
            &self.overrides.join("\n"),
        ])
    }

    /// The file of its scenario, if it is one.
    pub(crate) fn scenario_file(&self) -> Option<&Path> {
        self.seen.as_ref().map(Seen::path)
    }

    /// Name and text of its scenario.
    pub fn scenario_text(&self) -> (&str, &str) {
        (&self.scenario.file, &self.scenario.text)
    }
}

impl Column {
    /// The column of tables.
    pub fn data(&self) -> DataColumn {
        let name = match self.unit.as_str() {
            "" => format!("axis.{}", self.key),
            unit => format!("axis.{}_{unit}", self.key),
        };
        DataColumn::new(name, self.kind)
    }

    /// A value of it.
    pub fn value(&self, text: Option<&str>) -> Value {
        text.map_or(Value::Missing, |text| Value::parse(text, self.kind))
    }
}

fn is_of_plan(set: &Set) -> bool {
    asks_for_a_plan(set.key())
}

/// A value without the unit of its column.
fn without<'t>(label: &'t str, unit: &str) -> &'t str {
    match label.strip_suffix(unit) {
        Some(number) if !unit.is_empty() => number.trim_end(),
        _ => label,
    }
}

/// The axes in the order in which points are made, then keys that only listed points set.
fn columns(spec: &Spec) -> Vec<Column> {
    let of_axis = |axis: &Axis| Column {
        key: axis.key.clone(),
        unit: axis.unit().to_owned(),
        kind: match &axis.values {
            Values::Levels(levels) => Kind::of_texts(levels.iter().map(|level| &*level.label)),
            Values::Range(range) if range.is_whole() => Kind::Integer,
            Values::Range(_) => Kind::Number,
        },
    };
    let axes = spec
        .sampled
        .iter()
        .chain(if spec.combinations > 0 { &spec.grid[..] } else { &[] });
    let mut columns: Vec<Column> = axes.map(of_axis).collect();
    for (key, level) in spec.listed.iter().flatten() {
        match columns.iter_mut().find(|column| column.key == *key) {
            Some(column) => column.kind = column.kind.or(Kind::of_texts([without(&level.label, &column.unit)])),
            None => columns.push(Column {
                key: key.clone(),
                unit: String::new(),
                kind: Kind::of_texts([&*level.label]),
            }),
        }
    }
    columns
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Points that are planned: the scenario has `[plan]`, or the point sets a key of it. As `fresco sim` does, the tasks are planned, and what is
//! simulated is the plan.

use crate::PointFailure;
use fresco_input::{Document, InputError, Kind, Table, format_duration};
use fresco_load::ProgramSpec;
use fresco_machine::Machine;
use fresco_plan::check::Objection;
use fresco_plan::{Plan, Refusal, TaskSet, Watch, plan_watched, refusal};
use fresco_scenario::Source;
use fresco_scenario::plan::Work;
use fresco_system::planned::{self, Promise};
use fresco_system::results::ScenarioResult;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Digest of the source of the planner and of the checker of plans, which decide the results of planned points beside [`crate::MODEL`].
pub const PLANNER: &str = env!("FRESCO_PLANNER");

/// From 1 us to 100 s, in picoseconds: as `fresco sim --horizon`.
const TIMES: RangeInclusive<u64> = 1_000_000..=100_000_000_000_000;

/// How plans are run: what `fresco sim` has options for, as no key of a scenario says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanRun {
    /// Length of the run, in ns; `None` for as long as everything takes to repeat, within limits.
    pub horizon_ns: Option<u64>,
    /// Begin with the switch from ordinary refresh.
    pub from_switch_on: bool,
    /// When the mode changes, in ns, of plans of two criticality levels.
    pub mode_change_ns: Option<u64>,
}

impl PlanRun {
    /// Reads `[plan_run]`.
    pub(crate) fn read(table: Table<'_>) -> Result<Self, InputError> {
        let time = |key| -> Result<Option<u64>, InputError> { Ok(table.opt_duration(key, TIMES)?.map(|ps| ps / 1000)) };
        let run = Self {
            horizon_ns: time("horizon")?,
            from_switch_on: table.opt_boolean("from_switch_on")?.unwrap_or(false),
            mode_change_ns: time("mode_change")?,
        };
        table.finish()?;
        Ok(run)
    }

    /// The options of `fresco sim` that say the same.
    pub fn options(&self) -> Vec<String> {
        let time = |option: &str, ns: Option<u64>| ns.map(|ns| format!("--{option}={}", format_duration(ns * 1000)));
        let switch = self.from_switch_on.then(|| "--from-switch-on".to_owned());
        [
            time("horizon", self.horizon_ns),
            switch,
            time("mode-change", self.mode_change_ns),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// With a seed, all that a run of a plan needs.
    pub(crate) fn with_seed(&self, seed: u64) -> planned::Run {
        planned::Run {
            horizon_ns: self.horizon_ns,
            seed,
            from_switch_on: self.from_switch_on,
            mode_change_ns: self.mode_change_ns,
            ..planned::Run::default()
        }
    }
}

/// Returns true if `key=value` sets a key of `[plan]`.
pub(crate) fn asks_for_a_plan(assignment: &str) -> bool {
    first(assignment) == "plan"
}

/// The table at the top of the file that `key=value` is about.
pub(crate) fn first(assignment: &str) -> &str {
    assignment.split(['.', '=']).next().unwrap_or_default().trim()
}

/// The seed of the run of a scenario that is planned: its key `seed`, which the plan itself does not depend on; 1 without.
///
/// # Errors
/// Anything wrong with `overrides`; no whole number, or one that is too large.
pub fn seed(source: &Source, overrides: &[String]) -> Result<u64, InputError> {
    let document = Document::parse(&source.file, &source.with(overrides)?)?;
    Ok(document.root().opt_integer("seed", 0..=u32::MAX)?.map_or(1, u64::from))
}

/// The machine's file, as the set names it; none if it is built in.
pub(crate) fn machine_file(set: &TaskSet) -> Option<PathBuf> {
    let given = &set.machine_given.given;
    fresco_machine::is_path(given).then(|| PathBuf::from(given))
}

/// The traces that its tasks replay.
pub(crate) fn traces(set: &TaskSet) -> Result<Vec<PathBuf>, InputError> {
    let mut traces = Vec::new();
    for task in &set.tasks {
        if let Work::Program { name, parameters } = &task.work {
            traces.extend(ProgramSpec::parse(name, parameters)?.file().map(PathBuf::from));
        }
    }
    Ok(traces)
}

/// Plans a set, and simulates the plan; `None` if it is given up.
pub(crate) fn run(
    set: &TaskSet,
    run: planned::Run,
    is_given_up: &(dyn Fn() -> bool + Sync),
) -> Result<Option<ScenarioResult>, PointFailure> {
    let plan = match plan_watched(set, Watch::new(is_given_up, &|_, _, _| {})) {
        Ok(plan) => plan,
        Err(refusal) if refusal.kind == refusal::Kind::Stopped => return Ok(None),
        Err(refusal) => return Err(refused(set, &refusal)),
    };
    let simulated = planned::simulate_unless(&plan, &set.machine, run, &|| is_given_up());
    let Some(mut result) = simulated.map_err(|error| PointFailure::of(&error, false))? else {
        return Ok(None);
    };
    // That the checker could not finish breaks no promise.
    let _ = add_the_checkers_word(&mut result, &plan, &set.machine);
    Ok(Some(result))
}

/// Why the tasks of a point cannot be planned. A load that no method can carry is known as they are read; the status is that of any load of which
/// there is no plan.
pub(crate) fn unread(error: &InputError) -> PointFailure {
    let failure = PointFailure::of(error, true);
    match error.kind {
        Kind::Infeasible => PointFailure {
            status: WANTING,
            ..failure
        },
        _ => failure,
    }
}

/// Why there is no plan, with the exit status that `fresco sim` has then.
fn refused(set: &TaskSet, refusal: &Refusal) -> PointFailure {
    let by = set
        .options
        .method
        .map_or(String::new(), |method| format!(" by {}", method.name()));
    let is_form = matches!(refusal.kind, refusal::Kind::Machine | refusal::Kind::Form);
    let found = match refusal.is_open() {
        true => "there is no verdict on a plan",
        false => "there is no plan",
    };
    PointFailure {
        status: match is_form && set.options.method.is_some() {
            true => Kind::Input.status(),
            false => WANTING,
        },
        message: format!("{}: {found}{by}: {refusal}", set.name),
        unread: false,
    }
}

/// Exit status of a verb that found what was asked for wanting.
const WANTING: u8 = 1;

/// Adds what `fresco check` finds wrong with the plan, if anything, as a promise that is broken whatever the run was like. That it could
/// not finish breaks none: then why is returned.
pub fn add_the_checkers_word(result: &mut ScenarioResult, plan: &Plan, machine: &Machine) -> Option<Objection> {
    match fresco_plan::check(plan, machine) {
        Ok(_) => None,
        Err(Objection::Violated(violation)) => {
            let unsound = Promise {
                what: "the plan is sound".to_owned(),
                kept: false,
                found: format!("`fresco check` refuses it: {violation}"),
            };
            let runs = result.points.iter_mut().flat_map(|point| &mut point.runs);
            runs.for_each(|run| run.promises.insert(0, unsound.clone()));
            None
        }
        Err(objection) => Some(objection),
    }
}

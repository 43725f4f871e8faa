// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a point runs: its scenario, or its tasks, which are planned.

use crate::address::Read;
use crate::{Axis, Point, Sweep, planned};
use fresco_input::{InputError, Kind};
use fresco_plan::TaskSet;
use fresco_scenario::Scenario;
use fresco_system::planned::Run;

/// What is run.
pub(crate) enum Subject {
    /// A scenario as it stands.
    Scenario(Box<Scenario>),
    /// Tasks that are planned first, and how the plan is run.
    Planned(Box<TaskSet>, Run),
}

impl Subject {
    /// The files that it reads, and the machine if that is built in.
    ///
    /// # Errors
    /// A program of a task is none.
    pub(crate) fn reads(&self) -> Result<Vec<Read>, InputError> {
        let of = |kind, name: &str, path| Read {
            kind,
            name: name.to_owned(),
            path,
        };
        Ok(match self {
            Self::Scenario(scenario) => {
                let (machines, traces) = (scenario.machines(), scenario.traces());
                let machines = machines.into_iter().map(|one| of("machine", &one.name, one.path));
                let traces = traces.into_iter().map(|one| of("trace", &one.name, Some(one.path)));
                machines.chain(traces).collect()
            }
            Self::Planned(set, _) => {
                let machine = of("machine", &set.machine.name, planned::machine_file(set));
                let trace = |path: std::path::PathBuf| {
                    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                    of("trace", &name.unwrap_or_default(), Some(path))
                };
                let traces = planned::traces(set)?.into_iter().map(trace);
                std::iter::once(machine).chain(traces).collect()
            }
        })
    }
}

impl Sweep {
    /// The scenario of a point that is not planned.
    ///
    /// # Errors
    /// Anything that [`Scenario::of`] finds; of what the sweep sets, with the line there.
    pub fn scenario(&self, point: &Point) -> Result<Scenario, InputError> {
        let server = |place: &InputError| {
            let error = fresco_scenario::error_at(place, "found a key that only plans heed");
            error
                .allowed("it at points that are planned")
                .help("remove it, or write set.plan.method = \"crs\"")
        };
        if let Some(set) = point.sets.iter().find(|set| planned::first(set.key()) == "server") {
            return Err(server(&set.place));
        }
        Scenario::of(&self.scenario, &point.set()).map_err(|error| self.placed(error, point))
    }

    /// The tasks of a point that is planned.
    ///
    /// # Errors
    /// Anything that [`TaskSet::of`] finds; of what the sweep sets, with the line there; a scenario with a sweep of its own.
    pub fn task_set(&self, point: &Point) -> Result<TaskSet, InputError> {
        if let Some(axis) = self.inner.first() {
            let found = format!("found a scenario that sweeps {} itself, and is planned", axis.name);
            return Err(fresco_scenario::error_at(&self.spec.scenario_place, found)
                .allowed("a plan is of one set of tasks: axes of the sweep alone")
                .help("move [sweep] of the scenario to [grid] of the sweep"));
        }
        TaskSet::of(&self.scenario, &point.set()).map_err(|error| self.placed(error, point))
    }

    pub(crate) fn subject(&self, point: &Point) -> Result<Subject, InputError> {
        if !self.is_planned(point) {
            return Ok(Subject::Scenario(Box::new(self.scenario(point)?)));
        }
        let set = self.task_set(point)?;
        let seed = planned::seed(&self.scenario, &point.set())?;
        Ok(Subject::Planned(Box::new(set), self.plan_run().with_seed(seed)))
    }

    /// Looks whether the first point can be run, before many are.
    ///
    /// # Errors
    /// What is wrong with it. That no plan can carry its load, or that its data do not fit the memory, is not: others may be smaller.
    pub fn check(&self) -> Result<(), InputError> {
        match self.subject(&self.point(0)) {
            Err(error) if error.kind == Kind::Input => Err(error),
            _ => Ok(()),
        }
    }

    /// Of what a point sets, with the line where that is written.
    fn placed(&self, error: InputError, point: &Point) -> InputError {
        let set = error.file.strip_prefix("--set ").and_then(|text| {
            let is_it = |set: &&crate::Set| set.assignment == text;
            point.sets.iter().rev().find(is_it)
        });
        let Some(set) = set else { return error };
        let is_continuous = |axis: &Axis| axis.key == set.key() && axis.is_continuous();
        let error = error.clone().in_field("").moved_to(&set.place);
        match self.spec.sampled.iter().any(is_continuous) {
            true => {
                let help = format!(
                    "{}; a range has whole numbers with a step, for example step = 1",
                    error.help
                );
                error.help(help)
            }
            false => error,
        }
    }
}

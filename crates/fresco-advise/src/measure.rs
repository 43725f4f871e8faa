// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of a scenario under a partition.

use super::attack::{AttackedRead, longest_read};
use super::candidate::{Candidate, policy};
use super::goal::{Goal, Goals};
use crate::Observer;
use fresco_input::InputError;
use fresco_plan::{Method, Plan, TaskSet};
use fresco_scenario::Source;
use fresco_system::results::{PointResult, TaskSummary};
use fresco_system::{Overview, Role, Scenario};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// A scenario whose partition is to be found.
pub struct Bench {
    source: Source,
    overrides: Vec<String>,
    /// Its only point is as in the file.
    pub scenario: Scenario,
    /// What is known of it.
    pub overview: Overview,
    /// Instructions per cycle of each measured task alone on the machine, the slowest of its copies.
    pub solo: BTreeMap<String, Speed>,
}

/// How fast a task runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Speed {
    /// Instructions per cycle, of the slowest copy.
    pub instructions_per_cycle: f64,
    /// Traffic with memory of all copies, in bytes per second.
    pub bandwidth_bytes_per_s: f64,
    /// Jobs that missed their deadline.
    pub misses: u64,
}

/// What the measured tasks do under one partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Each of them.
    pub speeds: BTreeMap<String, Speed>,
    /// Speed alone on the machine over speed here (MET-5).
    pub slowdowns: BTreeMap<String, f64>,
    /// Sum of the speeds here over those alone (MET-6).
    pub weighted_speedup: f64,
    /// The largest slowdown.
    pub max_slowdown: f64,
    /// The longest reads under attack of tasks with such a goal, where all other goals are met.
    pub reads: BTreeMap<String, AttackedRead>,
    /// All goals are met.
    pub meets_goals: bool,
}

impl Bench {
    /// Reads the scenario, or the tasks of a plan.
    ///
    /// # Errors
    /// The scenario is wrong, sweeps, or says itself which memory tasks get.
    pub fn new(source: Source, overrides: &[String]) -> Result<Self, InputError> {
        let source = source.unpartitioned();
        let scenario = Scenario::of(&source, overrides)?;
        let Some(overview) = scenario.overview() else {
            return Err(InputError::new(source.file, "found a scenario with a sweep")
                .in_field("sweep")
                .allowed("one point: the tasks that run together")
                .help("remove [sweep], or set the one value you mean"));
        };
        if let Some(task) = overview.tasks.iter().find(|task| !task.placement.is_empty()) {
            return Err(InputError::new(
                source.file,
                format!("found {} of {:?}", task.placement.join(", "), task.name),
            )
            .in_field(format!("task.{}", task.name))
            .allowed("tasks that do not say which memory they get: that is what is to be found")
            .help("remove these keys"));
        }
        Ok(Self {
            source,
            overrides: overrides.to_vec(),
            scenario,
            overview,
            solo: BTreeMap::new(),
        })
    }

    /// Runs each measured task alone.
    ///
    /// # Errors
    /// What its run finds.
    pub fn run_alone(&mut self, observer: &dyn Observer) -> Result<(), InputError> {
        let names = self.measured();
        observer.planned(names.len() as u64);
        let alone = names.par_iter().map(|task| {
            let speed = self.alone(task, &[])?;
            observer.done();
            Ok((task.clone(), speed))
        });
        self.solo = alone.collect::<Result<_, InputError>>()?;
        Ok(())
    }

    /// Names of the measured tasks.
    pub fn measured(&self) -> Vec<String> {
        let measured = self.overview.tasks.iter().filter(|task| task.role == Role::Measured);
        measured.map(|task| task.name.clone()).collect()
    }

    /// A measured task without the others, under the buddy allocator unless `more` says something else.
    pub fn alone(&self, name: &str, more: &[String]) -> Result<Speed, InputError> {
        Ok(speed(&self.point_alone(name, more)?, name))
    }

    fn point_alone(&self, name: &str, more: &[String]) -> Result<PointResult, InputError> {
        let mut overrides = vec![policy(&self.overview, "buddy", false)];
        if self.overview.tasks.iter().any(|task| task.role == Role::Background) {
            overrides.push("corunners=0".to_owned());
        }
        for task in self.overview.tasks.iter().filter(|task| task.role == Role::Measured) {
            if task.name != name {
                overrides.push(format!("task.{}.copies=0", task.name));
            } else if !task.is_team && task.cores.len() > 1 {
                overrides.push(format!("task.{name}.copies=1"));
            }
        }
        overrides.extend_from_slice(more);
        self.run(&overrides)
    }

    /// All tasks together; `None` if the observer says that it is over while reads are attacked.
    ///
    /// # Errors
    /// What the scenario's run finds: programs that do not fit their colors, above all.
    pub fn together(
        &self,
        overrides: &[String],
        goals: &Goals,
        observer: &dyn Observer,
    ) -> Result<Option<Outcome>, InputError> {
        let scenario = Scenario::of(&self.source, &self.with(overrides))?;
        let point = run(&scenario)?;
        let (mut speeds, mut slowdowns) = (BTreeMap::new(), BTreeMap::new());
        let mut weighted_speedup = 0.0;
        for (name, solo) in &self.solo {
            let speed = speed(&point, name);
            let ipc = speed.instructions_per_cycle;
            slowdowns.insert(
                name.clone(),
                if ipc > 0.0 {
                    solo.instructions_per_cycle / ipc
                } else {
                    f64::MAX
                },
            );
            weighted_speedup += copies(&point, name)
                .map(|task| task.instructions_per_cycle.mean / solo.instructions_per_cycle)
                .sum::<f64>();
            speeds.insert(name.clone(), speed);
        }
        let meets = |(name, speed): (&String, &Speed)| {
            let goal = &goals[name];
            let enough = goal
                .bandwidth_bytes_per_s
                .is_none_or(|bytes| speed.bandwidth_bytes_per_s >= bytes as f64);
            slowdowns[name] <= goal.max_slowdown && speed.misses == 0 && enough
        };
        let meets_others = speeds.iter().all(meets);
        let mut reads = BTreeMap::new();
        for (name, _) in goals.iter().filter(|(_, goal)| meets_others && goal.read_ps.is_some()) {
            let Some(read) = longest_read(&scenario, name, observer) else {
                return Ok(None);
            };
            reads.insert(name.clone(), read);
        }
        let is_within = |(name, goal): (&String, &Goal)| {
            let most = goal.read_ps;
            most.is_none_or(|most| reads.get(name).is_some_and(|read| read.observed_ps <= most))
        };
        Ok(Some(Outcome {
            meets_goals: meets_others && goals.iter().all(is_within),
            reads,
            max_slowdown: slowdowns.values().copied().fold(0.0, f64::max),
            speeds,
            slowdowns,
            weighted_speedup,
        }))
    }

    /// Whole periods of budgets within the measured phase of a task that runs alone and is regulated; the fewest of all tasks.
    ///
    /// # Errors
    /// What a run finds.
    pub fn budget_periods(&self) -> Result<u64, InputError> {
        let names = self.measured();
        let counted = names.par_iter().map(|name| {
            let point = self.point_alone(name, &[policy(&self.overview, "buddy", true)])?;
            let tasks = point.runs.iter().flat_map(|run| &run.tasks);
            let periods = tasks.filter_map(|task| Some(task.regulation.as_ref()?.counts.periods));
            Ok(periods.min().unwrap_or(0))
        });
        let counted: Vec<u64> = counted.collect::<Result<_, InputError>>()?;
        Ok(counted.into_iter().min().unwrap_or(0))
    }

    fn run(&self, overrides: &[String]) -> Result<PointResult, InputError> {
        run(&Scenario::of(&self.source, &self.with(overrides))?)
    }

    fn with(&self, overrides: &[String]) -> Vec<String> {
        self.overrides.iter().chain(overrides).cloned().collect()
    }

    /// The partition as a plan that other tools read; nothing is run.
    ///
    /// # Errors
    /// What a plan has no place for: tasks that start later, threads of one program whose colors differ.
    pub fn plan(&self, candidate: &Candidate) -> Result<Plan, InputError> {
        self.planned(candidate, Vec::new())
    }

    pub(crate) fn planned(&self, candidate: &Candidate, reasons: Vec<String>) -> Result<Plan, InputError> {
        let mut overrides = candidate.overrides(&self.overview);
        overrides.push(format!("plan.method={}", Method::Partition.name()));
        let source = &self.source;
        let set = TaskSet::of(source, &self.with(&overrides))?;
        let plan = fresco_plan::plan(&set).map_err(|refusal| {
            InputError::new(source.file.clone(), format!("found tasks without a plan: {refusal}"))
                .help("advise without --plan")
        });
        let mut plan = plan?;
        plan.reasons.extend(reasons);
        Ok(plan)
    }
}

fn run(scenario: &Scenario) -> Result<PointResult, InputError> {
    let mut result = fresco_system::run_all(scenario, 1, &|_| {})?;
    Ok(result.points.swap_remove(0))
}

/// The copies of a task.
fn copies<'p>(point: &'p PointResult, name: &str) -> impl Iterator<Item = &'p TaskSummary> {
    let is_copy = |task: &&TaskSummary| {
        let number = task.name.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
        task.name == name || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    point.tasks.iter().filter(is_copy).collect::<Vec<_>>().into_iter()
}

fn speed(point: &PointResult, name: &str) -> Speed {
    let ipc = copies(point, name).map(|task| task.instructions_per_cycle.mean);
    Speed {
        instructions_per_cycle: ipc.fold(f64::INFINITY, f64::min),
        bandwidth_bytes_per_s: copies(point, name).map(|task| task.bandwidth_bytes_per_s.mean).sum(),
        misses: copies(point, name)
            .filter_map(|task| Some(task.jobs.as_ref()?.misses))
            .sum(),
    }
}

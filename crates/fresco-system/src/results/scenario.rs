// SPDX-License-Identifier: MIT OR Apache-2.0
//! All runs of a scenario, and what they amount to.

use super::jobs::JobsSummary;
use super::reads::Reads;
use super::recorder::ReadRecorder;
use super::spread::{Spread, ratio};
use super::{DividedRows, RunResult, TaskResult, TeamSummary, Together};
use crate::{Axis, Extent, Role, Scenario};
use fresco_machine::Machine;
use fresco_scenario::Setup;
use fresco_scenario::plan::{Method, Plan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Results of a scenario: everything needed to draw its figures and to make its runs again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScenarioResult {
    /// Name of the scenario.
    pub scenario: String,
    /// One line for people; may be empty.
    pub title: String,
    /// The method of the plan that was run; `None` if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// Seed of the first repetition.
    pub seed: u64,
    /// Runs of each point.
    pub repetitions: u32,
    /// The sweep.
    pub axes: Vec<Axis>,
    /// All combinations of the axes' values, the last axis running fastest.
    pub points: Vec<PointResult>,
    /// `None` if all runs were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
}

/// How much there is of a scenario that was stopped: the repetitions and values of axes that are whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// Runs that the result holds.
    pub made: usize,
    /// Runs that the scenario has.
    pub all: usize,
}

/// One combination of values: its repetitions and their summary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PointResult {
    /// Its value on each axis.
    pub values: Vec<String>,
    /// Number of the point that slowdowns are relative to, if it is another one.
    pub baseline: Option<usize>,
    /// Name of the machine.
    pub machine: String,
    /// Fingerprint of the machine's file and of the values set in its place.
    pub machine_digest: String,
    /// Its row domains, if tasks or agents name some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_domains: Option<DividedRows>,
    /// Loads and stores of each task that filled caches before, in no time.
    #[serde(default, skip_serializing_if = "super::task::is_none")]
    pub fill: u64,
    /// Warm-up of each measured task.
    pub warm_up: Extent,
    /// Measured phase of each measured task.
    pub measure: Extent,
    /// Summary over the repetitions, by task.
    pub tasks: Vec<TaskSummary>,
    /// Summary over the repetitions, of all tasks.
    pub together: Together,
    /// Programs of several threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<TeamSummary>,
    /// Each repetition.
    pub runs: Vec<RunResult>,
}

/// One task over all repetitions of a point. A [`Spread`] has one value per repetition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskSummary {
    /// Name of the task's copy.
    pub name: String,
    /// Measured or background.
    pub role: Role,
    /// Core it is pinned to.
    pub core: u32,
    /// Length of the measured phase, in nanoseconds.
    pub run_time_ns: Spread,
    /// Run time per load or store, in nanoseconds.
    pub access_time_ns: Spread,
    /// Instructions executed per core cycle (IPC).
    pub instructions_per_cycle: Spread,
    /// Mean latency of the reads that missed all caches, in nanoseconds.
    pub read_latency_ns: Spread,
    /// Lines read from memory, and lines that left the last cache for it, in bytes per second.
    pub bandwidth_bytes_per_s: Spread,
    /// Share of the reads that found their row open, of those that went to a bank: row-buffer locality (MET-7); 0 without reads.
    pub row_hit_share: Spread,
    /// Lines that it fetched from memory, per thousand instructions (MET-8).
    pub misses_per_kilo_instruction: Spread,
    /// IPC of the same task at the baseline's point over its IPC here, repetition by repetition (MET-5): how many times
    /// slower it became. `None` if there is no baseline, or the task does not run there.
    pub slowdown: Option<Spread>,
    /// Its jobs, if it is periodic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<JobsSummary>,
    /// The most that the slowdown can be, from the reservations of its core and of the others ([`crate::bandwidth::bound`],
    /// LIM-1), over all repetitions. `None` without regulation or baseline, or where nothing follows from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown_bound: Option<f64>,
    /// All reads of all repetitions together.
    pub reads: Reads,
}

impl ScenarioResult {
    /// Puts the runs of a scenario, or of a part of it, together in the order of [`Scenario::runs`]; `all` is how many the whole
    /// scenario has.
    pub(crate) fn new(scenario: &Scenario, runs: Vec<RunResult>, all: usize) -> Self {
        let made = runs.len();
        let mut runs = runs.into_iter();
        let by_point = scenario
            .points
            .iter()
            .map(|_| runs.by_ref().take(scenario.repetitions as usize).collect());
        Self {
            seed: scenario.seed,
            repetitions: scenario.repetitions,
            stopped: (made < all).then_some(Stopped { made, all }),
            ..Self::of_points(scenario, by_point.collect())
        }
    }

    /// Each repetition by itself: what the scenario, whose result this is, would have found with its seed alone.
    pub fn by_seed(&self, scenario: &Scenario) -> Vec<Self> {
        let of_repetition = |repetition: u32| {
            let runs = |point: &PointResult| {
                let run = point.runs[repetition as usize].clone();
                vec![RunResult { repetition: 0, ..run }]
            };
            Self {
                seed: self.seed + u64::from(repetition),
                ..Self::of_points(scenario, self.points.iter().map(runs).collect())
            }
        };
        (0..self.repetitions).map(of_repetition).collect()
    }

    /// One repetition, or several, of each point.
    fn of_points(scenario: &Scenario, by_point: Vec<Vec<RunResult>>) -> Self {
        let summaries: Vec<(Vec<TaskSummary>, Together)> = std::iter::zip(&scenario.points, &by_point)
            .map(|(point, runs)| {
                let baseline = point.baseline.map(|base| by_point[base].as_slice());
                let mut tasks = summaries(runs, baseline);
                if !point.setup.machine.fabric.is_unlimited() || !point.setup.agents.is_empty() {
                    // The formula knows no wait before the controllers, and no device, which no budget holds back.
                    tasks.iter_mut().for_each(|task| task.slowdown_bound = None);
                }
                (tasks, Together::of(runs, baseline))
            })
            .collect();
        let label = |(axis, value): (&Axis, &usize)| axis.values[*value].clone();
        let points = std::iter::zip(&scenario.points, std::iter::zip(by_point, summaries));
        let points = points.map(|(point, (runs, (tasks, together)))| PointResult {
            values: std::iter::zip(&scenario.axes, &point.values).map(label).collect(),
            baseline: point.baseline,
            machine: point.setup.machine.name.clone(),
            machine_digest: point.setup.machine.text_digest.clone(),
            row_domains: divided(&point.setup),
            fill: point.setup.fill,
            warm_up: point.setup.warm_up,
            measure: point.setup.measure,
            tasks,
            together,
            teams: teams(&point.setup, &runs),
            runs,
        });
        Self {
            scenario: scenario.name.clone(),
            title: scenario.title.clone(),
            method: None,
            seed: scenario.seed,
            repetitions: 1,
            points: points.collect(),
            axes: scenario.axes.clone(),
            stopped: None,
        }
    }

    /// The one run of a plan; `threads` says by task which program of several threads it belongs to.
    pub(crate) fn of_plan(plan: &Plan, machine: &Machine, threads: &[Option<usize>], run: RunResult) -> Self {
        let (seed, end, runs) = (run.seed, run.to_ps, vec![run]);
        let programs: BTreeSet<usize> = threads.iter().flatten().copied().collect();
        let team = |program: usize| {
            let own = std::iter::zip(threads, &runs[0].tasks).filter(|(of, _)| **of == Some(program));
            let tasks: Vec<&TaskResult> = own.map(|(_, task)| task).collect();
            // `threads` of `threads.0`.
            let name = tasks.first()?.name.split('.').next()?;
            TeamSummary::of(name, std::slice::from_ref(&tasks))
        };
        let point = PointResult {
            values: Vec::new(),
            baseline: None,
            machine: machine.name.clone(),
            machine_digest: machine.text_digest.clone(),
            row_domains: None,
            fill: 0,
            warm_up: Extent::Time(0),
            measure: Extent::Time(end),
            tasks: summaries(&runs, None),
            together: Together::of(&runs, None),
            teams: programs.into_iter().filter_map(team).collect(),
            runs,
        };
        Self {
            scenario: plan.name.clone(),
            title: format!("Plan {}: {} on {}", plan.name, plan.method.name(), machine.name),
            method: Some(plan.method),
            seed,
            repetitions: 1,
            axes: Vec::new(),
            points: vec![point],
            stopped: None,
        }
    }
}

/// How the memory of a point is divided, if tasks or agents name row domains.
fn divided(setup: &Setup) -> Option<DividedRows> {
    let tasks = setup.tasks.iter().map(|task| (task.name.as_str(), &task.rows));
    let agents = setup.agents.iter().map(|agent| (agent.name.as_str(), &agent.rows));
    let rows = setup.rows.as_deref()?;
    Some(DividedRows::new(rows, &setup.machine, tasks.chain(agents)))
}

/// The programs of several threads of a point.
fn teams(setup: &Setup, runs: &[RunResult]) -> Vec<TeamSummary> {
    let of_task = |task: usize| {
        let own = |run| {
            let run: &RunResult = run;
            let tasks = std::iter::zip(&setup.copies, &run.tasks);
            tasks
                .filter(|(copy, _)| copy.task == task)
                .map(|(_, task)| task)
                .collect()
        };
        let runs: Vec<Vec<&TaskResult>> = runs.iter().map(own).collect();
        TeamSummary::of(&setup.tasks[task].name, &runs)
    };
    (0..setup.tasks.len()).filter_map(of_task).collect()
}

/// Every task of a point; the repetitions have the same tasks.
fn summaries(runs: &[RunResult], baseline: Option<&[RunResult]>) -> Vec<TaskSummary> {
    let tasks = runs.first().map_or(0, |run| run.tasks.len());
    (0..tasks).map(|number| summary(runs, number, baseline)).collect()
}

fn summary(runs: &[RunResult], number: usize, baseline: Option<&[RunResult]>) -> TaskSummary {
    let spread = |value: fn(&TaskResult) -> f64| Spread::of(runs.iter().map(|run| value(&run.tasks[number])));
    let first = &runs[0].tasks[number];
    let mut recorder = ReadRecorder::default();
    runs.iter().for_each(|run| recorder.add(&run.tasks[number].recorder));
    let slowdowns = baseline.and_then(|baseline| {
        let pairs = std::iter::zip(runs, baseline);
        pairs
            .map(|(run, base)| run.slowdown(number, base))
            .collect::<Option<Vec<f64>>>()
    });
    TaskSummary {
        name: first.name.clone(),
        role: first.role,
        core: first.core,
        run_time_ns: spread(|task| super::ns(task.run_time_ps)),
        access_time_ns: spread(|task| task.access_time_ns),
        instructions_per_cycle: spread(|task| task.instructions_per_cycle),
        read_latency_ns: spread(|task| task.reads.latency.mean_ns),
        bandwidth_bytes_per_s: spread(|task| task.bandwidth_bytes_per_s),
        row_hit_share: spread(|task| task.reads.rows.hit_share().unwrap_or(0.0)),
        misses_per_kilo_instruction: spread(|task| {
            let lines = task.reads.count - task.reads.joined;
            ratio(1000.0 * lines as f64, task.instructions as f64)
        }),
        slowdown: slowdowns.map(Spread::of),
        slowdown_bound: baseline.and_then(|baseline| super::bound::slowdown(runs, baseline, number)),
        jobs: JobsSummary::of(runs.iter().map(|run| run.tasks[number].jobs.as_ref())),
        reads: recorder.reads(),
    }
}

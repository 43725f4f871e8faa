// SPDX-License-Identifier: MIT OR Apache-2.0
//! One run: from what the engine counted to results, whatever the run was made of.

use super::{
    AgentResult, CacheCounts, ControllerResult, JobsResult, Measured, Memory, Pages, RefreshMet, RegulationResult,
    RowsApart, TaskResult,
};
use crate::experiment::{
    CheckerVerdict, CoreOutcome, Experiment, JobRecord, RankRefresh, RunOutcome, TaskOutcome, Timeline, WindowsKept,
};
use crate::planned::Promise;
use fresco_dram::Ps;
use fresco_frames::Coloring;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunResult {
    /// Number of its point in the sweep.
    pub point: usize,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Seed of page frames and programs.
    pub seed: u64,
    /// When all measured tasks had warmed up, in picoseconds since the start of the run.
    pub from_ps: Ps,
    /// When the last measured task ended its phase, or the horizon of the run.
    pub to_ps: Ps,
    /// What a plan promises, and whether it held in this run; empty without a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<Promise>,
    /// What a plan of two criticality levels promises of a change of mode, if none came in this run; empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_looked_at: Vec<String>,
    /// The tasks in the order of the scenario, a task's copies one after the other.
    pub tasks: Vec<TaskResult>,
    /// Devices that are no cores, in the order of the scenario, from `from_ps` to `to_ps`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentResult>,
    /// Verdict of the independent judge of row domains, if tasks or devices have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_apart: Option<RowsApart>,
    /// The cores, by number.
    pub cores: Vec<CoreOutcome>,
    /// The ranks of all channels, by channel, then by rank; empty where the checker was not asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankRefresh>,
    /// How well each channel kept a plan's windows; empty where the machine's own policy refreshes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowsKept>,
    /// The controllers, by node, from `from_ps` to `to_ps`: longer than the phases of tasks, see [`ControllerResult`].
    pub controllers: Vec<ControllerResult>,
    /// What bandwidth regulation did, if there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regulation: Option<RegulationResult>,
    /// Verdict of the independent checker of DRAM commands; `None` if it was not asked.
    pub checker: Option<CheckerVerdict>,
    /// Who ran when in the part that was recorded: always where tasks are periodic, otherwise where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

impl RunResult {
    /// The results of an experiment, as the first repetition of the first point. Jobs of a task that are released before
    /// `warm` of it are not counted.
    pub(crate) fn new(experiment: &Experiment, outcome: RunOutcome, warm: impl Fn(&fresco_rt::Task) -> Ps) -> Self {
        let (from_ps, to_ps) = outcome.counted_ps;
        let is_periodic = experiment.tasks.iter().any(|task| task.timing.periodic().is_some());
        let is_recorded = is_periodic || outcome.timeline.recorded_ps > 0;
        let (regulation, cores) = outcome.regulation.map(|all| (all.rules, all.cores)).unzip();
        let cores = cores.unwrap_or_default();
        let tasks = outcome.tasks.into_iter().enumerate();
        let tasks = tasks.map(|(number, task)| {
            let result = task_result(experiment, number, task, to_ps, &warm);
            let budget = cores.iter().find(|budget| budget.core == result.core);
            TaskResult {
                regulation: budget.map(|budget| budget.budget.clone()),
                ..result
            }
        });
        let memory = &experiment.machine.memory;
        let line_bytes = memory.timing.bytes_of_line(&memory.organisation);
        let agents = std::iter::zip(&experiment.agents, &outcome.agents);
        let agents = agents.map(|(agent, did)| AgentResult::new(agent, did, line_bytes, to_ps - from_ps));
        Self {
            point: 0,
            repetition: 0,
            seed: outcome.seed,
            from_ps,
            to_ps,
            promises: Vec::new(),
            not_looked_at: Vec::new(),
            tasks: tasks.collect(),
            agents: agents.collect(),
            rows_apart: outcome.rows_apart,
            cores: outcome.cores,
            // Recording a timeline shows them too, and changes nothing else.
            ranks: match outcome.checker {
                Some(_) => outcome.ranks,
                None => Vec::new(),
            },
            windows: match outcome.windows.iter().any(|kept| kept.windows > 0) {
                true => outcome.windows,
                false => Vec::new(),
            },
            controllers: outcome.controllers,
            regulation,
            checker: outcome.checker,
            timeline: is_recorded.then_some(outcome.timeline),
        }
    }
}

fn task_result(
    experiment: &Experiment,
    number: usize,
    mut outcome: TaskOutcome,
    end: Ps,
    warm: &impl Fn(&fresco_rt::Task) -> Ps,
) -> TaskResult {
    let timing = experiment.tasks[number].timing.periodic();
    let jobs = std::mem::take(&mut outcome.jobs);
    let met_refresh = RefreshMet {
        planned: outcome.met_refresh,
        at_start: outcome.met_refresh_at_start,
    };
    let memories = match outcome.banks.len() {
        0 | 1 => Vec::new(),
        _ => outcome
            .banks
            .iter()
            .map(|banks| Memory { banks: banks.clone() })
            .collect(),
    };
    let (synthetic, copies) = (outcome.synthetic_operations, (outcome.copies, outcome.copied_bytes));
    let is_of_phase = outcome.measured.is_some();
    let measured = match outcome.measured.take() {
        Some(measured) => measured,
        None => whole_run(experiment, number, outcome, &jobs, end),
    };
    TaskResult {
        jobs: timing.map(|timing| JobsResult::new(timing, jobs, warm(timing), end)),
        // It is counted over the whole run.
        met_refresh: (!is_of_phase).then_some(met_refresh),
        memories,
        synthetic_operations: synthetic,
        copies: copies.0,
        copied_bytes: copies.1,
        ..TaskResult::new(experiment, number, measured)
    }
}

/// What was counted of a task in a run without phases: from time 0 to the end.
fn whole_run(experiment: &Experiment, number: usize, outcome: TaskOutcome, jobs: &[JobRecord], end: Ps) -> Measured {
    let spec = &experiment.tasks[number];
    let pass_times = match spec.timing.periodic() {
        Some(_) => {
            let ended = jobs.iter().filter(|job| job.end_ps.is_some());
            ended.map(|job| job.execution_ps).collect()
        }
        None => Vec::new(),
    };
    // Pages that are mapped before time 0 fault in no time.
    let faults = (
        outcome.allocation.alloc.calls - outcome.table_frames,
        outcome.page_faults.count,
    );
    let (time, moved) = (outcome.page_faults.time_ps, outcome.pages_moved);
    Measured {
        phase: (0, end),
        // 0 if jobs of higher priority never left it the core: all its jobs are missed then.
        run_time: outcome.executing_ps,
        banks: outcome.banks.into_iter().next().unwrap_or_default(),
        llc: match &spec.instances[0].coloring {
            Coloring::Explicit { llc, .. } | Coloring::Automatic { llc, .. } => llc.clone(),
            Coloring::Off => None,
        },
        passes: outcome.passes,
        pass_times,
        instructions: outcome.instructions,
        operations: outcome.operations,
        fetches: outcome.fetches,
        tlb: outcome.tlb,
        caches: CacheCounts::default(),
        write_backs: outcome.write_backs,
        pages: Pages {
            by_bank: outcome.pages_by_bank,
            ..Pages::new(&experiment.frames.cost, &outcome.allocation, faults, time, moved)
        },
        recorder: outcome.recorder,
        thread: outcome.thread,
    }
}

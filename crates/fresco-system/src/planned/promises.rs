// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a plan promises, beside what happened.

use crate::experiment::{JobRecord, ModeChange, RunOutcome, TaskOutcome};
use fresco_dram::Ps;
use fresco_dram::color::parse_list;
use fresco_input::{format_duration, spell_duration};
use fresco_scenario::plan::{Plan, PlannedTask, Schedule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A promise of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    /// What is promised.
    pub what: String,
    /// Whether it held in the run.
    pub kept: bool,
    /// What was found.
    pub found: String,
}

const DEADLINES: &str = "every job meets its deadline";
const DEADLINES_OF_MODES: &str =
    "every job of high criticality meets its deadline, and every other up to the change of mode";
const DROPPED: &str = "no job of low criticality is released or ends after the change of mode";
const ROWS: &str = "every row is refreshed within the retention time of its mode";
const BOUNDS: &str = "no response exceeds its bound";
const NO_REFRESH_MET: &str = "no access meets a refresh";
const WINDOWS: &str = "every refresh window begins on time";
const PAGES: &str = "every page lies in the colors of its task";
const DEVICE: &str = "the device's timing and retention are kept";

/// What a plan promises, before it has run: the promises that its run is judged by.
pub fn promised(plan: &Plan) -> Vec<&'static str> {
    let mut all = Vec::new();
    if !plan.proofs.is_empty() {
        all.extend([DEADLINES, BOUNDS]);
    }
    if hides(plan) {
        all.extend([NO_REFRESH_MET, WINDOWS]);
    }
    if plan.tasks.iter().any(|task| banks(plan, task).is_some()) {
        all.push(PAGES);
    }
    all.push(DEVICE);
    all
}

/// What the plan promises of a change of mode, if none came in the run.
pub(super) fn not_looked_at(plan: &Plan, change: Option<&ModeChange>) -> Vec<String> {
    let has = plan.high.is_some() && change.is_none();
    let all = [DEADLINES_OF_MODES, DROPPED, ROWS].map(str::to_owned);
    if has { all.to_vec() } else { Vec::new() }
}

/// Whether no access may meet a refresh.
fn hides(plan: &Plan) -> bool {
    plan.method.hides_refresh() && !matches!(plan.schedule, Schedule::Fair { .. })
}

/// Deadlines if the plan proves them, no access that meets a refresh if its method hides refresh (REF-17), memory of a task's own
/// colors if it has any, and of every plan that the device is not hurt.
pub(super) fn of(plan: &Plan, change: Option<&ModeChange>, result: &RunOutcome) -> Vec<Promise> {
    let mut promises = Vec::new();
    let mut add = |what: &str, kept: bool, found: String| {
        promises.push(Promise {
            what: what.to_owned(),
            kept,
            found,
        });
    };
    if !plan.proofs.is_empty() {
        let misses: u64 = result.tasks.iter().map(|task| task.misses).sum();
        let released: u64 = result.tasks.iter().map(|task| task.released).sum();
        // Told with the deadlines even if these are met: what the proofs rest on did not hold.
        let why = longest_beyond(plan, change, result).map_or_else(String::new, |longer| format!("; {longer}"));
        let found = format!("{misses} of {released} jobs missed");
        match change {
            None => add(DEADLINES, misses == 0, found + &why),
            Some(change) => {
                let abandoned = |job: &&JobRecord| job.abandoned_ps.is_some();
                let jobs = result.tasks.iter().flat_map(|task| &task.jobs);
                let abandoned = jobs.filter(abandoned).count();
                let at = format_duration(change.at_ns.saturating_mul(1000));
                let found = format!("{found}, {abandoned} abandoned at {at}{why}");
                add(DEADLINES_OF_MODES, misses == 0, found);
                let late = late_of_low(plan, change, result);
                add(DROPPED, late == 0, format!("{late} jobs are"));
            }
        }
        let late = plan.tasks.iter().zip(&result.tasks).find_map(|(task, outcome)| {
            let bound = task.response_bound_ns?.saturating_mul(1000);
            let worst = outcome.response.as_ref()?.max_ps;
            let [worst_text, bound_text] = [worst, bound].map(spell_duration);
            (worst > bound).then(|| format!("{}: {worst_text}, bound {bound_text}{why}", task.name))
        });
        let kept = late.is_none();
        add(BOUNDS, kept, late.unwrap_or_else(|| "none does".to_owned()));
    }
    if hides(plan) {
        let reads: u64 = result.tasks.iter().map(|task| task.met_refresh.reads).sum();
        let writes: u64 = result.tasks.iter().map(|task| task.met_refresh.writes).sum();
        let before: u64 = result
            .tasks
            .iter()
            .map(|task| task.met_refresh_at_start.accesses())
            .sum();
        add(
            NO_REFRESH_MET,
            reads + writes == 0,
            match before {
                0 => format!("{reads} reads and {writes} write-backs did"),
                before => {
                    format!("{reads} reads and {writes} write-backs did; {before} before the first windows (E34)")
                }
            },
        );
        let late = result.windows.iter().map(|kept| kept.late).sum::<u64>();
        let windows = result.windows.iter().map(|kept| kept.windows).sum::<u64>();
        add(WINDOWS, late == 0, format!("{late} of {windows} began late"));
    }
    let (inside, all) = pages(plan, result);
    if all > 0 {
        add(PAGES, inside == all, format!("{inside} of {all} do"));
    }
    if let (Some(checker), Some(change)) = (&result.checker, change) {
        let time = |ns: u64| format_duration(ns.saturating_mul(1000));
        let found = format!(
            "{} rows late: {}, and {} from {} on, where each has been refreshed by {} later",
            checker.late_rows,
            time(plan.memory.retention_ns),
            time(change.retention_ns),
            time(change.begins_ns),
            time(change.settled_ns)
        );
        add(ROWS, checker.late_rows == 0, found);
    }
    if let Some(checker) = &result.checker {
        let found = format!("{} violations, {} rows late", checker.violations, checker.late_rows);
        add(DEVICE, checker.clean, found);
    }
    promises
}

/// A job that took longer than its WCET.
struct Longer<'p> {
    task: &'p str,
    job: u64,
    took: Ps,
    wcet: Ps,
}

/// The job that goes the furthest beyond its WCET, which all proofs rest on: the cause of what it is told beside.
fn longest_beyond(plan: &Plan, change: Option<&ModeChange>, result: &RunOutcome) -> Option<String> {
    let at = change.map_or(Ps::MAX, |change| change.at_ns * 1000);
    let tasks = plan.tasks.iter().zip(&result.tasks);
    let all: Vec<Longer> = tasks.filter_map(|(task, outcome)| beyond(task, outcome, at)).collect();
    let longest = all.iter().max_by_key(|longer| longer.took - longer.wcet)?;
    let others = match all.len() - 1 {
        0 => String::new(),
        1 => ", and one other task has longer ones, too".to_owned(),
        others => format!(", and {others} other tasks have longer ones, too"),
    };
    let [took, wcet] = [longest.took, longest.wcet].map(spell_duration);
    let Longer { task, job, .. } = longest;
    Some(format!(
        "job {job} of {task} took {took}, longer than its WCET of {wcet}{others}"
    ))
}

/// The job of a task that goes the furthest beyond its WCET, in high mode from `high` on.
fn beyond<'p>(task: &'p PlannedTask, outcome: &TaskOutcome, high: Ps) -> Option<Longer<'p>> {
    let of = |job: &JobRecord| {
        let is_high = job.end_ps.or(job.abandoned_ps).unwrap_or(Ps::MAX) > high;
        let wcet = if is_high {
            task.wcet_ns.max(task.wcet_high_ns)
        } else {
            task.wcet_ns
        } * 1000;
        // WCETs contain neither waits for refreshes nor copies.
        let copy = if job.copied_bytes > 0 {
            task.copy_ns.unwrap_or(0) * 1000
        } else {
            0
        };
        let took = job
            .execution_ps
            .saturating_sub(job.refresh_wait_ps.saturating_add(copy));
        Longer {
            task: &task.name,
            job: job.job,
            took,
            wcet,
        }
    };
    let jobs = outcome.jobs.iter().filter(|_| task.period_ns > 0).map(of);
    jobs.filter(|job| job.took > job.wcet)
        .max_by_key(|job| job.took - job.wcet)
}

/// Jobs of tasks that the plan drops at the change which are released or end after it.
fn late_of_low(plan: &Plan, change: &ModeChange, result: &RunOutcome) -> usize {
    let at = change.at_ns * 1000;
    let low = plan.tasks.iter().zip(&result.tasks);
    let low = low.filter(|(task, _)| task.period_ns > 0 && task.wcet_high_ns == 0);
    let jobs = low.flat_map(|(_, outcome)| &outcome.jobs);
    jobs.filter(|job| job.release_ps >= at || job.end_ps.is_some_and(|end| end > at))
        .count()
}

/// Of the first memory of tasks that have colors: pages in the bank colors of these, and all pages.
fn pages(plan: &Plan, result: &RunOutcome) -> (u64, u64) {
    let mut pages = (0, 0);
    for (task, outcome) in plan.tasks.iter().zip(&result.tasks) {
        let Some(banks) = banks(plan, task) else { continue };
        for (bank, count) in &outcome.pages_by_bank {
            pages.0 += if banks.contains(bank) { *count } else { 0 };
            pages.1 += count;
        }
    }
    pages
}

/// Bank colors of all colors in which a task has memory; `None` if it has none.
fn banks(plan: &Plan, task: &PlannedTask) -> Option<BTreeSet<u32>> {
    let colors: BTreeSet<usize> = (0..task.instances.len())
        .flat_map(|instance| task.colors_of(instance))
        .collect();
    let lists = colors.iter().filter_map(|&color| plan.colors.get(color));
    let banks = lists.filter_map(|color| parse_list(&color.bank_colors, u32::MAX, "bank_colors").ok());
    (!colors.is_empty()).then(|| banks.flatten().collect())
}

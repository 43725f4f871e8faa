// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks high mode: that it is sound by itself, that rows are refreshed in time while the mode changes, and that tasks of high criticality meet their
//! deadlines whenever it does.

use super::deadlines::slots_of;
use super::report::{CheckReport, Stop, Violation, holds};
use super::spans::{Spans, first_outside, union};
use super::{charges, handlers, hiding, kinds, layout, retention, switchover, words};
use crate::Method;
use crate::plan::{Evidence, HighMode, Plan, PlannedTask, Proof, RefreshPlan, Schedule};
use fresco_machine::Machine;
use fresco_rt::criticality::DualTask;
use fresco_rt::criticality::certificate::{check_demand, check_responses};
use fresco_rt::policy::Policy;
use fresco_rt::supply::{AutoRefresh, SlotTable, Supply};
use fresco_rt::{Task, Time};
use fresco_scenario::plan::RankMemory;

/// Most turns of a schedule or a refresh in a retention time.
const MOST_TURNS: Time = 1 << 20;

pub(super) fn check(plan: &Plan, machine: &Machine, report: &mut CheckReport) -> Result<(), Stop> {
    let Some(high) = &plan.high else {
        for (number, task) in plan.tasks.iter().enumerate() {
            let none = task.wcet_high_ns == 0 && task.virtual_deadline_ns == 0;
            holds! { none, format!("tasks[{number}] ({})", task.name), "has a high mode, which the plan has not" }
        }
        return Ok(());
    };
    tasks(plan)?;
    let every = plan.memory.retention_ns;
    let divides = high.retention_ns > 0 && every.is_multiple_of(high.retention_ns);
    holds! { divides, "high.retention_ns", "is {} ns; the retention time of low mode, {every} ns, is no multiple of it", high.retention_ns }
    let all = u128::from(plan.memory.commands) * u128::from(plan.memory.trfc_ns);
    holds! {
        u128::from(high.retention_ns) >= all, "high.retention_ns",
        "is {} ns; to refresh all rows of a rank takes {all} ns", high.retention_ns
    }
    by_itself(plan, high, machine).map_err(within)?;
    let settled = switchover::check(plan, high)?;
    holds! {
        settled <= high.settled_ns, "high.settled_ns",
        "is {} ns; a row waits for {settled} ns after the schedule of high mode begins", high.settled_ns
    }
    let mut proved = vec![false; plan.tasks.len()];
    for (number, proof) in high.proofs.iter().enumerate() {
        let place = format!("high.proofs[{number}]");
        for &task in &proof.tasks {
            let is_high = plan.tasks.get(task).is_some_and(|task| task.wcet_high_ns > 0);
            holds! { is_high, &place, "speaks of task {task}, which is none of high criticality" }
            holds! { !std::mem::replace(&mut proved[task], true), &place, "{} is proved twice", plan.tasks[task].name }
        }
        one(plan, high, proof, &place)?;
    }
    let open = (0..proved.len()).find(|&task| plan.tasks[task].wcet_high_ns > 0 && !proved[task]);
    if let Some(task) = open {
        let place = format!("tasks[{task}] ({})", plan.tasks[task].name);
        return Err(Violation::new(place, "nothing proves its deadline in high mode").into());
    }
    report.facts.push(format!(
        "tasks of high criticality meet their deadlines whenever the mode changes, and rows are refreshed every {} ns from {settled} ns after \
         the next multiple of {every} ns on",
        high.retention_ns
    ));
    let dropped: Vec<&str> = plan
        .tasks
        .iter()
        .filter(|task| task.period_ns > 0 && task.wcet_high_ns == 0)
        .map(|task| task.name.as_str())
        .collect();
    if !dropped.is_empty() {
        report.warnings.push(format!(
            "nothing is promised to {} once the mode has changed",
            dropped.join(", ")
        ));
    }
    if high.retention_ns < every {
        report.warnings.push(format!(
            "heat is assumed to be announced {} ns before rows keep their data for less than {every} ns: up to {every} ns to the next multiple, \
             and {} ns until every row was refreshed",
            every.saturating_add(high.settled_ns),
            high.settled_ns
        ));
    }
    Ok(())
}

/// A violation of the plan of high mode, at its place in the plan.
fn within(stop: Stop) -> Stop {
    match stop {
        Stop::Violated(Violation { place, fact }) => Violation::new(format!("high.{place}"), fact).into(),
        too_long => too_long,
    }
}

/// Tasks of two criticality levels have neither jitter nor sections, and no switches are counted.
fn tasks(plan: &Plan) -> Result<(), Violation> {
    for proof in &plan.proofs {
        charges::known_instants(plan, proof, "high")?;
        charges::no_switches(plan, proof, "high")?;
    }
    let any = plan.tasks.iter().any(|task| task.wcet_high_ns > 0);
    holds! { any, "high", "serves no task: none is of high criticality" }
    for (number, task) in plan.tasks.iter().enumerate() {
        let place = format!("tasks[{number}] ({})", task.name);
        let is_none = task.wcet_high_ns == 0 && task.virtual_deadline_ns == 0;
        holds! { task.period_ns > 0 || is_none, &place, "has no period, and is promised nothing in high mode" }
        let ordered = task.virtual_deadline_ns == 0 || plan.policy == Policy::Edf;
        holds! { ordered, &place, "has a virtual deadline, by which no fixed priority goes" }
        if task.period_ns > 0 {
            dual(task).map_err(|fact| Violation::new(place, fact))?;
        }
    }
    Ok(())
}

fn dual(task: &PlannedTask) -> Result<DualTask, String> {
    let timing = task.timing().ok_or("has times that make no task")?;
    let found = match task.wcet_high_ns {
        0 => DualTask::low(timing),
        high => DualTask::high(timing, high),
    };
    found
        .and_then(|found| found.with_virtual_deadline(task.low_deadline_ns()))
        .map_err(|error| error.to_string())
}

/// Checks high mode as a plan of its own, and that it has no time that low mode has not: then an interval over the change has no less than one
/// in high mode.
fn by_itself(plan: &Plan, high: &HighMode, machine: &Machine) -> Result<(), Stop> {
    let allowed = matches!(plan.method, Method::Aligned | Method::AutoRefresh | Method::Burst);
    holds! { allowed, "schedule", "is of {}, which has no high mode", plan.method.name() }
    let alone = Plan {
        memory: RankMemory {
            retention_ns: high.retention_ns,
            ..plan.memory.clone()
        },
        schedule: high.schedule.clone(),
        refresh: high.refresh.clone(),
        high: None,
        ..plan.clone()
    };
    let unread = &mut CheckReport::default();
    kinds::check(&alone)?;
    layout::check(&alone, unread)?;
    hiding::check(&alone, unread)?;
    retention::check(&alone, unread)?;
    handlers::check(&alone, machine, unread)?;
    let (every, place) = (plan.memory.retention_ns, "proofs");
    for refresh in [&plan.refresh, &high.refresh] {
        if let RefreshPlan::Windows { period_ns, .. } = refresh {
            turns("refresh.period_ns", *period_ns, every)?;
        }
    }
    for proof in high.proofs.iter().filter(|_| plan.method != Method::AutoRefresh) {
        let low = over(slots_of(&plan.schedule, proof, place)?, every)?;
        let free = over(slots_of(&high.schedule, proof, place)?, every)?;
        let beyond = first_outside(&free, &low);
        holds! {
            beyond.is_none(), "schedule",
            "lets tasks run at {} ns, when low mode does not: an interval over the change may have less than is proved",
            beyond.unwrap_or(0)
        }
    }
    Ok(())
}

/// How often a period fits the retention time, at a multiple of which the mode changes.
fn turns(place: &str, period: Time, every: Time) -> Result<Time, Stop> {
    let begins = period > 0 && every.is_multiple_of(period);
    holds! { begins, place, "repeats after {period} ns: it does not begin at each multiple of {every} ns, at one of which the mode changes" }
    match every / period {
        turns if turns > MOST_TURNS => Err(Stop::too_long(
            place,
            format!("it repeats {turns} times in {every} ns, and {MOST_TURNS} are looked at"),
        )),
        turns => Ok(turns),
    }
}

/// Spans that repeat after `period`, up to `length`.
fn over((spans, period): (Spans, Time), length: Time) -> Result<Spans, Stop> {
    let turns = turns("schedule", period, length)?;
    let turn = |turn: Time| {
        spans
            .iter()
            .map(move |&(start, end)| (turn * period + start, turn * period + end))
    };
    Ok(union((0..turns).flat_map(turn).collect()))
}

/// Checks one proof.
fn one(plan: &Plan, high: &HighMode, proof: &Proof, place: &str) -> Result<(), Stop> {
    let low = plan
        .proofs
        .iter()
        .find(|low| low.core == proof.core && low.color == proof.color);
    let Some(low) = low else {
        return Err(Violation::new(place, "names a core or color of which nothing is proved in low mode").into());
    };
    let shared: Vec<usize> = low.tasks.clone();
    let own: Vec<usize> = shared
        .iter()
        .copied()
        .filter(|&task| plan.tasks[task].wcet_high_ns > 0)
        .collect();
    holds! { proof.tasks == own, place, "speaks of other tasks than those of high criticality that share the time" }
    match &high.schedule {
        Schedule::Priorities => {
            let all = shared.iter().map(|&task| &plan.tasks[task]);
            let stall = plan.memory.stall_ns(all.map(|task| (task.memory_bytes, &task.work)));
            let supply = AutoRefresh::new(high.retention_ns, plan.memory.commands, stall)
                .map_err(|error| Violation::new("high", error.to_string()))?;
            certified(plan, proof, low, &supply, place)
        }
        schedule => {
            let (free, length) = slots_of(schedule, proof, place)?;
            let supply = SlotTable::new(length, &free)
                .map_err(|error| Violation::new(place, format!("rests on slots that are none: {error}")))?;
            certified(plan, proof, low, &supply, place)
        }
    }
}

fn certified(plan: &Plan, proof: &Proof, low: &Proof, supply: &impl Supply, place: &str) -> Result<(), Stop> {
    let duals = low.tasks.iter().map(|&task| dual(&plan.tasks[task]));
    let duals: Vec<DualTask> = duals
        .collect::<Result<_, _>>()
        .map_err(|fact| Violation::new(place, fact))?;
    let refuted = |fact| words::refuted(place, duals.iter().map(DualTask::task), fact);
    let granted: Vec<Time> = match (&proof.evidence, &low.evidence, plan.policy) {
        (Evidence::Demand(certificate), Evidence::Demand(_), Policy::Edf) => {
            check_demand(certificate, &duals, supply).map_err(refuted)?;
            proof.tasks.iter().map(|&task| plan.tasks[task].deadline_ns).collect()
        }
        (Evidence::Responses(after), Evidence::Responses(before), Policy::FixedPriority(order)) => {
            holds! { after.responses.len() == proof.tasks.len(), place, "has not a response for each task" }
            let own: Vec<Task> = duals
                .iter()
                .filter(|task| task.is_high())
                .map(|task| task.task().clone())
                .collect();
            holds! { after.ranking == order.ranking(&own), place, "counts with other priorities than the policy gives" }
            let bounds = low.tasks.iter().map(|task| {
                let number = proof.tasks.iter().position(|own| own == task)?;
                after.responses.get(number).copied()
            });
            let bounds: Vec<Option<Time>> = bounds.collect();
            check_responses(&duals, order, &before.responses, &bounds, supply).map_err(refuted)?;
            after.responses.clone()
        }
        _ => return Err(Violation::new(place, "is for another policy than the plan's").into()),
    };
    for (&task, granted) in proof.tasks.iter().zip(granted) {
        let task = &plan.tasks[task];
        let bounded = task.response_bound_ns.is_some_and(|bound| bound >= granted);
        holds! { bounded, place, "grants {} {granted} ns in high mode, its response is bounded by {}", task.name, words::nanoseconds(task.response_bound_ns) }
    }
    Ok(())
}

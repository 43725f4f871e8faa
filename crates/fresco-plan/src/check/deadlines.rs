// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that every deadline is met: each task needs a proof, and each proof has to hold on what the schedule gives.

use super::charges;
use super::global;
use super::report::{CheckReport, Stop, Violation, holds};
use super::runs::{by_run, open};
use super::scope;
use super::slices;
use super::spans::Spans;
use super::timeline::{frame_slots, repeat, server_slots};
use super::words;
use crate::Method;
use crate::plan::{Evidence, Plan, PlannedTask, Proof, Schedule};
use fresco_rt::executive::{Needs, Table};
use fresco_rt::policy::Policy;
use fresco_rt::supply::{AutoRefresh, SlotTable, Supply};
use fresco_rt::{Task, Time};

pub(super) fn check(plan: &Plan, report: &mut CheckReport) -> Result<(), Violation> {
    let proves_none = match plan.method {
        Method::Codesign => Some("fair shares guarantee nothing"),
        Method::Partition => Some("a partition counts no interference on the bus and in the controllers"),
        _ => None,
    };
    if let Some(why) = proves_none {
        holds! { plan.proofs.is_empty(), "proofs", "there are some, but {why}" }
        report.warnings.push("no deadline is guaranteed".to_owned());
        return Ok(());
    }
    let counted = charges::charge(plan)?;
    let mut proved = vec![false; plan.tasks.len()];
    for (number, proof) in plan.proofs.iter().enumerate() {
        let place = format!("proofs[{number}]");
        let mut tasks = Vec::new();
        for &task in &proof.tasks {
            let Some(planned) = plan.tasks.get(task) else {
                return Err(Violation::new(place, format!("there is no task {task}")));
            };
            let Some(timing) = counted[task].clone() else {
                let fact = format!("{} has no period, and is promised nothing", planned.name);
                return Err(Violation::new(place, fact));
            };
            holds! { !std::mem::replace(&mut proved[task], true), &place, "{} is proved twice", timing.name }
            tasks.push(timing);
        }
        scope::check(plan, proof, &place)?;
        let found = one(plan, proof, &tasks, &place);
        let Some(worst) = report.go_on(found)? else {
            continue;
        };
        for (&task, worst) in proof.tasks.iter().zip(worst) {
            let bound = plan.tasks[task].response_bound_ns;
            let name = &plan.tasks[task].name;
            holds! { bound.is_some_and(|bound| bound >= worst), &place, "the response of {name} is bounded by {}, the proof gives {worst} ns", words::nanoseconds(bound) }
        }
        if matches!(proof.evidence, Evidence::Run { .. }) {
            report.warnings.push(format!(
                "the deadlines of core {} hold for the phases of the plan, not for sporadic arrivals",
                proof.core.unwrap_or(0)
            ));
        }
    }
    let is_open = |task: usize| !proved[task] && plan.tasks[task].period_ns > 0;
    if let Some(task) = (0..proved.len()).find(|&task| is_open(task)) {
        let place = format!("tasks[{task}] ({})", plan.tasks[task].name);
        return Err(Violation::new(place, "nothing proves its deadline"));
    }
    if let Some(assumed) = charges::assumed(plan) {
        report.warnings.push(assumed);
    }
    let behind = plan.tasks.iter().filter(|task| task.period_ns == 0);
    let behind: Vec<&str> = behind.map(|task| task.name.as_str()).collect();
    holds! { behind.len() < plan.tasks.len(), "tasks", "have no periods, and {} plans those with periods", plan.method.name() }
    if !behind.is_empty() {
        let warning = format!(
            "nothing is promised to {}, which run where no job is ready",
            behind.join(", ")
        );
        report.warnings.push(warning);
    }
    if report.unverified.is_empty() {
        report.facts.push("the proof of every deadline holds".to_owned());
    }
    Ok(())
}

/// Checks one proof; returns the response that it grants each task.
fn one(plan: &Plan, proof: &Proof, tasks: &[Task], place: &str) -> Result<Vec<Time>, Stop> {
    if matches!(proof.evidence, Evidence::Table | Evidence::Run { .. }) {
        charges::known_instants(plan, proof, place)?;
    }
    if !plan.migration.is_none() {
        return Ok(global::check(plan, proof, tasks, place)?);
    }
    match &proof.evidence {
        Evidence::Table => {
            let Schedule::Table { table, .. } = &plan.schedule else {
                return Err(Violation::new(place, "speaks of a table, but the schedule is none").into());
            };
            let tasks: Vec<Task> = plan.tasks.iter().filter_map(PlannedTask::timing).collect();
            let worst = by_table(plan, table, &tasks)?;
            slices::check(table, &tasks, plan.context_switch_ns)?;
            Ok(worst)
        }
        Evidence::Run { .. } => by_run(plan, proof, &charges::of_run(plan, proof, place)?, place),
        evidence => match &plan.schedule {
            Schedule::Priorities => {
                let memory = &plan.memory;
                let proved = proof.tasks.iter().map(|&task| &plan.tasks[task]);
                let stall = memory.stall_ns(proved.map(|task| (task.memory_bytes, &task.work)));
                let supply = AutoRefresh::new(memory.retention_ns, memory.commands, stall)
                    .map_err(|error| Violation::new("memory", error.to_string()))?;
                Ok(certified(plan, evidence, tasks, &supply, place)?)
            }
            schedule => {
                let (spans, length) = slots_of(schedule, proof, place)?;
                let spans = charges::left_of(plan, spans);
                let supply = SlotTable::new(length, &spans)
                    .map_err(|error| Violation::new(place, format!("rests on slots that are none: {error}")))?;
                Ok(certified(plan, evidence, tasks, &supply, place)?)
            }
        },
    }
}

/// The time that a proof of one core and color rests on, and after how long it repeats.
pub(super) fn slots_of(schedule: &Schedule, proof: &Proof, place: &str) -> Result<(Spans, Time), Stop> {
    let missing = || Violation::new(place, "names a core or color that the schedule does not have");
    let core = proof.core.ok_or_else(missing)? as usize;
    let color = proof.color.ok_or_else(missing)?;
    match schedule {
        Schedule::Servers { locks, cores } => {
            let on_core = cores.get(core).ok_or_else(missing)?;
            let length = repeat(locks, on_core)?;
            let mut slots = on_core.servers.iter().zip(server_slots(locks, on_core, length));
            let own = slots.find(|(server, _)| server.color == color).ok_or_else(missing)?;
            Ok((own.1, length))
        }
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => {
            let slots = frame_slots(*period_ns, *handler_ns, cores.get(core).ok_or_else(missing)?);
            Ok((slots.get(color).ok_or_else(missing)?.clone(), *period_ns))
        }
        Schedule::Locked { locks } if locks.phase_ns.len() == 1 => {
            let open = open(locks, locks.period_ns);
            Ok((open.into_iter().next().unwrap_or_default(), locks.period_ns))
        }
        _ => Err(Violation::new(place, "rests on demand, which says nothing about this schedule").into()),
    }
}

/// Checks a certificate of demand or responses against a supply.
fn certified(
    plan: &Plan,
    evidence: &Evidence,
    tasks: &[Task],
    supply: &impl Supply,
    place: &str,
) -> Result<Vec<Time>, Violation> {
    let refuted = |fact| words::refuted(place, tasks, fact);
    match (evidence, plan.policy) {
        (Evidence::Demand(certificate), Policy::Edf) => {
            certificate.check(tasks, supply).map_err(refuted)?;
            Ok(tasks.iter().map(|task| task.deadline).collect())
        }
        (Evidence::Responses(certificate), Policy::FixedPriority(order)) => {
            certificate.check(tasks, supply).map_err(refuted)?;
            holds! { certificate.ranking == order.ranking(tasks), place, "counts with other priorities than the policy gives" }
            Ok(certificate.responses.clone())
        }
        _ => Err(Violation::new(place, "is for another policy than the plan's")),
    }
}

/// Checks a cyclic table: its own facts, and that it is for these tasks, this memory and this refresh.
fn by_table(plan: &Plan, table: &Table, tasks: &[Task]) -> Result<Vec<Time>, Violation> {
    let place = "schedule.table";
    let page = plan.memory.page_bytes.max(1);
    let units = |bytes: &u64| bytes / page;
    let memory: Vec<Vec<Vec<u64>>> = plan
        .tasks
        .iter()
        .map(|task| {
            task.instances
                .iter()
                .map(|bytes| bytes.iter().map(units).collect())
                .collect()
        })
        .collect();
    holds! { memory == table.memory, place, "counts with other memory than the tasks have" }
    let copies: Vec<Option<Time>> = plan.tasks.iter().map(|task| task.copy_ns).collect();
    holds! { copies == table.copy_cost, place, "counts with other costs of copies than the tasks have" }
    let need: Vec<u64> = plan.tasks.iter().map(|task| task.memory_bytes.div_ceil(page)).collect();
    let capacity: Vec<u64> = plan.colors.iter().map(|color| color.bytes / page).collect();
    let needs = Needs {
        tasks,
        retention: plan.memory.retention_ns,
        burst: 1,
        memory: &need,
        capacity: &capacity,
    };
    table
        .check(&needs)
        .map_err(|violation| Violation::new(place, violation.to_string()))?;
    let mut worst = vec![0; tasks.len()];
    for slot in &table.slots {
        let task = &tasks[slot.task];
        let release = (task.phase + slot.job * task.period) % table.length;
        let end = (slot.start + table.length - release) % table.length + slot.length;
        worst[slot.task] = worst[slot.task].max(end);
    }
    Ok(worst)
}

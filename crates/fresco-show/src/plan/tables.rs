// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plan as tables for people.

use crate::plan::assumptions;
use fresco_input::{format_duration, format_size};
use fresco_plan::plan::{Evidence, PlannedTask, RefreshPlan, Schedule};
use fresco_plan::{Method, Plan};
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_system::planned::promised;

/// A time in nanoseconds, as people write it.
pub fn time(ns: u64) -> String {
    format_duration(ns.saturating_mul(1000))
}

/// What holds under which assumptions; then how it is done: tasks, the schedule, refresh, and the reasons.
pub fn tables(plan: &Plan) -> Result<Vec<Table>, ReportError> {
    let mut tables = vec![promises(plan)?, tasks(plan)?];
    tables.extend(modes(plan)?);
    tables.push(schedule(plan)?);
    let mut reasons = Table::new("Why", vec![Column::text("reason")]);
    for reason in &plan.reasons {
        reasons.push(vec![reason.as_str().into()])?;
    }
    tables.push(reasons);
    Ok(tables)
}

/// What the plan promises, and what it assumes.
fn promises(plan: &Plan) -> Result<Table, ReportError> {
    let title = format!(
        "{}: what {} promises, and what it assumes",
        plan.name,
        plan.method.name()
    );
    let mut table = Table::new(title, vec![Column::text("this is"), Column::text("what holds")]);
    let mut row = |kind: &str, words: &str| table.push(vec![kind.into(), words.into()]);
    for promise in promised(plan) {
        row("promised", promise)?;
    }
    row("deadlines", &assumptions::deadlines(plan))?;
    for assumption in assumptions::assumed(plan) {
        row("assumed", &assumption)?;
    }
    Ok(table)
}

/// What each task asks for, what it gets, and what proves its deadline.
///
/// # Errors
/// None in practice: the cells are text and counts.
pub fn tasks(plan: &Plan) -> Result<Table, ReportError> {
    let names = [
        "task",
        "period",
        "WCET",
        "deadline",
        "core",
        "memory",
        "colors",
        "response at most",
        "proof",
    ];
    let title = format!("{}: {} on {}", plan.name, plan.method.name(), plan.machine.name);
    let mut table = Table::new(title, names.map(Column::text).to_vec());
    for (number, task) in plan.tasks.iter().enumerate() {
        let periodic = |ns: u64| match task.period_ns {
            0 => Cell::Missing,
            _ => time(ns).into(),
        };
        table.push(vec![
            task.name.as_str().into(),
            periodic(task.period_ns),
            periodic(task.wcet_ns),
            periodic(task.deadline_ns),
            task.core.map(u64::from).into(),
            format_size(task.memory_bytes).into(),
            colors(task).into(),
            task.response_bound_ns.map(time).into(),
            proof(plan, number).into(),
        ])?;
    }
    Ok(table)
}

/// Tasks that go on in high mode, what their jobs take there, and how they are ordered in low mode; `None` if there is no high mode.
///
/// # Errors
/// None in practice: the cells are text.
pub fn modes(plan: &Plan) -> Result<Option<Table>, ReportError> {
    if plan.high.is_none() {
        return Ok(None);
    }
    let names = [
        "task",
        "criticality",
        "WCET, low mode",
        "WCET, high mode",
        "virtual deadline",
    ];
    let mut table = Table::new("Modes", names.map(Column::text).to_vec());
    for task in plan.tasks.iter().filter(|task| task.period_ns > 0) {
        let is_high = task.wcet_high_ns > 0;
        table.push(vec![
            task.name.as_str().into(),
            if is_high { "high" } else { "low" }.into(),
            time(task.wcet_ns).into(),
            if is_high {
                time(task.wcet_high_ns).into()
            } else {
                "dropped".into()
            },
            (task.virtual_deadline_ns > 0)
                .then(|| time(task.virtual_deadline_ns))
                .into(),
        ])?;
    }
    Ok(Some(table))
}

/// The colors of each instance, as `0`, or `0 and 4` for a copy task.
fn colors(task: &PlannedTask) -> String {
    let of_instance = |instance: usize| {
        let numbers: Vec<u32> = task.colors_of(instance).into_iter().map(|color| color as u32).collect();
        fresco_dram::color::format_list(&numbers)
    };
    match task.instances.len() {
        0 => "any".to_owned(),
        count => (0..count).map(of_instance).collect::<Vec<_>>().join(" and "),
    }
}

fn proof(plan: &Plan, task: usize) -> &'static str {
    let own = plan.proofs.iter().find(|proof| proof.tasks.contains(&task));
    match own.map(|proof| &proof.evidence) {
        None => "none",
        Some(Evidence::Demand(_)) => "demand, sporadic too",
        Some(Evidence::Responses(_)) => "response times, sporadic too",
        Some(Evidence::GlobalResponses(_)) => "global response times, sporadic too",
        Some(Evidence::GlobalDensity) => "global densities, sporadic too",
        Some(Evidence::Run { .. }) => "exact run, these phases",
        Some(Evidence::Table) => "its slots",
    }
}

/// The memory of each color, who runs when, what is refreshed when.
///
/// # Errors
/// None in practice: the cells are text.
pub fn schedule(plan: &Plan) -> Result<Table, ReportError> {
    let mut table = Table::new("Schedule", vec![Column::text("what"), Column::text("when")]);
    let mut row = |what: String, when: String| table.push(vec![what.into(), when.into()]);
    for (number, color) in plan.colors.iter().enumerate().take(16) {
        let ranks = fresco_dram::color::format_list(&color.ranks);
        let bank = color.bank.map_or(String::new(), |bank| format!(", bank {bank}"));
        let held = format_size(color.bytes);
        let memory = match plan.method {
            Method::Partition => {
                let llc = color.llc_colors.as_deref().unwrap_or("all");
                format!("bank colors {}, LLC colors {llc}: {held}", color.bank_colors)
            }
            _ => format!("ranks {ranks}{bank}: {held}"),
        };
        row(format!("color {number}"), memory)?;
    }
    let by_slots = matches!(plan.schedule, Schedule::Table { .. } | Schedule::Fair { .. });
    if !by_slots && plan.method != Method::Partition {
        row("ready jobs".to_owned(), plan.policy.order().to_owned())?;
    }
    match &plan.schedule {
        Schedule::Priorities => row("tasks".to_owned(), "by priority; refresh goes on beside".to_owned())?,
        Schedule::Locked { .. } => row(
            "tasks".to_owned(),
            "by priority, except those whose color is locked".to_owned(),
        )?,
        Schedule::Servers { cores, .. } => {
            for (core, on_core) in cores.iter().enumerate() {
                for server in &on_core.servers {
                    let names: Vec<&str> = server
                        .tasks
                        .iter()
                        .map(|&task| plan.tasks[task].name.as_str())
                        .collect();
                    row(
                        format!("core {core}, server of color {}", server.color),
                        format!(
                            "{} in every {}: {}",
                            time(server.budget_ns),
                            time(server.period_ns),
                            names.join(", ")
                        ),
                    )?;
                }
            }
        }
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => {
            row(
                "frame".to_owned(),
                format!(
                    "{}, a handler of {} before each slot",
                    time(*period_ns),
                    time(*handler_ns)
                ),
            )?;
            for (core, slots) in cores.iter().enumerate() {
                row(
                    format!("core {core}"),
                    format!("color 0 until {}, then color 1", time(slots.border_ns)),
                )?;
            }
        }
        Schedule::Table { table, .. } => row(
            "table".to_owned(),
            format!("{} long, {} slots", time(table.length), table.slots.len()),
        )?,
        Schedule::Fair { slice_ns, candidates } => row(
            "slices".to_owned(),
            format!("{}; up to {candidates} candidates are looked at", time(*slice_ns)),
        )?,
    }
    match &plan.refresh {
        RefreshPlan::Controller { policy } => row("refresh".to_owned(), format!("by the controller: {policy}"))?,
        RefreshPlan::Windows { period_ns, windows } => {
            for window in windows.iter().take(16) {
                row(
                    format!("refresh of color {}", window.color),
                    format!(
                        "{} commands from {} on, in every {}",
                        window.commands,
                        time(window.start_ns),
                        time(*period_ns)
                    ),
                )?;
            }
        }
    }
    Ok(table)
}

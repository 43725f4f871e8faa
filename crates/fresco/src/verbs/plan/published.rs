// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco plan --as-published`: what the printed formulas say of the servers of a plan, beside what holds.

use fresco_input::InputError;
use fresco_plan::plan::{CoreServers, LockTimes, PlannedServer, Schedule};
use fresco_plan::{Plan, TaskSet};
use fresco_report::{Cell, Column, ReportError, Table, Tone};
use fresco_reproduce::published::{Amount, Settings, SideBySide, Subject, side_by_side};
use fresco_rt::Task;
use fresco_rt::toplevel::TopLevel;
use fresco_show::plan::tables::time;
use serde::Serialize;

/// The verdicts on the servers of one core: schema `fresco-plan-published/1` has a list of them.
#[derive(Serialize)]
pub struct OnCore {
    /// The core.
    core: u32,
    /// Every printed formula beside what holds.
    #[serde(flatten)]
    verdicts: SideBySide,
}

/// The verdicts on every core of a plan with servers.
///
/// # Errors
/// The plan has none, or they cannot be analysed.
pub fn of(set: &TaskSet, plan: &Plan) -> Result<Vec<OnCore>, InputError> {
    let Schedule::Servers { locks, cores } = &plan.schedule else {
        return Err(
            InputError::new("--as-published", format!("found a plan by {}", plan.method.name()))
                .allowed("plans with servers: the printed formulas are about them")
                .help("add --method crs"),
        );
    };
    let each = (0u32..).zip(cores);
    each.map(|(core, servers)| one(set, plan, core, locks, servers))
        .collect()
}

fn one(set: &TaskSet, plan: &Plan, core: u32, locks: &LockTimes, servers: &CoreServers) -> Result<OnCore, InputError> {
    let wrong = |error: &dyn std::fmt::Display| {
        InputError::new(
            "--as-published",
            format!("found servers that cannot be analysed: {error}"),
        )
    };
    let locks = locks.locks().map_err(|error| wrong(&error))?;
    let [first, second] = servers.servers.as_slice() else {
        return Err(wrong(&"there are not two"));
    };
    let server = |s: &PlannedServer| s.server().map_err(|error| wrong(&error));
    let top = TopLevel::new([server(first)?, server(second)?], locks).map_err(|error| wrong(&error))?;
    let tasks =
        |s: &PlannedServer| -> Vec<Task> { s.tasks.iter().filter_map(|&task| plan.tasks[task].timing()).collect() };
    let (a, b) = (tasks(first), tasks(second));
    let memory = &plan.memory;
    let timing = &set.machine.memory.timing;
    let ras = timing.clock.to_ps(timing.rp + timing.ras).div_ceil(1000);
    let settings = Settings {
        ranks: memory.ranks as usize,
        // As printed: tRFC, and tRP + tRAS to open the row again; the interval rounded down to whole ns.
        auto_refresh: Some((memory.retention_ns / memory.commands.max(1), memory.trfc_ns + ras)),
        ..Settings::of(&top)
    };
    let verdicts = side_by_side(&top, [&a, &b], plan.policy, &settings).map_err(|error| wrong(&error))?;
    Ok(OnCore { core, verdicts })
}

/// A table for each core.
pub fn tables(found: &[OnCore]) -> Result<Vec<Table>, ReportError> {
    found.iter().map(table).collect()
}

fn table(found: &OnCore) -> Result<Table, ReportError> {
    let names = [
        "formula", "erratum", "of", "quantity", "printed", "limit", "says", "exact", "holds",
    ];
    let title = format!("Core {}: printed formulas beside what holds", found.core);
    let mut table = Table::new(title, names.map(Column::text).to_vec());
    for row in &found.verdicts.rows {
        let of = match &row.of {
            Subject::System => "all".to_owned(),
            Subject::Server(server) => format!("server {server}"),
            Subject::Task(_, name) => name.clone(),
        };
        table.push(vec![
            row.formula.name.into(),
            match row.formula.unsound {
                true => Cell::Text(format!("{}, unsound", row.formula.erratum), Tone::Bad),
                false => row.formula.erratum.into(),
            },
            of.into(),
            row.quantity.into(),
            row.printed.map(amount).into(),
            row.limit.map(amount).into(),
            verdict(row.accepts),
            row.exact.map(amount).into(),
            verdict(row.exact_accepts),
        ])?;
    }
    Ok(table)
}

fn amount(amount: Amount) -> String {
    match amount {
        Amount::Time(ns) => time(ns),
        Amount::Millionths(share) => format!("{:.4}", share as f64 / 1e6),
    }
}

fn verdict(accepts: Option<bool>) -> Cell {
    match accepts {
        None => Cell::Missing,
        Some(true) => Cell::Text("yes".to_owned(), Tone::Good),
        Some(false) => Cell::Text("no".to_owned(), Tone::Bad),
    }
}

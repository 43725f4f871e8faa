// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rows of [`side_by_side`](super::side_by_side()), formula by formula.

use super::bounds::{Rounding, capacity_bound, responses_by_ltbf, utilization_bound, within_utilization_bound};
use super::formulas as f;
use super::response::{auto_refresh_response_times, response_times, total_utilization, within_total_utilization};
use super::side_by_side::{Amount, Row, Settings, Subject};
use super::{Formula, algorithm7, executive, refresh_overhead};
use fresco_rt::budget::{Family, least_budget};
use fresco_rt::demand::utilization_q64;
use fresco_rt::executive::{Cores, fuse};
use fresco_rt::fixed_priority::response_bounds;
use fresco_rt::policy::Policy;
use fresco_rt::search::{Space, rest_of_table};
use fresco_rt::supply::PeriodicResource;
use fresco_rt::task::Task;
use fresco_rt::time::Time;
use fresco_rt::toplevel::{self, TopLevel, TopLevelError, fits, server_tables};

/// A row without values.
fn row(formula: Formula, of: Subject, quantity: &'static str) -> Row {
    Row {
        formula,
        of,
        quantity,
        printed: None,
        limit: None,
        accepts: None,
        exact: None,
        exact_accepts: None,
    }
}

/// Utilisation and capacity bounds of each server, and the response times of its tasks.
pub(super) fn bounds(
    top: &TopLevel,
    workloads: [&[Task]; 2],
    policy: Policy,
    rows: &mut Vec<Row>,
) -> Result<(), TopLevelError> {
    for (color, tasks) in workloads.into_iter().enumerate() {
        let server = top.servers()[color];
        let resource = PeriodicResource::new(server.period(), server.budget()).expect("a server is a resource");
        let exact_accepts = Some(fits(tasks, policy, &resource)?);
        let (utilization, capacity) = match policy {
            Policy::Edf => (f::EDF_UTILIZATION, f::EDF_CAPACITY),
            Policy::FixedPriority(_) => (f::RM_UTILIZATION, f::RM_CAPACITY),
        };
        rows.push(Row {
            printed: i64::try_from((utilization_q64(tasks).0 * 1_000_000) >> 64)
                .ok()
                .map(Amount::Millionths),
            limit: utilization_bound(tasks, policy, server).map(Amount::Millionths),
            accepts: Some(within_utilization_bound(tasks, policy, server)?),
            exact_accepts,
            ..row(utilization, Subject::Server(color), "utilization of the tasks")
        });
        let printed = capacity_bound(tasks, policy, server.period(), Rounding::Floor)?;
        rows.push(Row {
            printed: printed.map(Amount::Time),
            limit: Some(Amount::Time(server.budget())),
            accepts: Some(printed.is_some_and(|least| least <= server.budget())),
            exact: least_budget(tasks, policy, Family::Periodic, server.period())?.map(Amount::Time),
            exact_accepts,
            ..row(capacity, Subject::Server(color), "least budget")
        });
        let Policy::FixedPriority(order) = policy else { continue };
        let exact = response_bounds(tasks, order, &resource);
        let printed = responses_by_ltbf(tasks, order, server, Rounding::Floor);
        for ((task, printed), exact) in tasks.iter().zip(printed).zip(exact) {
            rows.push(Row {
                printed: printed.map(Amount::Time),
                limit: Some(Amount::Time(task.deadline)),
                accepts: Some(printed.is_some_and(|response| response <= task.deadline)),
                exact: exact.map(Amount::Time),
                exact_accepts: Some(exact.is_some()),
                ..row(
                    f::SERVICE_TIME,
                    Subject::Task(color, task.name.clone()),
                    "longest response",
                )
            });
        }
    }
    Ok(())
}

/// Condition (2), and response times of the servers.
pub(super) fn servers(top: &TopLevel, settings: &Settings, rows: &mut Vec<Row>) -> Result<(), TopLevelError> {
    let (tables, _) = server_tables(top)?;
    rows.push(Row {
        printed: total_utilization(top).map(Amount::Millionths),
        limit: Some(Amount::Millionths(1_000_000)),
        accepts: Some(within_total_utilization(top)),
        exact_accepts: Some(tables.iter().all(|table| table.full)),
        ..row(
            f::TOTAL_UTILIZATION,
            Subject::System,
            "utilization of servers and handlers",
        )
    });
    let length = top.repeat()?;
    let (printed, exact) = (response_times(top), toplevel::response_times(top));
    for color in 0..2 {
        let server = top.servers()[color];
        let overhead = overhead(top, color, length);
        let response = printed[color].and_then(|response| response.checked_add(overhead));
        rows.push(Row {
            printed: response.map(Amount::Time),
            limit: Some(Amount::Time(server.period())),
            accepts: Some(response.is_some_and(|response| response <= server.period())),
            exact: exact[color].map(Amount::Time),
            exact_accepts: Some(tables[color].full),
            ..row(
                f::SERVER_RESPONSE,
                Subject::Server(color),
                "longest response with epsilon",
            )
        });
    }
    for (color, table) in tables.iter().enumerate() {
        rows.push(Row {
            printed: Some(Amount::Time(overhead(top, color, length))),
            exact: Some(Amount::Time(table.unhidden)),
            ..row(f::ALGORITHM_8, Subject::Server(color), "epsilon")
        });
    }
    let Some((interval, stall)) = settings.auto_refresh else {
        return Ok(());
    };
    for (color, response) in auto_refresh_response_times(top, interval, stall)
        .into_iter()
        .enumerate()
    {
        rows.push(Row {
            printed: response.map(Amount::Time),
            limit: Some(Amount::Time(top.servers()[color].period())),
            accepts: Some(response.is_some()),
            ..row(
                f::AUTO_REFRESH,
                Subject::Server(color),
                "longest response under auto-refresh",
            )
        });
    }
    Ok(())
}

/// The most Algorithm 8 charges to a job of a server.
fn overhead(top: &TopLevel, color: usize, length: Time) -> Time {
    let jobs = 0..=length / top.servers()[color].period();
    jobs.map(|job| refresh_overhead(top, color, job, length))
        .max()
        .unwrap_or(0)
}

/// What Algorithms 6 and 7 return.
pub(super) fn algorithms(
    top: &TopLevel,
    workloads: [&[Task]; 2],
    policy: Policy,
    settings: &Settings,
    rows: &mut Vec<Row>,
) -> Result<(), TopLevelError> {
    let tasks = workloads.concat();
    let retention = top.locks().retention();
    let deadline = tasks.iter().map(|task| task.deadline).min().unwrap_or(0);
    let printed = executive::fuse(retention, settings.ranks, deadline, settings.frame_step);
    let window = (0..2).map(|color| top.locks().window_length(color)).max().unwrap_or(0);
    let exact = match tasks.is_empty() || settings.ranks < 2 {
        true => None,
        false => fuse(&tasks, retention, settings.ranks, window, &Cores::ONE).ok(),
    };
    let exact = exact.map(|fusion| (fusion.frame, fusion.rotation.frame()));
    let frames = |pick: fn((Time, Time)) -> Time, quantity: &'static str| Row {
        printed: printed.map(pick).map(Amount::Time),
        accepts: Some(printed.is_some()),
        exact: exact.map(pick).map(Amount::Time),
        exact_accepts: Some(exact.is_some()),
        ..row(f::ALGORITHM_6, Subject::System, quantity)
    };
    rows.push(frames(|(frame, _)| frame, "scheduling frame"));
    rows.push(frames(|(_, color)| color, "color frame"));

    let printed = algorithm7(
        workloads,
        policy,
        top.locks(),
        settings.server_step,
        settings.candidates,
    );
    let printed = printed.ok().flatten().map(|found| found.servers);
    let space = Space::new(top.locks().clone(), retention / 256, retention / 4);
    let exact = rest_of_table(workloads, policy, &space, true)?;
    for color in 0..2 {
        // Workloads may change places in what is found; the row is about the workload.
        let server = exact.as_ref().map(|found| found.top.servers()[found.order[color]]);
        for (quantity, pick) in [
            ("period", (|server| server.period()) as fn(toplevel::Server) -> Time),
            ("budget", |server| server.budget()),
        ] {
            rows.push(Row {
                printed: printed.map(|servers| Amount::Time(pick(servers[color]))),
                accepts: Some(printed.is_some()),
                exact: server.map(|server| Amount::Time(pick(server))),
                exact_accepts: Some(exact.is_some()),
                ..row(f::ALGORITHM_7, Subject::Server(color), quantity)
            });
        }
    }
    Ok(())
}

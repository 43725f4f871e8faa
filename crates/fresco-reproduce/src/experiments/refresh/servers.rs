// SPDX-License-Identifier: MIT OR Apache-2.0
//! The example of section 5.3.5, simulated exactly, and the published bounds of the published servers.

use super::{MS, TABLE_5_2, failed, ms, task_set, tasks};
use crate::published::{Rounding, capacity_bound};
use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_rt::budget::{Family, least_budget};
use fresco_rt::demand::{dbf, last_deadline, utilization};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::{Burst, Density, RETENTION};
use fresco_rt::simulation::{Activity, Dispatch, Periodic, Simulation, Trace};
use fresco_rt::supply::{LinearBound, Supply};
use fresco_rt::task::hyperperiod;
use fresco_rt::toplevel::{Locks, Server};
use fresco_rt::{Task, Time};

/// Both readings of the burst's length (CON-12), by their label.
pub(super) const BURSTS: [(&str, Burst); 2] = [
    ("jedec", Burst::Standard),
    (
        "text",
        Burst::AsPublished {
            ranks: super::RANKS as Time,
        },
    ),
];
/// Priorities of the example.
const RM: Policy = Policy::FixedPriority(Order::RateMonotonic);

/// Two servers and their tasks.
pub(super) struct Servers {
    pub(super) servers: [Server; 2],
    pub(super) workloads: [Vec<Task>; 2],
}

/// The servers of section 5.3.5.
fn example() -> Result<Servers, InputError> {
    let server = Server::new(16 * MS, 6 * MS).map_err(failed)?;
    Ok(Servers {
        servers: [server, server],
        workloads: [
            tasks(&[("T1", 16, 4), ("T2", 16, 2)])?,
            tasks(&[("T3", 32, 8), ("T4", 64, 8)])?,
        ],
    })
}

/// The servers of section 5.5.1 with the tasks of table 5.2.
pub(super) fn table_5_2() -> Result<Servers, InputError> {
    let set = task_set(TABLE_5_2)?;
    let server = |number: usize| {
        let given = set
            .options
            .servers
            .get(number)
            .ok_or_else(|| failed("a server too few"))?;
        Server::new(given.period_ns, given.budget_ns).map_err(failed)
    };
    let workload = |color: usize| {
        let own = set.tasks.iter().filter(|task| task.color == Some(color));
        own.filter_map(|task| task.timing.clone()).collect()
    };
    Ok(Servers {
        servers: [server(0)?, server(1)?],
        workloads: [workload(0), workload(1)],
    })
}

/// Locks of two servers at a density; each handler takes `handler`.
pub(super) fn locks(burst: Burst, density: Density, handler: Time) -> Result<Locks, InputError> {
    Locks::of_two_servers(RETENTION, burst.length(density), handler, handler).map_err(failed)
}

/// Who runs when in the example, at each density under both readings of the burst.
pub fn crs_example() -> Result<Vec<Row>, InputError> {
    let example = example()?;
    let mut rows = Vec::new();
    for (name, burst) in BURSTS {
        for density in Density::ALL {
            let locks = locks(burst, density, 0)?;
            let row = Row::new().label("burst", name).label("density", density.gigabits());
            let row = row.value("delta_ms", ms(burst.length(density)));
            rows.push(simulated(&example, &locks, row)?);
        }
    }
    Ok(rows)
}

fn simulated(example: &Servers, locks: &Locks, row: Row) -> Result<Row, InputError> {
    let workloads = example.workloads.iter().map(Vec::as_slice).collect();
    let dispatch = Dispatch::Idling(example.servers.to_vec());
    let simulation = Simulation::new(workloads, RM, dispatch, Some(locks)).map_err(failed)?;
    let mut trace = Trace::default();
    let horizon = simulation.horizon().map_err(failed)?;
    let outcome = simulation.run(horizon, &mut Periodic, &mut trace).map_err(failed)?;
    let half = RETENTION / 2;
    let server = |activity: Activity| match activity {
        Activity::Run { color, .. } | Activity::Burn { color } => Some(color),
        _ => None,
    };
    let after = || trace.segments.iter().filter(|segment| segment.end > half);
    let at_half = after().next().and_then(|segment| server(segment.activity));
    let first = after().find(|segment| server(segment.activity) == Some(0));
    let waits = first
        .ok_or_else(|| failed("the first server never runs"))?
        .start
        .max(half)
        - half;
    Ok(row
        .value("misses", outcome.misses as f64)
        .value("running_at_32_ms", at_half.map_or(0.0, |color| color as f64 + 1.0))
        .value("s1_waits_ms", ms(waits))
        .value("locked_execution_us", locked_execution(&trace) as f64 / 1000.0))
}

/// Execution of jobs while their color is locked.
fn locked_execution(trace: &Trace) -> Time {
    let mut sum = 0;
    for segment in &trace.segments {
        let Activity::Run { color: running, .. } = segment.activity else {
            continue;
        };
        let own = trace.locks.iter().filter(|(color, _)| *color == running);
        let overlap = |from: Time, to: Time| segment.end.min(to).saturating_sub(segment.start.max(from));
        sum += own.map(|(_, window)| overlap(window.start, window.end)).sum::<Time>();
    }
    sum
}

/// What the published bounds say of the published servers.
pub fn crs_analysis() -> Result<Vec<Row>, InputError> {
    let mut rows = Vec::new();
    for (name, servers, policy) in [("example", example()?, RM), ("table5.2", table_5_2()?, Policy::Edf)] {
        for (number, (&server, tasks)) in std::iter::zip(&servers.servers, &servers.workloads).enumerate() {
            let row = Row::new()
                .label("set", name)
                .label("server", format!("S{}", number + 1));
            rows.push(bounds(server, tasks, policy, row)?);
        }
    }
    Ok(rows)
}

fn bounds(server: Server, tasks: &[Task], policy: Policy, row: Row) -> Result<Row, InputError> {
    let load = utilization(tasks).map_err(failed)?;
    let row = row
        .value("period_ms", ms(server.period()))
        .value("budget_ms", ms(server.budget()))
        .value("utilization", load.to_f64())
        .value("utilization_bound", utilization_bound(server, tasks, policy))
        .value("demand_over_supply", demand_over_supply(server, tasks)? as f64);
    let capacity = capacity_bound(tasks, policy, server.period(), Rounding::Floor).map_err(failed)?;
    let least = least_budget(tasks, policy, Family::Periodic, server.period()).map_err(failed)?;
    let values = [("capacity_bound_ms", capacity), ("least_budget_ms", least)];
    let known = values
        .into_iter()
        .filter_map(|(name, budget)| Some((name, ms(budget?))));
    Ok(known.fold(row, |row, (name, budget)| row.value(name, budget)))
}

/// The utilisation bound as printed in section 5.3.7.
fn utilization_bound(server: Server, tasks: &[Task], policy: Policy) -> f64 {
    let shortest = tasks.iter().map(|task| task.period).min().unwrap_or(1) as f64;
    let gap = (server.period() - server.budget()) as f64 / shortest;
    let share = server.budget() as f64 / server.period() as f64;
    share
        * match policy {
            Policy::Edf => 1.0 - 2.0 * gap,
            Policy::FixedPriority(_) => std::f64::consts::LN_2 - gap,
        }
}

/// Deadlines up to the hyperperiod at which the demand exceeds the linear supply bound.
fn demand_over_supply(server: Server, tasks: &[Task]) -> Result<usize, InputError> {
    let line = LinearBound::new(server.period(), server.budget()).map_err(failed)?;
    let last = last_deadline(tasks, hyperperiod(tasks).map_err(failed)?);
    let deadlines = std::iter::successors(last, |t| last_deadline(tasks, t - 1));
    Ok(deadlines.filter(|&t| dbf(tasks, t) > u128::from(line.sbf(t))).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_holds_by_its_phases_up_to_32_gb() {
        let rows = crs_example().expect("rows");
        let misses = |row: &Row| {
            (
                row.labels["burst"].clone(),
                row.labels["density"].clone(),
                row.values["misses"],
            )
        };
        let missing: Vec<_> = rows.iter().map(misses).filter(|&(.., misses)| misses > 0.0).collect();
        assert_eq!(missing.len(), 1, "{missing:?}");
        assert_eq!((missing[0].0.as_str(), missing[0].1.as_str()), ("jedec", "64"));
        assert!(rows.iter().all(|row| row.values["locked_execution_us"] == 0.0));
        assert!(rows.iter().all(|row| row.values["running_at_32_ms"] == 2.0));
    }

    #[test]
    fn the_published_servers_violate_the_published_bounds() {
        let rows = crs_analysis().expect("rows");
        for row in &rows {
            let values = &row.values;
            assert!(values["utilization"] > values["utilization_bound"], "E28, E29: {row:?}");
            assert!(values["capacity_bound_ms"] > values["budget_ms"], "E28, E29: {row:?}");
        }
        let least: Vec<f64> = rows.iter().map(|row| row.values["least_budget_ms"]).collect();
        assert_eq!(least, [11.0, 8.0, 2.4, 1.644445]);
    }
}

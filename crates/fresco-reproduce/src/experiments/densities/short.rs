// SPDX-License-Identifier: MIT OR Apache-2.0
//! A task whose period is shorter than a burst (CRS-11): burst refresh cannot serve it, an instance in each color can.

use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_rt::copies::{CopyTask, CopyVerdict, Switch, copies_test};
use fresco_rt::policy::Policy;
use fresco_rt::refresh::{Burst, Density, RETENTION};
use fresco_rt::simulation::{Dispatch, Simulation};
use fresco_rt::toplevel::{ColorLock, Locks, Server, TopLevel};
use fresco_rt::{Task, Time};

const MS: Time = 1_000_000;

/// Both rows: a task (4, 1) ms at 16 Gb, the standard's bursts.
pub fn crs_short() -> Result<Vec<Row>, InputError> {
    let wrong = |error: &dyn std::fmt::Display| InputError::new("crs-short", error.to_string());
    let burst = Burst::Standard.length(Density::Gb16);
    let task = Task::new("short", 0, 4 * MS, MS, 4 * MS).map_err(|error| wrong(&error))?;
    let row = |method: &str, schedulable: bool, misses: u64| {
        Row::new()
            .label("method", method)
            .value("period_ms", task.period as f64 / MS as f64)
            .value("burst_ms", burst as f64 / MS as f64)
            .value("schedulable", f64::from(u8::from(schedulable)))
            .value("misses", misses as f64)
    };
    let all = Locks::new(RETENTION, 0, 0, vec![ColorLock { phase: 0, burst }]).map_err(|error| wrong(&error))?;
    let tasks = [task.clone()];
    let simulation =
        Simulation::new(vec![&tasks], Policy::Edf, Dispatch::Flat, Some(&all)).map_err(|error| wrong(&error))?;
    let mut horizon = simulation.horizon().map_err(|error| wrong(&error))?;
    horizon.repeats = 10;
    let outcome = simulation
        .run(horizon, &mut fresco_rt::simulation::Periodic, &mut ())
        .map_err(|error| wrong(&error))?;
    let locks = Locks::of_two_servers(RETENTION, burst, 0, 0).map_err(|error| wrong(&error))?;
    let half = Server::new(4 * MS, 2 * MS).map_err(|error| wrong(&error))?;
    let top = TopLevel::new([half, half], locks).map_err(|error| wrong(&error))?;
    let copied = [CopyTask {
        task: task.clone(),
        copy_cost: 0,
    }];
    let verdict =
        copies_test(&top, [&[], &[]], &copied, Policy::Edf, Switch::Earliest).map_err(|error| wrong(&error))?;
    let schedulable = matches!(verdict, CopyVerdict::Schedulable(_));
    Ok(vec![
        row("burst", outcome.misses == 0, outcome.misses),
        row("crs-copies", schedulable, u64::from(!schedulable)),
    ])
}

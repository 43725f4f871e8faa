// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the MemGuard experiments: what follows from the device and the manager, and the scenarios of the slides.

use super::row;
use fresco_dram::{CommandKind, Location};
use fresco_input::InputError;
use fresco_machine::{Scheduler, builtin};
use fresco_memory::{Access, Command, Completion, Controller, Driver, Observer, TraceRequest};
use fresco_report::claims::Row;
use fresco_system::Scenario;
use fresco_system::bandwidth::{
    Decision, Guaranteed, Kind, Manager, Prediction, Reservation, Settings, Share, measured_bytes_per_s,
};
use fresco_system::results::{PointResult, RunResult, ScenarioResult, TaskResult};
use std::convert::Infallible;

/// The machine of the slides.
const MACHINE: &str = "core2-q8400";

/// Lines that r_min is measured over.
const LINES: u64 = 4_000;

/// The device, r_min, and which reservations are accepted.
pub fn facts() -> Result<Vec<Row>, InputError> {
    let machine = builtin(MACHINE)?;
    let timing = &machine.memory.timing;
    let guaranteed = Guaranteed::of(&machine, false);
    let peak = f64::from(timing.clock.rate_mts()) * f64::from(machine.memory.organisation.bus_bytes) / 1e3;
    let giga = |bytes: u64| bytes as f64 / 1e9;
    let reserving = |bandwidth: &str| {
        let text = format!(
            "name = \"rule\"\nmachine = \"{MACHINE}\"\npolicy.bandwidth = \"memguard\"\n[[task]]\nname = \"t\"\n\
             program = \"idle\"\ncores = \"0-3\"\nreserve = \"{bandwidth}\"\n"
        );
        Scenario::parse("rule.toml", &text, "".as_ref(), &[]).is_ok()
    };
    Ok(vec![
        Row::new()
            .value("peak_gb_s", peak)
            .value("serial_ns", guaranteed.serial_ps as f64 / 1e3)
            .value("serial_gb_s", giga(guaranteed.serial_bytes_per_s()))
            .value("r_min_gb_s", giga(guaranteed.bytes_per_s()))
            .value("model_gb_s", giga(measured_bytes_per_s(&machine, LINES, Access::Read)))
            .value("row_hit_cycles", (timing.cl + timing.burst()) as f64)
            .value(
                "row_miss_cycles",
                (timing.rp + timing.rcd + timing.cl + timing.burst()) as f64,
            )
            .value("within_r_min_accepted", f64::from(u8::from(reserving("270 MB/s"))))
            .value("above_r_min_accepted", f64::from(u8::from(reserving("280 MB/s")))),
    ])
}

/// How often each scheduler switches rows for the slides' three requests: rows 1, 2, 1 of a bank, queued together.
pub fn reorder() -> Result<Vec<Row>, InputError> {
    let machine = builtin(MACHINE)?;
    let timing = &machine.memory.timing;
    let mut rows = Vec::new();
    for (name, scheduler) in [
        ("fcfs", Scheduler::Fcfs),
        ("fr-fcfs", Scheduler::FrFcfs { hit_cap: 16 }),
    ] {
        let mut config = machine.memory.controller.clone();
        config.scheduler = scheduler;
        let organisation = &machine.memory.organisation;
        let mut seen = Activations(0);
        // Rows 1, 2, 1 of one bank.
        let trace = [1u64, 2, 1].map(|address| {
            Ok(TraceRequest {
                cycle: 0,
                address,
                access: Access::Read,
            })
        });
        let place = |row: u64| {
            Ok::<_, Infallible>(Location {
                node: 0,
                channel: 0,
                rank: 0,
                bank_group: 0,
                bank: 0,
                row: row as u32,
                column: 0,
            })
        };
        let controller = Controller::new(&config, organisation, timing, 0);
        let Ok(_) = Driver::new(vec![controller], 3).run(trace.into_iter(), place, &mut seen);
        let switches = seen.0.saturating_sub(1);
        rows.push(
            Row::new()
                .label("scheduler", name)
                .value("row_switches", f64::from(switches)),
        );
    }
    Ok(rows)
}

/// Counts activations.
struct Activations(u32);

impl Observer for Activations {
    fn completed(&mut self, _: &Completion) {}

    fn command(&mut self, command: &Command) {
        self.0 += u32::from(command.kind == CommandKind::Act);
    }
}

/// The slides' reclaim example: budgets, the pool and who waits, after each of its steps (MG-5).
pub fn example() -> Result<Vec<Row>, InputError> {
    let reservation = Reservation {
        lines: 3,
        kind: Kind::Soft,
        weight: 1,
    };
    let mut manager = Manager::new(Settings {
        reservations: vec![reservation; 2],
        total: 6,
        reclaim: true,
        share: Share::None,
        chunk: 1,
        prediction: Prediction::Last,
    });
    let mut rows = vec![state(0, &manager)];
    // Time, core, lines; no lines: a period begins.
    for (time, core, lines) in [
        (3, 0, 1),
        (4, 1, 1),
        (10, 0, 0),
        (12, 1, 1),
        (15, 1, 2),
        (16, 0, 1),
        (17, 1, 1),
        (20, 0, 0),
    ] {
        if lines == 0 {
            manager.begin_period();
        }
        for _ in 0..lines {
            if manager.used(core, 1) && manager.exhausted(core) == Decision::Stall {
                break;
            }
        }
        rows.push(state(time, &manager));
    }
    Ok(rows)
}

fn state(time: u32, manager: &Manager) -> Row {
    let given = manager.given();
    Row::new()
        .label("time", time)
        .value("budget_0", given[0] as f64)
        .value("budget_1", given[1] as f64)
        .value("left_0", given[0].saturating_sub(manager.used_now(0)) as f64)
        .value("left_1", given[1].saturating_sub(manager.used_now(1)) as f64)
        .value("pool", manager.pool() as f64)
        .value("stalled_1", f64::from(u8::from(manager.is_stalled(1))))
}

/// A row for each task at each point: its rate of work, what it moved, stalls and errors, means of the repetitions.
pub fn tasks(result: &ScenarioResult) -> Vec<Row> {
    let of_point = |point: &PointResult| {
        let of_run = |run: &RunResult| run.tasks.iter().map(|task| of_task(result, point, task)).collect();
        row::means(&point.runs.iter().map(of_run).collect::<Vec<Vec<Row>>>())
    };
    result.points.iter().flat_map(of_point).collect()
}

fn of_task(result: &ScenarioResult, point: &PointResult, task: &TaskResult) -> Row {
    let mut row = Row::new().label("task", &task.name);
    for (axis, value) in std::iter::zip(&result.axes, &point.values) {
        let name = axis.name.rsplit('.').next().unwrap_or(&axis.name);
        row = match (name, value.strip_suffix(" MB/s"), value.strip_suffix(" GB/s")) {
            (_, Some(mega), _) => row.label("total_mb_s", mega),
            (_, _, Some(giga)) => row.label("total_mb_s", (giga.parse::<f64>().unwrap_or(0.0) * 1e3).round()),
            // What runs in the foreground: accesses with this gap, or the recording for a program.
            ("gap" | "of", ..) => row.label("foreground", value),
            (name, _, _) => row.label(name, value),
        };
    }
    let waits = &task.reads.anatomy;
    row = row
        .value("ipc", task.instructions_per_cycle)
        .value("mb_s", task.bandwidth_bytes_per_s / 1e6)
        .value("wait_ns", waits.queue_ns + waits.bank_ns + waits.bus_ns);
    let Some(core) = &task.regulation else { return row };
    let periods = core.counts.periods.max(1) as f64;
    row.value("budget_mb_s", core.achieved_bytes_per_s / 1e6)
        .value("exhausted_pct", 100.0 * core.counts.exhausted as f64 / periods)
        .value("errors_pct", 100.0 * core.error_rate)
}

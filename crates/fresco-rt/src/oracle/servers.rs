// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of two servers and their workloads (CRS): inputs `W1`, `W2`, `p1`, `e1`, `p2`, `e2`, `tret`, `delta`, `erl`,
//! `eru`, `phi1`, `phi2`, and any of the answers `min_budget`, `table`, `rta_top`, `defer_guarantee`, `t3`, `sim`.

use serde_json::{Map, Value, json};

use super::json::{Record, compare};
use super::{Difference, RecordError};
use crate::budget::{Family, least_budget};
use crate::fixed_priority::response_bounds;
use crate::policy::{Order, Policy};
use crate::simulation::{Dispatch, Outcome, Simulation};
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{
    ColorLock, Locks, Server, ServerTable, TopLevel, deferrable_guarantee, fits, response_times, server_tables,
};

/// Priorities of the records: by deadline, period, id.
const ORDER: Order = Order::DeadlineMonotonic;
const POLICIES: [(&str, Policy); 2] = [("edf", Policy::Edf), ("fp", Policy::FixedPriority(ORDER))];
const INPUTS: [&str; 13] = [
    "id", "W1", "W2", "p1", "e1", "p2", "e2", "tret", "delta", "erl", "eru", "phi1", "phi2",
];

/// The inputs of a record.
struct Inputs {
    top: TopLevel,
    workloads: [Vec<Task>; 2],
}

/// Computes every recorded answer again and returns those that differ.
///
/// # Errors
/// If an input is missing or impossible.
pub fn compare_record(value: &Value) -> Result<Vec<Difference>, RecordError> {
    let record = Record::new(value);
    let fields = value
        .as_object()
        .ok_or_else(|| record.error("", "a record is an object"))?;
    let inputs = read(&record)?;
    let answers = answers(&record, &inputs)?;
    let mut differences = Vec::new();
    for (name, expected) in fields.iter().filter(|(name, _)| !INPUTS.contains(&name.as_str())) {
        compare(
            record.id(),
            name,
            expected,
            answers.get(name).unwrap_or(&Value::Null),
            &mut differences,
        );
    }
    Ok(differences)
}

fn read(record: &Record) -> Result<Inputs, RecordError> {
    let server = |period: &str, budget: &str| {
        Server::new(record.time(period)?, record.time(budget)?).map_err(|error| record.error(budget, error))
    };
    let burst = record.time("delta")?;
    let colors = vec![
        ColorLock {
            phase: record.time("phi1")?,
            burst,
        },
        ColorLock {
            phase: record.time("phi2")?,
            burst,
        },
    ];
    let locks = Locks::new(record.time("tret")?, record.time("erl")?, record.time("eru")?, colors)
        .map_err(|error| record.error("delta", error))?;
    let top =
        TopLevel::new([server("p1", "e1")?, server("p2", "e2")?], locks).map_err(|error| record.error("p1", error))?;
    let workloads = record.workloads()?;
    Ok(Inputs { top, workloads })
}

fn answers(record: &Record, inputs: &Inputs) -> Result<Map<String, Value>, RecordError> {
    let (tables, idle) = server_tables(&inputs.top).map_err(|error| record.error("table", error))?;
    let mut answers = Map::new();
    answers.insert("min_budget".into(), budgets(record, inputs)?);
    answers.insert("table".into(), table(record, inputs, &tables, idle)?);
    answers.insert("rta_top".into(), json!(response_times(&inputs.top)));
    let guarantee = deferrable_guarantee(&inputs.top).map_err(|error| record.error("defer_guarantee", error))?;
    answers.insert("defer_guarantee".into(), json!(guarantee));
    answers.insert("t3".into(), on_tables(record, inputs, &tables)?);
    answers.insert("sim".into(), simulations(record, inputs)?);
    Ok(answers)
}

fn budgets(record: &Record, inputs: &Inputs) -> Result<Value, RecordError> {
    let mut both = Map::new();
    for (color, name) in ["S1", "S2"].into_iter().enumerate() {
        let period = inputs.top.servers[color].period;
        let mut least = Map::new();
        for (policy_name, policy) in POLICIES {
            for (family_name, family) in [("linear", Family::PeriodicLinear), ("exact", Family::Periodic)] {
                let budget = least_budget(&inputs.workloads[color], policy, family, period)
                    .map_err(|error| record.error("min_budget", error))?;
                // The records count budgets from 1.
                least.insert(
                    format!("{policy_name}_{family_name}"),
                    json!(budget.map(|budget| budget.max(1))),
                );
            }
        }
        both.insert(name.into(), Value::Object(least));
    }
    Ok(Value::Object(both))
}

fn table(record: &Record, inputs: &Inputs, tables: &[ServerTable; 2], idle: Time) -> Result<Value, RecordError> {
    let [a, b] = tables;
    // The recorded lengths choose the points at which the bounds are compared.
    let points = record
        .value()
        .get("table")
        .and_then(|table| table.get("sbf"))
        .and_then(Value::as_array);
    let sbf = points.map(Vec::as_slice).unwrap_or_default().iter().map(|point| {
        let t = point.get(0).and_then(Value::as_u64);
        t.map(|t| json!([t, a.slots.sbf(t), b.slots.sbf(t)]))
            .ok_or_else(|| record.error("table.sbf", "a point is [t, sbf1, sbf2]"))
    });
    let length = inputs.top.repeat().map_err(|error| record.error("table", error))?;
    Ok(json!({
        "L": length,
        "min_supplied": [a.min_supplied, b.min_supplied],
        "full": [a.full, b.full],
        "total": [a.slots.total(), b.slots.total()],
        "unhidden": [a.unhidden, b.unhidden],
        "idle": idle,
        "sbf": sbf.collect::<Result<Vec<_>, _>>()?,
    }))
}

fn on_tables(record: &Record, inputs: &Inputs, tables: &[ServerTable; 2]) -> Result<Value, RecordError> {
    let mut answers = Map::new();
    for (name, policy) in POLICIES {
        let accepted = (0..2).map(|color| fits(&inputs.workloads[color], policy, &tables[color].slots));
        let accepted = accepted
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| record.error("t3", error))?;
        answers.insert(name.into(), json!(accepted));
    }
    let bounds = (0..2).map(|color| {
        let tasks = &inputs.workloads[color];
        let bounds = response_bounds(tasks, ORDER, &tables[color].slots);
        Value::Object(
            tasks
                .iter()
                .zip(bounds)
                .map(|(task, bound)| (task.name.clone(), json!(bound)))
                .collect(),
        )
    });
    answers.insert("fp_wcrt".into(), bounds.collect());
    Ok(Value::Object(answers))
}

fn simulations(record: &Record, inputs: &Inputs) -> Result<Value, RecordError> {
    let mut answers = Map::new();
    let servers = inputs.top.servers.to_vec();
    for (policy_name, policy) in POLICIES {
        let dispatches = [
            ("idle", Dispatch::Idling(servers.clone())),
            ("defer", Dispatch::Deferrable(servers.clone())),
            ("flat", Dispatch::Flat),
        ];
        for (dispatch_name, dispatch) in dispatches {
            let workloads = inputs.workloads.iter().map(Vec::as_slice).collect();
            let simulation = Simulation::new(workloads, policy, dispatch, Some(&inputs.top.locks))
                .map_err(|error| record.error("sim", error))?;
            let outcome = simulation.run_exact().map_err(|error| record.error("sim", error))?;
            answers.insert(format!("{policy_name}_{dispatch_name}"), simulated(inputs, &outcome));
        }
    }
    Ok(Value::Object(answers))
}

fn simulated(inputs: &Inputs, outcome: &Outcome) -> Value {
    let names = inputs.workloads.iter().flatten().map(|task| task.name.clone());
    let completed = names
        .zip(&outcome.worst_response)
        .filter_map(|(name, worst)| worst.map(|worst| (name, json!(worst))));
    json!({
        "misses": outcome.misses,
        "unhidden": outcome.unhidden,
        "wcrt": Value::Object(completed.collect()),
        "horizon": outcome.horizon,
        "jobs_done": outcome.jobs_done,
        "converged": outcome.converged,
    })
}

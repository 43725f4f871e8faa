// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two servers at every density under both readings of the burst: `W1`, `W2`, `servers` (period and budget of each), `policy`,
//! `min_budget`, and in `dens` the answers by `reading_density`, as `jedec_8Gb`. Locks have the usual phases, handlers take no
//! time (5 us in aligned frames), tRET is 64 ms.

use serde_json::{Map, Value, json};

use super::super::json::{Record, compare};
use super::super::{Difference, RecordError};
use super::policy;
use crate::aligned::{RefreshDemand, plan};
use crate::budget::{Family, least_budget};
use crate::policy::{Order, Policy};
use crate::refresh::{Burst, COMMANDS, Density, RETENTION};
use crate::simulation::{Dispatch, Simulation};
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Locks, Server, TopLevel, fits, server_tables};

/// Ranks by which the published reading divides the commands (E1).
const RANKS: Time = 8;
/// Cost of a handler in an aligned frame.
const HANDLER: Time = 5_000;

struct Inputs {
    servers: [Server; 2],
    workloads: [Vec<Task>; 2],
    policy: Policy,
}

pub(super) fn compare_record(record: Record) -> Result<Vec<Difference>, RecordError> {
    let inputs = read(&record)?;
    let mut answers = Map::new();
    for input in ["W1", "W2", "servers", "policy"] {
        answers.insert(input.into(), record.field(input)?.clone());
    }
    answers.insert("min_budget".into(), budgets(&record, &inputs)?);
    let recorded = record.field("dens")?.as_object();
    let recorded = recorded.ok_or_else(|| record.error("dens", "an object of answers by density is needed"))?;
    let mut found = Map::new();
    for (key, recorded) in recorded {
        found.insert(key.clone(), at_density(&record, &inputs, key, recorded)?);
    }
    answers.insert("dens".into(), Value::Object(found));
    let mut differences = Vec::new();
    compare(
        record.id(),
        "",
        record.value(),
        &Value::Object(answers),
        &mut differences,
    );
    Ok(differences)
}

fn read(record: &Record) -> Result<Inputs, RecordError> {
    let times = record.field("servers")?.as_array().map(Vec::as_slice);
    let [p1, e1, p2, e2] = times.unwrap_or_default() else {
        return Err(record
            .error("servers", "a list of four times is needed")
            .cured("write [p1, e1, p2, e2]"));
    };
    let server = |period: &Value, budget: &Value| {
        let time = |value| record.as_time(value, "servers");
        Server::new(time(period)?, time(budget)?).map_err(|error| record.error("servers", error))
    };
    Ok(Inputs {
        servers: [server(p1, e1)?, server(p2, e2)?],
        workloads: record.workloads()?,
        policy: policy(record)?,
    })
}

/// Least budgets by `server_policy_family`, as `S1_edf_Prm`.
fn budgets(record: &Record, inputs: &Inputs) -> Result<Value, RecordError> {
    let mut answers = Map::new();
    for (server, (tasks, name)) in inputs.servers.iter().zip(inputs.workloads.iter().zip(["S1", "S2"])) {
        for (policy_name, policy) in [
            ("edf", Policy::Edf),
            ("fp", Policy::FixedPriority(Order::DeadlineMonotonic)),
        ] {
            for (family_name, family) in [("Lin", Family::PeriodicLinear), ("Prm", Family::Periodic)] {
                let budget = least_budget(tasks, policy, family, server.period());
                let budget = budget.map_err(|error| record.error("min_budget", error))?;
                answers.insert(format!("{name}_{policy_name}_{family_name}"), json!(budget));
            }
        }
    }
    Ok(Value::Object(answers))
}

fn at_density(record: &Record, inputs: &Inputs, key: &str, recorded: &Value) -> Result<Value, RecordError> {
    let at = format!("dens.{key}");
    let unknown = || {
        let message = "found no density; allowed: jedec_8Gb or text_8Gb, with 1, 2, 4, 8, 16, 32 or 64";
        record.error(&at, message).cured("rename it")
    };
    let (reading, gigabits) = key
        .strip_suffix("Gb")
        .and_then(|k| k.split_once('_'))
        .ok_or_else(unknown)?;
    let density = gigabits
        .parse()
        .ok()
        .and_then(Density::from_gigabits)
        .ok_or_else(unknown)?;
    let (burst, commands) = match reading {
        "jedec" => (Burst::Standard, COMMANDS),
        "text" => (Burst::AsPublished { ranks: RANKS }, COMMANDS / RANKS),
        _ => return Err(unknown()),
    };
    let burst = burst.length(density);
    let failed = |error: &dyn ToString| record.error(&at, error.to_string());
    let locks = Locks::of_two_servers(RETENTION, burst, 0, 0).map_err(|e| failed(&e))?;
    let top = TopLevel::new(inputs.servers, locks).map_err(|e| failed(&e))?;
    let (tables, _) = server_tables(&top).map_err(|e| failed(&e))?;
    let accepted = (0..2).map(|color| fits(&inputs.workloads[color], inputs.policy, &tables[color].slots));
    let accepted = accepted.collect::<Result<Vec<_>, _>>().map_err(|e| failed(&e))?;
    let mut answers = Map::new();
    answers.insert("delta".into(), json!(burst));
    answers.insert(
        "min_supplied".into(),
        json!([0, 1].map(|c: usize| tables[c].min_supplied)),
    );
    answers.insert("unhidden".into(), json!([0, 1].map(|c: usize| tables[c].unhidden)));
    answers.insert("t3".into(), json!(accepted));
    answers.insert("sim".into(), simulations(inputs, &top).map_err(|e| failed(&e))?);
    if let Some(period) = recorded.get("aligned").and_then(|aligned| aligned.get("p")) {
        let demand = RefreshDemand {
            retention: RETENTION,
            commands,
            trfc: density.trfc(),
            handler: HANDLER,
            jitter: 0,
            slice: Default::default(),
        };
        let period = record.as_time(period, &format!("{at}.aligned.p"))?;
        let [first, second] = &inputs.workloads;
        let aligned = match plan(&[[first, second]], inputs.policy, period, demand) {
            Ok(plan) => json!({"p": period, "e1": plan.borders()[0], "seg": plan.segment_length()}),
            Err(error) => json!(error.to_string()),
        };
        answers.insert("aligned".into(), aligned);
    }
    Ok(Value::Object(answers))
}

fn simulations(inputs: &Inputs, top: &TopLevel) -> Result<Value, crate::simulation::SimulationError> {
    let servers = inputs.servers.to_vec();
    let mut answers = Map::new();
    for (name, dispatch) in [
        ("idle", Dispatch::Idling(servers.clone())),
        ("defer", Dispatch::Deferrable(servers)),
        ("flat", Dispatch::Flat),
    ] {
        let workloads = inputs.workloads.iter().map(Vec::as_slice).collect();
        let outcome = Simulation::new(workloads, inputs.policy, dispatch, Some(top.locks()))?.run_exact()?;
        let names = inputs.workloads.iter().flatten().map(|task| task.name.clone());
        let completed = names
            .zip(&outcome.worst_response)
            .filter_map(|(name, worst)| worst.map(|worst| (name, json!(worst))));
        let simulated = json!({
            "misses": outcome.misses,
            "wcrt": Value::Object(completed.collect()),
            "unhidden": outcome.unhidden,
            "horizon": outcome.horizon,
            "converged": outcome.converged,
        });
        answers.insert(name.into(), simulated);
    }
    Ok(Value::Object(answers))
}

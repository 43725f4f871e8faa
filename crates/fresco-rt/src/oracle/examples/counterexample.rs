// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sets on which a published bound or rule fails: `cfg`, `W1`, `W2`, `policy`, and in `sim` the misses of each way to dispatch
//! (`idle`, `defer`, `flat`); `text` is a remark. And servers with what a lock leaves them: `min_supplied`, `unhidden`.

use serde_json::{Map, Value, json};

use super::super::json::{Record, compare};
use super::super::{Difference, RecordError};
use super::policy;
use crate::refresh::RETENTION;
use crate::simulation::{Dispatch, Simulation};
use crate::time::Time;
use crate::toplevel::{Locks, Server, TopLevel, server_tables};

pub(super) fn compare_record(record: Record) -> Result<Vec<Difference>, RecordError> {
    let cfg = Record::named(record.field("cfg")?, record.id());
    let in_cfg = |mut error: RecordError| {
        error.field = format!("cfg.{}", error.field);
        error
    };
    let retention = cfg.time("tret").map_err(in_cfg)?;
    let handlers = [cfg.time("erl").map_err(in_cfg)?, cfg.time("eru").map_err(in_cfg)?];
    let top = top_level(&cfg, retention, handlers).map_err(in_cfg)?;
    let [first, second] = record.workloads()?;
    let policy = policy(&record)?;
    let recorded = record.field("sim")?.as_object();
    let recorded = recorded.ok_or_else(|| record.error("sim", "an object of misses by dispatch is needed"))?;
    let mut misses = Map::new();
    for name in recorded.keys() {
        let servers = top.servers().to_vec();
        let dispatch = match name.as_str() {
            "idle" => Dispatch::Idling(servers),
            "defer" => Dispatch::Deferrable(servers),
            "flat" => Dispatch::Flat,
            // Not known: it differs.
            _ => continue,
        };
        let outcome = Simulation::new(vec![&first, &second], policy, dispatch, Some(top.locks()))
            .and_then(|simulation| simulation.run_exact())
            .map_err(|error| record.error(&format!("sim.{name}"), error))?;
        misses.insert(name.clone(), json!(outcome.misses));
    }
    let mut answers = inputs(&record, &["cfg", "W1", "W2", "policy", "text"]);
    answers.insert("sim".into(), Value::Object(misses));
    Ok(differences(&record, answers))
}

pub(super) fn compare_supplied(record: Record) -> Result<Vec<Difference>, RecordError> {
    let top = top_level(&record, RETENTION, [0, 0])?;
    let (tables, _) = server_tables(&top).map_err(|error| record.error("p1", error))?;
    let mut answers = inputs(&record, &["p1", "e1", "p2", "e2", "delta", "text"]);
    let [a, b] = tables;
    answers.insert("min_supplied".into(), json!([a.min_supplied, b.min_supplied]));
    answers.insert("unhidden".into(), json!([a.unhidden, b.unhidden]));
    Ok(differences(&record, answers))
}

/// Two servers under locks half a retention time apart.
fn top_level(record: &Record, retention: Time, [lock, unlock]: [Time; 2]) -> Result<TopLevel, RecordError> {
    let server = |period: &str, budget: &str| {
        Server::new(record.time(period)?, record.time(budget)?).map_err(|error| record.error(budget, error))
    };
    let servers = [server("p1", "e1")?, server("p2", "e2")?];
    let locks = Locks::of_two_servers(retention, record.time("delta")?, lock, unlock)
        .map_err(|error| record.error("delta", error))?;
    TopLevel::new(servers, locks).map_err(|error| record.error("p1", error))
}

fn inputs(record: &Record, names: &[&str]) -> Map<String, Value> {
    let given = |name: &&str| {
        record
            .value()
            .get(name)
            .map(|value| ((*name).to_owned(), value.clone()))
    };
    names.iter().filter_map(given).collect()
}

fn differences(record: &Record, answers: Map<String, Value>) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(
        record.id(),
        "",
        record.value(),
        &Value::Object(answers),
        &mut differences,
    );
    differences
}

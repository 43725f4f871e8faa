// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which field of a plan's document is wrong: one that nothing reads, or one that cannot be read. Both by its path, as
//! `data.schedule.table.slots[3].job`.

use super::{Color, Plan, PlannedBandwidth, PlannedServer, PlannedTask, Proof, RefreshPlan, RefreshWindow, Schedule};
use fresco_rt::executive::{Burst, Slot};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A field that nothing reads.
pub(super) struct Unknown {
    /// Where it stands.
    pub path: String,
    /// The fields that may stand there.
    pub known: Vec<String>,
    /// The one that was probably meant.
    pub meant: Option<String>,
}

/// The first field of `data` that `plan`, which was read from it, does not have when it is written again.
pub(super) fn unknown(data: &Value, plan: &Plan) -> Option<Unknown> {
    let again = serde_json::to_value(plan).ok()?;
    beyond(data, &again, "data")
}

/// The first field of `given` that `written` does not have.
fn beyond(given: &Value, written: &Value, path: &str) -> Option<Unknown> {
    match (given, written) {
        (Value::Object(given), Value::Object(written)) => given.iter().find_map(|(key, value)| {
            let path = format!("{path}.{key}");
            match written.get(key) {
                Some(known) => beyond(value, known, &path),
                None => Some(Unknown {
                    path,
                    known: written.keys().cloned().collect(),
                    meant: fresco_input::closest(key, written.keys().map(String::as_str)).map(str::to_owned),
                }),
            }
        }),
        (Value::Array(given), Value::Array(written)) => {
            let pairs = given.iter().zip(written).enumerate();
            pairs
                .into_iter()
                .find_map(|(i, (given, written))| beyond(given, written, &format!("{path}[{i}]")))
        }
        _ => None,
    }
}

/// The smallest part of `data` that we can name and that cannot be read.
pub(super) fn misread(data: &Value) -> String {
    let part = part::<RefreshWindow>(data, "/refresh/windows", "refresh.windows")
        .or_else(|| part::<Slot>(data, "/schedule/table/slots", "schedule.table.slots"))
        .or_else(|| part::<Burst>(data, "/schedule/table/bursts", "schedule.table.bursts"))
        .or_else(|| servers(data))
        .or_else(|| part::<Color>(data, "/colors", "colors"))
        .or_else(|| part::<PlannedTask>(data, "/tasks", "tasks"))
        .or_else(|| part::<Proof>(data, "/proofs", "proofs"))
        .or_else(|| whole::<Schedule>(data, "schedule"))
        .or_else(|| whole::<RefreshPlan>(data, "refresh"))
        .or_else(|| whole::<PlannedBandwidth>(data, "bandwidth"));
    part.map_or("data".to_owned(), |part| format!("data.{part}"))
}

/// The first element of a list that cannot be read.
fn part<T: DeserializeOwned>(data: &Value, pointer: &str, name: &str) -> Option<String> {
    let list = data.pointer(pointer)?.as_array()?;
    let wrong = list.iter().position(|element| T::deserialize(element).is_err())?;
    Some(format!("{name}[{wrong}]"))
}

/// The first server of a core that cannot be read.
fn servers(data: &Value) -> Option<String> {
    data.pointer("/schedule/cores")?
        .as_array()?
        .iter()
        .enumerate()
        .find_map(|(core, servers)| {
            part::<PlannedServer>(servers, "/servers", &format!("schedule.cores[{core}].servers"))
        })
}

/// The part itself, if it cannot be read.
fn whole<T: DeserializeOwned>(data: &Value, name: &str) -> Option<String> {
    T::deserialize(data.get(name)?).is_err().then(|| name.to_owned())
}

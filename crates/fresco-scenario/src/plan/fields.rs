// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which field of a plan's document is wrong: one that nothing reads, or one that cannot be read. Both by its path, as
//! `data.schedule.table.slots[3].job`.

use super::{
    Color, HighMode, Plan, PlannedBandwidth, PlannedServer, PlannedTask, Proof, RefreshPlan, RefreshWindow, Schedule,
};
use crate::reading::{Unknown, beyond};
use fresco_rt::executive::{Burst, Slot};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The first field of `data` that `plan`, which was read from it, does not have when it is written again.
pub(super) fn unknown(data: &Value, plan: &Plan) -> Option<Unknown> {
    let again = serde_json::to_value(plan).ok()?;
    beyond(data, &again, "data", left_out)
}

/// Fields that are not written while they have their default, by the object that they are in. They may be given all the same.
const LEFT_OUT: [(&str, &[&str]); 3] = [
    (
        "data",
        &[
            "bandwidth",
            "context_switch_ns",
            "frames",
            "high",
            "migration",
            "page_tables",
            "refresh_jitter_ns",
        ],
    ),
    ("data.colors[", &["llc_colors"]),
    (
        "data.tasks[",
        &[
            "arrival_jitter_ns",
            "cache_reload_ns",
            "command",
            "critical_section_ns",
            "jitter_ns",
            "min_distance_ns",
            "pages",
            "stalls",
            "team",
            "virtual_deadline_ns",
            "wcet_high_ns",
        ],
    ),
];

/// Of the object at `path`, the fields that are left out at times.
fn left_out(path: &str) -> &'static [&'static str] {
    let is_at = |object: &str| match object.strip_suffix('[') {
        None => path == object,
        Some(_) => path
            .strip_prefix(object)
            .is_some_and(|rest| rest.find(']') == rest.len().checked_sub(1)),
    };
    LEFT_OUT
        .iter()
        .find(|(object, _)| is_at(object))
        .map_or(&[], |(_, fields)| fields)
}

/// The smallest part of `data` that we can name and that cannot be read.
pub(super) fn part_misread(data: &Value) -> String {
    let part = part::<RefreshWindow>(data, "/refresh/windows", "refresh.windows")
        .or_else(|| part::<Slot>(data, "/schedule/table/slots", "schedule.table.slots"))
        .or_else(|| part::<Burst>(data, "/schedule/table/bursts", "schedule.table.bursts"))
        .or_else(|| servers(data))
        .or_else(|| part::<Color>(data, "/colors", "colors"))
        .or_else(|| part::<PlannedTask>(data, "/tasks", "tasks"))
        .or_else(|| part::<Proof>(data, "/proofs", "proofs"))
        .or_else(|| whole::<Schedule>(data, "schedule"))
        .or_else(|| whole::<RefreshPlan>(data, "refresh"))
        .or_else(|| whole::<PlannedBandwidth>(data, "bandwidth"))
        .or_else(|| whole::<HighMode>(data, "high"));
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

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schemas of whole files, put together.

use crate::schema::axes::{Axes, values, variants};
use crate::schema::json::{numbers, partial, table};
use crate::schema::learn::{FILE, Place, learn};
use crate::schema::pages::Pages;
use fresco_input::{Document, InputError, listen};
use fresco_machine::Machine;
use fresco_scenario::{Scenario, TaskSet};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;

/// What of a machine's file a scenario may change.
pub const OF_MACHINE: [&str; 12] = [
    "cores",
    "page",
    "core",
    "l1",
    "l1i",
    "l2",
    "llc",
    "topology",
    "coherence",
    "fabric",
    "memory",
    "calibration",
];
/// Tables of a scenario that a key names by the names in them.
const NAMED: [&str; 2] = ["task", "agent"];
/// Where the keys are that a variant sets.
const SET: &str = "#/properties/variant/items/properties/set/properties";
/// How long a program runs, which a scenario says otherwise.
const LENGTHS: [&str; 2] = ["passes", "warmup"];

/// What the reader of machines takes, and machines that it takes.
pub fn learn_machine(texts: Vec<(String, PathBuf)>) -> (Place, Vec<String>) {
    learn(texts, |text, _| Machine::parse(FILE, text, &[]).is_ok())
}

/// What the readers of scenarios and task sets take; scenarios that both are content with: what one leaves to the other, the other takes; and texts
/// that one of them is content with.
pub fn learn_scenario(texts: Vec<(String, PathBuf)>) -> (Place, Vec<String>, HashSet<String>) {
    let taken = Mutex::new(HashSet::new());
    let (mut learned, right) = learn(texts, |text, directory| {
        let scenario = Scenario::parse(FILE, text, directory, &[]);
        let set = TaskSet::parse(FILE, text, directory, &[]);
        if scenario.is_ok() || set.is_ok() {
            taken.lock().expect("no panic").insert(text.to_owned());
        }
        let of_plans = |error: &InputError| error.field.starts_with("plan") || error.field.starts_with("server");
        scenario.is_ok() && !set.is_err_and(|error| of_plans(&error))
    });
    // Bounds of devices that the machine decides, though all machines with devices here agree on them.
    for key in ["node", "stride"] {
        learned.forget_bounds(&format!("agent.0.{key}"));
    }
    (learned, right, taken.into_inner().expect("no panic"))
}

/// The schema of a machine's file.
pub fn of_machine(learned: &Place, pages: &Pages) -> Value {
    let mut schema = table(learned, "", pages);
    head(&mut schema, "A machine of Fresco", json!({ "numbers": numbers() }));
    schema
}

/// The schema of a scenario or a task set; `machine` is that of a machine's file.
pub fn of_scenario(learned: &Place, machine: &Value, pages: &Pages) -> Value {
    let mut root = partial(&table(learned, "", pages));
    // Where a task names no parameters, an empty table is read in their place.
    root["properties"]
        .as_object_mut()
        .expect("is a map")
        .remove("parameters");
    let mut definitions = Map::from_iter([("numbers".to_owned(), numbers())]);
    for key in OF_MACHINE {
        let name = format!("machine.{key}");
        root["properties"][key] = reference(&name);
        definitions.insert(name, partial(&machine["properties"][key]));
    }
    for kind in NAMED {
        let items = root["properties"][kind]["items"].take();
        definitions.insert(kind.to_owned(), items);
        root["properties"][kind]["items"] = reference(kind);
    }
    definitions["task"]["required"] = json!(["name"]);
    of_programs(&mut definitions["task"]);
    // What a variant or an axis sets is a part of this file.
    let mut set = root["properties"].clone();
    for key in [
        "name",
        "title",
        "seed",
        "repetitions",
        "sweep",
        "variant",
        "baseline",
        "plan",
        "server",
    ] {
        set.as_object_mut().expect("is a map").remove(key);
    }
    for kind in NAMED {
        let mut one = partial(&definitions[kind]);
        // The program may be named elsewhere.
        one.as_object_mut().expect("is a map").remove("allOf");
        set[kind] = json!({ "type": "object", "additionalProperties": one });
    }
    root["properties"]["variant"]["items"]["properties"]["set"] =
        json!({ "type": "object", "properties": set, "additionalProperties": false });
    root["properties"]["variant"]["items"]["required"] = json!(["name", "set"]);
    let mut axes = Axes::new(&definitions, "axis.", values);
    let swept: Map<String, Value> = set
        .as_object()
        .expect("is a map")
        .iter()
        .map(|(key, value)| {
            let axis = axes.of(value, &format!("{SET}/{key}"));
            (key.clone(), json!({ "anyOf": [axis, variants()] }))
        })
        .collect();
    let made = axes.made;
    definitions.extend(made);
    root["properties"]["sweep"] = json!({ "type": "object", "properties": swept, "additionalProperties": variants() });
    root["properties"]["baseline"] =
        json!({ "type": "object", "description": "the value of each axis that the others are compared with" });
    head(
        &mut root,
        "A scenario or a task set of Fresco",
        Value::Object(definitions),
    );
    root
}

fn head(schema: &mut Value, title: &str, definitions: Value) {
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["title"] = title.into();
    schema["definitions"] = definitions;
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

/// Parameters are those of the program that the task names.
fn of_programs(task: &mut Value) {
    let mut cases = Vec::new();
    for kind in fresco_load::programs() {
        let document = Document::parse(FILE, "").expect("is TOML");
        let (_, notes) = listen(|| kind.read(&document.root()).map(|_| ()));
        let mut place = Place::of(&notes);
        LENGTHS.iter().for_each(|length| _ = place.keys.remove(*length));
        let mut parameters = table(&place, "", &Pages::default());
        for parameter in kind.parameters().filter(|parameter| !LENGTHS.contains(&parameter.name)) {
            let default = parameter
                .kind
                .default()
                .map_or(String::new(), |default| format!("; default: {default}"));
            parameters["properties"][parameter.name]["description"] =
                format!("{}; {}{default}", parameter.doc, parameter.kind.range()).into();
        }
        parameters["additionalProperties"] = false.into();
        let named = json!({ "properties": { "program": { "const": kind.name } }, "required": ["program"] });
        let then = json!({ "properties": { "parameters": partial(&parameters) } });
        cases.push(json!({ "if": named, "then": then }));
    }
    task["properties"]["parameters"] =
        json!({ "type": "object", "description": "parameters of the program: fresco sim --programs" });
    task["allOf"] = Value::Array(cases);
}

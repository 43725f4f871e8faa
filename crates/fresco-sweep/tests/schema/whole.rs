// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schema of a sweep, put together.

use crate::schema::axes::{Axes, values, variants};
use crate::schema::json::{partial, table};
use crate::schema::learn::Place;
use crate::schema::pages::Pages;
use serde_json::{Map, Value, json};

/// Keys of a scenario that are the same at all points, or not of a point.
const OF_ALL_POINTS: [&str; 5] = ["name", "title", "sweep", "variant", "baseline"];

/// Keys of a range that are numbers, with a decimal point or without one.
const NUMBERS: [&str; 3] = ["from", "to", "step"];

/// Where the keys are that a point sets.
const SET: &str = "#/definitions/set/properties";

/// The two ways to draw samples.
const SAMPLED: [&str; 2] = ["random", "latin_hypercube"];

/// The schema; `scenario` is that of a scenario.
pub fn of_sweep(learned: &Place, scenario: &Value, pages: &Pages) -> Value {
    let mut root = table(learned, "", pages);
    let mut definitions = scenario["definitions"].as_object().expect("is a map").clone();
    definitions.retain(|name, _| !name.starts_with("axis."));
    let keys = keys(scenario);
    // A grid takes what samples do, but for ranges without steps, which the reader refuses.
    let mut axes = Axes::new(&definitions, "axes.", values_or_range);
    let mut of_keys = Map::new();
    for (key, value) in &keys {
        of_keys.insert(
            key.clone(),
            json!({ "anyOf": [axes.of(value, &format!("{SET}/{key}")), variants()] }),
        );
    }
    let of_keys = json!({ "type": "object", "minProperties": 1, "properties": of_keys, "patternProperties": dotted(),
        "additionalProperties": variants() });
    let made = axes.made;
    definitions.extend(made);
    definitions.insert("range".to_owned(), range(learned, pages));
    let set =
        json!({ "type": "object", "properties": keys, "patternProperties": dotted(), "additionalProperties": false });
    definitions.insert("set".to_owned(), set);
    definitions.insert("axes".to_owned(), of_keys);
    let properties = root["properties"].as_object_mut().expect("is a map");
    let described = |key: &str, mut schema: Value| {
        if let Some(text) = pages.of(key) {
            schema["description"] = text.into();
        }
        schema
    };
    let set = json!({ "$ref": "#/definitions/set" });
    let axes = json!({ "$ref": "#/definitions/axes" });
    properties.insert("grid".to_owned(), described("grid", json!({ "allOf": [axes] })));
    properties.insert("set".to_owned(), set.clone());
    let points = json!({ "type": "array", "items": { "allOf": [set, { "minProperties": 1 }] } });
    properties.insert("point".to_owned(), described("point", points));
    let variant = json!({ "type": "object", "properties": { "name": { "type": "string" }, "set": set },
        "required": ["name", "set"], "additionalProperties": false });
    properties.insert(
        "variant".to_owned(),
        described("variant", json!({ "type": "array", "items": variant })),
    );
    for kind in SAMPLED {
        properties[kind]["properties"]["over"] = axes.clone();
        properties[kind]["required"] = json!(["samples", "over"]);
    }
    let points: Vec<Value> = ["grid", "point"]
        .iter()
        .chain(&SAMPLED)
        .map(|key| json!({ "required": [key] }))
        .collect();
    root["anyOf"] = points.into();
    root["not"] = json!({ "required": SAMPLED });
    root["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    root["title"] = "A sweep of Fresco".into();
    root["definitions"] = Value::Object(definitions);
    root
}

/// The keys of a scenario that a point may set, by name where they are lists of tables.
fn keys(scenario: &Value) -> Map<String, Value> {
    let whole = scenario["properties"].as_object().expect("is a map");
    let by_name = &scenario["properties"]["variant"]["items"]["properties"]["set"]["properties"];
    let mut keys = Map::new();
    for (key, value) in whole.iter().filter(|(key, _)| !OF_ALL_POINTS.contains(&key.as_str())) {
        let schema = match (by_name.get(key), &value["items"]) {
            (Some(schema), _) => schema.clone(),
            // By number.
            (None, items) if items.is_object() && value["type"] == "array" => {
                json!({ "type": "object", "additionalProperties": partial(items) })
            }
            (None, _) => value.clone(),
        };
        keys.insert(key.clone(), schema);
    }
    keys
}

/// What stands below keys in quotes, `"task.noise.banks"`, is left to the reader.
fn dotted() -> Value {
    json!({ r"\.": {} })
}

fn values_or_range(schema: Value) -> Value {
    json!({ "anyOf": [values(schema), { "$ref": "#/definitions/range" }] })
}

/// What an axis of samples ranges over, wherever the reader has met one.
fn range(learned: &Place, pages: &Pages) -> Value {
    let over = &learned.keys["random"].keys["over"];
    let place = find(over).expect("a sweep has a range");
    let mut range = table(place, "", pages);
    // `step` is asked for where there is one.
    range["required"] = json!(["from", "to"]);
    for key in NUMBERS {
        let description = pages.of(key).map(str::to_owned);
        range["properties"][key] = json!({ "type": "number" });
        if let Some(text) = description {
            range["properties"][key]["description"] = text.into();
        }
    }
    range
}

fn find(place: &Place) -> Option<&Place> {
    match place.keys.contains_key("from") && place.keys.contains_key("scale") {
        true => Some(place),
        false => place.keys.values().find_map(find),
    }
}

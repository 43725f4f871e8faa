// SPDX-License-Identifier: MIT OR Apache-2.0
//! A JSON Schema of what was learned.
//!
//! A bound or a list of names that differs from file to file depends on what else is in the file: it is left out, so that no schema refuses what the
//! reader takes. What depends on other keys (a key that only one policy has) is left to the reader, too, but for parameters of programs.

use crate::schema::learn::Place;
use crate::schema::pages::Pages;
use fresco_input::Shape;
use serde_json::{Map, Value, json};

/// Whole numbers as lists of cores and banks have them.
const NUMBERS: &str = r"^\s*[0-9]+\s*(-\s*[0-9]+\s*)?(,\s*[0-9]+\s*(-\s*[0-9]+\s*)?)*$";

/// The schema of the place `path`; `pages` describe its keys.
pub fn schema(place: &Place, path: &str, pages: &Pages) -> Value {
    let mut kinds: Vec<Value> = Vec::new();
    let mut add = |kind: Value| {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    };
    let integers: Vec<(i128, i128)> = of(place, |shape| match shape {
        Shape::Integer(least, most) => Some((*least, *most)),
        _ => None,
    });
    if !integers.is_empty() {
        add(bounded(
            "integer",
            same(&integers, |one| one.0),
            same(&integers, |one| one.1),
        ));
    }
    let powers: Vec<(u32, u32)> = of(place, |shape| match shape {
        Shape::PowerOfTwo(least, most) => Some((*least, *most)),
        _ => None,
    });
    if !powers.is_empty() {
        let (least, most) = (
            same(&powers, |one| one.0).unwrap_or(1),
            same(&powers, |one| one.1).unwrap_or(1 << 31),
        );
        let all: Vec<u32> = (0..32)
            .map(|bit| 1 << bit)
            .filter(|power| (least..=most).contains(power))
            .collect();
        add(json!({ "enum": all }));
    }
    let names: Vec<&Vec<String>> = place
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Choice(names) => Some(names),
            _ => None,
        })
        .collect();
    if !names.is_empty() {
        // A choice that is smaller for a reason is checked by the reader.
        let mut all: Vec<&String> = Vec::new();
        for name in names.iter().copied().flatten() {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        add(json!({ "enum": all }));
    }
    let quantities: Vec<&Shape> = place
        .shapes
        .iter()
        .filter(|shape| matches!(shape, Shape::Quantity { .. }))
        .collect();
    for text in quantities.iter().filter_map(|shape| quantity_text(shape)) {
        add(text);
    }
    let bare: Vec<(u64, u64)> = of(place, |shape| match shape {
        Shape::Quantity { bare: Some(bare), .. } => Some((*bare.start(), *bare.end())),
        _ => None,
    });
    if !bare.is_empty() {
        add(bounded("number", same(&bare, |one| one.0), same(&bare, |one| one.1)));
    }
    for shape in &place.shapes {
        match shape {
            // A name that another reader looks at, too.
            Shape::Text if !names.is_empty() => {}
            Shape::Text => add(json!({ "type": "string" })),
            Shape::Like(pattern) => add(json!({ "type": "string", "pattern": pattern })),
            Shape::Boolean => add(json!({ "type": "boolean" })),
            Shape::Numbers(..) => add(json!({ "$ref": "#/definitions/numbers" })),
            Shape::List => add(list(place, path, pages)),
            Shape::Table => add(table(place, path, pages)),
            Shape::Integer(..) | Shape::PowerOfTwo(..) | Shape::Choice(_) | Shape::Quantity { .. } => {}
        }
    }
    let mut whole = match kinds.len() {
        0 if place.any_keys => Map::from_iter([("type".to_owned(), "object".into())]),
        // Asked for, to be refused.
        0 => return Value::Bool(false),
        1 => kinds.swap_remove(0).as_object().cloned().unwrap_or_default(),
        _ => Map::from_iter([("anyOf".to_owned(), Value::Array(kinds))]),
    };
    // Draft 7 heeds nothing beside a reference.
    if let (Some(text), false) = (pages.of(path), whole.contains_key("$ref")) {
        whole.insert("description".to_owned(), text.into());
    }
    Value::Object(whole)
}

/// Whole numbers in all the ways in which they are written.
pub fn numbers() -> Value {
    let one = json!([{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": NUMBERS }]);
    let nested = json!({ "type": "array", "items": { "$ref": "#/definitions/numbers" } });
    json!({ "description": "one number, a text such as \"0-3,8\", or a list of these", "anyOf": [one[0], one[1], nested] })
}

fn of<T>(place: &Place, pick: impl Fn(&Shape) -> Option<T>) -> Vec<T> {
    place.shapes.iter().filter_map(pick).collect()
}

/// What is the same of all.
fn same<T, V: PartialEq>(all: &[T], of: impl Fn(&T) -> V) -> Option<V> {
    let first = of(all.first()?);
    all.iter().all(|one| of(one) == first).then_some(first)
}

fn bounded<T: TryInto<i64>>(kind: &str, least: Option<T>, most: Option<T>) -> Value {
    let mut schema = json!({ "type": kind });
    // Beyond 64 bits an editor's own numbers end.
    for (key, bound) in [("minimum", least), ("maximum", most)] {
        if let Some(bound) = bound.and_then(|bound| bound.try_into().ok()) {
            schema[key] = bound.into();
        }
    }
    schema
}

/// A number and a unit, in a text.
fn quantity_text(shape: &Shape) -> Option<Value> {
    let Shape::Quantity {
        kind,
        units,
        bare,
        examples,
        ..
    } = shape
    else {
        return None;
    };
    let unit = match bare {
        Some(_) => format!("({})?", units.join("|")),
        None => format!("({})", units.join("|")),
    };
    Some(json!({
        "type": "string",
        "pattern": format!(r"^\s*[0-9]+(\.[0-9]+)?\s*{unit}\s*$"),
        "description": format!("{kind}, for example {examples}"),
    }))
}

fn list(place: &Place, path: &str, pages: &Pages) -> Value {
    let element = place.element.as_deref();
    json!({ "type": "array", "items": element.map_or(json!({}), |element| schema(element, path, pages)) })
}

/// A table; other keys than those that were asked for are refused if the reader refuses them.
pub fn table(place: &Place, path: &str, pages: &Pages) -> Value {
    let below = |key: &str| match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    };
    let properties: Map<String, Value> = place
        .keys
        .iter()
        .map(|(key, place)| (key.clone(), schema(place, &below(key), pages)))
        .collect();
    let required: Vec<&String> = place.keys.keys().filter(|key| place.needs(key)).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if place.closed && !place.any_keys {
        schema["additionalProperties"] = false.into();
    }
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The schema without what must be there: of tables that change a file, and need not have all of it.
pub fn partial(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => Value::Object(
            map.iter()
                .filter(|(key, value)| *key != "required" || !value.is_array())
                .map(|(key, value)| (key.clone(), partial(value)))
                .collect(),
        ),
        Value::Array(all) => all.iter().map(partial).collect(),
        leaf => leaf.clone(),
    }
}

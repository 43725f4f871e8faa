// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schemas of axes, made of those of the keys that are varied.

use serde_json::{Map, Value, json};

/// Parameters of programs: what they take depends on the program, and none of them is a table.
const PARAMETERS: &str = "parameters";

/// Schemas of axes; those of named schemas are made once, and named themselves.
pub struct Axes<'d> {
    definitions: &'d Map<String, Value>,
    /// What their names begin with.
    prefix: &'static str,
    /// What stands at a key in place of its value.
    leaf: fn(Value) -> Value,
    /// Made so far, by name.
    pub made: Map<String, Value>,
}

impl<'d> Axes<'d> {
    /// None yet, of keys whose schemas may refer to `definitions`.
    pub fn new(definitions: &'d Map<String, Value>, prefix: &'static str, leaf: fn(Value) -> Value) -> Self {
        let made = Map::new();
        Self {
            definitions,
            prefix,
            leaf,
            made,
        }
    }

    /// That of a key whose schema is this one, and stands at `pointer`: values, or a table that has axes below.
    pub fn of(&mut self, schema: &Value, pointer: &str) -> Value {
        let name = schema["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix("#/definitions/"));
        let Some((name, target)) = name.and_then(|name| Some((name, self.definitions.get(name)?))) else {
            return self.either(schema, pointer);
        };
        if object(target, "").is_none() {
            return self.either(schema, pointer);
        }
        let own = format!("{}{name}", self.prefix);
        if !self.made.contains_key(&own) {
            let either = self.either(target, &format!("#/definitions/{name}"));
            self.made.insert(own.clone(), either);
        }
        json!({ "$ref": format!("#/definitions/{own}") })
    }

    /// Values, or axes below if it is a table.
    fn either(&mut self, schema: &Value, pointer: &str) -> Value {
        let values = (self.leaf)(json!({ "$ref": pointer }));
        let mut either = match object(schema, pointer) {
            Some((object, pointer)) => json!({ "anyOf": [self.below(object, &pointer), values] }),
            None => values,
        };
        if let Some(text) = schema["description"].as_str() {
            either["description"] = text.into();
        }
        either
    }

    /// A table of axes in place of one of values.
    fn below(&mut self, object: &Value, pointer: &str) -> Value {
        let mut swept = Map::from_iter([("type".to_owned(), "object".into())]);
        if let Some(properties) = object["properties"].as_object() {
            let axis = |(key, property): (&String, &Value)| {
                let pointer = format!("{pointer}/properties/{key}");
                let axis = match key.as_str() {
                    PARAMETERS => {
                        let each = json!({ "type": "object", "additionalProperties": (self.leaf)(json!({})) });
                        json!({ "anyOf": [each, (self.leaf)(json!({ "$ref": pointer }))] })
                    }
                    _ => self.of(property, &pointer),
                };
                (key.clone(), axis)
            };
            let axes: Map<String, Value> = properties.iter().map(axis).collect();
            swept.insert("properties".to_owned(), axes.into());
        }
        let others = &object["additionalProperties"];
        if others.is_object() {
            let axis = self.of(others, &format!("{pointer}/additionalProperties"));
            swept.insert("additionalProperties".to_owned(), axis);
        } else if others.is_boolean() {
            swept.insert("additionalProperties".to_owned(), others.clone());
        }
        Value::Object(swept)
    }
}

/// The table that it is, or may be, and where that stands.
fn object<'s>(schema: &'s Value, pointer: &str) -> Option<(&'s Value, String)> {
    if schema["type"] == "object" {
        return Some((schema, pointer.to_owned()));
    }
    let mut alternatives = schema["anyOf"].as_array().into_iter().flatten().enumerate();
    let (number, table) = alternatives.find(|(_, one)| one["type"] == "object")?;
    Some((table, format!("{pointer}/anyOf/{number}")))
}

/// A list of values.
pub fn values(schema: Value) -> Value {
    json!({ "type": "array", "minItems": 1, "items": schema })
}

/// Names of variants, of which any key may be the axis.
pub fn variants() -> Value {
    json!({ "type": "array", "minItems": 1, "items": { "type": "string" }, "description": "names of variants" })
}

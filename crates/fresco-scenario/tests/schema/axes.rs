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

    /// That of a key with this schema: values, or a table that has axes below.
    pub fn of(&mut self, schema: &Value) -> Value {
        let name = schema["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix("#/definitions/"));
        let Some((name, target)) = name.and_then(|name| Some((name, self.definitions.get(name)?))) else {
            return match object(schema) {
                Some(object) => json!({ "anyOf": [self.below(object), (self.leaf)(schema.clone())] }),
                None => (self.leaf)(schema.clone()),
            };
        };
        let Some(object) = object(target) else {
            return (self.leaf)(schema.clone());
        };
        let own = format!("{}{name}", self.prefix);
        if !self.made.contains_key(&own) {
            let below = self.below(object);
            let either = json!({ "anyOf": [below, (self.leaf)(schema.clone())] });
            self.made.insert(own.clone(), either);
        }
        json!({ "$ref": format!("#/definitions/{own}") })
    }

    /// A table of axes in place of one of values.
    fn below(&mut self, object: &Value) -> Value {
        let mut swept = object.clone();
        if let Some(properties) = swept.get_mut("properties").and_then(Value::as_object_mut) {
            for (key, property) in properties {
                *property = match key.as_str() {
                    PARAMETERS => {
                        let each = json!({ "type": "object", "additionalProperties": (self.leaf)(json!({})) });
                        json!({ "anyOf": [each, (self.leaf)(property.take())] })
                    }
                    _ => self.of(property),
                };
            }
        }
        if object["additionalProperties"].is_object() {
            swept["additionalProperties"] = self.of(&object["additionalProperties"]);
        }
        if let Some(map) = swept.as_object_mut() {
            // What holds of parameters of one program holds of none that is swept.
            map.remove("allOf");
            map.remove("required");
        }
        swept
    }
}

/// The table that it is, or may be.
fn object(schema: &Value) -> Option<&Value> {
    let alternatives = schema["anyOf"].as_array();
    let mut all = alternatives.into_iter().flatten().chain([schema]);
    all.find(|one| one["type"] == "object")
}

/// A list of values.
pub fn values(schema: Value) -> Value {
    json!({ "type": "array", "minItems": 1, "items": schema })
}

/// Names of variants, of which any key may be the axis.
pub fn variants() -> Value {
    json!({ "type": "array", "minItems": 1, "items": { "type": "string" }, "description": "names of variants" })
}

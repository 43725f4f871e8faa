// SPDX-License-Identifier: MIT OR Apache-2.0
//! Certificates from text: each name of an object once, so that nobody can read another value than is checked.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Reads JSON whose objects have each name once.
///
/// # Errors
/// It is no JSON, or a name stands twice in an object: which, and where.
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = Once.deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

/// A value whose objects have each name once.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Once)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut found = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if found.contains_key(&name) {
                return Err(A::Error::custom(format_args!("{name} stands twice in one object")));
            }
            let value = fields.next_value_seed(Once)?;
            found.insert(name, value);
        }
        Ok(Value::Object(found))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use serde_json::{Value, json};

    #[test]
    fn what_has_each_name_once_is_read_as_it_is() {
        let value = json!({ "a": [1, -2, 0.5, null, true, "x", { "a": {} }], "b": u64::MAX });
        assert_eq!(parse(&value.to_string()).unwrap(), value);
        assert_eq!(parse("[]").unwrap(), Value::Array(Vec::new()));
        assert!(parse("{} {}").is_err() && parse("{").is_err());
    }

    #[test]
    fn a_name_that_stands_twice_is_told_with_its_place() {
        for (text, place) in [
            (r#"{"a": 1, "rcd": 2, "rcd": 2}"#, "line 1 column 24"),
            ("[{\"b\": {\"rcd\": 1,\n \"c\": 1, \"rcd\": 3}}]", "line 2 column 14"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(
                error.starts_with("rcd stands twice in one object at ") && error.contains(place),
                "{error}"
            );
        }
    }
}

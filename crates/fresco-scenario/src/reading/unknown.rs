// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of a document that nothing reads.

use serde_json::Value;

/// A field that nothing reads.
pub struct Unknown {
    /// Where it stands.
    pub path: String,
    /// The fields that may stand there.
    pub known: Vec<String>,
    /// The one that was probably meant.
    pub meant: Option<String>,
}

/// Of the object at a path, the fields that may be given though they are not always written.
pub type LeftOut = fn(&str) -> &'static [&'static str];

/// The first field of `given`, which stands at `path`, that `written` does not have: what was read from it, written again.
pub fn beyond(given: &Value, written: &Value, path: &str, left_out: LeftOut) -> Option<Unknown> {
    match (given, written) {
        (Value::Object(given), Value::Object(written)) => given.iter().find_map(|(key, value)| {
            let others = left_out(path);
            let path = format!("{path}.{key}");
            match written.get(key) {
                Some(known) => beyond(value, known, &path, left_out),
                None if others.contains(&key.as_str()) => None,
                None => {
                    let mut known: Vec<String> = written.keys().cloned().collect();
                    known.extend(others.iter().map(|&field| field.to_owned()));
                    known.sort_unstable();
                    known.dedup();
                    Some(Unknown {
                        path,
                        meant: fresco_input::closest(key, known.iter().map(String::as_str)).map(str::to_owned),
                        known,
                    })
                }
            }
        }),
        (Value::Array(given), Value::Array(written)) => {
            let pairs = given.iter().zip(written).enumerate();
            pairs
                .into_iter()
                .find_map(|(i, (given, written))| beyond(given, written, &format!("{path}[{i}]"), left_out))
        }
        _ => None,
    }
}

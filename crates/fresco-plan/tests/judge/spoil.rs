// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt plans: random edits of the JSON of sound ones, judged by the checker and by the judge.

use super::draws::Draw;
use serde_json::Value;

/// What was changed, in words.
pub fn spoil(json: &mut Value, draw: &mut Draw) -> String {
    let mut places = Vec::new();
    collect(json, String::new(), &mut places);
    let weight = |place: &String| match place.split('/').nth(1) {
        Some("schedule" | "refresh") => 4,
        Some("tasks") => 2,
        Some("proofs") if place.contains("/evidence/steps") => 0,
        _ => 1,
    };
    // Long lists do not hide what stands beside them.
    let mut by_name: std::collections::BTreeMap<String, Vec<&String>> = std::collections::BTreeMap::new();
    for place in &places {
        let name: String = place
            .split('/')
            .filter(|part| part.parse::<u64>().is_err())
            .collect::<Vec<_>>()
            .join("/");
        by_name.entry(name).or_default().push(place);
    }
    let names: Vec<&Vec<&String>> = by_name
        .values()
        .flat_map(|places| std::iter::repeat_n(places, weight(places[0])))
        .collect();
    let among = names[draw.below(names.len() as u64) as usize];
    let place = among[draw.below(among.len() as u64) as usize].clone();
    let other = among[draw.below(among.len() as u64) as usize].clone();
    let before = json.pointer(&place).cloned().unwrap_or(Value::Null);
    let with = json.pointer(&other).cloned().unwrap_or(Value::Null);
    let value = json.pointer_mut(&place).expect("was found");
    match &before {
        Value::Number(number) => {
            let old = number.as_u64().unwrap_or(0);
            let new = number_near(old, with.as_u64().unwrap_or(old), draw);
            *value = new.into();
            format!("{place}: {old} becomes {new}")
        }
        Value::Array(list) if !list.is_empty() => {
            let mut list = list.clone();
            let (one, two) = (
                draw.below(list.len() as u64) as usize,
                draw.below(list.len() as u64) as usize,
            );
            let words = match draw.below(3) {
                0 => {
                    list.remove(one);
                    format!("{place}: {one} is removed")
                }
                1 => {
                    list.swap(one, two);
                    format!("{place}: {one} and {two} are swapped")
                }
                _ => {
                    let again = list[one].clone();
                    list.push(again);
                    format!("{place}: {one} is there twice")
                }
            };
            *value = Value::Array(list);
            words
        }
        _ => {
            *value = with.clone();
            format!("{place}: {before} becomes {with}")
        }
    }
}

/// A number that could stand in place of another.
fn number_near(old: u64, with: u64, draw: &mut Draw) -> u64 {
    let by = match draw.below(5) {
        0 => 1,
        1 => 1 + draw.below(1000),
        2 => 1 + draw.below(1_000_000),
        3 => 1 + draw.below(old / 2 + 1),
        _ => return if with == old { old + 1 } else { with },
    };
    match draw.below(2) {
        0 => old + by,
        _ if old >= by => old - by,
        _ => old + by,
    }
}

/// Places of numbers, lists, and words in whose place others of the plan could stand; not of what the machine's file says.
fn collect(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path),
        Value::Array(list) => {
            for (number, element) in list.iter().enumerate() {
                collect(element, format!("{path}/{number}"), found);
            }
            found.push(path);
        }
        Value::Object(fields) => {
            for (name, element) in fields {
                let told = ["machine", "memory", "reasons", "command", "bandwidth", "work"].contains(&name.as_str())
                    && (path.is_empty() || name == "command" || name == "work");
                if !told {
                    collect(element, format!("{path}/{name}"), found);
                }
            }
        }
        Value::String(_) if path.ends_with("bank_colors") => found.push(path),
        _ => {}
    }
}

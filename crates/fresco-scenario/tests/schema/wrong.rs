// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong files of the readers' own tests: those that are wrong by a key, by the kind of a value or by a name are refused by the schema, too;
//! and keys that the readers list as allowed are keys of the schema.

use super::{Learned, MACHINE, SCENARIO, as_json};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_scenario::Scenario;
use serde_json::Value;
use std::path::Path;

#[path = "../../../fresco-system/tests/wrong/cases.rs"]
mod cases;

const GOOD_MACHINE: &str = include_str!("../../../fresco-machine/tests/data/good.toml");
const MACHINES: &str = include_str!("../../../fresco-machine/tests/data/wrong.txt");

/// Wrong machines: each block has lines to take out of the good one and lines to put there.
fn machines() -> Vec<String> {
    let marked = |block: &str, mark: &str| -> String {
        let lines = block.lines().filter_map(|line| line.strip_prefix(mark));
        lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
            .collect()
    };
    let blocks = MACHINES.split("\n\n").filter(|block| !block.trim().is_empty());
    blocks
        .map(|block| GOOD_MACHINE.replacen(&marked(block, "-"), &marked(block, "+"), 1))
        .collect()
}

fn scenarios() -> Vec<String> {
    let changed = |cases::Case(name, changes): &cases::Case| {
        let text = changes
            .iter()
            .fold(cases::GOOD.to_owned(), |text, (from, to)| text.replace(from, to));
        format!("# {name}\n{text}")
    };
    cases::CASES.iter().map(changed).collect()
}

/// Returns true if the file is wrong whatever else is in it: a key, a kind of value, a name.
fn is_plain(error: &InputError) -> bool {
    let kinds = [
        "a text in quotes",
        "true or false",
        "a list",
        "a table",
        "an integer from",
        "a power of two",
        "a duration",
        "a size",
        "a frequency",
        "a bandwidth",
    ];
    // "a list: bits, …" is a form of a list, which the reader checks.
    let is_kind = |words: &&str| {
        error
            .allowed
            .strip_prefix(words)
            .is_some_and(|rest| !rest.starts_with(':'))
    };
    let found = |words: &[&str]| words.iter().any(|words| error.found.starts_with(words));
    let other = match kinds.iter().find(|words| is_kind(words)) {
        Some(&"a text in quotes") => found(&[
            "found the integer",
            "found the number",
            "found true",
            "found false",
            "found a list",
            "found a table",
        ]),
        Some(&"true or false") => found(&["found the"]),
        Some(&"a list" | &"a table") => found(&["found the", "found true", "found false"]),
        Some(_) => found(&[
            "found true",
            "found false",
            "found a list",
            "found a table",
            "found an empty list",
        ]),
        None => error.allowed.starts_with("one of \"") && error.found.starts_with("found the text"),
    };
    error.found == "unknown key" || other
}

/// Of wrong files those that are plainly so; each is refused.
fn refused(texts: &[String], read: impl Fn(&str) -> Option<InputError>, kind: &Learned) -> usize {
    let (mut count, mut taken) = (0, Vec::new());
    for text in texts {
        let Some(error) = read(text).filter(is_plain) else {
            continue;
        };
        // A key that only some policy has, say.
        if error.found == "unknown key" && has(&kind.schema, &error.field) {
            continue;
        }
        count += 1;
        if kind.validator.is_valid(&as_json(text)) {
            taken.push(error.to_string());
        }
    }
    assert!(
        taken.is_empty(),
        "{} of {count} are taken:\n{}",
        taken.len(),
        taken.join("\n")
    );
    count
}

fn read_machine(text: &str) -> Option<InputError> {
    Machine::parse("m.toml", text, &[]).err()
}

fn read_scenario(text: &str) -> Option<InputError> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fresco-system/tests/data");
    Scenario::parse("s.toml", text, &directory, &[]).err()
}

#[test]
fn wrong_keys_kinds_and_names_are_refused() {
    let machines = refused(&machines(), read_machine, &MACHINE);
    let scenarios = refused(&scenarios(), read_scenario, &SCENARIO);
    assert!(
        machines >= 12 && scenarios >= 10,
        "{machines} machines, {scenarios} scenarios"
    );
}

/// The schema of the table at a dotted path; elements of lists have numbers or names.
fn table<'s>(schema: &'s Value, root: &'s Value, path: &[&str]) -> Option<&'s Value> {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix("#/definitions/"))
    {
        return table(&root["definitions"][name], root, path);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        return any.iter().find_map(|one| table(one, root, path));
    }
    match path.split_first() {
        None => (schema["type"] == "object").then_some(schema),
        Some((_, rest)) if schema["type"] == "array" => table(&schema["items"], root, rest),
        Some((key, rest)) => table(schema["properties"].get(key)?, root, rest),
    }
}

/// Returns true if the schema has the key.
fn has(schema: &Value, field: &str) -> bool {
    let mut path: Vec<&str> = field.split('.').collect();
    let key = path.pop().expect("has a key");
    table(schema, schema, &path).is_some_and(|table| table["properties"].get(key).is_some())
}

/// What is told of an unknown key lists the keys of its table.
#[test]
fn keys_that_readers_name_are_keys_of_the_schema() {
    let mut compared = 0;
    for (texts, read, schema) in [
        (
            machines(),
            read_machine as fn(&str) -> Option<InputError>,
            &MACHINE.schema,
        ),
        (scenarios(), read_scenario, &SCENARIO.schema),
    ] {
        for error in texts
            .iter()
            .filter_map(|text| read(text))
            .filter(|error| error.found == "unknown key")
        {
            let table = error
                .field
                .rsplit_once('.')
                .map_or(String::new(), |(table, _)| format!("{table}."));
            for key in error.allowed.split(", ") {
                assert!(has(schema, &format!("{table}{key}")), "no {table}{key}: {error}");
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared} keys");
}

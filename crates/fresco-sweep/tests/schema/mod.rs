// SPDX-License-Identifier: MIT OR Apache-2.0
//! The schema of sweeps, a file in `docs/schemas`: made of what their reader asks, and of the schema of scenarios, whose keys they set. After a
//! wanted change: `FRESCO_BLESS=1 cargo test -p fresco-sweep --test all schema`.

#[path = "../../../fresco-scenario/tests/schema/axes.rs"]
#[allow(dead_code, reason = "other kinds of files need more of it")]
mod axes;
#[path = "../../../fresco-scenario/tests/schema/json.rs"]
#[allow(dead_code, reason = "other kinds of files need more of it")]
mod json;
#[path = "../../../fresco-scenario/tests/schema/learn.rs"]
#[allow(dead_code, reason = "other kinds of files need more of it")]
mod learn;
#[path = "../../../fresco-scenario/tests/schema/pages.rs"]
#[allow(dead_code, reason = "other kinds of files need more of it")]
mod pages;
mod whole;

use crate::refused::{Schema, WRONG};
use fresco_sweep::{Spec, Sweep};
use jsonschema::Validator;
use pages::Pages;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Keys that no other sweep has.
const MORE: &str = r#"
scenario = "first"
name = "more"
title = "More"
seed = 3
tables = ["jobs", "spans"]
[plan_run]
horizon = "64 ms"
[set]
repetitions = 1
"task.victim.core" = 1
[random]
samples = 2
over.measure.operations = { from = 1, to = 100, step = 1, scale = "log" }
over.task.victim.parameters.bytes = { from = 1, to = 2, unit = "MiB" }
over.policy.boot = ["fresh", "pristine"]
[grid]
where = ["near"]
plan.method = ["crs", "flat"]
task.neighbour.parameters.bytes = ["1 MiB", "2 MiB"]
memory.controller.hit_cap = { from = 1, to = 3, step = 1 }
[[variant]]
name = "near"
set = { task.victim.banks = 0 }
[[point]]
seed = 7
task.victim.banks = "0-3"
"#;

/// The sweeps of the repository: those of pages and of tests, and of the documentation of this crate.
fn sweeps() -> Vec<String> {
    let in_page = |page: &str| -> Vec<String> {
        let text = read(page);
        let blocks = text.split("\n```toml").skip(1);
        let blocks = blocks.filter_map(|block| Some(block.split_once('\n')?.1.split("\n```").next()?.to_owned()));
        blocks.filter(|text| text.contains("scenario =")).collect()
    };
    let in_code = |file: &str| -> Vec<String> {
        let text = read(file).replace("\\n", "\n").replace("\\\"", "\"").replace("//!", "");
        let starts = text.match_indices("scenario = \"").map(|(at, _)| &text[at..]);
        starts.map(literal).collect()
    };
    let mut all = vec![MORE.to_owned()];
    all.extend(in_page("docs/sweep.md"));
    for file in [
        "crates/fresco-sweep/src/lib.rs",
        "crates/fresco-sweep/src/sweep.rs",
        "crates/fresco-sweep/tests/common.rs",
        "crates/fresco-sweep/tests/points.rs",
        "crates/fresco-sweep/tests/plans.rs",
        "crates/fresco/tests/sweep.rs",
        "crates/fresco/tests/regions.rs",
    ] {
        all.extend(in_code(file));
    }
    all.retain(|text| is_sweep(text));
    assert_eq!(all[0], MORE, "is a sweep");
    all
}

/// Up to the quotes that end a text of Rust.
fn literal(text: &str) -> String {
    let mut found = String::new();
    for line in text.lines() {
        let (line, rest) = (line.trim_end(), line.trim_start());
        if rest.starts_with('"') {
            break;
        }
        if ["\",", "\";", "\")", "\");"].iter().any(|end| line.ends_with(end)) {
            found += line.rsplit_once('"').map_or("", |(before, _)| before);
            break;
        }
        found += line;
        found.push('\n');
    }
    found
}

fn is_sweep(text: &str) -> bool {
    Spec::parse(learn::FILE, text, &[]).is_ok()
}

struct Learned {
    schema: Value,
    validator: Validator,
    right: Vec<String>,
}

static SWEEP: LazyLock<Learned> = LazyLock::new(|| {
    let texts = sweeps().into_iter().map(|text| (text, PathBuf::new())).collect();
    let (place, right) = learn::learn(texts, |text, _| is_sweep(text));
    let scenario = serde_json::from_str(&read("docs/schemas/scenario.schema.json")).expect("JSON");
    let schema = whole::of_sweep(&place, &scenario, &Pages::read(&[&read("docs/sweep.md")]));
    Learned {
        validator: jsonschema::draft7::new(&schema).unwrap_or_else(|error| panic!("no schema: {error}")),
        schema,
        right,
    }
});

fn as_json(text: &str) -> Value {
    toml::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

fn faults(text: &str) -> Vec<String> {
    let json = as_json(text);
    let errors = SWEEP.validator.iter_errors(&json);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// What editors read is what the reader takes today.
#[test]
fn it_is_made_from_the_reader() {
    let path = root().join("docs/schemas/sweep.schema.json");
    if std::env::var_os("FRESCO_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&SWEEP.schema).expect("JSON") + "\n";
        fs::write(&path, text).expect("is writable");
    }
    let text = fs::read_to_string(&path).expect("the schema is there: FRESCO_BLESS=1 writes it");
    let written: Value = serde_json::from_str(&text).expect("JSON");
    assert!(
        written == SWEEP.schema,
        "the reader takes something else now; FRESCO_BLESS=1 writes the schema anew"
    );
}

#[test]
fn every_sweep_of_the_repository_is_valid() {
    let sweeps = sweeps();
    for text in &sweeps {
        assert!(faults(text).is_empty(), "{}\n{text}", faults(text).join("\n"));
    }
    assert!(sweeps.len() >= 11, "{} sweeps", sweeps.len());
}

/// With one choice made otherwise, as far as sweep and scenario were content with it.
#[test]
fn every_variant_that_is_right_is_valid() {
    let is_right = |text: &&String| {
        let sweep = Sweep::parse("s.toml", text, Path::new(""), &[]);
        sweep.and_then(|sweep| sweep.check()).is_ok()
    };
    let right: Vec<&String> = SWEEP.right.iter().filter(is_right).collect();
    for text in &right {
        assert!(faults(text).is_empty(), "{}\n{text}", faults(text).join("\n"));
    }
    assert!(right.len() > 10, "{}", right.len());
}

/// What `fresco sweep --list` refuses, as far as a schema can say it.
#[test]
fn wrong_sweeps_are_refused() {
    let mut refused = 0;
    for (text, wrong, schema) in WRONG {
        match schema {
            Schema::Refuses => {
                assert!(!faults(text).is_empty(), "{wrong}: is taken\n{text}");
                refused += 1;
            }
            Schema::Takes => assert!(faults(text).is_empty(), "{}\n{text}", faults(text).join("\n")),
        }
    }
    assert!(refused >= 12, "{refused}");
}

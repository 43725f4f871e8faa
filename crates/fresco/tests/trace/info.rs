// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco trace info` finds out by reading a trace.

use super::recorded;
use crate::common::{json, stdout};
use serde_json::Value;
use std::path::Path;

fn working_set(file: &str, directory: &Path) -> Value {
    let info = json(&["trace", "info", file, "--working-set", "--json"], directory);
    info["data"]["working_set"].clone()
}

#[test]
fn misses_by_size_and_how_many_come_together() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    recorded(&here.join("list.ftrace"));
    // Eight lines and two, in caches that hold 64: each is new, each needs the one before, and threads have caches of their own.
    let found = working_set("list.ftrace", here);
    assert_eq!((&found["lines"], &found["line_bytes"]), (&10.into(), &64.into()));
    let caches = found["caches"].as_array().expect("a list");
    assert_eq!(caches.len(), 1, "{found}");
    assert_eq!((&caches[0]["bytes"], &caches[0]["misses"]), (&4096.into(), &10.into()));
    assert_eq!(caches[0]["together"], Value::from(1.0));
    // Thirty instructions.
    let per_kilo = caches[0]["per_kilo_instruction"].as_f64().expect("a number");
    assert!((per_kilo - 1000.0 / 3.0).abs() < 1e-9, "{found}");
    let table = stdout(&["trace", "info", "list.ftrace", "--working-set"], here);
    assert!(table.contains("misses of caches, of 10 accesses to lines"), "{table}");
    // Converted, it is the same.
    stdout(&["trace", "convert", "list.ftrace", "-o", "plain.ftrace"], here);
    let converted = working_set("plain.ftrace", here);
    assert_eq!(
        (&converted["lines"], &converted["caches"][0]["together"]),
        (&10.into(), &1.0.into())
    );
    // Without asking nothing is read for it.
    let info = json(&["trace", "info", "list.ftrace", "--json"], here);
    assert_eq!(info["data"]["working_set"], Value::Null);
}

#[test]
fn a_walk_that_does_not_fit_misses_each_round() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    // Three rounds through 8 KiB.
    let walk: String = (0..384).map(|line| format!("LD {}\n", line % 128 * 64)).collect();
    std::fs::write(here.join("walk.trace"), walk).expect("writable");
    let found = working_set("walk.trace", here);
    let caches = found["caches"].as_array().expect("a list");
    let misses: Vec<_> = caches
        .iter()
        .map(|cache| (cache["bytes"].as_u64(), cache["misses"].as_u64()))
        .collect();
    assert_eq!(misses, [(Some(4096), Some(384)), (Some(8192), Some(128))]);
    // The format has neither instructions nor dependences.
    assert_eq!(
        (&caches[0]["together"], &caches[0]["per_kilo_instruction"]),
        (&Value::Null, &Value::Null)
    );
}

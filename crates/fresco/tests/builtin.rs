// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is built in needs no file: the program works in an empty directory.

use crate::common::{fresco, json, refused_with, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The first words of the lines.
fn names(list: &str) -> Vec<&str> {
    list.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn task_sets_go_by_their_names() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let list = stdout(&["plan", "--list"], path);
    assert_eq!(names(&list).len(), 8, "{list}");
    for name in ["table-4.4", "batch"] {
        assert!(names(&list).contains(&name), "{list}");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tasks/{name}.toml"));
        let planned = |what: &str| json(&["plan", what, "--json"], path);
        let (built_in, of_file) = (planned(name), planned(&file.display().to_string()));
        assert_eq!(built_in["data"], of_file["data"], "{name}");
        let input = &built_in["provenance"]["inputs"][0];
        assert_eq!(input["name"], name);
        assert_eq!(input["digest"], of_file["provenance"]["inputs"][0]["digest"]);
    }
    // Whatever takes a scenario takes them.
    let sim = json(&["sim", "batch", "--horizon", "64 ms", "--json"], path);
    assert_eq!(sim["schema"], "fresco-sim/3");
    let check = json(&["check", "table-5.2", "--json", "--set", "plan.method=crs"], path);
    assert_eq!(check["data"]["sound"], true);
    let exported = stdout(&["export", "table-5.2", "--to", "schedcat"], path);
    assert!(exported.contains("<taskset"), "{exported}");
    assert_eq!(fs::read_dir(path).expect("is there").count(), 0, "nothing was written");
}

#[test]
fn a_file_without_an_ending_is_still_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    let text = "name = \"own\"\n[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\n";
    fs::write(path.join("own"), text).expect("is writable");
    let planned = |words: &[&str]| -> Value { json(words, path)["data"]["name"].clone() };
    assert_eq!(planned(&["plan", "own", "--json"]), "own");
    // What is built in does not change with what lies around.
    fs::write(path.join("batch"), text).expect("is writable");
    assert_eq!(planned(&["plan", "batch", "--json"]), "batch");
    assert_eq!(planned(&["plan", "./batch", "--json"]), "own");
    let told = refused_with(2, &["plan", "tabel-5.2"], path);
    assert!(told.contains("did you mean \"table-5.2\"?"), "{told}");
    let done = fresco(&["plan"], path);
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn schemas_are_printed() {
    let directory = tempfile::tempdir().expect("a directory");
    let printed = |kind: &str| -> Value { json(&["schema", kind], directory.path()) };
    assert_eq!(
        printed("machine")["required"],
        serde_json::json!(["core", "cores", "memory", "name", "title"])
    );
    assert_eq!(printed("scenario"), printed("tasks"));
    // What is printed is what is in docs/schemas, byte by byte.
    for kind in ["machine", "scenario", "sweep"] {
        let file = format!("{}/../../docs/schemas/{kind}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read_to_string(file).expect("is there");
        assert_eq!(stdout(&["schema", kind], directory.path()), file);
    }
    let told = refused_with(2, &["schema", "plan"], directory.path());
    assert!(told.contains("allowed: machine, scenario, tasks, sweep"), "{told}");
}

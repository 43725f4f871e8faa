// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::scenarios;
use crate::simulate::{Subject, simulate};
use crate::stop::Stop;
use std::fs;

const MACHINE: &str = include_str!("../../../fresco-system/tests/data/small.toml");

/// Repeated points with budgets of bandwidth, the checker and a device; periodic tasks; threads of one program, and row domains.
const SCENARIOS: [&str; 3] = [
    r#"name = "swept"
machine = "./small.toml"
repetitions = 2
check = true
policy = { frames = "palloc", bandwidth = "memguard" }
bandwidth = { period = "10 us", count_write_backs = true }
measure.operations = 1000
sweep.corunners = [0, 1]
[[task]]
name = "chase"
program = "latency"
core = 0
banks = 0
parameters.bytes = "256 KiB"
[[task]]
name = "noise"
program = "strides"
core = 2
role = "background"
banks = 0
parameters.bytes = "1 MiB"
[[agent]]
name = "dma"
bytes = "64 KiB"
rate = "1 GB/s"
"#,
    r#"name = "periodic"
machine = "./small.toml"
measure.jobs = 2
[[task]]
name = "hard"
program = "latency"
core = 0
period = "100 us"
parameters.bytes = "16 KiB"
"#,
    r#"name = "team"
machine = "./small.toml"
measure.passes = 1
rows.size = "1 MiB"
[[task]]
name = "team"
program = "kmeans"
cores = "0-1"
rows = "0-3"
parameters = { points = 64, dimensions = 4, clusters = 1 }
"#,
];

/// Results of several kinds, and the file `results.json` with them, in a directory.
pub fn results() -> (Results, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("small.toml"), MACHINE).expect("is written");
    let subject = |text: &&str| {
        let path = directory.path().join("scenario.toml");
        fs::write(&path, text).expect("is written");
        let (scenario, file) = scenarios::load(&path.display().to_string(), &[]).expect("a scenario");
        Subject::Scenario(Box::new(scenario), file)
    };
    let subjects: Vec<Subject> = SCENARIOS.iter().map(subject).collect();
    let made = simulate(&subjects, 1, &Stop::never());
    assert!(made.faults.is_empty(), "{:?}", made.faults);
    let results = Results {
        scenarios: made.results,
    };
    let bytes = results.json(&provenance()).expect("a document");
    fs::write(directory.path().join("results.json"), bytes).expect("is written");
    (results, directory)
}

fn provenance() -> Provenance {
    Provenance::new("0", "fresco sim".to_owned(), 1)
}

#[test]
fn what_is_read_is_what_was_written_to_the_byte() {
    let (results, directory) = results();
    let read = Results::read(&directory.path().join("results.json")).expect("results");
    let [first, second] = [&results, &read].map(|results| results.json(&provenance()).expect("a document"));
    assert!(first == second, "the documents differ");
    let run = &read.scenarios[0].points[1].runs[1];
    assert!(run.regulation.is_some() && run.checker.is_some() && !run.agents.is_empty());
    assert!(read.scenarios[1].points[0].runs[0].tasks[0].jobs.is_some());
    assert!(read.scenarios[2].points[0].row_domains.is_some() && !read.scenarios[2].points[0].teams.is_empty());
}

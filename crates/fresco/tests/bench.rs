// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bench` as a user runs it: on this machine, where only what must hold anywhere is checked, and on a model.

use crate::common::{directory_with, json, stdout};

#[test]
fn yardsticks_have_the_same_output_here_and_on_a_model() {
    let directory = directory_with(&[]);
    for (yardstick, set) in [
        ("latency", "bytes=256KiB"),
        ("bandwidth", "bytes=1MiB"),
        ("strides", "bytes=32MiB"),
    ] {
        let here = ["bench", yardstick, "--set", set, "--repetitions", "2", "--json"];
        let there = [&here[..], &["--simulate", "xeon-w3530"]].concat();
        let (here, there) = (json(&here, directory.path()), json(&there, directory.path()));
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value["data"].as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(here["schema"], "fresco-bench/1");
        assert_eq!(keys(&here), keys(&there));
        for (run, simulated) in [(&here, false), (&there, true)] {
            let data = &run["data"];
            assert_eq!(
                (&data["simulated"], &data["yardstick"]),
                (&simulated.into(), &yardstick.into())
            );
            assert_eq!(data["samples"].as_array().map(Vec::len), Some(2), "{yardstick}");
            // A pass is the same work on both.
            assert_eq!(data["samples"][0]["accesses"], here["data"]["accesses"], "{yardstick}");
            assert!(data["access_time_ns"]["min"].as_f64().expect("a time") > 0.0, "{data}");
            assert_eq!(data["bandwidth_bytes_per_s"]["count"], 2);
        }
        assert_eq!(there["data"]["machine"], "xeon-w3530");
    }
}

#[test]
fn jobs_are_released_on_both() {
    let directory = directory_with(&[]);
    let here = [
        "bench",
        "hrt",
        "--jobs",
        "5",
        "--period",
        "5000",
        "--deadline",
        "4000",
        "--json",
    ];
    let there = [&here[..], &["--simulate", "xeon-w3530"]].concat();
    for arguments in [&here[..], &there] {
        let run = json(arguments, directory.path());
        let jobs = &run["data"]["jobs"];
        assert_eq!(
            (&jobs["period_ns"], &jobs["deadline_ns"]),
            (&5_000_000.into(), &4_000_000.into())
        );
        assert_eq!(jobs["released"], 5, "{jobs}");
        let each = jobs["jobs"].as_array().expect("jobs");
        for (number, job) in each.iter().enumerate() {
            assert_eq!(job["release_ns"], 5_000_000 * number as u64);
            assert!(job["start_ns"].as_u64() < job["end_ns"].as_u64(), "{job}");
        }
        let late = each.iter().filter(|job| {
            job["end_ns"].as_u64().expect("a time") - job["release_ns"].as_u64().expect("a time") > 4_000_000
        });
        assert_eq!(
            jobs["misses"].as_u64(),
            Some(late.count() as u64 + 5 - each.len() as u64)
        );
    }
}

#[test]
fn the_model_answers_alike_and_a_figure_is_drawn() {
    let directory = directory_with(&[]);
    let bench = [
        "bench",
        "latency",
        "--set",
        "bytes=64KiB",
        "--repetitions",
        "3",
        "--simulate",
        "i5-6200u",
        "--svg",
        "l.svg",
    ];
    let first = stdout(&bench, directory.path());
    assert_eq!(first, stdout(&bench, directory.path()));
    assert!(first.starts_with("latency of i5-6200u (simulated)\n"), "{first}");
    let figure = std::fs::read_to_string(directory.path().join("l.svg")).expect("a figure");
    assert!(figure.contains("latency of i5-6200u"), "{figure}");
}

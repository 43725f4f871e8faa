// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bench` as a user runs it: on this machine, where only what must hold anywhere is checked, and on a model.

use crate::common::{directory_with, fresco, json, stdout};

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

#[test]
fn curves_are_measured_here_as_calibrate_reads_them() {
    let directory = directory_with(&[]);
    let here = directory.path();
    let small = [
        "bench",
        "curves",
        "--chase-bytes",
        "4MiB",
        "--stream-bytes",
        "1MiB",
        "--loads",
        "2000",
        "--reads",
        "100,50",
    ];
    let to_file = [&small[..], &["--system", "mine", "--csv", "mine.csv", "--json"]].concat();
    if std::thread::available_parallelism().is_ok_and(|count| count.get() < 2) {
        let output = fresco(&small, here);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && error.contains("one processor"),
            "{error}"
        );
        return;
    }
    // More than there is would be taken from other programs.
    let output = fresco(&["bench", "curves", "--stream-bytes", "256GiB"], here);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(3) && error.contains("512 GiB for ") && error.contains("available"),
        "{error}"
    );
    // Other work on the machine may leave a curve of one point: then it is measured once more.
    let compared = (0..8).find_map(|_| {
        let document = json(&to_file, here);
        assert_eq!(document["schema"], "fresco-bench-curves/1");
        crate::json_reference::check(&document, &["fresco-bench/1"]);
        let points = document["data"]["points"].as_array().expect("points");
        // Thirteen pauses of two shares, the first of each without traffic.
        assert_eq!(points.len(), 26);
        assert_eq!(
            (&points[0]["pause"], &points[13]["pause"]),
            (&serde_json::Value::Null, &serde_json::Value::Null)
        );
        assert!(
            points
                .iter()
                .all(|point| point["gb_s"].as_f64() > Some(0.0) && point["ns"].as_f64() > Some(0.0))
        );
        let text = std::fs::read_to_string(here.join("mine.csv")).expect("is written");
        assert_eq!(
            text.lines().filter(|line| line.starts_with("mine,")).count(),
            26,
            "{text}"
        );
        assert!(text.contains("# bandwidth is what the generators asked for"), "{text}");
        let output = fresco(
            &[
                "calibrate",
                "xeon-w3530",
                "--curves",
                "mine.csv",
                "--system",
                "mine",
                "--no-fit",
                "--accesses",
                "100",
                "--repetitions",
                "1",
                "--json",
            ],
            here,
        );
        let error = String::from_utf8_lossy(&output.stderr);
        let single = output.status.code() == Some(2) && error.contains("found a single point of mine");
        assert!(output.status.success() || single, "{error}");
        output
            .status
            .success()
            .then(|| serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON"))
    });
    let compared = compared.expect("one of eight measurements has two points of each share");
    assert_eq!(compared["data"]["shares"].as_array().map(Vec::len), Some(2));

    for (arguments, told) in [
        (&["bench", "curves", "--simulate", "xeon-w3530"][..], "fresco calibrate"),
        (&["bench", "latency", "--reads", "80"], "--reads"),
        (&["bench", "curves", "--reads", "40"], "50 to 100"),
        (&["bench", "curves", "--system", "a,b"], "without commas"),
    ] {
        let output = fresco(arguments, here);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
}

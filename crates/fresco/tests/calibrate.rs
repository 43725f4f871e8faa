// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco calibrate`: a machine beside curves that a machine of the model itself was measured by.

use crate::common::{directory_with, fresco, json, stdout};

/// What the model of `xeon-w3530` measures with a front end of 30 ns instead of 19, and 5 % more latency under load.
const CURVES: &str = "system,read_percent,bandwidth_gb_s,latency_ns
ours,100,0.7,92
ours,100,3.0,100
ours,100,6.0,110
ours,100,10.0,230
ours,80,0.7,92
ours,80,3.0,106
ours,80,6.0,130
ours,80,9.0,300
ours,40,1,92
ours,40,2,92
";

const SHORT: [&str; 8] = [
    "--curves",
    "curves.csv",
    "--system",
    "ours",
    "--accesses",
    "200",
    "--repetitions",
    "1",
];

#[test]
fn what_is_fitted_is_in_the_machine_that_is_written() {
    let directory = directory_with(&[("curves.csv", CURVES)]);
    let here = directory.path();
    let mut arguments = vec![
        "calibrate",
        "xeon-w3530",
        "--hold-out",
        "80",
        "--machine-out",
        "fitted.toml",
        "--json",
    ];
    arguments.extend(SHORT);
    let data = json(&arguments, here)["data"].take();
    let share = |reads: u64| {
        let all = data["shares"].as_array().expect("shares");
        all.iter()
            .find(|share| share["reads"] == reads)
            .expect("is there")
            .clone()
    };
    assert_eq!(
        (share(100)["fitted"].as_bool(), share(80)["fitted"].as_bool()),
        (Some(true), Some(false))
    );
    // A front end can be fitted exactly, but for the edges of clocks.
    let unloaded = share(100)["errors"]["unloaded"].as_f64().expect("a number");
    assert!(unloaded.abs() < 2.5, "{unloaded}");
    assert_eq!(data["curves"]["left_out"], serde_json::json!([40]));
    let settings = data["fitted"]["settings"].as_array().expect("settings");
    assert_eq!(settings[0]["key"], "memory.controller.frontend");

    // Every step says what it tried, and takes what is nearest by its own measure or keeps what it had.
    for step in data["fitted"]["steps"].as_array().expect("steps") {
        assert!(step["tried"].as_array().expect("tried").len() > 4, "{step}");
    }

    // The machine that was written is one, and measures the same without being fitted again.
    let mut arguments = vec!["calibrate", "fitted.toml", "--no-fit", "--json"];
    arguments.extend(SHORT);
    let again = json(&arguments, here)["data"].take();
    let errors = |data: &serde_json::Value| {
        let all = data["shares"].as_array().expect("shares").clone();
        all.iter()
            .map(|share| share["errors"]["unloaded"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(errors(&again), errors(&data));
    let shown = stdout(&["machine", "show", "fitted.toml"], here);
    assert!(shown.contains("Fitted to ours of curves.csv"), "{shown}");
    // What was known before stays.
    let text = std::fs::read_to_string(here.join("fitted.toml")).expect("is written");
    assert!(
        text.contains("frontend = \"19 ns\"") && text.contains("held_out = [80]"),
        "{text}"
    );
}

#[test]
fn each_share_is_left_out_in_turn_and_a_fit_does_not_begin_with_an_older_one() {
    let directory = directory_with(&[("curves.csv", CURVES)]);
    let here = directory.path();
    let fitted = |machine: &str, out: &str, more: &[&'static str]| {
        let mut arguments = vec!["calibrate", machine, "--machine-out", out, "--json"];
        arguments.extend(SHORT.iter().chain(more));
        let mut document = json(&arguments, here);
        crate::json_reference::check(&document, &[]);
        document["data"].take()
    };
    let data = fitted("xeon-w3530", "first.toml", &["--hold-out", "each"]);
    let shares = |key: &str| {
        let all = data[key].as_array().expect("shares").clone();
        all.iter().map(|share| share["reads"].clone()).collect::<Vec<_>>()
    };
    // All are fitted to, and each is judged by a fit to the other one.
    assert_eq!(
        (shares("shares"), shares("turns")),
        (vec![100.into(), 80.into()], vec![100.into(), 80.into()])
    );
    assert!(
        data["shares"]
            .as_array()
            .expect("shares")
            .iter()
            .all(|share| share["fitted"] == true)
    );
    for turn in data["turns"].as_array().expect("turns") {
        assert_eq!(turn["settings"][0]["key"], "memory.controller.frontend");
        assert!(
            turn["errors"]["unloaded"].as_f64().expect("a number").abs() < 3.0,
            "{turn}"
        );
    }
    let text = std::fs::read_to_string(here.join("first.toml")).expect("is written");
    assert!(
        text.contains("held_out = []") && text.contains("80 % reads, held out: unloaded"),
        "{text}"
    );
    let again = fitted("first.toml", "second.toml", &[]);
    assert_eq!((&again["fitted"], &again["before"]), (&data["fitted"], &data["before"]));
}

#[test]
fn what_is_wrong_is_told_before_anything_runs() {
    let directory = directory_with(&[("curves.csv", CURVES)]);
    let here = directory.path();
    for (arguments, told) in [
        (
            &["calibrate", "xeon-w3530", "--curves", "curves.csv"][..],
            "no curve of \"xeon-w3530\"",
        ),
        (
            &[
                "calibrate",
                "xeon-w3530",
                "--curves",
                "curves.csv",
                "--system",
                "ours",
                "--hold-out",
                "70",
            ],
            "found 70",
        ),
        (
            &[
                "calibrate",
                "xeon-w3530",
                "--curves",
                "curves.csv",
                "--system",
                "ours",
                "--hold-out",
                "80,100",
            ],
            "found every share",
        ),
        (
            &[
                "calibrate",
                "xeon-w3530",
                "--curves",
                "curves.csv",
                "--system",
                "ours",
                "--hold-out",
                "each,80",
            ],
            "each and other shares",
        ),
        (&["calibrate", "epyc-7742", "--hold-out", "all"], "or each"),
        (&["calibrate", "xeon-w3530", "--curves", "nothing.csv"], "nothing.csv"),
        (
            &[
                "calibrate",
                "ddr4-2400-bench",
                "--curves",
                "curves.csv",
                "--system",
                "ours",
            ],
            "one core",
        ),
        (
            &[
                "calibrate",
                "xeon-w3530",
                "--curves",
                "curves.csv",
                "--system",
                "ours",
                "--machine-out",
                "curves.csv",
            ],
            "--machine-out",
        ),
    ] {
        let output = fresco(arguments, here);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    assert_eq!(
        std::fs::read_to_string(here.join("curves.csv")).expect("is there"),
        CURVES
    );
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco compare` as a user runs it.

use crate::common::files::{MACHINE, SWEPT};
use crate::common::{directory_with, json, refused, stdout};
use crate::json_reference::check;

/// Observations of one metric by hand.
fn table(values: &[(&str, u32, f64)]) -> String {
    let mut text =
        "scenario,machine,method,point,axis.policy,repetition,seed,task,subject_kind,subject,metric,unit,value\n"
            .to_owned();
    for (policy, repetition, value) in values {
        text.push_str(&format!(
            "s,m,,0,{policy},{repetition},{repetition},t,task,t,run_time,ns,{value}\n"
        ));
    }
    text
}

#[test]
fn differences_by_hand() {
    // As in the test of Welch's interval: means 2 and 4, 2.94 degrees of freedom; and a policy whose times are all the same.
    let directory = directory_with(&[]);
    let write = |name: &str, text: String| {
        let path = directory.path().join(name);
        std::fs::create_dir(&path).expect("made");
        std::fs::write(path.join("observations.csv"), text).expect("written");
    };
    let sample = |policy: &'static str, values: [f64; 3]| (0..).zip(values).map(move |(n, value)| (policy, n, value));
    write(
        "a",
        table(
            &sample("x", [1.0, 2.0, 3.0])
                .chain(sample("y", [5.0; 3]))
                .collect::<Vec<_>>(),
        ),
    );
    write(
        "b",
        table(
            &sample("x", [2.0, 4.0, 6.0])
                .chain(sample("y", [6.0; 3]))
                .collect::<Vec<_>>(),
        ),
    );
    let found = json(&["compare", "a", "b", "--json"], directory.path());
    check(&found, &[]);
    let row = |number: usize| found["data"]["rows"][number].clone();
    assert_eq!(row(0)["axes"][0], serde_json::json!(["policy", "x"]));
    assert_eq!(
        (row(0)["verdict"].as_str(), row(0)["relative"].as_f64()),
        (Some("within_spread"), Some(1.0))
    );
    // t of 97.5 % with 50/17 degrees of freedom, 3.2188, times sqrt(5/3).
    let high = row(0)["difference"]["high"].as_f64().expect("a number");
    assert!((high - (2.0 + 3.2188 * (5.0_f64 / 3.0).sqrt())).abs() < 1e-3, "{high}");
    assert_eq!(
        (row(1)["verdict"].as_str(), row(1)["difference"]["low"].as_f64()),
        (Some("changed"), Some(1.0))
    );
    let text = stdout(&["compare", "a", "b"], directory.path());
    assert!(
        text.starts_with("2 values compared: 0 are the same, 1 have changed by more than their spread, 1 within it"),
        "{text}"
    );
    let same = stdout(&["compare", "a", "a"], directory.path());
    assert!(same.starts_with("2 values compared: 2 are the same"), "{same}");
    write("c", table(&[("z", 0, 1.0)]));
    let told = refused(&["compare", "a", "c"], directory.path());
    assert!(told.contains("c: found nothing that a has, too"), "{told}");
    let told = refused(&["compare", "a", "nowhere"], directory.path());
    assert!(told.contains("nowhere: found no table of observations"), "{told}");
}

/// Parquet and CSV of the same runs are the same; a slower machine is found, in the report, too.
#[test]
fn runs_of_two_machines() {
    let directory = directory_with(&[("small.toml", MACHINE), ("s.toml", SWEPT)]);
    let here = directory.path();
    let sim = |words: &[&str]| {
        stdout(
            &[
                &[
                    "sim",
                    "s.toml",
                    "--set",
                    "repetitions=3",
                    "--set",
                    "measure.operations=2000",
                ],
                words,
            ]
            .concat(),
            here,
        )
    };
    sim(&["--parquet", "a", "--csv", "c"]);
    sim(&["--set", "memory.controller.frontend=60ns", "--parquet", "b"]);
    let same = json(&["compare", "a", "c", "--json"], here);
    let counts = &same["data"]["counts"];
    assert_eq!(
        counts["same"].as_u64(),
        same["data"]["rows"].as_array().map(|rows| rows.len() as u64)
    );
    assert_eq!((&counts["only_before"], &counts["only_after"]), (&0.into(), &0.into()));
    let text = stdout(&["compare", "a", "b", "--metric", "read_path", "--out", "d"], here);
    assert!(
        text.contains("read path of chase (corunners 0)") && text.contains("yes"),
        "{text}"
    );
    let page = std::fs::read_to_string(here.join("d/index.html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("Welch"));
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco compare` as a user runs it.

use crate::common::files::{MACHINE, SWEPT, TASKS, periodic};
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
        text.starts_with(
            "first    a/observations.csv\nsecond   b/observations.csv\n\n\
             2 values compared: 0 are the same, 1 have changed by more than their spread, 1 within it"
        ),
        "{text}"
    );
    let same = stdout(&["compare", "a", "a"], directory.path());
    assert!(same.contains("2 values compared: 2 are the same"), "{same}");
    write("c", table(&[("z", 0, 1.0)]));
    let told = refused(&["compare", "a", "c"], directory.path());
    assert!(told.contains("c: found nothing that a has, too"), "{told}");
}

/// The samples of the test before, as two values of an axis: in one table, and each in a table of its own with another beside it.
#[test]
fn values_of_an_axis_by_hand() {
    let slow = [("y", 0, 2.0), ("y", 1, 4.0), ("y", 2, 6.0)];
    let fast = [("x", 0, 1.0), ("x", 1, 2.0), ("x", 2, 3.0)];
    let all = table(&[&fast[..], &slow[..]].concat());
    let directory = directory_with(&[
        ("all.csv", &all),
        ("slow.csv", &table(&slow)),
        ("plain.csv", &table(&slow).replace(",y,", ",,")),
        ("other.csv", &table(&fast).replace("s,m,", "s2,m,")),
    ]);
    let here = directory.path();
    // t of 97.5 % with 50/17 degrees of freedom, 3.2188, times sqrt(5/3); with 4, where variances are alike, times sqrt(8/3).
    let halves = [3.2188 * (5.0_f64 / 3.0).sqrt(), 2.776_445 * (8.0_f64 / 3.0).sqrt()];
    let found = |words: &[&str], labels: [&str; 2], difference: f64| {
        let found = json(&[&["compare"], words, &["--json"]].concat(), here);
        check(&found, &[]);
        let data = &found["data"];
        assert_eq!([&data["before"]["label"], &data["after"]["label"]], labels, "{words:?}");
        assert_eq!(data["rows"].as_array().map(Vec::len), Some(1), "{words:?}");
        let row = &data["rows"][0];
        assert_eq!(
            (&row["axes"], &row["before_values"], &row["after_values"]),
            (&serde_json::json!([]), &3.into(), &3.into())
        );
        let ends = ["low", "difference", "high"].map(|end| row["difference"][end].as_f64().expect("a number"));
        let half = halves[usize::from(difference == 0.0)];
        let wanted = [difference - half, difference, difference + half];
        assert!(
            std::iter::zip(ends, wanted).all(|(end, wanted)| (end - wanted).abs() < 1e-3),
            "{words:?}: {ends:?}"
        );
        data.clone()
    };
    let data = found(&["all.csv", "--by", "policy=x,y"], ["policy x", "policy y"], 2.0);
    assert_eq!(data["after"]["by"], serde_json::json!([["policy", "y"]]));
    assert_eq!(
        (data["after"]["file"].as_str(), data["counts"]["only_before"].as_u64()),
        (Some("all.csv"), Some(0))
    );
    found(&["all.csv", "--by", "policy=y,x"], ["policy y", "policy x"], -2.0);
    found(
        &["all.csv", "slow.csv", "--by", "policy=x,y"],
        ["all.csv, policy x", "slow.csv, policy y"],
        2.0,
    );
    found(
        &["all.csv", "slow.csv", "--by", "policy=y,y"],
        ["all.csv", "slow.csv"],
        0.0,
    );
    found(
        &["all.csv", "plain.csv", "--by", "policy=x,"],
        ["all.csv, policy x", "plain.csv, no policy"],
        2.0,
    );
    let words = ["other.csv", "slow.csv", "--by", "policy=x,y", "--by", "scenario=s2,s"];
    found(
        &words,
        ["other.csv, policy x, scenario s2", "slow.csv, policy y, scenario s"],
        2.0,
    );
    let text = stdout(&["compare", "all.csv", "--by", "policy=x,y", "--all"], here);
    assert!(
        text.starts_with("first    all.csv, policy x\nsecond   all.csv, policy y\n"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_compared() {
    let directory = directory_with(&[
        ("all.csv", &table(&[("x", 0, 1.0), ("y", 0, 2.0)])),
        (
            "word.csv",
            &table(&[("x", 0, 1.0), ("y", 0, 2.0)]).replace(",2\n", ",abc\n"),
        ),
        ("large.csv", &table(&[("x", 0, 1.0)]).replace(",1\n", ",1e400\n")),
        ("infinite.csv", &table(&[("x", 0, 1.0)]).replace(",1\n", ",inf\n")),
        ("missing.csv", &table(&[("x", 0, f64::NAN)])),
        ("empty.json", ""),
        ("broken.json", "{\"schema\": \"fresco-sim/3\", \"data\": {"),
        ("list.json", "[1, 2]"),
        ("plan.json", "{\"schema\": \"fresco-plan/9\"}"),
        (
            "lacking.json",
            "{\"schema\": \"fresco-sim/3\", \"data\": {\"scenarios\": [{\"scenario\": \"s\"}]}}",
        ),
        (
            "none.json",
            "{\"schema\": \"fresco-sim/3\", \"data\": {\"scenarios\": []}}",
        ),
    ]);
    let told = |words: &[&str]| refused(&[&["compare"], words].concat(), directory.path());
    for (words, wanted) in [
        (&["all.csv"][..], "<B>"),
        (&["all.csv", "nowhere"], "nowhere: found no measured values"),
        (
            &["all.csv", "."],
            "with observations.parquet, observations.csv, results.json",
        ),
        (&["all.csv", "empty.json"], "empty.json: found no results: EOF"),
        (&["all.csv", "broken.json"], "broken.json: found no results: EOF"),
        (&["all.csv", "list.json"], "list.json: found no results"),
        (
            &["all.csv", "plan.json"],
            "plan.json: schema: found schema \"fresco-plan/9\"",
        ),
        (&["all.csv", "lacking.json"], "missing field `title`"),
        (&["all.csv", "none.json"], "none.json: found no value to compare"),
        (
            &["all.csv", "--by", "policy"],
            "two values, with a comma between them: \"x\", \"y\"",
        ),
        (&["all.csv", "--by", "policy=x"], "--by: policy: found \"x\""),
        (&["all.csv", "--by", "policy=x,z"], "--by: policy: found \"x,z\""),
        (&["all.csv", "--by", "polic=x,y"], "did you mean \"policy\"?"),
        (&["all.csv", "--by", "seed=0,1"], "policy, scenario"),
        (
            &["all.csv", "--by", "policy=x,y", "--by", "policy=y,x"],
            "--by: policy: found it twice",
        ),
        (
            &["all.csv", "--by", "policy=x,y", "--metric", "slowdown"],
            "--metric: found \"slowdown\", which neither side has\n  allowed: run_time",
        ),
        (
            &["all.csv", "--by", "policy=x,y", "--metric", "run_time,run_tme"],
            "did you mean \"run_time\"?",
        ),
        (&["all.csv", "-"], "standard input: found no place"),
        (&["all.csv", "word.csv"], "word.csv: row 2: value: found \"abc\""),
        (&["all.csv", "large.csv"], "large.csv: row 1: value: found \"1e400\""),
        (
            &["all.csv", "infinite.csv"],
            "infinite.csv: row 1: value: found \"inf\"",
        ),
        (&["all.csv", "missing.csv"], "missing.csv: found no value to compare"),
    ] {
        let told = told(words);
        assert!(told.contains(wanted), "{words:?}: {told}");
    }
}

#[test]
fn rows_without_a_value_are_left_out_and_counted() {
    let values = [("x", 0, 1.0), ("x", 1, f64::NAN), ("x", 2, 1.0)];
    let directory = directory_with(&[
        ("a.csv", &table(&values)),
        ("b.csv", &table(&[("x", 0, 1.0)])),
        ("c.csv", &table(&values).replace("NaN", "")),
    ]);
    let here = directory.path();
    for first in ["a.csv", "c.csv"] {
        let found = json(&["compare", first, "b.csv", "--json"], here);
        check(&found, &[]);
        let data = &found["data"];
        assert_eq!(
            (&data["before"]["missing_values"], &data["after"]["missing_values"]),
            (&1.into(), &0.into())
        );
        // Two values of one kind beside one of it: the same.
        assert_eq!(
            (&data["rows"][0]["before_values"], &data["counts"]["same"]),
            (&2.into(), &1.into())
        );
        let text = stdout(&["compare", first, "b.csv", "--all"], here);
        assert!(
            text.contains("left out: 1 in the file of the first, 0 in that of the second")
                && !text.contains("What has changed"),
            "{text}"
        );
    }
}

#[test]
fn the_figure_has_the_largest_changes_of_all_metrics() {
    let of = |factor: f64| -> String {
        let samples: Vec<(&str, u32, f64)> = (0..3).map(|n| ("x", n, factor)).collect();
        let first = table(&samples);
        let second = table(
            &samples
                .iter()
                .map(|(policy, n, value)| (*policy, *n, value * factor))
                .collect::<Vec<_>>(),
        );
        let rows = second
            .lines()
            .skip(1)
            .map(|line| line.replace("run_time", "response_max") + "\n");
        first + &rows.collect::<String>()
    };
    let directory = directory_with(&[("a.csv", &of(1.0)), ("b.csv", &of(2.0))]);
    stdout(&["compare", "a.csv", "b.csv", "--out", "d"], directory.path());
    let figure = std::fs::read_to_string(directory.path().join("d/changes.svg")).expect("a figure");
    assert!(
        figure.contains("run time") && figure.contains("response max"),
        "{figure}"
    );
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

/// A report, its file and printed JSON hold what the table of the same runs does: of a scenario with a sweep, of periodic tasks, of a plan.
#[test]
fn reports_have_the_values_of_tables() {
    let directory = directory_with(&[
        ("small.toml", MACHINE),
        ("s.toml", SWEPT),
        ("p.toml", &periodic(0, "")),
        ("t.toml", TASKS),
    ]);
    let here = directory.path();
    stdout(&["plan", "t.toml", "--out", "plan.json"], here);
    for (name, set) in [
        ("s.toml", "measure.operations=2000"),
        ("p.toml", "measure.jobs=2"),
        ("plan.json", ""),
    ] {
        let set: &[&str] = if set.is_empty() {
            &["--horizon", "64 ms"]
        } else {
            &["--set", set, "--set", "repetitions=2"]
        };
        let report = format!("report.{name}");
        let printed = stdout(
            &[&["sim", name, "--json", "--parquet", "table", "--out", &report], set].concat(),
            here,
        );
        std::fs::write(here.join("printed"), printed).expect("written");
        for other in [report.as_str(), &format!("{report}/results.json"), "printed"] {
            let found = json(&["compare", "table", other, "--json"], here);
            let data = &found["data"];
            let rows = data["rows"].as_array().expect("rows").len() as u64;
            assert!(rows > 30, "{name}: {rows}");
            assert_eq!(data["counts"]["same"], rows, "{name}, {other}");
            assert_eq!(
                (&data["counts"]["only_before"], &data["counts"]["only_after"]),
                (&0.into(), &0.into())
            );
        }
    }
    // The table is read where there are both, and a report is not written over what it was read from.
    stdout(
        &[
            "sim",
            "s.toml",
            "--set",
            "measure.operations=2000",
            "--parquet",
            "report.s.toml",
        ],
        here,
    );
    let text = stdout(&["compare", "report.s.toml", "report.s.toml/results.json"], here);
    assert!(
        text.starts_with("first    report.s.toml/observations.parquet\nsecond   report.s.toml/results.json\n"),
        "{text}"
    );
    let before = std::fs::read(here.join("report.s.toml/results.json")).expect("is there");
    let words = [
        "compare",
        "report.s.toml/results.json",
        "--by",
        "corunners=0,1",
        "--out",
        "report.s.toml",
    ];
    refused(&words, here);
    assert!(std::fs::read(here.join("report.s.toml/results.json")).expect("is there") == before);
}

/// A task is slower beside another; the axis is in the title, the columns and the figure, and no longer a key.
#[test]
fn points_of_one_report() {
    let directory = directory_with(&[("small.toml", MACHINE), ("s.toml", SWEPT)]);
    let here = directory.path();
    let words = ["--set", "repetitions=3", "--set", "measure.operations=2000"];
    stdout(&[&["sim", "s.toml", "--out", "r"], &words[..]].concat(), here);
    let text = stdout(
        &[
            "compare",
            "r",
            "--by",
            "corunners=0,1",
            "--metric",
            "slowdown,run_time",
            "--out",
            "d",
        ],
        here,
    );
    assert!(
        text.contains("run time of chase  ") && text.contains("corunners 0"),
        "{text}"
    );
    let page = std::fs::read_to_string(here.join("d/index.html")).expect("a page");
    assert!(page.contains("corunners 1 beside corunners 0") && page.contains("First: r/results.json, corunners 0."));
    let figure = std::fs::read_to_string(here.join("d/changes.svg")).expect("a figure");
    assert!(figure.contains("corunners 1 over corunners 0"));
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco record --fetches`, and what is done with such a trace.

use super::{cannot_record, with_program};
use crate::common::{first_run, fresco, json, stdout};
use std::path::Path;

fn told(arguments: &[&str], directory: &Path) -> String {
    let done = fresco(arguments, directory);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{arguments:?}: {told}");
    told
}

#[test]
fn fetches_are_recorded_counted_and_replayed() {
    if cannot_record() {
        return;
    }
    let directory = with_program("fill(); for (int i = 0; i < 3000; i++) qsort((void *)area, 0, 1, 0); return 0;");
    let here = directory.path();
    let text = told(&["record", "--fetches", "-o", "a.ftrace", "--", "./walk"], here);
    assert!(text.contains("instruction fetches of 1 thread"), "{text}");
    let text = told(&["record", "-o", "plain.ftrace", "--", "./walk"], here);
    assert!(!text.contains("fetches"), "{text}");

    let info = json(&["trace", "info", "a.ftrace", "--working-set", "--json"], here);
    crate::json_reference::check(&info, &[]);
    let (data, number) = (&info["data"], |value: &serde_json::Value| {
        value.as_u64().expect("a number")
    });
    let fetches = number(&data["fetches"]);
    assert!(fetches > 6000, "{info}");
    assert_eq!(number(&data["threads"][0]["fetches"]), fetches);
    let of_code = &data["working_set_of_code"];
    assert_eq!(number(&of_code["lines"]), fetches);
    assert!(number(&of_code["caches"][0]["misses"]) < fetches);
    let plain = json(&["trace", "info", "plain.ftrace", "--working-set", "--json"], here);
    assert_eq!(
        plain["data"]["working_set"], data["working_set"],
        "accesses are the same"
    );
    assert!(plain["data"].get("fetches").is_none() && plain["data"].get("working_set_of_code").is_none());
    let table = stdout(&["trace", "info", "a.ftrace", "--working-set"], here);
    assert!(
        table.contains("fetches of lines of code") && table.contains("fetches"),
        "{table}"
    );

    // What cannot hold them says how many it leaves out.
    let grouped = super::grouped(fetches);
    let text = told(&["trace", "convert", "a.ftrace", "-o", "b.ftrace"], here);
    assert!(
        text.contains("it does not hold: ") && text.contains(&format!("{grouped} instruction fetches")),
        "{text}"
    );
    let text = told(&["trace", "merge", "a.ftrace", "plain.ftrace", "-o", "b.ftrace"], here);
    assert!(text.contains(&format!("{grouped} instruction fetches")), "{text}");
    let text = told(
        &[
            "trace",
            "cut",
            "a.ftrace",
            "-o",
            "b.ftrace",
            "--from",
            "100",
            "--accesses",
            "1000",
        ],
        here,
    );
    assert!(text.contains("instruction fetches of what was read"), "{text}");
    let text = told(
        &["trace", "sample", "a.ftrace", "-o", "b.ftrace", "--sample", "2x100k"],
        here,
    );
    assert!(
        text.contains(&format!("no part holds its share of the {grouped} instruction fetches")),
        "{text}"
    );
    let text = stdout(&["trace", "diff", "a.ftrace", "plain.ftrace"], here);
    assert!(text.starts_with("no difference"), "{text}");

    // Replayed, with a cache for them and without; beside the trace that has none.
    let machine = include_str!("../../../../machines/xeon-w3530.toml").replace("xeon-w3530", "code");
    let l1i = "\n[l1i]\nsize = \"32 KiB\"\nways = 4\nline = 64\nreplacement = \"tree-plru\"\n";
    std::fs::write(here.join("code.toml"), machine + l1i).expect("writable");
    let sim = |file: &str, machine: &str| {
        let few = [
            "--policies",
            "buddy",
            "--json",
            "--set",
            "warm_up={passes=0}",
            "--set",
            "measure={passes=1}",
        ];
        let words = [&["sim", "--on", machine, file][..], &few].concat();
        let document = json(&words, here);
        crate::json_reference::check(&document, &[]);
        first_run(&document)["tasks"][0].clone()
    };
    let with = sim("./a.ftrace", "./code.toml");
    let without = sim("./a.ftrace", "xeon-w3530");
    let plain = sim("./plain.ftrace", "./code.toml");
    assert_eq!(
        (number(&with["fetches"]), number(&without["fetches"])),
        (fetches, fetches)
    );
    assert!(
        plain.get("fetches").is_none() && plain["caches"].get("l1i").is_none(),
        "{plain}"
    );
    let sum = |cache: &serde_json::Value| number(&cache["hits"]) + number(&cache["misses"]);
    assert_eq!(sum(&with["caches"]["l1i"]), fetches);
    assert_eq!(with["caches"]["l1"], plain["caches"]["l1"]);
    assert_eq!(sum(&without["caches"]["l1"]), sum(&plain["caches"]["l1"]) + fetches);
    assert!(number(&with["run_time_ps"]) > number(&plain["run_time_ps"]));
}

#[test]
fn a_program_that_is_simulated_while_it_runs_fetches_too() {
    if cannot_record() {
        return;
    }
    let directory = with_program("fill(); return 0;");
    let here = directory.path();
    let live = |options: &[&str]| {
        let words = [
            &["record", "--live", "--on", "xeon-w3530", "--json"],
            options,
            &["--", "./walk"],
        ]
        .concat();
        let document = json(&words, here);
        first_run(&document)["tasks"][0].clone()
    };
    told(&["record", "--fetches", "-o", "a.ftrace", "--", "./walk"], here);
    let info = json(&["trace", "info", "a.ftrace", "--json"], here);
    assert_eq!(live(&["--fetches"])["fetches"], info["data"]["fetches"]);
    assert!(live(&[]).get("fetches").is_none());
}

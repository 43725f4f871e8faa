// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco loop` and the replay of what it recorded. Live machines are booted by `scripts/kernel-test in-loop`.

use crate::common::{directory_with, json, refused, stdout};
use std::path::{Path, PathBuf};

/// Two readers of random lines, and one of a list, recorded on Linux 6.12 with page coloring: `fresco loop pair.toml --out recorded --skip 150M --instructions 20k`.
fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/loop")
}

#[test]
fn a_stored_recording_is_replayed_to_the_bit() {
    let told = stdout(&["sim", "pair.toml", "--recorded", "recorded"], &stored());
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = told.lines().skip(3).take(4).map(words).collect();
    let expected = [
        "alone 0.015 123.2 304 465 0.322 0/1/99 787 3390",
        "same 0.024 177.2 479 613 0.204 0/1/99 788 2145",
        "disjoint 0.016 130.6 314 400 0.301 0/1/99 780 3171",
        "list 0.065 81.8 81 224 0.011 0/4/96 800 782",
    ];
    assert_eq!(rows, expected, "{told}");
}

/// Who follows a list has one read under way: an access takes the program as long as a read takes. Who reads at random has several.
#[test]
fn a_list_is_read_line_by_line() {
    let document = json(&["sim", "pair.toml", "--recorded", "recorded", "--json"], &stored());
    let reads_together = |point: usize| {
        let task = &document["data"]["scenarios"][0]["points"][point]["runs"][0]["tasks"][0];
        let number = |value: &serde_json::Value| value.as_f64().expect("a number");
        number(&task["reads"]["latency"]["mean_ns"]) / number(&task["access_time_ns"])
    };
    let (list, random) = (reads_together(3), reads_together(0));
    assert!((0.99..=1.0).contains(&list) && random > 5.0, "{list} {random}");
}

/// The pages of the programs' data lie in the banks that they asked for; what the kernel touches may lie anywhere.
#[test]
fn pages_are_counted_where_they_were() {
    let document = json(&["sim", "pair.toml", "--recorded", "recorded", "--json"], &stored());
    let points = document["data"]["scenarios"][0]["points"].as_array().expect("points");
    let in_banks = |point: usize, task: usize, banks: std::ops::Range<u64>| {
        let pages = points[point]["runs"][0]["tasks"][task]["pages"]["by_bank"]
            .as_array()
            .expect("pages")
            .clone();
        let count = |wanted: bool| -> u64 {
            let of = pages
                .iter()
                .filter(|pair| banks.contains(&pair[0].as_u64().expect("a bank")) == wanted);
            of.map(|pair| pair[1].as_u64().expect("pages")).sum()
        };
        (count(true), count(false))
    };
    for (point, task, banks) in [(0, 0, 0..4), (1, 0, 0..4), (1, 1, 0..4), (2, 0, 0..4), (2, 1, 4..8)] {
        let (own, others) = in_banks(point, task, banks);
        assert!(own > 900 && others < own / 10, "{point} {task}: {own} {others}");
    }
}

/// What changes on the model needs no new recording; other colors do.
#[test]
fn points_are_found_by_what_they_ran() {
    let stored = stored();
    let sim = |set: &str| ["sim", "pair.toml", "--recorded", "recorded", "--set", set].map(str::to_owned);
    let closed = sim("memory.controller.page=closed");
    let told = stdout(&closed.each_ref().map(String::as_str), &stored);
    assert!(
        told.contains("same ") && !told.contains("same          0.024      177.2"),
        "{told}"
    );
    let other = sim("task.victim.command=['other', '16']");
    let error = refused(&other.each_ref().map(String::as_str), &stored);
    assert!(
        error.contains("recordings.json: found no recording of \"victim\" with these programs and colors"),
        "{error}"
    );
}

const PAIR: &str = "name = \"pair\"\nmachine = \"xeon-w3530\"\n[[task]]\nname = \"a\"\ncore = 0\n";

#[test]
fn what_cannot_be_looped_is_refused() {
    let scenario = |more: &str| format!("{PAIR}{more}");
    let files = [
        ("no-command.toml", scenario("program = \"idle\"\n")),
        ("neither.toml", scenario("")),
        ("not-found.toml", scenario("command = [\"no-such-program\"]\n")),
        ("periodic.toml", scenario("command = [\"true\"]\nperiod = \"1 ms\"\n")),
        (
            "chosen.toml",
            format!("policy.frames = \"camc\"\n{}", scenario("command = [\"true\"]\n")),
        ),
        ("sound.toml", scenario("command = [\"true\"]\n")),
        ("kernel", "none".to_owned()),
        ("full/file", String::new()),
    ];
    let directory = directory_with(&[]);
    std::fs::create_dir(directory.path().join("full")).expect("writable");
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).expect("writable");
    }
    let of = |words: &[&str]| {
        let all = [&["loop", "--kernel", "kernel", "--out", "out"], words].concat();
        refused(&all, directory.path())
    };
    for (scenario, expected) in [
        ("no-command.toml", "found no command of \"a\""),
        ("neither.toml", "found no command of \"a\""),
        (
            "not-found.toml",
            "found command \"no-such-program\": no-such-program: not found",
        ),
        ("periodic.toml", "found the periodic task \"a\""),
        (
            "chosen.toml",
            "found colors that the policy would choose while programs run",
        ),
    ] {
        let error = of(&[scenario]);
        assert!(
            error.contains(expected) && error.contains(scenario),
            "{scenario}: {error}"
        );
    }
    let error = of(&["sound.toml", "--memory", "4096"]);
    assert!(error.contains("--memory") && error.contains("256"), "{error}");
    let machine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fresco-system/tests/data/small.toml");
    let small = of(&["sound.toml", "--set", &format!("machine={machine:?}")]);
    assert!(small.contains("MiB of memory for the virtual machine"), "{small}");
    let error = refused(
        &["loop", "sound.toml", "--kernel", "kernel", "--out", "full"],
        directory.path(),
    );
    assert!(error.contains("full: is not empty"), "{error}");
    // What an earlier try has left is no recording, here or in a directory of its own.
    std::fs::create_dir_all(directory.path().join("tried/1")).expect("writable");
    std::fs::write(directory.path().join("tried/1/console.txt"), "no\n").expect("writable");
    let error = refused(
        &["loop", "sound.toml", "--kernel", "nowhere", "--out", "tried"],
        directory.path(),
    );
    assert!(error.contains("nowhere") && !error.contains("not empty"), "{error}");
    let error = of(&["plan.json"]);
    assert!(
        error.contains("plan.json: found a file whose name ends in .json"),
        "{error}"
    );
    let error = refused(
        &["loop", "sound.toml", "--kernel", "nowhere", "--out", "other"],
        directory.path(),
    );
    assert!(error.contains("nowhere"), "{error}");
    let error = of(&["-"]);
    assert!(error.contains("which can be read only once"), "{error}");
    let error = refused(&["loop-guest"], directory.path());
    assert!(
        error.contains("found another process than the first one of a machine"),
        "{error}"
    );
}

#[test]
fn modules_that_keep_no_budgets_are_refused() {
    let scenario = |more: &str| format!("{more}{PAIR}command = [\"true\"]\nreserve = \"64 MB/s\"\n");
    let directory = directory_with(&[
        ("none.toml", &scenario("")),
        (
            "sound.toml",
            &scenario("policy.bandwidth = \"memguard\"\nbandwidth.period = \"1 ms\"\n"),
        ),
        (
            "short.toml",
            &scenario("policy.bandwidth = \"memguard\"\nbandwidth.period = \"10 us\"\n"),
        ),
        ("memguard.ko", "\x7fELF"),
        ("packed.ko.xz", "\u{fd}7zXZ"),
        ("kernel", "none"),
    ]);
    let of = |words: &[&str]| {
        let all = [&["loop", "--kernel", "kernel", "--out", "out"], words].concat();
        refused(&all, directory.path())
    };
    let closed = |scenario: &str, module: &str| of(&[scenario, "--closed", "--memguard", module]);
    assert!(of(&["sound.toml", "--memguard", "memguard.ko"]).contains("--closed"));
    for (scenario, module, expected) in [
        (
            "none.toml",
            "memguard.ko",
            "--memguard: found a scenario without budgets",
        ),
        (
            "short.toml",
            "memguard.ko",
            "bandwidth.period: found a period of 10000 ns",
        ),
        (
            "sound.toml",
            "packed.ko.xz",
            "packed.ko.xz: found no module of the kernel",
        ),
        ("sound.toml", "nowhere.ko", "nowhere.ko: No such file"),
    ] {
        let error = closed(scenario, module);
        assert!(
            error.contains(expected) && error.contains("help: "),
            "{scenario} {module}: {error}"
        );
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let scenario = format!("{PAIR}command = [\"true\"]\n");
    let directory = directory_with(&[("a.toml", &scenario)]);
    let recorded = directory.path().join("recorded");
    std::fs::create_dir(&recorded).expect("writable");
    let sim = || refused(&["sim", "a.toml", "--recorded", "recorded"], directory.path());
    assert!(sim().contains("recordings.json"));
    std::fs::write(recorded.join("recordings.json"), "{}").expect("writable");
    assert!(sim().contains("missing field"), "{}", sim());
    let known = std::fs::read_to_string(stored().join("recorded/recordings.json")).expect("a file");
    std::fs::write(
        recorded.join("recordings.json"),
        known.replace("recordings/1", "recordings/2"),
    )
    .expect("writable");
    assert!(sim().contains("found schema \"fresco-recordings/2\""), "{}", sim());
    std::fs::write(recorded.join("recordings.json"), known).expect("writable");
    assert!(sim().contains("found no recording of \"a\""), "{}", sim());
    // A trace that is gone.
    let stored = stored();
    let text = std::fs::read_to_string(stored.join("pair.toml")).expect("a file");
    std::fs::write(directory.path().join("pair.toml"), text).expect("writable");
    let error = refused(&["sim", "pair.toml", "--recorded", "recorded"], directory.path());
    assert!(
        error.contains("1/victim.ftrace") && error.contains("No such file"),
        "{error}"
    );
}

/// A scenario whose tasks have commands alone is for `fresco loop`.
#[test]
fn a_command_is_no_program_of_the_model() {
    let directory = directory_with(&[("a.toml", &format!("{PAIR}command = [\"true\"]\n"))]);
    let error = refused(&["sim", "a.toml"], directory.path());
    assert!(error.contains("program"), "{error}");
}

/// What a closed loop cannot have is told before anything is booted, and so is an emulator that is not there.
#[test]
fn a_closed_loop_records_nothing_and_needs_an_emulator() {
    let directory = directory_with(&[
        ("pair.toml", &format!("{PAIR}command = [\"true\"]\n")),
        ("kernel", "none"),
    ]);
    let of = |words: &[&str]| {
        let all = [&["loop", "pair.toml", "--kernel", "kernel", "--out", "out"], words].concat();
        refused(&all, directory.path())
    };
    for (words, expected) in [
        (&["--closed", "--instructions", "5M"][..], "cannot be used with"),
        (&["--closed", "--record-only"], "cannot be used with"),
        (&["--window", "100"], "--closed"),
        (&["--closed", "--window", "0"], "--window"),
        (&["--align", "64 ms"], "--closed"),
        (&["--closed", "--align", "64"], "--align: found"),
        (&["--closed", "--align", "5 us"], "1 ms"),
        (
            &["--closed", "--qemu", "no-such-emulator"],
            "no-such-emulator is not installed",
        ),
    ] {
        let error = of(words);
        assert!(error.contains(expected), "{words:?}: {error}");
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sweep` as a user runs it: here, in shards, killed, on a full disk, as an array of jobs.

use crate::common::files::MACHINE;
use crate::common::{directory_with, fresco, fresco_with, json, refused, stdout};
use crate::json_reference::check;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A pointer chase alone and beside a stream.
const SCENARIO: &str = r#"name = "tiny"
machine = "./small.toml"
policy.frames = "palloc"
measure.operations = 200
sweep.corunners = [0, 1]
[[task]]
name = "chase"
program = "latency"
core = 0
banks = 0
parameters.bytes = "32 KiB"
[[task]]
name = "noise"
program = "random"
core = 2
role = "background"
banks = 0
parameters.bytes = "64 KiB"
"#;

/// Forty points; those of 4 MiB do not fit.
const SWEEP: &str = r#"scenario = "./tiny.toml"
title = "Banks, pages and sizes"
[latin_hypercube]
samples = 5
over.memory.controller.hit_cap = { from = 1, to = 32, step = 1 }
[grid]
task.noise.banks = [0, 1]
memory.controller.page = ["open", "closed"]
task.chase.parameters.bytes = ["32 KiB", "4 MiB"]
"#;

/// So many points that take a millisecond or so.
fn many(points: u32) -> String {
    format!(
        "scenario = \"./tiny.toml\"\n[random]\nsamples = {points}\nover.seed = {{ from = 0, to = 900000000, step = 1 }}\n"
    )
}

fn prepared(sweep: &str) -> tempfile::TempDir {
    directory_with(&[("small.toml", MACHINE), ("tiny.toml", SCENARIO), ("s.toml", sweep)])
}

/// What a sweep wrote that may not depend on who ran it.
fn written(out: &Path) -> Vec<Vec<u8>> {
    let names = ["observations.parquet", "points.parquet", "results.json", "index.html"];
    names.map(|name| fs::read(out.join(name)).expect(name)).to_vec()
}

#[test]
fn a_sweep_is_run_told_and_documented() {
    let directory = prepared(SWEEP);
    let here = directory.path();
    let list = stdout(&["sweep", "s.toml", "--list"], here);
    assert_eq!(list.lines().count(), 40);
    let second = "1  --set memory.controller.hit_cap=";
    assert!(
        list.lines().nth(1).is_some_and(|line| line.starts_with(second)),
        "{list}"
    );
    check(&json(&["sweep", "s.toml", "--list", "--json"], here), &[]);
    let complaint = refused(&["sweep", "s.toml", "--out", "out", "--status"], here);
    assert!(complaint.contains("found no sweep"), "{complaint}");
    assert!(!here.join("out").exists(), "--status makes nothing");
    // Half of the points fail, and the status says so.
    let ran = fresco(&["sweep", "s.toml", "--out", "out"], here);
    let text = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.status.code(), Some(1), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(text.contains("s: 40 points: 20 done, 20 failed, 0 missing"), "{text}");
    assert!(
        text.contains("s.toml:9: grid.task.chase.parameters.bytes: found programs of 4 MiB"),
        "{text}"
    );
    assert!(text.contains("slowdown of chase") && text.contains("99.6"), "{text}");
    let status = json(&["sweep", "s.toml", "--out", "out", "--status", "--json"], here);
    check(&status, &[]);
    assert_eq!(status["data"]["torn_bytes"], 0);
    let again = fresco(&["sweep", "s.toml", "--out", "out", "--json"], here);
    let results: serde_json::Value = serde_json::from_slice(&again.stdout).expect("JSON");
    check(&results, &["fresco-sweep-status/1"]);
    assert_eq!(results["data"]["done"], 20);
    let page = fs::read_to_string(here.join("out/index.html")).expect("a page");
    for part in [
        "<h1>Banks, pages and sizes</h1>",
        "What the axes do",
        "What failed, and why",
        "<svg",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn an_array_of_jobs_writes_what_one_run_writes() {
    let directory = prepared(SWEEP);
    let here = directory.path();
    let run = |words: &[&str]| fresco(&[&["sweep", "s.toml", "--out"], words].concat(), here);
    assert_eq!(run(&["one"]).status.code(), Some(1));
    // A Slurm of three lines: each job of the array has its number.
    let script = "#!/bin/sh\ncat > script\nfor n in $(sed -n 's/.*array=1-//p' script | xargs seq)\ndo SLURM_ARRAY_TASK_ID=$n SLURM_ARRAY_TASK_MIN=1 sh script || true; done\necho Submitted\n";
    let bin = here.join("bin");
    fs::create_dir(&bin).expect("made");
    let program = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt;
        fs::write(bin.join(name), text).expect("written");
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).expect("set");
    };
    program("sbatch", script);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fresco"), bin.join("fresco")).expect("linked");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let submitted = Command::new(env!("CARGO_BIN_EXE_fresco"))
        .args(["sweep", "s.toml", "--out", "array", "--slurm", "7", "--submit"])
        .current_dir(here)
        .env("PATH", path)
        .output()
        .expect("runs");
    let told = String::from_utf8_lossy(&submitted.stdout);
    assert!(submitted.status.success() && told.ends_with("Submitted\n"), "{told}");
    assert!(
        written(&here.join("one")) == written(&here.join("array")),
        "the results differ"
    );
    let shards = fs::read_dir(here.join("array/shards")).expect("there").flatten();
    let tables = shards.filter(|entry| entry.file_name().to_string_lossy().starts_with("observations-"));
    assert_eq!(tables.count(), 7);
    // The others print the same shards.
    let parallel = stdout(&["sweep", "s.toml", "--out", "o", "--parallel", "7"], here);
    assert!(parallel.contains("--shard {}/7"), "{parallel}");
    let job = stdout(
        &["sweep", "s.toml", "--out", "o", "--kubernetes", "7", "--set", "seed=3"],
        here,
    );
    assert!(
        job.contains("completions: 7\n") && job.contains("\"--set\", \"seed=3\""),
        "{job}"
    );
    assert!(!here.join("o").exists(), "printing makes nothing");
    let complaint = refused(&["sweep", "s.toml", "--out", "o", "--shard", "8/7"], here);
    assert!(complaint.contains("--shard: found \"8/7\""), "{complaint}");
}

/// `SWEEP_KILLS`: how often.
#[test]
fn killed_at_any_moment_and_resumed_it_is_the_same() {
    let kills = std::env::var("SWEEP_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3);
    let directory = prepared(&many(60 * (1 + kills / 3)));
    let here = directory.path();
    stdout(&["sweep", "s.toml", "--out", "whole"], here);
    let mut rng = Pcg64::seed_from_u64(7);
    let (mut killed, mut resumed) = (0, 0);
    while killed < kills {
        let mut runner = Command::new(env!("CARGO_BIN_EXE_fresco"))
            .args(["sweep", "s.toml", "--out", "killed", "--threads", "1"])
            .current_dir(here)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        std::thread::sleep(Duration::from_millis(rng.random_range(20..1500)));
        // SIGKILL.
        if runner.try_wait().expect("known").is_some() {
            // It was over before: begin again.
            fs::remove_dir_all(here.join("killed")).expect("removed");
            resumed += 1;
            assert!(resumed < 50, "the points are too few for the machine");
            continue;
        }
        runner.kill().expect("killed");
        runner.wait().expect("ends");
        killed += 1;
    }
    if !here.join("killed/.fresco-sweep").exists() {
        stdout(&["sweep", "s.toml", "--out", "killed"], here);
    }
    stdout(&["sweep", "s.toml", "--out", "killed", "--resume"], here);
    assert!(
        written(&here.join("whole")) == written(&here.join("killed")),
        "the results differ"
    );
    let status = json(&["sweep", "s.toml", "--out", "killed", "--status", "--json"], here);
    assert_eq!(status["data"]["missing"], 0);
}

#[test]
fn a_runner_that_waits_for_one_that_was_stopped_says_so() {
    let directory = prepared(&many(120));
    let here = directory.path();
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_fresco"))
            .args(["sweep", "s.toml", "--out", "out", "--threads", "1"])
            .current_dir(here)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts")
    };
    let signal = |name: &str, to: &std::process::Child| {
        let done = Command::new("kill").args([name, &to.id().to_string()]).status();
        assert!(done.expect("runs").success(), "{name}");
    };
    let mut stopped = start();
    // The file of a claim is there a moment before its lock: the second file, once the first is locked.
    while fs::read_dir(here.join("out/claims")).map_or(0, Iterator::count) < 2 {
        std::thread::sleep(Duration::from_millis(2));
    }
    signal("-STOP", &stopped);
    let mut other = start();
    let lines = BufReader::new(other.stderr.take().expect("piped")).lines();
    let is_told = |line: &str| line.starts_with("fresco: out: nothing is left but ") && line.contains("SIGSTOP");
    let mut before = Vec::new();
    let told = lines.map_while(Result::ok).find(|line| {
        before.push(line.clone());
        is_told(line)
    });
    signal("-CONT", &stopped);
    assert!(told.is_some(), "it does not say that it waits: {before:?}");
    assert!(other.wait().expect("ends").success() && stopped.wait().expect("ends").success());
}

#[test]
fn the_file_in_the_directory_repeats_the_run() {
    let directory = prepared(SWEEP);
    let here = directory.path();
    let set = ["--set", "latin_hypercube.samples=2"];
    fresco(&[&["sweep", "s.toml", "--out", "o/ut"], &set[..]].concat(), here);
    let list = |file: &str, set: &[&str]| stdout(&[&["sweep", file, "--list"], set].concat(), here);
    assert_eq!(list("o/ut/sweep.toml", &[]), list("s.toml", &set));
    fresco(&["sweep", "o/ut/sweep.toml", "--out", "again"], here);
    let data = |out: &str| {
        let results = fs::read_to_string(here.join(out).join("results.json")).expect("there");
        serde_json::from_str::<serde_json::Value>(&results).expect("JSON")["data"].clone()
    };
    let (first, again) = (data("o/ut"), data("again"));
    assert!(first["done"] == 8 && first["sweep"] == "s", "{first}");
    for part in ["sweep", "done", "failed", "effects", "extremes"] {
        assert_eq!(first[part], again[part], "{part}");
    }
}

#[test]
fn a_report_that_does_not_fit_costs_no_result() {
    let directory = prepared(SWEEP);
    let here = directory.path();
    fresco(&["sweep", "s.toml", "--out", "out"], here);
    let largest = |out: &str| {
        let files = ["observations.parquet", "points.parquet"]
            .map(|name| fs::metadata(here.join(out).join(name)).expect(name).len());
        files.into_iter().max().unwrap_or_default()
    };
    let page = fs::metadata(here.join("out/index.html")).expect("there").len();
    let blocks = largest("out").div_ceil(512) + 1;
    assert!(page > 512 * blocks, "the page is larger than the tables: {page}");
    let script = format!("ulimit -f {blocks}; exec \"$0\" sweep s.toml --out out --merge");
    let full = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_fresco")])
        .current_dir(here)
        .output()
        .expect("runs");
    let told = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(2), "{told}");
    assert!(
        told.contains("no report can be written there: File too large")
            && told.contains("help: make room and run it again"),
        "{told}"
    );
    assert!(told.contains("the results of all points are stored"), "{told}");
}

#[test]
fn what_is_missing_of_a_report_is_made_again() {
    let directory = prepared(SWEEP);
    let here = directory.path();
    fresco(&["sweep", "s.toml", "--out", "out"], here);
    let figures = || -> Vec<_> {
        let all = fs::read_dir(here.join("out"))
            .expect("there")
            .flatten()
            .map(|entry| entry.path());
        all.filter(|path| path.extension().is_some_and(|ending| ending == "svg"))
            .collect()
    };
    let before = figures();
    assert!(!before.is_empty());
    fs::remove_file(&before[0]).expect("removed");
    fresco(&["sweep", "s.toml", "--out", "out"], here);
    assert_eq!(figures().len(), before.len());
    // Nothing is missing: nothing is written.
    let time = || {
        fs::metadata(&before[0])
            .and_then(|meta| meta.modified())
            .expect("there")
    };
    let made = time();
    fresco(&["sweep", "s.toml", "--out", "out"], here);
    assert_eq!(time(), made);
}

#[test]
fn what_is_not_there_is_told_by_the_names_that_were_given() {
    let directory = prepared(&SWEEP.replace("./tiny.toml", "./none.toml"));
    let here = directory.path();
    let told = |words: &[&str]| refused(&[&["sweep", "s.toml", "--out"], words].concat(), here);
    fs::write(here.join("none.toml"), SCENARIO.replace("./small.toml", "./mm.toml")).expect("written");
    let complaint = told(&["out"]);
    assert!(
        complaint.contains("./mm.toml") && !complaint.contains("././mm.toml"),
        "{complaint}"
    );
    let complaint = told(&["nowhere", "--merge"]);
    assert!(
        complaint.contains("nowhere: --out: found no sweep\n") && !complaint.contains("--resume"),
        "{complaint}"
    );
    assert!(!here.join("nowhere").exists());
}

#[test]
fn a_full_disk_is_told_and_costs_nothing_that_was_stored() {
    let directory = prepared(&many(40));
    let here = directory.path();
    stdout(&["sweep", "s.toml", "--out", "whole"], here);
    // Files of at most four blocks of 512 bytes: no frame fits.
    let full = Command::new("sh")
        .args([
            "-c",
            "ulimit -f 4; exec \"$0\" sweep s.toml --out full",
            env!("CARGO_BIN_EXE_fresco"),
        ])
        .current_dir(here)
        .output()
        .expect("runs");
    let told = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(2), "{told}");
    assert!(
        told.contains("segments/000000.seg: cannot write it: File too large"),
        "{told}"
    );
    assert!(told.contains("help: make room and run it again"), "{told}");
    let status = json(&["sweep", "s.toml", "--out", "full", "--status", "--json"], here);
    assert_eq!(
        (&status["data"]["done"], &status["data"]["torn_bytes"]),
        (&0.into(), &0.into())
    );
    stdout(&["sweep", "s.toml", "--out", "full", "--resume"], here);
    assert!(
        written(&here.join("whole")) == written(&here.join("full")),
        "the results differ"
    );
}

#[test]
fn directories_of_others_are_left_alone() {
    let directory = prepared(SWEEP);
    let here = directory.path();
    fs::create_dir(here.join("mine")).expect("made");
    fs::write(here.join("mine/notes"), "x").expect("written");
    let complaint = refused(&["sweep", "s.toml", "--out", "mine"], here);
    assert!(
        complaint.contains("found \"notes\", which no sweep has put there"),
        "{complaint}"
    );
    assert_eq!(fs::read_dir(here.join("mine")).expect("there").count(), 1);
    let complaint = refused(&["sweep", "s.toml", "--out", "new", "--resume"], here);
    assert!(complaint.contains("found no sweep to resume"), "{complaint}");
    assert!(!here.join("new").exists());
    let complaint = refused(
        &["sweep", "s.toml", "--out", "out", "--set", "grid.measure.nonsense=[1]"],
        here,
    );
    assert!(complaint.contains("measure.nonsense: unknown key"), "{complaint}");
    assert!(
        !here.join("out").exists(),
        "what is wrong is told before anything is made"
    );
}

#[test]
fn tables_that_were_damaged_are_written_anew() {
    let directory = prepared(&many(3));
    let here = directory.path();
    let run = ["sweep", "s.toml", "--out", "out"];
    stdout(&run, here);
    let (out, table) = (here.join("out"), here.join("out/observations.parquet"));
    let whole = written(&out);
    let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).expect("is there");
    let first = modified(&table);
    stdout(&run, here);
    assert_eq!(modified(&table), first, "what is whole is left alone");
    let mut bytes = fs::read(&table).expect("a table");
    bytes[40] ^= 1;
    for damaged in [&bytes[..], &bytes[..300]] {
        fs::write(&table, damaged).expect("writable");
        stdout(&run, here);
        assert_eq!(written(&out), whole);
    }
    let last = modified(&table);
    stdout(&[&run[..], &["--merge"]].concat(), here);
    assert!(
        modified(&table) > last && written(&out) == whole,
        "--merge always writes"
    );
}

#[test]
fn jobs_cannot_read_what_the_terminal_was_given() {
    let directory = prepared(SWEEP);
    for what in ["--slurm", "--parallel", "--kubernetes"] {
        let complaint = fresco_with(
            &["sweep", "-", "--out", "out", what, "3"],
            directory.path(),
            SWEEP.as_bytes(),
        );
        let complaint = String::from_utf8_lossy(&complaint.stderr);
        let told = format!("standard input: {what}: found the sweep where no job can read it");
        assert!(
            complaint.contains(&told) && complaint.contains(&format!("fresco sweep sweep.toml {what} 3")),
            "{complaint}"
        );
    }
}

#[test]
fn a_wrong_key_is_told_before_jobs_are_submitted() {
    let directory = prepared(&SWEEP.replace("controller.page", "controller.pag"));
    for what in [&["--list"][..], &["--slurm", "3"], &["--parallel", "3"]] {
        let complaint = refused(
            &[&["sweep", "s.toml", "--out", "out"][..], what].concat(),
            directory.path(),
        );
        assert!(
            complaint.contains("s.toml:8: grid.memory.controller.pag: unknown key"),
            "{complaint}"
        );
    }
}

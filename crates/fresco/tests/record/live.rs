// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco record --live`: programs that are simulated while they run.

use super::{cannot_record, processes_of, program, signal, wait_until, with_program};
use crate::common::{fresco, json};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// Words at random in 1 MiB, in a loop of so many steps; more than two parts of a million accesses.
const STEPS: &str = "unsigned long x = 1; for (long i = 0; i < 1300000; i++) \
                     { x ^= x << 13; x ^= x >> 7; x ^= x << 17; area[x % (1 << 20)]++; } return 0;";
/// The same without end. It comes `far` only if a simulation takes what it does: more than may wait.
const ENDLESS: &str = "unsigned long x = 1; for (long i = 0;; i++) { if (i == 6000000) fclose(fopen(\"far\", \"w\")); \
                       x ^= x << 13; x ^= x >> 7; x ^= x << 17; area[x % (1 << 20)]++; }";

/// Standard output, standard error and status of `fresco record --live` of `./walk`.
fn live(options: &[&str], directory: &Path) -> (String, String, Option<i32>) {
    let words = [&["record", "--live"], options, &["--", "./walk"]].concat();
    let done = fresco(&words, directory);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&done.stdout), text(&done.stderr), done.status.code())
}

/// The measured run of a document of `fresco sim`, without the names of the tasks and what differs where others were run, too.
fn run_of(mut document: Value, corunners: &str) -> Value {
    let points = document["data"]["scenarios"][0]["points"]
        .as_array_mut()
        .expect("points");
    let wanted = |point: &&mut Value| {
        point["values"]
            .as_array()
            .is_some_and(|values| values.contains(&corunners.into()))
    };
    let count = points.len();
    let point = points
        .iter_mut()
        .find(|point| count == 1 || wanted(point))
        .expect("such a point");
    let mut run = point["runs"][0].take();
    run["point"] = Value::Null;
    for name in ["name", "program"] {
        run["tasks"][0][name] = Value::Null;
    }
    run
}

#[test]
fn a_program_that_runs_is_simulated_as_its_recording_is() {
    if cannot_record() {
        return;
    }
    let directory = with_program(STEPS);
    let here = directory.path();
    let whole: &[&str] = &[];
    let part = ["--skip", "100k", "--instructions", "500k"];
    let (warm, measured) = ("warm_up={operations=100000}", "measure={operations=1500000}");
    let operations = ["--set", warm, "--set", measured];
    for (policy, beside, window, phases) in [
        ("buddy", "0", whole, whole),
        ("palloc", "2", whole, whole),
        ("buddy", "0", &part, whole),
        ("bpm", "1", whole, &operations),
    ] {
        let others = format!("random,{beside}");
        let beside_them: &[&str] = if beside == "0" { &[] } else { &["--beside", &others] };
        let both = [&["--json", "--on", "xeon-w3530", "--set", "seed=5"][..], beside_them].concat();
        let words = [&both[..], &["--policy", policy], window, phases].concat();
        let (out, told, status) = live(&words, here);
        assert_eq!(status, Some(0), "{told}");
        let simulated: Value = serde_json::from_str(&out).expect("JSON");
        let record = [&["record", "-q", "-o", "walk.ftrace"], window, &["--", "./walk"]].concat();
        assert_eq!(fresco(&record, here).status.code(), Some(0));
        let as_whole = ["--set", "warm_up={passes=0}", "--set", "measure={passes=1}"];
        let phases = if phases.is_empty() { &as_whole } else { phases };
        let replay = ["walk.ftrace", "--policies", policy, "--set", "task.walk.pages=on-touch"];
        let replayed = json(&[&["sim"], &both[..], &replay, phases].concat(), here);
        let (simulated, replayed) = (run_of(simulated, beside), run_of(replayed, beside));
        let task = &simulated["tasks"][0];
        let least = if window.is_empty() { 1_500_000 } else { 1000 };
        assert!(
            task["operations"].as_u64().is_some_and(|count| count >= least),
            "{task:#}"
        );
        assert!(simulated == replayed, "{policy}: {simulated:#}\n{replayed:#}");
    }
}

#[test]
fn the_program_has_its_own_input_output_and_end() {
    if cannot_record() {
        return;
    }
    let directory = with_program(
        "fill(); char line[80]; printf(\"it read %s\", fgets(line, 80, stdin)); fflush(stdout); \
         if (strchr(line, 'x')) abort(); return 9;",
    );
    let here = directory.path();
    let run = |input: &str, json: &[&str]| {
        let words = [&["record", "--live", "--on", "xeon-w3530"], json, &["--", "./walk"]].concat();
        let done = crate::common::fresco_with(&words, here, input.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&done.stdout), text(&done.stderr), done.status.code())
    };
    let (out, told, status) = run("a line\n", &[]);
    assert_eq!((out.as_str(), status), ("it read a line\n", Some(9)), "{told}");
    assert!(told.contains("walk, walk, policy buddy on xeon-w3530"), "{told}");
    // A signal ends it: what it did until then is simulated.
    let (out, told, status) = run("x\n", &["--json", "--out", "report"]);
    assert_eq!(status, Some(128 + 6), "{told}");
    assert!(told.contains("it read x\n") && !told.contains("policy buddy"), "{told}");
    let results: Value = serde_json::from_str(&out).expect("JSON");
    let operations = |results: &Value| {
        let run = &results["data"]["scenarios"][0]["points"][0]["runs"][0];
        run["tasks"][0]["operations"].as_u64().expect("a number")
    };
    assert!(operations(&results) > 1 << 16, "{results:#}");
    let written = std::fs::read_to_string(here.join("report/results.json")).expect("there");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(operations(&written), operations(&results));
    assert!(here.join("report/index.html").is_file());
}

#[test]
fn asked_to_end_it_shows_what_was_simulated_and_leaves_no_process() {
    if cannot_record() {
        return;
    }
    let directory = with_program(ENDLESS);
    let here = directory.path();
    let mut command = Command::new(program());
    command
        .args(["record", "--live", "--json", "--on", "xeon-w3530", "--", "./walk"])
        .current_dir(here)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    wait_until("the program comes far", || here.join("far").exists());
    assert_ne!(processes_of(&here.join("walk")), Vec::<String>::new());
    // Not SIGINT, which may be ignored where tests run in the background.
    signal(&child, "-TERM");
    let done = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(130), "{told}");
    assert!(told.contains("stopped by a signal"), "{told}");
    let results: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let task = &results["data"]["scenarios"][0]["points"][0]["runs"][0]["tasks"][0];
    assert!(
        task["operations"].as_u64().is_some_and(|count| count > 1_000_000),
        "{task:#}"
    );
    assert_eq!(processes_of(&here.join("walk")), Vec::<String>::new());
}

/// The most memory that `fresco record --live` has while it simulates so many accesses, in KiB.
fn most_memory(operations: u64, directory: &Path) -> u64 {
    let measured = format!("measure={{operations={operations}}}");
    let mut child = Command::new(program())
        .args([
            "record",
            "--live",
            "--on",
            "xeon-w3530",
            "--set",
            &measured,
            "--",
            "./walk",
        ])
        .current_dir(directory)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let file = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("our child").is_none() {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(kib.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let done = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(0), "{told}");
    assert!(told.contains("as much is simulated as was asked for"), "{told}");
    most
}

#[test]
fn memory_does_not_grow_with_the_programs_length() {
    if cannot_record() {
        return;
    }
    let directory = with_program(ENDLESS);
    let (short, long) = (
        most_memory(8_000_000, directory.path()),
        most_memory(24_000_000, directory.path()),
    );
    // The shared memory, parts that wait, the model: some 75 MiB. What the rest would take if it waited in memory: 32 MiB more.
    assert!(short > 8 << 10 && long < short + (8 << 10), "{short} KiB, {long} KiB");
    assert_eq!(processes_of(&directory.path().join("walk")), Vec::<String>::new());
}

#[test]
fn what_is_wrong_is_told_before_the_program_begins() {
    if cannot_record() {
        return;
    }
    let directory = with_program("fclose(fopen(\"began\", \"w\")); return 0;");
    let here = directory.path();
    let on = ["--on", "xeon-w3530"];
    let set = |key: &'static str| [&on[..], &["--set", key]].concat();
    for (options, reason) in [
        (vec!["-o", "a.ftrace", "--on", "xeon-w3530"], "cannot be used with"),
        (vec![], "--on <MACHINE>"),
        (vec!["--on", "xeon-w3531"], "did you mean"),
        ([&on[..], &["--policy", "pallok"]].concat(), "did you mean palloc?"),
        ([&on[..], &["--policy", "buddy,palloc"]].concat(), "--policy: found"),
        (
            [&on[..], &["--beside", "random,4"]].concat(),
            "found programs for 5 cores",
        ),
        (
            [&on[..], &["--beside", "live"]].concat(),
            "found no program of this name",
        ),
        ([&on[..], &["--out", "walk.c"]].concat(), "--out: found a file"),
        (set("repetitions=2"), "found 2 runs"),
        (set("measure.passes=2"), "found several passes"),
        (set("warm_up={operations=1000}"), "found a warm-up before the one pass"),
        (set("task.walk.pages=at-start"), "nobody knows its pages beforehand"),
        (set("task.walk.period=1 ms"), "period"),
        (set("task.walk.role=background"), "role"),
        (set("task.walk.program=random"), "found 0 tasks that stand for it"),
    ] {
        let (out, told, status) = live(&options, here);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{options:?}: {told}");
        assert!(told.contains(reason), "{options:?}: {told}");
        assert!(!here.join("began").exists(), "{options:?}");
    }
    let words = ["record", "--policy", "buddy", "-o", "a.ftrace", "--", "./walk"];
    let done = fresco(&words, here);
    assert_eq!(done.status.code(), Some(2), "an option of --live without it");
    assert!(!here.join("began").exists() && !here.join("a.ftrace").exists());
}

#[test]
fn what_goes_wrong_while_it_runs_is_told_and_ends_the_program() {
    if cannot_record() {
        return;
    }
    let directory = with_program(ENDLESS);
    let here = directory.path();
    let (out, told, status) = live(&["--on", "xeon-w3530", "--set", "task.walk.memory_limit=64 KiB"], here);
    assert_eq!((status, out.as_str()), (Some(3), ""), "{told}");
    assert!(
        told.contains("raise memory_limit") && told.contains("the simulation cannot go on"),
        "{told}"
    );
    assert_eq!(processes_of(&directory.path().join("walk")), Vec::<String>::new());
    let short = with_program("fill(); return 0;");
    let phases = [
        "--set",
        "warm_up={operations=10000000}",
        "--set",
        "measure={operations=1}",
    ];
    let (_, told, status) = live(&[&["--on", "xeon-w3530"][..], &phases].concat(), short.path());
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("was over before its warm-up was"), "{told}");
    let (_, told, status) = live(&["--on", "xeon-w3530", "--skip", "1G"], short.path());
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("nothing is simulated"), "{told}");
}

#[test]
fn of_a_program_of_several_threads_one_is_simulated() {
    if cannot_record() {
        return;
    }
    let directory = with_program(
        "extern int pthread_create(unsigned long *, const void *, void *(*)(void *), void *); \
         extern int pthread_join(unsigned long, void **); unsigned long thread; \
         void *run(void *x) { for (int i = 0; i < 10; i++) fill(); return x; } \
         pthread_create(&thread, 0, run, 0); pthread_join(thread, 0); return 0;",
    );
    let operations = |thread: &str| {
        let words = ["--json", "--on", "xeon-w3530", "--set", thread];
        let (out, told, status) = live(&words, directory.path());
        assert_eq!(status, Some(0), "{told}");
        assert!(told.contains("the program has 2 threads, of which thread"), "{told}");
        let results: Value = serde_json::from_str(&out).expect("JSON");
        let task = &results["data"]["scenarios"][0]["points"][0]["runs"][0]["tasks"][0];
        task["operations"].as_u64().expect("a number")
    };
    let of = ["task.walk.parameters.thread=0", "task.walk.parameters.thread=1"].map(operations);
    // What fills, ten times 65536 stores, is the second.
    assert!(of[0] < 655_360 && (655_360..1_600_000).contains(&of[1]), "{of:?}");
    let (_, told, status) = live(
        &["--on", "xeon-w3530", "--set", "task.walk.parameters.thread=7"],
        directory.path(),
    );
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("found no access of thread 7"), "{told}");
}

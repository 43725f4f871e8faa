// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the program makes of its surroundings: `-` for standard input, a standard output that is closed, full or left by
//! its reader, a small stack.

use crate::common::files::MACHINE;
use crate::common::{directory_with, fresco, fresco_with};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const RECORD: &str = include_str!("../../../kernel/measured/cost.toml");
const RECORDS: &str = include_str!("../../fresco-rt/tests/data/worked_examples.json");
const MAP: &str = "14 18\n15 19\n";
const TRACE: &str = "0x40 R\n0x80 W\n";
const DUMP: &str = "00:18.2 Host bridge: AMD Family 10h\n00: 22 10 02 12\n";
const TASKS: &str = "name = \"two\"\n[memory]\ndensity = 8\ndensity_scales_refresh_only = true\n[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\n";
const SCENARIO: &str = r#"name = "pair"
machine = "./small.toml"
measure = { operations = 2000 }
[[task]]
name = "victim"
program = "latency"
core = 0
parameters.bytes = "64 KiB"
[[task]]
name = "writer"
program = "random"
core = 1
role = "background"
parameters.bytes = "64 KiB"
"#;

/// Every place where a file is read: arguments in which `@` names it, and a file that is right there.
const READERS: &[(&str, &str)] = &[
    ("sim @", SCENARIO),
    ("advise @", SCENARIO),
    ("plan @", TASKS),
    ("plan @ --compare --density 8", TASKS),
    ("sched sensitivity @ --method burst --density 8", TASKS),
    ("sched oracle @", RECORDS),
    ("memory @ --machine ddr4-2400-bench", TRACE),
    ("memory @ --machine ddr4-2400-bench --format ramulator", TRACE),
    ("memory trace --machine @", MACHINE),
    ("machine show @", MACHINE),
    ("machine show @ --toml", MACHINE),
    ("map show @", MAP),
    ("map show --machine @", MACHINE),
    ("map convert @ --to hex", MAP),
    ("map colors @", MAP),
    ("map colors --machine @", MACHINE),
    ("map decode --machine @ 0x1000", MACHINE),
    ("map verify @ --simulate xeon-w3530 --quick", MAP),
    ("map verify map.txt --simulate @ --quick", MACHINE),
    ("map detect --simulate @ --quick", MACHINE),
    ("map detect --dump @", DUMP),
    ("bench latency --simulate @ --repetitions 1 --set bytes=64KiB", MACHINE),
    ("reproduce kernel --record @", RECORD),
    ("run --map @ --colors banks=0 --dry-run -- true", MAP),
];

fn prepared() -> TempDir {
    directory_with(&[("small.toml", MACHINE), ("map.txt", MAP), ("trace", TRACE)])
}

/// The arguments with a file in place of `@`.
fn naming<'w>(words: &'w str, file: &'w str) -> Vec<&'w str> {
    let named = words.split(' ').map(|word| if word == "@" { file } else { word });
    named.collect()
}

/// What is printed, without the lines that name the file or repeat the command.
fn without_names(bytes: &[u8]) -> Vec<String> {
    // Paths in a file are told from that of the file on. A digest is of a scenario with its names.
    let text = String::from_utf8_lossy(bytes).replace("././", "./");
    let names = |line: &&str| {
        ["./file", "standard input", " (digest "]
            .iter()
            .any(|name| line.contains(name))
    };
    let lines = text.lines().filter(|line| !names(line) && !line.starts_with("command"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_dash_is_standard_input_wherever_a_file_is_read() {
    for (words, content) in READERS {
        let directory = prepared();
        std::fs::write(directory.path().join("file"), content).expect("is writable");
        let of_file = fresco(&naming(words, "./file"), directory.path());
        let of_stream = fresco_with(&naming(words, "-"), directory.path(), content.as_bytes());
        let told = String::from_utf8_lossy(&of_stream.stderr);
        assert_eq!(of_stream.status.code(), of_file.status.code(), "{words}: {told}");
        assert_eq!(
            without_names(&of_stream.stdout),
            without_names(&of_file.stdout),
            "{words}"
        );
        assert_eq!(
            without_names(&of_stream.stderr),
            without_names(&of_file.stderr),
            "{words}"
        );
        // Of what is not right there only the dump is, which is none of a processor that is known.
        let wrong = of_file.status.code() == Some(2);
        assert_eq!(wrong, *content == DUMP, "{words}: {told}");
        assert!(!directory.path().join("-").exists());
    }
}

#[test]
fn what_is_wrong_on_standard_input_is_told_of_it() {
    for (words, _) in READERS {
        let directory = prepared();
        let done = fresco_with(&naming(words, "-"), directory.path(), b"\n\xff\xfe = [\n");
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words}: {told}");
        assert!(told.starts_with("fresco: standard input:"), "{words}: {told}");
        assert!(told.contains("\n  help: ") && done.stdout.is_empty(), "{words}: {told}");
    }
}

#[test]
fn plans_go_from_verb_to_verb() {
    let directory = prepared();
    let here = directory.path();
    let plan = fresco_with(&["plan", "-", "--json"], here, TASKS.as_bytes());
    assert!(plan.status.success());
    for words in [&["check", "-"][..], &["sim", "-", "--horizon", "64 ms"]] {
        let done = fresco_with(words, here, &plan.stdout);
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && !done.stdout.is_empty(), "{words:?}: {told}");
    }
}

#[test]
fn standard_input_is_read_for_one_thing() {
    let directory = prepared();
    for words in [
        &["memory", "-", "--machine", "-"][..],
        &["map", "decode", "--machine", "-", "-"],
        &["map", "decode", "map.txt", "-", "-"],
    ] {
        let input = if words.contains(&"map.txt") {
            "0x1000\n"
        } else {
            MACHINE
        };
        let done = fresco_with(words, directory.path(), input.as_bytes());
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words:?}: {told}");
        assert!(
            told.contains("standard input: found it named for two things"),
            "{words:?}: {told}"
        );
    }
    // Who checks a plan has another standard input.
    let text = format!("machine = \"-\"\n{TASKS}");
    let done = fresco_with(&["plan", "-"], directory.path(), text.as_bytes());
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(
        told.starts_with("fresco: standard input:1: machine: found \"-\""),
        "{told}"
    );
}

#[test]
fn no_result_goes_over_the_file_on_standard_input() {
    let directory = prepared();
    let tasks = directory.path().join("tasks.toml");
    std::fs::write(&tasks, TASKS).expect("is writable");
    let done = shell("plan - --out ./tasks.toml < tasks.toml", directory.path());
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(told.contains("found the file that is read as standard input"), "{told}");
    assert_eq!(std::fs::read_to_string(tasks).expect("is there"), TASKS);
}

#[test]
fn a_dash_is_no_file_to_write() {
    let directory = prepared();
    std::fs::write(directory.path().join("tasks"), TASKS).expect("is writable");
    for words in [
        "plan tasks --out -",
        "memory trace --machine ./small.toml --commands -",
        "bench latency --simulate ./small.toml --repetitions 1 --set bytes=64KiB --svg -",
    ] {
        let done = shell(words, directory.path());
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words}: {told}");
        assert!(
            told.contains("found standard output, where the result goes"),
            "{words}: {told}"
        );
        assert!(done.stdout.is_empty() && !directory.path().join("-").exists());
    }
}

/// Runs `fresco` by a shell, which opens and closes what `words` say; `@` stands for the program, which else comes first.
fn shell(words: &str, directory: &Path) -> Output {
    let line = match words.contains('@') {
        true => words.replace('@', "\"$0\""),
        false => format!("\"$0\" {words}"),
    };
    Command::new("bash")
        .args(["-c", &line, env!("CARGO_BIN_EXE_fresco")])
        .current_dir(directory)
        .env("XDG_STATE_HOME", directory.join("state"))
        .stdin(Stdio::null())
        .output()
        .expect("every system that tests run on has it")
}

/// Verbs that print at once, in a little and in a while.
const PRINTERS: [&str; 8] = [
    "--help",
    "--version",
    "machine list",
    "machine show xeon-w3530 --toml",
    "map decode map.txt 0x1000 --json",
    "plan tasks",
    "sim ./pair.toml",
    "man",
];

fn with_inputs() -> TempDir {
    let directory = prepared();
    for (name, content) in [("tasks", TASKS), ("pair.toml", SCENARIO)] {
        std::fs::write(directory.path().join(name), content).expect("is writable");
    }
    directory
}

#[test]
fn a_result_that_nobody_gets_is_a_failure() {
    let directory = with_inputs();
    for words in PRINTERS.into_iter().chain(["ps"]) {
        for (target, reason) in [
            (">&-", "Bad file descriptor"),
            ("> /dev/full", "No space left on device"),
        ] {
            let done = shell(&format!("{words} {target}"), directory.path());
            let told = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.code(), Some(2), "{words} {target}: {told}");
            let start = format!("fresco: standard output: cannot write it: {reason}");
            assert!(told.starts_with(&start), "{words} {target}: {told}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_program_as_it_ends_others() {
    let directory = with_inputs();
    let long = "sched generate --sets 2000";
    for words in ["machine list", "man", long] {
        // The reader is gone before the first byte is written.
        let line = |begin: &str| format!("{begin} {{ sleep 0.5; @ {words}; echo $? >&2; }} | :");
        let told = |begin: &str| String::from_utf8_lossy(&shell(&line(begin), directory.path()).stderr).into_owned();
        assert_eq!(told(""), "141\n", "{words}: as SIGPIPE would have ended it");
        let told = told("trap '' PIPE;");
        assert!(
            told.starts_with("fresco: standard output: cannot write it: Broken pipe") && told.ends_with("\n2\n"),
            "{words}, with SIGPIPE ignored: {told}"
        );
    }
}

#[test]
fn what_prints_nothing_needs_no_standard_output() {
    let directory = with_inputs();
    for words in [
        "man --out pages >&-",
        "run --help >&- || true",
        "--nonsense >&- 2>&- || true",
    ] {
        let done = shell(words, directory.path());
        assert!(
            done.status.success(),
            "{words}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
    assert!(directory.path().join("pages/fresco.1").is_file());
}

#[test]
fn a_closed_standard_input_is_told() {
    let directory = with_inputs();
    for words in [
        "plan - <&-",
        "memory - --machine ./small.toml <&-",
        "map decode map.txt - <&-",
    ] {
        let done = shell(words, directory.path());
        let told = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words}: {told}");
        assert!(
            told.starts_with("fresco: standard input: found it closed"),
            "{words}: {told}"
        );
    }
    assert!(
        shell("plan tasks <&-", directory.path()).status.success(),
        "it is not asked for"
    );
}

#[test]
fn a_small_stack_is_refused_and_one_that_is_not_suffices() {
    let directory = with_inputs();
    for (kib, enough) in [(64, false), (128, false), (1023, false), (1024, true)] {
        for words in PRINTERS {
            let done = shell(&format!("ulimit -s {kib}; @ {words}"), directory.path());
            let told = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.success(), enough, "{words}, {kib} KiB: {told}");
            if !enough {
                assert_eq!(done.status.code(), Some(2), "{words}, {kib} KiB: {told}");
                assert!(told.starts_with("fresco: stack: found a limit of "), "{told}");
            }
        }
    }
}

/// Runs `fresco` on an endless standard input, and sends it the signal, INT or TERM, once, a second after it listens for that. Where the
/// tests themselves run in the background the signal is ignored, which programs inherit.
fn interrupted(words: &str, signal: &str, directory: &Path) -> Output {
    let line = format!(
        "set -m; yes '0x0 R' 2>/dev/null | env --default-signal={signal} @ {words} & pid=$!; {}; kill -{signal} $pid; wait $pid",
        once_it_listens(signal)
    );
    shell(&line, directory)
}

/// Words of a shell that wait until the process `$pid` has a handler for the signal, INT or TERM, and a second more; ten seconds at most.
fn once_it_listens(signal: &str) -> String {
    // Bits 1 and 14 of the signals that are caught.
    let caught = if signal == "INT" { "[2367abef]" } else { "[4567cdef]..." };
    format!(
        "for n in $(seq 100); do grep -q '^SigCgt:.*{caught}$' /proc/$pid/status && break; sleep 0.1; done; sleep 1"
    )
}

#[test]
fn what_waits_for_a_run_says_so() {
    let directory = with_inputs();
    // One run, longer than the test waits: the first Ctrl-C would seem to do nothing.
    let long = SCENARIO.replace("2000 }", "2000000000 }");
    std::fs::write(directory.path().join("long.toml"), long).expect("is writable");
    for signal in ["INT", "TERM"] {
        let line = format!(
            "set -m; env --default-signal={signal} @ sim ./long.toml 2>told & pid=$!; {}; kill -{signal} $pid; sleep 1; \
             kill -{signal} $pid; wait $pid",
            once_it_listens(signal)
        );
        shell(&line, directory.path());
        let told = std::fs::read_to_string(directory.path().join("told")).expect("there");
        let grace = if signal == "TERM" {
            ", and gives up what is not in 2 s"
        } else {
            ""
        };
        assert_eq!(
            told,
            format!(
                "fresco: stops when each run that has begun is over{grace}; another Ctrl-C ends it at once, without results\n"
            )
        );
    }
}

#[test]
fn a_run_without_an_end_is_given_up_after_sigterm_and_a_closed_terminal_and_whole_runs_are_kept() {
    let directory = with_inputs();
    let endless = SCENARIO.replace("2000 }", "1000000000000 }");
    std::fs::write(directory.path().join("endless.toml"), &endless).expect("is writable");
    // The first value of the axis is over at once.
    let swept = format!("{endless}[sweep]\nmeasure.operations = [2000, 1000000000000]\n");
    std::fs::write(directory.path().join("swept.toml"), swept).expect("is writable");
    for signal in ["TERM", "HUP"] {
        for (words, told, printed) in [
            (
                "sim ./endless.toml --json",
                "stopped after 0 of 1 runs: no repetition",
                "",
            ),
            (
                "sim ./swept.toml --threads 1 --json",
                "stopped after 1 of 2 runs\n",
                "\"stopped\": {",
            ),
        ] {
            let line = format!(
                "set -m; env --default-signal={signal} @ {words} & pid=$!; {}; kill -{signal} $pid; began=$(date +%s%N); wait $pid; \
                 status=$?; echo $((($(date +%s%N) - began) / 1000000)) > took; exit $status",
                once_it_listens("TERM")
            );
            let done = shell(&line, directory.path());
            assert_eq!(done.status.code(), Some(130), "{signal} {words}: {done:?}");
            let took = std::fs::read_to_string(directory.path().join("took")).expect("there");
            let took: u64 = took.trim().parse().expect("a number");
            assert!((1900..10_000).contains(&took), "{signal} {words}: {took} ms");
            let complaint = String::from_utf8_lossy(&done.stderr);
            assert!(complaint.contains(told), "{signal} {words}: {complaint}");
            let result = String::from_utf8_lossy(&done.stdout);
            assert!(result.contains(printed), "{signal} {words}: {result}");
            assert_eq!(result.is_empty(), printed.is_empty(), "{signal} {words}: {result}");
        }
    }
}

/// What is printed when Ctrl-C ends this; it is told of, and some of the result is there.
fn stopped(words: &str, told: &str, printed: &str, here: &Path) -> String {
    let done = interrupted(words, "INT", here);
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(130), "{words}: {complaint}");
    assert!(complaint.contains(told), "{words}: {complaint}");
    let result = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(result.contains(printed), "{words}: {result}");
    result
}

#[test]
fn ctrl_c_keeps_the_worst_attack() {
    let directory = with_inputs();
    let here = directory.path();
    std::fs::write(here.join("pair.toml"), crate::bound::PAIR).expect("is writable");
    let many = "--tries 1000000 --json --out worst.json";
    // Runs of milliseconds, which may be over before it is told that they are waited for.
    for words in ["attack ./pair.toml", "attack ./pair.toml --work"] {
        let told = "fresco: stopped before all attacks were tried";
        stopped(&format!("{words} {many}"), told, "\"steps\"", here);
        let again = format!("exec 2>&1; @ {} --replay worst.json", words.trim_end_matches(" --work"));
        let replayed = shell(&again, here);
        let text = String::from_utf8_lossy(&replayed.stdout);
        assert!(
            replayed.status.success() && !text.contains("something else"),
            "{words}: {text}"
        );
    }
    // A run of seconds is waited for, whether it is the first or not.
    let long = crate::bound::PAIR.replace("operations = 3000", "operations = 300000");
    std::fs::write(here.join("long.toml"), long).expect("is writable");
    let told = "fresco: stops when each run that has begun is over; another Ctrl-C ends it at once, without results\nfresco: stopped before";
    stopped("attack ./long.toml --work --tries 1000000", told, "", here);
}

#[test]
fn ctrl_c_keeps_what_there_is() {
    let directory = with_inputs();

    let repeated = format!("repetitions = 1000\n{}", SCENARIO.replace("2000 }", "20000 }"));
    std::fs::write(directory.path().join("repeated.toml"), repeated).expect("is writable");
    for (words, told, printed) in [
        (
            "sim ./repeated.toml --threads 1 --json",
            "fresco: stopped after ",
            "\"stopped\": {",
        ),
        (
            "bench latency --set bytes=16MiB --repetitions 10000",
            "fresco: stopped early",
            "latency",
        ),
        (
            "bench latency --set bytes=1MiB --simulate xeon-w3530 --repetitions 1000",
            "fresco: stopped early",
            "latency",
        ),
        (
            "bench hrt --jobs 100000 --period 1000 --deadline 1000",
            "fresco: stopped early",
            "job",
        ),
        (
            "memory - --machine ./small.toml --commands cmd",
            "fresco: stopped before the end",
            "requests",
        ),
        (
            "reproduce kernel palloc --threads 1",
            "fresco: stopped after ",
            "kernel",
        ),
        (
            "sched generate --sets 20000 --tasks 8 --utilization 0.9 --density 8 --accept table,flat --threads 1 --json",
            "fresco: stopped after ",
            "\"accepted\"",
        ),
    ] {
        stopped(words, told, printed, directory.path());
    }
}

/// So many tasks, each of which needs `share` ten-thousandths of the processor, whose deadlines make colored refresh look for copies, at each
/// density and each scale of execution times. For 150 that takes seconds, and auto-refresh, which has a plan up to 57, is
/// decided in a hundredth of one.
fn many_tasks(count: usize, share: usize) -> String {
    let periods = [5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200];
    let task = |number: usize| {
        let period = periods[number * 7 % periods.len()];
        let deadline = period * (600 + number * 13 % 400);
        let wcet = period * share / 10;
        format!(
            "[[task]]\nname = \"t{number}\"\nperiod = \"{period} ms\"\nwcet = \"{wcet} us\"\ndeadline = \"{deadline} us\"\n"
        )
    };
    let head =
        "name = \"many\"\nmachine = \"ss-rtmc\"\nmemory.density = 32\nmemory.density_scales_refresh_only = true\n";
    head.to_owned() + &(0..count).map(task).collect::<String>()
}

/// What is decided by then is shown, what is not is marked; a plan that is not decided is none.
#[test]
fn ctrl_c_ends_planning_with_what_is_decided() {
    let directory = with_inputs();
    std::fs::write(directory.path().join("many.toml"), many_tasks(150, 66)).expect("is writable");
    for (words, told, printed) in [
        (
            "plan ./many.toml --method colored-refresh",
            "fresco: many: not decided: stopped before",
            "",
        ),
        (
            "plan ./many.toml --compare --json",
            "fresco: stopped after ",
            "\"decided\": false",
        ),
        (
            "sched sensitivity ./many.toml --json",
            "fresco: stopped after ",
            "\"wcet_scale\": true",
        ),
    ] {
        let result = stopped(words, told, printed, directory.path());
        assert_eq!(result.is_empty(), printed.is_empty(), "{words}: {result}");
    }
}

/// With a limit of time what is not decided says so, and never that there is no plan; what is decided at once is shown.
#[test]
fn a_time_limit_leaves_open_what_takes_longer() {
    let directory = with_inputs();
    std::fs::write(directory.path().join("many.toml"), many_tasks(150, 57)).expect("is writable");
    let compared = "plan ./many.toml --compare --density 32 --time-limit '500 ms' --json";
    let done = shell(&format!("@ {compared}"), directory.path());
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let document: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let row = |method: &str| {
        let rows = document["data"]["rows"].as_array().expect("a list");
        rows.iter().find(|row| row["method"] == method).expect("a row").clone()
    };
    let open = row("colored-refresh");
    assert_eq!(
        (&open["decided"], &open["planned"]),
        (&false.into(), &false.into()),
        "{open}"
    );
    assert_eq!(open["words"], "not decided within 500 ms");
    let quick = row("auto-refresh");
    assert_eq!(
        (&quick["decided"], &quick["planned"]),
        (&true.into(), &true.into()),
        "{quick}"
    );

    let one = "plan ./many.toml --method colored-refresh --time-limit '500 ms'";
    let done = shell(&format!("@ {one}"), directory.path());
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(
        told,
        "fresco: many: there is no verdict on a plan by colored-refresh: not decided within 500 ms\n"
    );

    let pushed = "sched sensitivity ./many.toml --method colored-refresh --density 32 --time-limit '500 ms' --json";
    let done = shell(&format!("@ {pushed}"), directory.path());
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    let document: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let open = &document["data"]["methods"][0]["undecided"];
    assert_eq!(open["reason"], "not decided within 500 ms");
    assert_eq!(open["densities_gbit"], serde_json::json!([32]));

    for (limit, found) in [("'0 s'", "--time-limit: found"), ("5", "--time-limit: found")] {
        let done = shell(&format!("@ plan ./many.toml --time-limit {limit}"), directory.path());
        assert_eq!(done.status.code(), Some(2), "{done:?}");
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(told.contains(found), "{told}");
    }
}

#[test]
fn sigterm_keeps_what_there_is_and_the_text_says_what_is_missing() {
    let directory = with_inputs();
    let repeated = format!("repetitions = 1000\n{}", SCENARIO.replace("2000 }", "20000 }"));
    std::fs::write(directory.path().join("repeated.toml"), repeated).expect("is writable");
    let done = interrupted("sim ./repeated.toml --threads 1", "TERM", directory.path());
    assert_eq!(done.status.code(), Some(130), "{done:?}");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(
        text.contains(": stopped after ") && text.contains(" of 1000 runs"),
        "{text}"
    );
    let done = interrupted(
        "memory - --machine ./small.toml --commands cmd",
        "TERM",
        directory.path(),
    );
    assert_eq!(done.status.code(), Some(130), "{done:?}");
    assert!(String::from_utf8_lossy(&done.stdout).contains("requests"), "{done:?}");
}

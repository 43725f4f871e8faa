// SPDX-License-Identifier: MIT OR Apache-2.0
//! From each format into each other, and what does not go with it.

use super::{LACKEY, accesses, compared, recorded, told};
use crate::common::{directory_with, fresco, json, refused, stdout};
use fresco_testing::{Need, skip};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn lackey_goes_to_ftrace_to_champsim_and_back() {
    let directory = directory_with(&[("a.log", LACKEY)]);
    let here = directory.path();
    let first = told(&["trace", "convert", "a.log", "-o", "a.ftrace"], here);
    assert!(
        first.contains("a.ftrace: 4 accesses as fresco")
            && first.contains("it does not hold: 10 addresses of instructions, 2 instructions after the last access"),
        "{first}"
    );
    let expected = [
        (3, 0x40_3000, 4, false, 0),
        (1, 0x40_3000, 4, true, 0),
        (0, 0x40_3008, 8, false, 0),
        (0, 0x40_3008, 8, true, 1),
    ];
    assert_eq!(accesses(&here.join("a.ftrace"), 0), expected);
    let info = json(&["trace", "info", "a.ftrace", "--json"], here);
    assert_eq!(
        (&info["data"]["program"], &info["data"]["tool"]),
        (
            &"a.log".into(),
            &format!("fresco {}, from lackey", env!("CARGO_PKG_VERSION")).into()
        )
    );
    for name in ["b.champsim", "b.champsim.xz", "b.champsimtrace.gz", "b.champsim.zst"] {
        let second = told(&["trace", "convert", "a.ftrace", "-o", name], here);
        assert!(
            second.contains("as champsim") && second.contains("hold: 2 sizes of accesses"),
            "{second}"
        );
        told(&["trace", "convert", name, "-o", "c.ftrace"], here);
        let back = accesses(&here.join("c.ftrace"), 0);
        let words = expected.map(|(gap, addr, _, write, dep)| (gap, addr, 8, write, dep));
        assert_eq!(back, words, "{name}");
    }
    assert_eq!(fs::metadata(here.join("b.champsim")).expect("is there").len(), 8 * 64);
    // As it is and as it was converted, a core is given the same.
    let (status, text) = compared(&["trace", "diff", "a.log", "a.ftrace"], here);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn times_of_dramsim3_are_instructions_in_cycles() {
    let directory = directory_with(&[("a.log", LACKEY), ("r.trace", "0x40 R\n0x80 W\n")]);
    let here = directory.path();
    let lines = |more: &[&str]| {
        let convert = ["trace", "convert", "a.log", "-o", "a.trace", "--to", "dramsim3"];
        told(&[&convert, more].concat(), here);
        fs::read_to_string(here.join("a.trace")).expect("text")
    };
    assert_eq!(
        lines(&[]),
        "0x403000 READ 3\n0x403000 WRITE 5\n0x403008 READ 6\n0x403008 WRITE 7\n"
    );
    assert_eq!(
        lines(&["--instructions-per-cycle", "3"]),
        "0x403000 READ 1\n0x403000 WRITE 1\n0x403008 READ 2\n0x403008 WRITE 2\n"
    );
    // `memory` takes it.
    stdout(&["memory", "a.trace", "--machine", "ddr4-2400-bench"], here);
    // Requests without times have none afterwards.
    told(&["trace", "convert", "r.trace", "-o", "r.ds", "--to", "dramsim3"], here);
    assert_eq!(
        fs::read_to_string(here.join("r.ds")).expect("text"),
        "0x40 READ 0\n0x80 WRITE 0\n"
    );
}

#[test]
fn a_recorded_program_tells_what_is_left_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    recorded(&here.join("list.ftrace"));
    let first = told(&["trace", "convert", "list.ftrace", "-o", "one.ftrace"], here);
    for part in [
        "10 accesses as fresco",
        "2 orders between threads",
        "1 pages' kinds of memory",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let (status, text) = compared(&["trace", "diff", "list.ftrace", "one.ftrace"], here);
    assert_eq!(status, Some(0), "{text}");
    let second = told(&["trace", "convert", "list.ftrace", "-o", "list.champsim.xz"], here);
    assert!(
        second.contains("8 accesses as champsim")
            && second.contains("2 accesses of other threads (--thread chooses one)"),
        "{second}"
    );
    // What depends on the access before does so still.
    let list = accesses(&here.join("list.champsim.xz"), 0);
    assert_eq!(list, accesses(&here.join("list.ftrace"), 0));
    assert!(
        list.len() == 8 && list[1..].iter().all(|access| access.4 == 1),
        "{list:?}"
    );
    let third = [
        "trace",
        "convert",
        "list.ftrace",
        "-o",
        "t.trace.gz",
        "--to",
        "load-store",
        "--thread",
        "1",
    ];
    told(&third, here);
    assert_eq!(accesses(&here.join("t.trace.gz"), 0).len(), 2);
}

#[test]
fn imported_traces_run_as_programs() {
    let scenario = "name = \"s\"\nmachine = \"p4080\"\n[measure]\npasses = 3\n[[task]]\nname = \"a\"\nprogram = \"trace\"\n\
                    core = 0\nparameters.file = \"";
    let directory = directory_with(&[("a.log", LACKEY)]);
    let here = directory.path();
    told(&["trace", "convert", "a.log", "-o", "a.champsim.xz"], here);
    for name in ["a.log", "a.champsim.xz"] {
        fs::write(here.join("s.toml"), format!("{scenario}{name}\"\n")).expect("writable");
        stdout(&["sim", "s.toml", "--trace-dir", "."], here);
        stdout(&["memory", name, "--machine", "ddr4-2400-bench"], here);
    }
}

/// `xz`, `zip` and `valgrind` are not everywhere.
fn there_is(tool: &str) -> bool {
    let found = Command::new(tool).arg("--help").output().is_ok();
    if !found {
        skip(Need::Programs, format!("{tool} is not installed"));
    }
    found
}

#[test]
fn files_of_the_tools_themselves_are_read() {
    let directory = directory_with(&[("a.trace", "LD 0x40\nST 0x80\n")]);
    let here = directory.path();
    for (tool, arguments, name) in [
        ("xz", &["-9k", "a.trace"][..], "a.trace.xz"),
        ("zip", &["-q", "a.zip", "a.trace"], "a.zip"),
        ("gzip", &["-k", "a.trace"], "a.trace.gz"),
    ] {
        if there_is(tool) {
            let done = Command::new(tool)
                .args(arguments)
                .current_dir(here)
                .status()
                .expect("starts");
            assert!(done.success(), "{tool}");
            let (status, text) = compared(&["trace", "diff", "a.trace", name], here);
            assert_eq!(status, Some(0), "{text}");
        }
    }
    let packed = ["trace", "convert", "a.trace", "-o", "b.trace.xz", "--to", "load-store"];
    told(&packed, here);
    if there_is("xz") {
        let plain = Command::new("xz")
            .args(["-dc", "b.trace.xz"])
            .current_dir(here)
            .output()
            .expect("starts");
        assert_eq!(String::from_utf8_lossy(&plain.stdout), "LD 0x40\nST 0x80\n");
    }
}

#[test]
fn what_lackey_counts_is_what_is_read() {
    if !(there_is("valgrind") && there_is("true")) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let mut command = Command::new("valgrind");
    command.args(["--tool=lackey", "--trace-mem=yes", "--log-file=a.log", "true"]);
    let done = command.current_dir(here).output().expect("starts");
    if !done.status.success() {
        skip(Need::Programs, "valgrind cannot run this machine's programs");
        return;
    }
    let log = fs::read_to_string(here.join("a.log")).expect("text");
    let count = |letters: &[char]| {
        log.lines()
            .filter(|line| line.starts_with([' ', 'I']) && line.trim().starts_with(letters))
            .count()
    };
    let (loads, stores) = (count(&['L', 'M']), count(&['S', 'M']));
    assert!(loads > 10_000 && stores > 3_000, "{loads} {stores}");
    let info = json(&["trace", "info", "a.log", "--json"], here);
    let (all, longer) = (&info["data"]["loads"], log.lines().any(|line| line.ends_with(",512")));
    // Longer accesses than 64 bytes are several.
    assert!(
        all.as_u64() >= Some(loads as u64) && (longer || *all == loads),
        "{all} {loads}"
    );
    told(&["trace", "convert", "a.log", "-o", "a.ftrace"], here);
    let (status, text) = compared(&["trace", "diff", "a.log", "a.ftrace"], here);
    assert_eq!(status, Some(0), "{text}");
    let ratio = fs::metadata(here.join("a.ftrace")).expect("is there").len() as f64 / (loads + stores) as f64;
    assert!(ratio < 4.0, "{ratio} bytes per access");
}

#[test]
fn a_trace_that_breaks_off_leaves_the_old_file() {
    let directory = directory_with(&[("a.trace", "LD 0x40\nLD 0xzz\n"), ("out.ftrace", "old")]);
    let here = directory.path();
    let complaint = refused(&["trace", "convert", "a.trace", "-o", "out.ftrace"], here);
    assert!(complaint.contains("a.trace:2: "), "{complaint}");
    assert_eq!(fs::read_to_string(here.join("out.ftrace")).expect("is there"), "old");
    let names = fs::read_dir(here).expect("readable").count();
    assert_eq!(names, 2, "nothing is left beside it");
    #[cfg(target_os = "linux")]
    {
        let full = fresco(
            &["trace", "convert", "a.trace", "-o", "/dev/full", "--to", "load-store"],
            here,
        );
        assert_eq!(full.status.code(), Some(2));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_half_file() {
    let directory = tempfile::tempdir().expect("a directory");
    // Where the tests run in the background the signal is ignored, which programs inherit.
    let mut child = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_fresco")])
        .args(["trace", "convert", "-", "-o", "out.trace", "--to", "load-store"])
        .current_dir(&directory)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut input = child.stdin.take().expect("a pipe");
    let lines = "LD 0x40\n".repeat(1 << 16);
    for _ in 0..3 {
        input.write_all(lines.as_bytes()).expect("it reads");
    }
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill");
    assert!(sent.success());
    std::thread::sleep(Duration::from_millis(100));
    // It looks up now and then, while there is something to read; it may be gone by now.
    for _ in 0..4 {
        if input.write_all(lines.as_bytes()).is_err() {
            break;
        }
    }
    let status = child.wait().expect("it ends");
    let mut told = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut told)
        .expect("text");
    drop(input);
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(told.contains("stopped; out.trace is not written"), "{told}");
    assert_eq!(fs::read_dir(&directory).expect("readable").count(), 0);
}

/// By hand, in the layout of DynamoRIO's tool: see the reader's own tests for what each line stands for.
const VIEW: &str = include_str!("../../../fresco-load/src/trace/drmemtrace/two-threads.txt");
/// By perf 6.1.
const SAMPLES: &str = include_str!("../../../fresco-load/src/trace/perf/page-faults.txt");

#[test]
fn drmemtrace_keeps_its_threads() {
    let directory = directory_with(&[("a.txt", VIEW)]);
    let here = directory.path();
    let line = told(&["trace", "convert", "a.txt", "-o", "a.ftrace"], here);
    assert!(
        line.contains("10 accesses as fresco")
            && line.contains("9 addresses of instructions, 1 prefetches and flushes, 9 markers"),
        "{line}"
    );
    let (status, text) = compared(&["trace", "diff", "a.txt", "a.ftrace"], here);
    assert_eq!(status, Some(0), "{text}");
    let threads = json(&["trace", "info", "a.txt", "--json"], here)["data"]["threads"].take();
    assert_eq!((&threads[0]["loads"], &threads[0]["stores"]), (&4.into(), &3.into()));
    assert_eq!((&threads[1]["loads"], &threads[1]["stores"]), (&1.into(), &2.into()));
    let one = accesses(&here.join("a.ftrace"), 1);
    told(
        &[
            "trace", "cut", "a.txt", "-o", "b.ftrace", "--thread", "1", "--from", "1",
        ],
        here,
    );
    assert_eq!(accesses(&here.join("b.ftrace"), 1), one[1..]);
    // Each thread can be replayed.
    for thread in ["0", "1"] {
        let set = format!("task.a.parameters.thread={thread}");
        let words = [
            "sim",
            "--on",
            "xeon-w3530",
            "./a.txt",
            "--set",
            "measure={passes=1}",
            "--set",
            "warm_up={passes=0}",
        ];
        stdout(&[&words[..], &["--set", &set]].concat(), here);
    }
}

#[test]
fn samples_of_perf_are_told() {
    let directory = directory_with(&[("p.txt", SAMPLES)]);
    let here = directory.path();
    let info = json(&["trace", "info", "p.txt", "--json"], here);
    let data = &info["data"];
    assert_eq!(
        (&data["format"], &data["loads"], &data["instructions"]),
        (&"perf".into(), &12.into(), &().into())
    );
    assert!(stdout(&["trace", "info", "p.txt"], here).contains("one access in many"));
}

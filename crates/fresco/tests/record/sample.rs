// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco record --sample`: intervals in place of the whole, from one run of the program.

use super::ends::{AT_RANDOM, counted, unfinished};
use super::{cannot_record, processes_of, program, recorded_on_small_disk, signal, wait_until, with_program};
use crate::common::{fresco, fresco_with, json, refused};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Walks and jumps by turns, and says that it ran.
const TURNS: &str = "FILE *ran = fopen(\"ran\", \"a\"); fputs(\"once\\n\", ran); fclose(ran); unsigned long x = 1; \
                     for (int turn = 0; turn < 4; turn++) { fill(); \
                     for (long i = 0; i < 100000; i++) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; area[x % (1 << 20)]++; } } \
                     char line[80]; printf(\"read %s\", fgets(line, 80, stdin)); return 9;";

fn told(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// Names of the files of a directory that begin so, and of those that are hidden.
fn names(directory: &Path, begin: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("readable").flatten();
    let mut names: Vec<String> = (entries.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.starts_with(begin) || name.starts_with('.'))
        .collect();
    names.sort();
    names
}

#[test]
fn the_parts_are_those_of_two_commands_and_the_program_runs_once() {
    if cannot_record() {
        return;
    }
    let directory = with_program(TURNS);
    let here = directory.path();
    let record = |options: &[&str]| {
        let words = [&["record"][..], options, &["--", "./walk"]].concat();
        let done = fresco_with(&words, here, b"input\n");
        assert_eq!(done.status.code(), Some(9), "{}", told(&done));
        assert_eq!(String::from_utf8_lossy(&done.stdout), "read input\n");
        told(&done)
    };
    for window in [&[][..], &["--skip", "1M", "--instructions", "2M"]] {
        let _ = std::fs::remove_file(here.join("ran"));
        let sampled = ["-o", "part.ftrace", "--sample", "3x200k", "--warm-up", "2"];
        // A window ends the program before it says anything.
        let text = match window {
            [] => record(&sampled),
            _ => {
                let words = [&["record"][..], &sampled, window, &["--", "./walk"]].concat();
                told(&fresco(&words, here))
            }
        };
        assert_eq!(std::fs::read_to_string(here.join("ran")).expect("there"), "once\n");
        let parts = names(here, "part");
        assert!(
            parts.len() > 1 && parts.len() < 4 && parts[0] == "part-1.ftrace",
            "{parts:?}"
        );
        for expected in [
            "of which intervals are kept",
            "weight",
            "misses of 4 KiB",
            "fresco record: part-1.ftrace",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        let words = [&["record", "-q", "-o", "whole.ftrace"][..], window, &["--", "./walk"]].concat();
        fresco_with(&words, here, b"input\n");
        let two = [
            "trace",
            "sample",
            "whole.ftrace",
            "-o",
            "other.ftrace",
            "--sample",
            "3x200k",
            "--warm-up",
            "2",
        ];
        assert!(fresco(&two, here).status.success());
        assert_eq!(names(here, "other").len(), parts.len());
        for number in 1..=parts.len() {
            let read = |name: &str| std::fs::read(here.join(format!("{name}-{number}.ftrace"))).expect("there");
            assert!(read("part") == read("other"), "part {number}");
        }
        parts
            .iter()
            .for_each(|part| std::fs::remove_file(here.join(part)).expect("there"));
    }
    // Quietly, with the fetches that no part holds told otherwise.
    assert_eq!(record(&["-q", "-o", "part.ftrace", "--sample", "1x500k"]), "");
    assert_eq!(names(here, "part"), ["part-1.ftrace"]);
    let text = record(&["--fetches", "-o", "part.ftrace", "--sample", "1x500k"]);
    assert!(text.contains("no part holds its share of the"), "{text}");
}

#[test]
fn what_was_recorded_by_the_end_is_sampled_whatever_the_end() {
    if cannot_record() {
        return;
    }
    let directory = with_program(AT_RANDOM);
    let here = directory.path();
    let child = Command::new(program())
        .args(["record", "-o", "a.ftrace", "--sample", "4x1M", "--", "./walk"])
        .current_dir(here)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    wait_until("something is recorded", || {
        unfinished(here).is_some_and(|(_, bytes)| bytes > 4 << 20)
    });
    signal(&child, "-TERM");
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(130), "{}", told(&done));
    assert!(
        told(&done).contains("another signal keeps the whole"),
        "{}",
        told(&done)
    );
    let parts = names(here, "a");
    assert!(
        parts.contains(&"a-1.ftrace".to_owned()) && !parts.contains(&"a.ftrace".to_owned()),
        "{parts:?}"
    );
    assert!(unfinished(here).is_none());
    let info = json(&["trace", "info", "a-1.ftrace", "--json"], here);
    assert!(
        info["data"]["program"]
            .as_str()
            .is_some_and(|program| program.contains("interval 1 of")),
        "{info}"
    );
    assert_eq!(processes_of(&here.join("walk")), Vec::<String>::new());

    // A signal that kills the program, and one while parts are chosen.
    let killed = with_program("fill(); fill(); raise(SIGKILL); return 0;");
    let done = fresco(
        &["record", "-o", "k.ftrace", "--sample", "2x100k", "--", "./walk"],
        killed.path(),
    );
    assert_eq!(done.status.code(), Some(137), "{}", told(&done));
    assert!(names(killed.path(), "k").contains(&"k-1.ftrace".to_owned()));

    // A file that may not grow: what is whole of it is sampled.
    let script = "ulimit -f 77824; exec \"$0\" record -o l.ftrace --sample 3x1M -- ./walk";
    let done = Command::new("sh")
        .args(["-c", script, program()])
        .current_dir(here)
        .output()
        .expect("a shell");
    assert_eq!(done.status.code(), Some(2), "{}", told(&done));
    assert!(told(&done).contains("nothing more can be written"), "{}", told(&done));
    let parts = names(here, "l");
    assert!(
        parts.contains(&"l-1.ftrace".to_owned()) && !parts.contains(&"l.ftrace".to_owned()),
        "{parts:?}"
    );
}

#[test]
fn a_signal_while_parts_are_chosen_keeps_the_whole() {
    if cannot_record() {
        return;
    }
    // On a busy machine the signal may come when all parts are written.
    let in_time = (0..20).any(|_| is_stopped_while_parts_are_chosen());
    assert!(in_time, "the signal always comes too late");
}

/// Returns true if the signal came in time, and was heeded.
fn is_stopped_while_parts_are_chosen() -> bool {
    let directory = with_program(AT_RANDOM);
    let here = directory.path();
    std::fs::write(here.join("a-1.ftrace"), "old").expect("writable");
    let mut child = Command::new(program())
        .args([
            "record",
            "-q",
            "-o",
            "a.ftrace",
            "--sample",
            "1000x20k",
            "--instructions",
            "40M",
            "--",
            "./walk",
        ])
        .current_dir(here)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // Parts have begun, each beside its place: the program is gone.
    wait_until("parts are written", || {
        names(here, ".fresco").len() > 1 || child.try_wait().expect("it is a child").is_some()
    });
    if child.try_wait().expect("it is a child").is_none() {
        signal(&child, "-TERM");
    }
    let done = child.wait_with_output().expect("it ends");
    assert!(unfinished(here).is_none());
    if done.status.code() == Some(0) {
        assert_ne!(std::fs::read(here.join("a-1.ftrace")).expect("there"), b"old");
        return false;
    }
    assert_eq!(done.status.code(), Some(130), "{}", told(&done));
    assert!(
        told(&done).contains("stopped before intervals were chosen; a.ftrace is the whole"),
        "{}",
        told(&done)
    );
    assert!(counted("a.ftrace", here).0 > 1 << 20);
    assert_eq!(std::fs::read(here.join("a-1.ftrace")).expect("there"), b"old");
    true
}

#[test]
fn where_parts_find_no_room_the_whole_is_kept() {
    if cannot_record() {
        return;
    }
    let directory = with_program(AT_RANDOM);
    let here = directory.path();
    let Some(done) = recorded_on_small_disk(here, "--sample 3x3M -- ./walk") else {
        return;
    };
    let text = told(&done);
    assert_eq!(done.status.code(), Some(2), "{text}");
    assert!(
        text.contains("nothing more can be written") && text.contains("No space left"),
        "{text}"
    );
    assert!(text.contains("small/a.ftrace is the whole"), "{text}");
    let (accesses, _) = counted("a.ftrace", here);
    assert!(accesses > 1 << 20, "{accesses}");
    assert_eq!(std::fs::read_to_string(here.join("left")).expect("there"), "a.ftrace\n");
}

#[test]
fn what_cannot_be_sampled_is_told_before_the_program_runs_or_kept_whole() {
    if cannot_record() {
        return;
    }
    let directory = with_program("fclose(fopen(\"ran\", \"w\")); fill(); return argc - 1;");
    let here = directory.path();
    std::fs::create_dir(here.join("b-2.ftrace")).expect("made");
    for (options, expected) in [
        (&["-o", "a.ftrace", "--sample", "10"][..], "COUNTxLENGTH"),
        (&["-o", "a.ftrace", "--sample", "0x1M"], "COUNTxLENGTH"),
        (&["-o", "a.ftrace", "--sample", "5x10"], "1000 instructions or more"),
        (
            &["-o", "a.ftrace", "--sample", "5x1M", "--instructions", "999k"],
            "found intervals of 1000000 instructions, of 999000",
        ),
        (&["-o", "a.ftrace", "--warm-up", "3"], "--sample"),
        (&["-o", "a.ftrace", "--thread", "3"], "--sample"),
        (
            &["-o", "b.ftrace", "--sample", "5x1M"],
            "b-2.ftrace: --output: is no regular file",
        ),
        (&["--sample", "5x1M"], "--output"),
        (&["--live", "--on", "xeon-w3530", "--sample", "5x1M"], "--sample"),
    ] {
        let complaint = refused(&[&["record"][..], options, &["--", "./walk"]].concat(), here);
        assert!(complaint.contains(expected), "{options:?}: {complaint}");
        assert!(!here.join("ran").exists(), "{options:?}");
    }
    // A thread that there is not: the program has run, and what it did is kept. Its own status is the one that counts.
    for (arguments, status) in [(&[][..], 2), (&["x", "y", "z"], 3)] {
        let words = [
            "record", "-o", "a.ftrace", "--sample", "5x10k", "--thread", "7", "--", "./walk",
        ];
        let done = fresco(&[&words[..], arguments].concat(), here);
        assert_eq!(done.status.code(), Some(status), "{}", told(&done));
        assert!(told(&done).contains("no access of thread 7"), "{}", told(&done));
        assert!(told(&done).contains("a.ftrace is the whole"), "{}", told(&done));
        assert!(counted("a.ftrace", here).0 > 1000);
        std::fs::remove_file(here.join("a.ftrace")).expect("there");
    }
    assert_eq!(names(here, "a"), Vec::<String>::new());
    // A part that was never reached.
    let done = fresco(
        &[
            "record", "-o", "a.ftrace", "--sample", "5x10k", "--skip", "1G", "--", "./walk",
        ],
        here,
    );
    assert_eq!(done.status.code(), Some(2), "{}", told(&done));
    assert_eq!(names(here, "a"), Vec::<String>::new());
}

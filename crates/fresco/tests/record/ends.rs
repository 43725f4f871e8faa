// SPDX-License-Identifier: MIT OR Apache-2.0
//! However a recording ends: what was recorded until then is whole, and no process is left.

use super::{cannot_record, is_alive, program, signal, wait_until, with_program};
use crate::common::{fresco, json, refused};
use fresco_testing::{Need, skip};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads and writes words at random, without end, so that a trace of it grows.
const AT_RANDOM: &str =
    "unsigned long x = 1; for (;;) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; area[x % (1 << 20)]++; }";

/// Accesses that `fresco trace info` finds, and how it says that the recording ended.
fn counted(file: &str, directory: &Path) -> (u64, String) {
    let info = json(&["trace", "info", file, "--json"], directory);
    let of = |name: &str| info["data"][name].as_u64().expect("a number");
    let ending = info["data"]["ending"].as_str().expect("a text").to_owned();
    // Every access of it can be read, too.
    let read = json(&["trace", "info", file, "--working-set", "--json"], directory);
    let lines = read["data"]["working_set"]["lines"].as_u64().expect("a number");
    let accesses = of("loads") + of("stores");
    assert!(lines >= accesses, "{read}");
    (accesses, ending)
}

/// Processes that run this program.
fn processes_of(program: &Path) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("there").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let runs = |pid: &String| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&*program.to_string_lossy()) && is_alive(pid)
    };
    pids.filter(runs).collect()
}

/// Records the program `walk` as a shell starts it after `before`, and checks what there is when there is no room any more.
fn check_full(directory: &Path, shell: &[&str], before: &str, place: &str) {
    let script = format!("{before} exec \"$0\" record -o {place}/a.ftrace -- ./walk");
    let done = Command::new(shell[0])
        .args(&shell[1..])
        .args(["sh", "-c", &script, program()])
        .current_dir(directory)
        .output();
    let done = done.expect("a shell");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(
        told.contains("nothing more can be written") && told.contains("what was recorded until then is whole"),
        "{told}"
    );
    assert_eq!(processes_of(&directory.join("walk")), Vec::<String>::new());
}

#[test]
fn a_file_that_may_not_grow() {
    if cannot_record() {
        return;
    }
    let directory = with_program(AT_RANDOM);
    let here = directory.path();
    std::fs::write(here.join("a.ftrace"), "old").expect("writable");
    // In blocks of 512 bytes: little more than the memory that is shared with the emulator.
    check_full(here, &["env"], "ulimit -f 77824;", ".");
    let (accesses, ending) = counted("a.ftrace", here);
    assert!(accesses > 1 << 20, "{accesses}");
    assert_eq!(ending, "recording could not go on");
    let bytes = std::fs::metadata(here.join("a.ftrace")).expect("there").len();
    assert!(bytes <= 38 << 20 && bytes > 32 << 20, "{bytes}");
    // Not even that memory may be made.
    let script = "ulimit -f 8; exec \"$0\" record -o b.ftrace -- ./walk";
    let done = Command::new("sh")
        .args(["-c", script, program()])
        .current_dir(here)
        .output()
        .expect("a shell");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(125), "{told}");
    assert!(told.contains("(ulimit -f)"), "{told}");
    assert!(!here.join("b.ftrace").exists() && unfinished(here).is_none());
}

#[test]
fn a_disk_that_is_full() {
    if cannot_record() {
        return;
    }
    let directory = with_program(AT_RANDOM);
    let here = directory.path();
    let mount = "mkdir small && mount -t tmpfs -o size=8m none small";
    // A namespace of its own: nothing stays mounted.
    let can = Command::new("unshare")
        .args(["-m", "sh", "-c", mount])
        .current_dir(here)
        .output();
    if !can.is_ok_and(|done| done.status.success()) {
        skip(Need::Root, "no file system can be mounted");
        return;
    }
    std::fs::remove_dir(here.join("small")).expect("there");
    let then = format!("{mount} && trap 'cp small/* .; ls -A small > left' EXIT;");
    let script = format!("{then} \"$0\" record -o small/a.ftrace -- ./walk");
    let done = Command::new("unshare")
        .args(["-m", "sh", "-c", &script, program()])
        .current_dir(here)
        .output();
    let done = done.expect("a shell");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(told.contains("nothing more can be written: No space left"), "{told}");
    let (accesses, ending) = counted("a.ftrace", here);
    assert!(accesses > 1 << 20, "{accesses}");
    assert_eq!(ending, "recording could not go on");
    assert_eq!(std::fs::read_to_string(here.join("left")).expect("there"), "a.ftrace\n");
    assert_eq!(processes_of(&here.join("walk")), Vec::<String>::new());
}

#[test]
fn a_terminal_that_is_closed() {
    if cannot_record() {
        return;
    }
    let directory = with_program(AT_RANDOM);
    let here = directory.path();
    // A shell that has been told to ignore it cannot be told otherwise: python can.
    let script =
        "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])";
    let child = Command::new("python3")
        .args(["-c", script, program(), "record", "-o", "a.ftrace", "--", "./walk"])
        .current_dir(here)
        .stderr(Stdio::piped())
        .spawn();
    let Ok(child) = child else {
        skip(Need::Python, "python3 is not installed");
        return;
    };
    wait_until("something is recorded", || {
        unfinished(here).is_some_and(|(_, bytes)| bytes > 1 << 20)
    });
    signal(&child, "-HUP");
    let done = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(130), "{told}");
    let (accesses, ending) = counted("a.ftrace", here);
    assert!(
        accesses > 1 << 20 && ending == "recording was stopped",
        "{accesses} {ending}"
    );
    assert_eq!(processes_of(&here.join("walk")), Vec::<String>::new());
}

/// A recording that has no end, and its bytes.
fn unfinished(directory: &Path) -> Option<(PathBuf, u64)> {
    let entries = std::fs::read_dir(directory).expect("readable").flatten();
    let mut paths = entries.map(|entry| entry.path());
    let path = paths.find(|path| path.extension().is_some_and(|ending| ending == "tmp"))?;
    let bytes = std::fs::metadata(&path).ok()?.len();
    Some((path, bytes))
}

#[test]
fn of_a_recorder_that_is_killed_what_was_written_can_be_recovered() {
    if cannot_record() {
        return;
    }
    let directory = with_program(AT_RANDOM);
    let here = directory.path();
    let child = Command::new(program())
        .args(["record", "--quiet", "-o", "a.ftrace", "--", "./walk"])
        .current_dir(here)
        .spawn();
    let mut child = child.expect("it starts");
    wait_until("something is recorded", || {
        unfinished(here).is_some_and(|(_, bytes)| bytes > 4 << 20)
    });
    signal(&child, "-KILL");
    child.wait().expect("it ends");
    wait_until("the program is gone", || processes_of(&here.join("walk")).is_empty());
    let (left, bytes) = unfinished(here).expect("it stays");
    let name = left.file_name().expect("it has one").to_string_lossy().into_owned();
    assert!(refused(&["trace", "info", &name], here).contains("truncated"));
    let done = fresco(&["trace", "recover", &name, "-o", "b.ftrace"], here);
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(0), "{told}");
    assert!(
        told.contains(&format!("of {} bytes ", crate::record::grouped(bytes))),
        "{told}"
    );
    let (accesses, ending) = counted("b.ftrace", here);
    assert!(
        accesses > 1 << 20 && ending == "recording could not go on",
        "{accesses} {ending}"
    );
    // What is whole, what is nothing, and what is damaged in between.
    assert!(refused(&["trace", "recover", "b.ftrace", "-o", "c.ftrace"], here).contains("it is whole"));
    std::fs::write(here.join("text"), "no recording at all").expect("writable");
    assert!(refused(&["trace", "recover", "text", "-o", "c.ftrace"], here).contains("is no recording"));
    let mut content = std::fs::read(&left).expect("there");
    let middle = content.len() * 2 / 3;
    content[middle] ^= 0x55;
    std::fs::write(&left, content).expect("writable");
    let done = fresco(&["trace", "recover", &name, "-o", "c.ftrace"], here);
    assert_eq!(done.status.code(), Some(0));
    let (fewer, _) = counted("c.ftrace", here);
    assert!(fewer < accesses && fewer > 1 << 19, "{fewer} of {accesses}");
}

#[test]
fn a_program_that_goes_on_forking_leaves_no_process() {
    if cannot_record() {
        return;
    }
    // One after the other, so that the machine is not filled: each child makes the next one and ends, after a while in which it can be
    // found.
    let directory = with_program(
        "if (!fork()) for (;;) { if (fork()) _exit(0); usleep(200000); } fill(); fclose(fopen(\"filled\", \"w\")); for (;;) fill();",
    );
    let here = directory.path();
    let walk = here.join("walk");
    let child = Command::new(program())
        .args(["record", "-o", "a.ftrace", "--"])
        .arg(&walk)
        .current_dir(here)
        .stderr(Stdio::piped())
        .spawn();
    let child = child.expect("it starts");
    wait_until("the program has filled its area", || here.join("filled").exists());
    signal(&child, "-TERM");
    let done = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(130), "{told}");
    // Not one at any time: a process may just have been making the next one.
    for _ in 0..20 {
        assert_eq!(processes_of(&walk), Vec::<String>::new());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let (accesses, ending) = counted("a.ftrace", here);
    assert!(
        accesses > 1 << 16 && ending == "recording was stopped",
        "{accesses} {ending}"
    );
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! However a recording ends: what was recorded until then is whole, and no process is left.

use super::{cannot_record, grouped, processes_of, program, recorded_on_small_disk, signal, wait_until, with_program};
use crate::common::{fresco, json, refused, stdout};
use fresco_testing::{Need, skip};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads and writes words at random, without end, so that a trace of it grows.
pub const AT_RANDOM: &str =
    "unsigned long x = 1; for (;;) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; area[x % (1 << 20)]++; }";

/// Accesses that `fresco trace info` finds, and how it says that the recording ended.
pub fn counted(file: &str, directory: &Path) -> (u64, String) {
    let info = json(&["trace", "info", file, "--json"], directory);
    let of = |name: &str| info["data"][name].as_u64().expect("a number");
    let ending = info["data"]["ending"].as_str().expect("a text").to_owned();
    // Every access of it can be read, too.
    let read = stdout(&["trace", "diff", file, file], directory);
    let expected = format!("{} loads, {} stores", grouped(of("loads")), grouped(of("stores")));
    assert!(read.contains("no difference") && read.contains(&expected), "{read}");
    (of("loads") + of("stores"), ending)
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
    let Some(done) = recorded_on_small_disk(here, "-- ./walk") else {
        return;
    };
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
pub fn unfinished(directory: &Path) -> Option<(PathBuf, u64)> {
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
    assert!(told.contains(&format!("of {} bytes ", grouped(bytes))), "{told}");
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

#[test]
fn what_ends_a_part_ends_the_program_before_it_does_more() {
    if cannot_record() {
        return;
    }
    // After the part it would write until it is stopped.
    let directory = with_program(
        "fill(); FILE *out = fopen(\"out\", \"w\"); setvbuf(out, 0, _IONBF, 0); fputs(\"begin\\n\", out); abs(argc); \
         for (int i = 0; i < 20000; i++) fputs(\"more\\n\", out); return 9;",
    );
    let here = directory.path();
    let source = std::fs::read_to_string(here.join("walk.c")).expect("there");
    let source = source
        .replace(
            "int main(",
            "__attribute__((noinline)) void stop(void) { __asm__ volatile(\"\"); }\nint main(",
        )
        .replace("abs(argc);", "stop();");
    std::fs::write(here.join("walk.c"), source).expect("writable");
    let built = Command::new("gcc")
        .args(["-O1", "-static", "-o", "walk", "walk.c"])
        .current_dir(here)
        .status();
    assert!(built.expect("gcc").success());
    for _ in 0..4 {
        let done = fresco(
            &["record", "-o", "a.ftrace", "--to-symbol", "stop", "--", "./walk"],
            here,
        );
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(0), "{told}");
        assert!(told.contains("as much is recorded as was asked for"), "{told}");
        assert_eq!(std::fs::read_to_string(here.join("out")).expect("there"), "begin\n");
    }
    let recorded = json(&["trace", "info", "a.ftrace", "--json"], here);
    let instructions = recorded["data"]["instructions"].as_u64().expect("a number");
    assert_eq!(recorded["data"]["ending"], "recording was stopped");
    // So many instructions more make some lines, always the same ones.
    let count = (instructions + 5000).to_string();
    let texts: Vec<String> = (0..3)
        .map(|_| {
            let options = [
                "record",
                "-q",
                "-o",
                "a.ftrace",
                "--instructions",
                &count,
                "--",
                "./walk",
            ];
            let done = fresco(&options, here);
            assert_eq!(done.status.code(), Some(0), "{done:?}");
            std::fs::read_to_string(here.join("out")).expect("there")
        })
        .collect();
    assert!(
        texts[0].lines().count() > 2 && texts[0].lines().count() < 500,
        "{}",
        texts[0]
    );
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    // What never begins replaces nothing.
    std::fs::write(here.join("old.ftrace"), "old").expect("writable");
    let source = "int never(void) { return 1; } int main(int argc, char **argv) { return argc > 5 ? never() : 0; }";
    std::fs::write(here.join("never.c"), source).expect("writable");
    let built = Command::new("gcc")
        .args(["-O0", "-static", "-o", "never", "never.c"])
        .current_dir(here)
        .status();
    assert!(built.expect("gcc").success());
    let done = fresco(
        &["record", "-o", "old.ftrace", "--from-symbol", "never", "--", "./never"],
        here,
    );
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert_eq!(std::fs::read(here.join("old.ftrace")).expect("there"), b"old");
}

#[test]
fn several_threads_end_together_where_the_part_ends() {
    if cannot_record() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let source = "#include <pthread.h>\n#include <unistd.h>\nstatic volatile long sums[4][64];\n\
                  static void *work(void *of) { volatile long *sum = of; for (;;) ++*sum; }\n\
                  int main(void) { pthread_t thread; for (int i = 0; i < 3; i++) pthread_create(&thread, 0, work, (void *)sums[i]); \
                  for (;;) pause(); }\n";
    std::fs::write(here.join("threads.c"), source).expect("writable");
    let built = Command::new("gcc")
        .args(["-O1", "-static", "-pthread", "-o", "threads", "threads.c"])
        .current_dir(here)
        .status();
    assert!(built.expect("gcc").success());
    let options = [
        "record",
        "-o",
        "a.ftrace",
        "--skip",
        "1M",
        "--instructions",
        "2M",
        "--",
        "./threads",
    ];
    let done = fresco(&options, here);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let recorded = json(&["trace", "info", "a.ftrace", "--json"], here);
    let instructions = recorded["data"]["instructions"].as_u64().expect("a number");
    // Whole blocks, of a few instructions each here; a thread may be within one when another ends the program.
    assert!((1_999_000..2_001_000).contains(&instructions), "{instructions}");
    assert_eq!(processes_of(&here.join("threads")), Vec::<String>::new());
}

/// A program whose processes make each other without end, each of which lives for less than it takes to find it and touches the file
/// `beat`, until the file `stop` is there, or for a minute.
const CHAIN: &str = "if (!fork()) { time_t until = time(0) + 60; for (;;) { if (!access(\"stop\", F_OK) || time(0) > until) _exit(0); \
                     close(creat(\"beat\", 0644)); if (fork()) _exit(0); } } \
                     fill(); fclose(fopen(\"filled\", \"w\")); for (;;) fill();";

/// Returns true if no process of [`CHAIN`] is left after a while; there is none afterwards in any case.
fn is_quiet(here: &Path) -> bool {
    let beat = || {
        std::fs::metadata(here.join("beat"))
            .and_then(|about| about.modified())
            .expect("there")
    };
    let mut quiet = false;
    for _ in 0..20 {
        let before = beat();
        std::thread::sleep(std::time::Duration::from_millis(500));
        quiet = beat() == before;
        if quiet {
            break;
        }
    }
    std::fs::write(here.join("stop"), "").expect("writable");
    quiet
}

#[test]
fn processes_that_live_too_short_to_be_found_end_too() {
    if cannot_record() {
        return;
    }
    for (name, status) in [("-TERM", Some(130)), ("-KILL", None)] {
        let directory = with_program(CHAIN);
        let here = directory.path();
        let walk = here.join("walk");
        let child = Command::new(program())
            .args(["record", "-o", "a.ftrace", "--"])
            .arg(&walk)
            .current_dir(here)
            .stderr(Stdio::null())
            .spawn();
        let mut child = child.expect("it starts");
        wait_until("the program has filled its area", || here.join("filled").exists());
        signal(&child, name);
        let done = child.wait().expect("it ends");
        assert!(is_quiet(here), "{name}");
        assert_eq!(done.code(), status);
    }
}

#[test]
fn processes_of_a_program_that_ended_by_itself_live_on() {
    if cannot_record() {
        return;
    }
    let directory = with_program(
        "if (!fork()) { for (int i = 0; i < 20; i++) usleep(50000); fclose(fopen(\"lived\", \"w\")); _exit(0); } fill(); return 0;",
    );
    let here = directory.path();
    let done = Command::new(program())
        .args(["record", "-q", "-o", "a.ftrace", "--", "./walk"])
        .current_dir(here)
        .stderr(Stdio::null())
        .status();
    assert_eq!(done.expect("it ends").code(), Some(0));
    wait_until("the child has lived on", || here.join("lived").exists());
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco record` and `fresco trace` as a user has them.

mod ends;
mod fetches;
mod live;
mod sample;

use crate::common::{fresco, stdout};
use fresco_testing::{Need, skip};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program under test.
pub fn program() -> &'static str {
    env!("CARGO_BIN_EXE_fresco")
}

/// Returns true, and tells that the test is skipped, where programs cannot be recorded.
pub fn cannot_record() -> bool {
    let emulator = Command::new("qemu-x86_64").arg("--version").output().is_ok();
    let plugin = Path::new(program())
        .with_file_name("libfresco_qemu_plugin.so")
        .is_file();
    let compiler = Command::new("gcc").arg("--version").output().is_ok() && cfg!(target_arch = "x86_64");
    if !(emulator && plugin && compiler) {
        skip(
            Need::Recording,
            format!("qemu-x86_64 is there: {emulator}, the plugin: {plugin}, gcc for x86-64: {compiler}"),
        );
    }
    !(emulator && plugin && compiler)
}

/// A directory with the program `walk` in it: it does what the C code of `main` says.
fn with_program(main: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let source = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <signal.h>\n#include <unistd.h>\n#include <time.h>\n#include <fcntl.h>\n\
         #include <sys/wait.h>\nstatic volatile char area[1 << 20];\n\
         static void fill(void) {{ for (int i = 0; i < 1 << 20; i += 16) area[i] = i; }}\n\
         int main(int argc, char **argv) {{ {main} }}\n"
    );
    std::fs::write(directory.path().join("walk.c"), source).expect("writable");
    let done = Command::new("gcc")
        .args(["-O1", "-static", "-o", "walk", "walk.c"])
        .current_dir(&directory)
        .output();
    let done = done.expect("gcc");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    directory
}

#[test]
fn a_program_is_recorded_and_replayed() {
    if cannot_record() {
        return;
    }
    let directory =
        with_program("fill(); char line[80]; printf(\"%s %s\", argv[1], fgets(line, 80, stdin)); return 9;");
    let mut command = Command::new(program());
    command
        .args(["record", "-o", "victim.ftrace", "--", "./walk", "-x"])
        .current_dir(&directory);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), b"its input\n").expect("it reads");
    let done = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(9), "{told}");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "-x its input\n");
    assert!(
        told.contains("loads that need a load among the 512 accesses before"),
        "{told}"
    );

    let info = stdout(&["trace", "info", "victim.ftrace", "--json"], directory.path());
    assert!(
        info.contains("\"program\": \"./walk -x\"") && info.contains("\"ending\": \"exit status 9\""),
        "{info}"
    );
    let table = stdout(&["trace", "info", "victim.ftrace"], directory.path());
    assert!(table.contains("x86-64") && table.contains("per access"), "{table}");

    let few = [
        "--set",
        "warm_up.operations=1000",
        "--set",
        "measure.operations=5000",
        "--set",
        "sweep.corunners=[0, 1]",
    ];
    let replayed = stdout(
        &[&["sim", "recorded", "--trace-dir", "."][..], &few].concat(),
        directory.path(),
    );
    assert!(
        replayed
            .lines()
            .filter(|line| line.starts_with("palloc") || line.starts_with("buddy"))
            .count()
            >= 4,
        "{replayed}"
    );
}

#[test]
fn what_cannot_be_recorded_is_told_and_leaves_what_was_there() {
    if cannot_record() {
        return;
    }
    let directory = with_program("return 0;");
    std::fs::write(directory.path().join("old.ftrace"), "old").expect("writable");
    std::fs::write(directory.path().join("text"), "no program").expect("writable");
    for (name, bytes) in [("half", 100_000), ("head", 60)] {
        let path = directory.path().join(name);
        std::fs::copy(directory.path().join("walk"), &path).expect("writable");
        let file = std::fs::File::options().write(true).open(&path).expect("ours");
        file.set_len(bytes).expect("writable");
    }
    let record = |output: &str, command: &[&str]| {
        let words = [&["record", "-o", output, "--"][..], command].concat();
        let done = fresco(&words, directory.path());
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    for (command, status, reason) in [
        (&["./nowhere"][..], 127, "not found"),
        (&["./text"], 126, "cannot be executed"),
        (&["."], 126, "is a directory"),
        (&["/tmp"], 126, "is a directory"),
        (&["./half"], 126, "is damaged: an ELF file that ends before"),
        (&["./head"], 126, "is damaged: an ELF file that ends before"),
    ] {
        let (code, told) = record("old.ftrace", command);
        assert_eq!(code, Some(status), "{told}");
        assert!(told.contains(reason), "{told}");
    }
    let (code, told) = record("nowhere/a.ftrace", &["./walk"]);
    assert_eq!(code, Some(2), "{told}");
    // A pipe or a device stays what it is, and so does a link: the file that it points to is replaced.
    let pipe = directory.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).expect("a pipe");
    let (code, told) = record("pipe", &["./walk"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("is no regular file"), "{told}");
    let kind = std::fs::symlink_metadata(&pipe).expect("there").file_type();
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind));
    std::fs::write(directory.path().join("target.ftrace"), "old").expect("writable");
    std::os::unix::fs::symlink("target.ftrace", directory.path().join("link.ftrace")).expect("a link");
    let (code, told) = record("link.ftrace", &["./walk"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(directory.path().join("link.ftrace").is_symlink());
    assert_ne!(
        std::fs::read(directory.path().join("target.ftrace")).expect("there"),
        b"old"
    );
    assert_eq!(
        std::fs::read(directory.path().join("old.ftrace")).expect("there"),
        b"old"
    );
    // What ends before the part that is asked for, and what is longer than a file may be.
    let skipped = ["record", "-o", "old.ftrace", "--skip", "1G", "--", "./walk"];
    let done = fresco(&skipped, directory.path());
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(
        told.contains("old.ftrace is not written: the program ended before"),
        "{told}"
    );
    let limited = Command::new("sh")
        .args([
            "-c",
            "ulimit -f 4 && exec \"$0\" record -o old.ftrace -- ./walk",
            program(),
        ])
        .current_dir(directory.path())
        .output()
        .expect("a shell");
    let told = String::from_utf8_lossy(&limited.stderr).into_owned();
    assert!(
        matches!(limited.status.code(), Some(2 | 125)),
        "{:?}: {told}",
        limited.status
    );
    assert!(told.contains("ulimit -f") && !told.contains(".tmp"), "{told}");
    assert_eq!(
        std::fs::read(directory.path().join("old.ftrace")).expect("there"),
        b"old"
    );
    let names: Vec<_> = std::fs::read_dir(directory.path())
        .expect("readable")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(
        names.iter().all(|name| !name.to_string_lossy().ends_with(".tmp")),
        "{names:?}"
    );
    let (code, told) = record("-", &["./walk"]);
    assert_eq!(code, Some(2), "{told}");
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    groups.map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// Waits until it is so.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
}

/// What `fresco record -o small/a.ftrace` says with these further arguments where `small` has room for 8 MiB. What is left there then is copied to
/// `here`, and its names are in `left`. `None` where no file system can be mounted.
fn recorded_on_small_disk(here: &Path, arguments: &str) -> Option<Output> {
    let mount = "mkdir small && mount -t tmpfs -o size=8m none small";
    // A namespace of its own: nothing stays mounted.
    let run = |script: &str| {
        Command::new("unshare")
            .args(["-m", "sh", "-c", script, program()])
            .current_dir(here)
            .output()
    };
    if !run(mount).is_ok_and(|done| done.status.success()) {
        skip(Need::Root, "no file system can be mounted");
        return None;
    }
    std::fs::remove_dir(here.join("small")).expect("there");
    let then = format!("{mount} && trap 'cp small/* .; ls -A small > left' EXIT;");
    let done = run(&format!("{then} \"$0\" record -o small/a.ftrace {arguments}"));
    Some(done.expect("a shell"))
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

fn is_alive(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn asked_to_end_it_leaves_a_whole_trace_and_no_process() {
    if cannot_record() {
        return;
    }
    // A program that does not mind SIGTERM, and its orphan.
    let directory = with_program(
        "signal(SIGTERM, SIG_IGN); if (!fork()) { if (!fork()) { FILE *file = fopen(\"pid\", \"w\"); fprintf(file, \"%d\\n\", getpid()); \
         fclose(file); for (;;) pause(); } _exit(0); } int status; wait(&status); fill(); \
         fclose(fopen(\"filled\", \"w\")); for (;;) fill();",
    );
    let mut command = Command::new(program());
    command
        .args(["record", "-o", "a.ftrace", "--", "./walk"])
        .current_dir(&directory)
        .stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    let path = |name: &str| -> PathBuf { directory.path().join(name) };
    wait_until("the program writes its files", || {
        path("filled").exists() && path("pid").exists()
    });
    let orphan = || {
        std::fs::read_to_string(path("pid"))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    wait_until("the orphan says who it is", || !orphan().is_empty());
    // Not SIGINT, which may be ignored where tests run in the background.
    signal(&child, "-TERM");
    let done = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(130), "{told}");
    assert!(told.contains("what was recorded until then is whole"), "{told}");
    wait_until("the orphan is gone", || !is_alive(&orphan()));
    // Where lines break depends on the counts.
    let info = stdout(&["trace", "info", "a.ftrace"], directory.path());
    let words: Vec<&str> = info.split_whitespace().collect();
    assert!(words.join(" ").contains("recording was stopped"), "{info}");
}

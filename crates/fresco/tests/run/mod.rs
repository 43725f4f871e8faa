// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco run`, `verify` and `ps` on this machine. Tests of placing skip, and say why, where the machine lacks what it
//! takes (frame numbers, moving pages, the library beside the program).

mod addresses;
mod again;
mod backend;
mod early;
mod heap_errors;
mod judged;
mod limits;
mod lost;
mod moves;
mod placing;
mod planned;
mod promised;
mod records;
mod regulators;
mod rlimits;
mod schedules;
mod threads;
mod titles;
mod told;
mod unnoticed;
mod users;

use crate::common::json;
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Sixteen bank colors, as a Core i5-6200U has them.
const MAP: &str = "14 18\n15 19\n16 20\n17 21\n";

/// `fresco run` with a quarter of the colors of [`MAP`].
const COLORING: [&str; 5] = ["run", "--map", "map.txt", "--colors", "banks=0-3"];

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fresco"))
}

/// Why memory cannot be colored here.
fn reason() -> Option<String> {
    if let Err(refusal) = fresco_linux::launch::probe() {
        return Some(refusal.to_string());
    }
    if fresco_linux::launch::find_library(program()).is_err() {
        return Some("the library is not built: cargo build -p fresco-preload, as make unit does".to_owned());
    }
    let missing = !memory_user().is_file();
    missing.then(|| "the example memory_user is not built: leave out --test".to_owned())
}

/// Returns true if memory cannot be colored here: the test is skipped.
fn cannot_color() -> bool {
    reason().map(|reason| skip(Need::Coloring, reason)).is_some()
}

/// Held by a test that searches for much. Others wait: such a search gives back gigabytes of which nothing is wanted, which the
/// kernel hands out next, so that one beside it may find nothing in all that it may hold.
fn searching_much() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn memory_user() -> PathBuf {
    program().with_file_name("examples").join("memory_user")
}

/// A program that runs with colors and waits until its input ends.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(options: &[&str], arguments: &[&str], directory: &Path) -> (Self, Vec<String>) {
        let mut child = Command::new(program())
            .args(["run", "--map", "map.txt"])
            .args(options)
            .arg("--")
            .arg(memory_user())
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut said = Vec::new();
        while said.last().is_none_or(|line| line != "ready") {
            let mut line = String::new();
            assert_ne!(output.read_line(&mut line).expect("UTF-8"), 0, "it ended early");
            said.push(line.trim_end().to_owned());
        }
        (Self { child, output }, said)
    }

    fn verify(&self, directory: &Path) -> Value {
        let pid = self.child.id().to_string();
        json(&["verify", &pid, "--json", "--least", "0"], directory)["data"].clone()
    }

    /// Its last words, and what was told on standard error.
    fn finish(mut self) -> (String, String) {
        drop(self.child.stdin.take());
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        let done = self.child.wait_with_output().expect("it ends");
        assert!(done.status.success(), "{done:?}");
        (
            line.trim_end().to_owned(),
            String::from_utf8(done.stderr).expect("UTF-8"),
        )
    }
}

/// Starts a program that says when it is ready, and waits until its input ends.
fn ready(command: &mut Command) -> (Child, BufReader<ChildStdout>) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    output.read_line(&mut line).expect("UTF-8");
    assert_eq!(line, "ready\n");
    (child, output)
}

/// Compiles NAME.c of a directory; false, and a word why, where there is no compiler.
fn compiled(name: &str, directory: &Path) -> bool {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fresco-preload/include");
    let status = Command::new("cc")
        .args(["-O1", "-pthread", "-o", name, &format!("{name}.c"), "-I"])
        .arg(include)
        .current_dir(directory)
        .status();
    let done = status.is_ok_and(|status| status.success());
    if !done {
        skip(Need::Compiler, "no C compiler");
    }
    done
}

/// What memory_user says of so many blocks in each of its threads.
fn expected_sum(blocks: u64, threads: u64) -> String {
    let sum: u64 = (0..threads)
        .flat_map(|seed| (0..blocks).map(move |index| (seed + index) % 251))
        .sum();
    format!("sum {}", sum << 20)
}

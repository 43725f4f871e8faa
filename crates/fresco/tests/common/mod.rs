// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running the program as a user does.

pub mod files;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A directory with these files.
pub fn directory_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, content) in files {
        std::fs::write(directory.path().join(name), content).expect("is writable");
    }
    directory
}

/// Runs `fresco` with `arguments` in `directory`.
pub fn fresco(arguments: &[&str], directory: &Path) -> Output {
    fresco_with(arguments, directory, b"")
}

/// Runs `fresco` with `input` on its standard input.
pub fn fresco_with(arguments: &[&str], directory: &Path, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fresco"))
        .args(arguments)
        .current_dir(directory)
        // No map that was proved for the machine that tests run on.
        .env("XDG_STATE_HOME", directory.join("state"))
        // Nor results of other tests.
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that refuses its arguments does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

/// What a run that must end well prints.
pub fn stdout(arguments: &[&str], directory: &Path) -> String {
    let done = fresco(arguments, directory);
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {complaint}");
    String::from_utf8(done.stdout).expect("UTF-8")
}

/// What a run that must end well prints, as JSON.
pub fn json(arguments: &[&str], directory: &Path) -> serde_json::Value {
    serde_json::from_str(&stdout(arguments, directory)).expect("JSON")
}

/// The first run of a document of `fresco sim`: of a plan the only one.
pub fn first_run(document: &serde_json::Value) -> &serde_json::Value {
    &document["data"]["scenarios"][0]["points"][0]["runs"][0]
}

/// What a run that must be refused (status 2) complains of.
pub fn refused(arguments: &[&str], directory: &Path) -> String {
    refused_with(2, arguments, directory)
}

/// The same of a run that is refused with another status.
pub fn refused_with(status: i32, arguments: &[&str], directory: &Path) -> String {
    let done = fresco(arguments, directory);
    assert_eq!(done.status.code(), Some(status), "{arguments:?}");
    assert!(done.stdout.is_empty(), "{arguments:?} prints a result");
    String::from_utf8(done.stderr).expect("UTF-8")
}

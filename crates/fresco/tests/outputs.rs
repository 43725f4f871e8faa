// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where results go: never over what they are made from, and never lost without a word.

use crate::common::files::MACHINE;
use crate::common::{directory_with, json, refused, stdout};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SCENARIO: &str = r#"name = "s"
machine = "./small.toml"
[measure]
operations = 1000
[[task]]
name = "chase"
program = "latency"
core = 0
parameters.bytes = "64 KiB"
"#;

fn prepared() -> tempfile::TempDir {
    let files = [
        ("small.toml", MACHINE),
        ("s.toml", SCENARIO),
        ("a.trace", "0x40 R\n0x80 W\n"),
    ];
    directory_with(&files)
}

/// Status with standard output or error that cannot be written to.
#[cfg(target_os = "linux")]
fn status_with_full(arguments: &[&str], output: bool) -> Option<i32> {
    let full = || Stdio::from(fs::File::options().write(true).open("/dev/full").expect("a device"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_fresco"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match output {
        true => command.stdout(full()),
        false => command.stderr(full()),
    };
    command.status().expect("the program starts").code()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_and_no_panic() {
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["sim", "--help"],
        &["sim", "--list"],
        &["machine", "list"],
        &["man"],
    ] {
        assert_eq!(status_with_full(arguments, true), Some(2), "{arguments:?}");
        assert_eq!(status_with_full(arguments, false), Some(0), "{arguments:?}");
    }
    for wrong in [&["sim", "nosuch"][..], &["nosuch"], &["sim", "first", "--seed", "x"]] {
        assert_eq!(status_with_full(wrong, false), Some(2), "{wrong:?}");
    }
}

#[cfg(unix)]
/// A file that may not grow is a failure to write: the result is printed all the same, and nothing half-written is left.
#[test]
fn a_limit_of_file_sizes_costs_the_file_and_not_the_result() {
    let directory = prepared();
    let program = env!("CARGO_BIN_EXE_fresco");
    let done = Command::new("sh")
        .args(["-c", &format!("ulimit -f 1; exec '{program}' sim s.toml --out o")])
        .current_dir(directory.path())
        .output()
        .expect("a shell");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(
        told.contains("--out: no report can be written there: File too large"),
        "{told}"
    );
    assert!(String::from_utf8_lossy(&done.stdout).contains("chase"));
    let left: Vec<_> = fs::read_dir(directory.path().join("o"))
        .map(|all| all.flatten().map(|one| one.file_name()).collect())
        .unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn inputs_survive_under_whatever_name_they_are_to_be_written() {
    let directory = prepared();
    let path = |name: &str| directory.path().join(name);
    std::os::unix::fs::symlink("a.trace", path("soft")).expect("a link");
    fs::hard_link(path("a.trace"), path("hard")).expect("a link");
    for output in ["a.trace", "./a.trace", "soft", "hard", "small.toml"] {
        let memory = ["memory", "a.trace", "--machine", "./small.toml", "--commands", output];
        let told = refused(&memory, directory.path());
        assert!(told.contains("found the file that is read as"), "{told}");
    }
    assert_eq!(fs::read(path("a.trace")).expect("is there"), b"0x40 R\n0x80 W\n");
    fs::create_dir(path("report")).expect("writable");
    for (input, output) in [("s.toml", "results.json"), ("small.toml", "index.html")] {
        fs::hard_link(path(input), path("report").join(output)).expect("a link");
        let told = refused(&["sim", "s.toml", "--out", "report"], directory.path());
        assert!(told.contains("found the file that is read as"), "{told}");
        fs::remove_file(path("report").join(output)).expect("is there");
    }
    let attack = ["attack", "s.toml", "--tries", "1", "--out"];
    let work = ["attack", "s.toml", "--work", "--tries", "1", "--out"];
    let bound = ["bound", "s.toml", "--reads", "--certificate"];
    for command in [&attack[..], &work, &bound] {
        for output in ["s.toml", "small.toml"] {
            let told = refused(&[command, &[output]].concat(), directory.path());
            assert!(told.contains("found the file that is read as"), "{told}");
        }
    }
    assert_eq!(fs::read_to_string(path("s.toml")).expect("is there"), SCENARIO);
    assert_eq!(fs::read_dir(path("report")).expect("readable").count(), 0);
    // A part of an earlier run under the name that a simpler program would take for its own.
    fs::rename(path("a.trace"), path("out.cmd.part")).expect("a file");
    stdout(
        &[
            "memory",
            "out.cmd.part",
            "--machine",
            "./small.toml",
            "--commands",
            "out.cmd",
        ],
        directory.path(),
    );
    assert_eq!(fs::read(path("out.cmd.part")).expect("is there"), b"0x40 R\n0x80 W\n");
}

#[test]
fn provenance_names_files_digests_and_only_seeds_that_matter() {
    let directory = prepared();
    let memory = json(
        &["memory", "a.trace", "--machine", "./small.toml", "--json"],
        directory.path(),
    );
    let provenance = &memory["provenance"];
    assert_eq!(provenance["seed"], serde_json::Value::Null);
    assert_eq!(provenance["inputs"][0]["name"], "a.trace");
    let digest = fresco_load::trace::digest_of_file(&directory.path().join("a.trace")).expect("readable");
    assert_eq!(provenance["inputs"][0]["digest"], digest.as_str());
    assert_eq!(provenance["machine_files"][0]["name"], "small (./small.toml)");
    let text = stdout(&["memory", "a.trace", "--machine", "./small.toml"], directory.path());
    assert!(!text.contains("seed"), "{text}");
    let sim = json(&["sim", "s.toml", "--json"], directory.path());
    assert_eq!(sim["provenance"]["seed"], 1);
    assert_eq!(sim["provenance"]["machine_files"][0]["name"], "small (./small.toml)");
    let builtin = ["sim", "s.toml", "--set", "machine=p4080", "--json"];
    assert_eq!(
        json(&builtin, directory.path())["provenance"]["machine_files"][0]["name"],
        "p4080"
    );
}

#[test]
fn the_revision_is_that_of_the_clone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let version = stdout(&["--version"], &root);
    let list = json(&["machine", "list", "--json"], &root);
    let revision = &list["provenance"]["revision"];
    match revision.as_str() {
        Some(revision) => {
            assert_eq!(
                version.trim(),
                format!("fresco {} ({revision})", env!("CARGO_PKG_VERSION"))
            );
            assert!(root.join(".git").exists() && revision.len() == 12, "{revision}");
        }
        None => {
            assert_eq!(version.trim(), format!("fresco {}", env!("CARGO_PKG_VERSION")));
            assert!(!root.join(".git").exists(), "a clone without revision");
        }
    }
}

#[test]
fn byte_order_marks_are_read_over() {
    let directory = prepared();
    let path = |name: &str| directory.path().join(name);
    for (name, text) in [
        ("s.toml", SCENARIO),
        ("a.trace", "0x40 R\n"),
        ("map.txt", "14 18\n15 19\n"),
    ] {
        fs::write(path(name), format!("\u{feff}{text}")).expect("writable");
    }
    json(&["sim", "s.toml", "--json"], directory.path());
    let memory = ["memory", "a.trace", "--machine", "./small.toml", "--json"];
    assert_eq!(json(&memory, directory.path())["data"]["requests"], 1);
    json(&["map", "show", "map.txt", "--json"], directory.path());
}

/// The examples that `--help` gives do what they say, in the order in which they stand there.
#[cfg(unix)]
#[test]
fn the_examples_of_the_help_work() {
    for verb in ["machine", "map"] {
        let directory = tempfile::tempdir().expect("a directory");
        let help = stdout(&[verb, "--help"], directory.path());
        let program = Path::new(env!("CARGO_BIN_EXE_fresco")).parent().expect("a directory");
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  fresco ")).collect();
        assert!(examples.len() >= 4, "{help}");
        for example in examples {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &format!("fresco {example}")])
                .env("PATH", &path)
                .current_dir(&directory);
            let done = shell.output().expect("a shell");
            assert!(
                done.status.success(),
                "{example}: {}",
                String::from_utf8_lossy(&done.stderr)
            );
        }
    }
}

/// Runs with standard output in the file `name`.
fn into_file(arguments: &[&str], name: &str, directory: &Path) -> (Option<i32>, String) {
    let file = fs::File::create(directory.join(name)).expect("is writable");
    let done = Command::new(env!("CARGO_BIN_EXE_fresco"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(file)
        .output()
        .expect("the program starts");
    (done.status.code(), String::from_utf8(done.stderr).expect("UTF-8"))
}

#[test]
fn no_figure_goes_where_the_result_goes() {
    let directory = prepared();
    let bench = [
        "bench",
        "latency",
        "--simulate",
        "./small.toml",
        "--json",
        "--svg",
        "both",
    ];
    let (status, told) = into_file(&bench, "both", directory.path());
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("both: --svg: found standard output"), "{told}");
    let detect = ["map", "detect", "--simulate", "xeon-w3530", "--quick", "--out", "found"];
    fs::create_dir(directory.path().join("found")).expect("is writable");
    let (status, told) = into_file(&detect, "found/map.txt", directory.path());
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("found/map.txt: --out: found standard output"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_figure_and_not_the_result() {
    let directory = prepared();
    let bench = [
        "bench",
        "latency",
        "--simulate",
        "./small.toml",
        "--repetitions",
        "1",
        "--set",
        "bytes=64KiB",
    ];
    let tasks = [
        "sched",
        "generate",
        "--sets",
        "1",
        "--utilization",
        "0.8",
        "--accept",
        "flat",
        "--density",
        "8",
    ];
    let detect = ["map", "detect", "--simulate", "xeon-w3530", "--quick"];
    for (verb, option, words) in [
        (&bench[..], &["--svg", "/dev/full"][..], "latency of small"),
        (&tasks, &["--svg", "/dev/full"], "flat"),
        (&detect, &["--out", "found", "--svg", "/dev/full"], "MAP"),
    ] {
        let done = crate::common::fresco(&[verb, option].concat(), directory.path());
        let (printed, told) = (
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr),
        );
        assert_eq!(done.status.code(), Some(2), "{verb:?}: {told}");
        assert!(told.contains("/dev/full: --svg: cannot write it"), "{verb:?}: {told}");
        assert!(printed.contains(words), "{verb:?} lost its result: {printed:?}");
    }
    assert!(
        directory.path().join("found/map.txt").is_file(),
        "the map was written nevertheless"
    );
}

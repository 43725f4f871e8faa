// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco balance` on folders that stand for those of a kernel with page coloring: what is seen, decided, done and undone.

use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A kernel with eight colors, and two groups that have four each.
struct Kernel(TempDir);

/// Bytes of a color of [`Kernel`] on this machine.
fn color_bytes() -> u64 {
    let bytes = fresco_linux::proc::memory_bytes(Path::new("/proc")).expect("Linux tells");
    bytes / 4096 / 8 * 4096
}

impl Kernel {
    fn new() -> Self {
        let kernel = Self(tempfile::tempdir().expect("a directory"));
        kernel.write("page_color/enabled", "1\n");
        kernel.write("page_color/colors", "0-7\n");
        for (group, colors) in [("rt/a", "0-3\n"), ("rt/b", "4-7\n")] {
            kernel.write(&format!("cgroup/{group}/cpuset.colors"), colors);
            kernel.write(&format!("cgroup/{group}/cgroup.procs"), "");
            // The group above has all colors: a group has what it asks for.
            symlink(
                "cpuset.colors",
                kernel.path(&format!("cgroup/{group}/cpuset.colors.effective")),
            )
            .expect("a link");
            kernel.needs(group, 0.5);
        }
        kernel
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file))
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// Colors of both groups.
    fn colors(&self) -> [String; 2] {
        ["a", "b"].map(|group| self.read(&format!("cgroup/rt/{group}/cpuset.colors")))
    }

    /// A group has so much memory, in colors.
    fn needs(&self, group: &str, colors: f64) {
        let bytes = (colors * color_bytes() as f64) as u64;
        self.write(
            &format!("cgroup/{group}/memory.stat"),
            &format!("anon {bytes}\nshmem 0\n"),
        );
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fresco"));
        command
            .args([&["balance"], words].concat())
            .env("FRESCO_PAGE_COLOR", self.path("page_color"))
            .env("FRESCO_CGROUP", self.path("cgroup"))
            .env("FRESCO_MEMGUARD", self.path("memguard"))
            .current_dir(self.0.path());
        command
    }

    fn balance(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("it starts")
    }

    fn refused(&self, words: &[&str]) -> String {
        let output = self.balance(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        String::from_utf8(output.stderr).expect("text")
    }
}

const BOTH: [&str; 2] = ["rt/a", "rt/b"];

#[test]
fn a_dry_run_shows_who_would_lend_what_and_changes_nothing() {
    let kernel = Kernel::new();
    kernel.needs("rt/b", 5.5);
    let output = kernel.balance(&[&["--need", "resident", "--dry-run", "--json"], &BOTH[..]].concat());
    assert_eq!(output.status.code(), Some(0));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a line of JSON");
    crate::json_reference::check(&document, &[]);
    assert_eq!(
        document["data"]["decision"]["colors"],
        serde_json::json!([[0, 1], [2, 3, 4, 5, 6, 7]])
    );
    assert_eq!(document["data"]["is_applied"], false);
    assert_eq!(kernel.colors(), ["0-3", "4-7"]);
    let output = kernel.balance(&[&["--need", "resident", "--dry-run"], &BOTH[..]].concat());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("colors to be") && text.contains("2-7"), "{text}");
}

#[test]
fn colors_are_lent_and_pages_moved_once_and_by_and_by() {
    let kernel = Kernel::new();
    kernel.needs("rt/b", 5.5);
    let once = |more: &[&str]| kernel.balance(&[&["--need", "resident", "--once"], more, &BOTH[..]].concat());
    assert_eq!(once(&["--limit", "1M"]).status.code(), Some(0));
    assert_eq!(kernel.colors(), ["0-2", "3-7"], "one color always is lent");
    once(&[]);
    assert_eq!(kernel.colors(), ["0-1", "2-7"]);
    for group in BOTH {
        assert_eq!(kernel.read(&format!("cgroup/{group}/cpuset.colors.migrate")), "1");
    }
    // More than there is: who lacks memory is told.
    kernel.needs("rt/b", 9.0);
    let output = once(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("needs more than there is"));
}

#[test]
fn where_the_kernel_refuses_one_all_have_what_they_had() {
    let kernel = Kernel::new();
    kernel.needs("rt/b", 5.5);
    // The group above has no more colors for it.
    fs::remove_file(kernel.path("cgroup/rt/b/cpuset.colors.effective")).expect("it is there");
    kernel.write("cgroup/rt/b/cpuset.colors.effective", "4-7\n");
    let told = kernel.refused(&[&["--need", "resident", "--once"], &BOTH[..]].concat());
    assert!(
        told.contains("rt/b/cpuset.colors.effective: found 4-7") && told.contains("2-7"),
        "{told}"
    );
    assert_eq!(kernel.colors(), ["0-3", "4-7"]);
    assert_eq!(
        kernel.read("cgroup/rt/a/cpuset.colors.migrate"),
        "",
        "and no page was moved"
    );
}

/// What groups need changes while it runs.
#[test]
fn it_scans_again_and_again_until_ctrl_c() {
    let kernel = Kernel::new();
    let words = [&["--need", "resident", "--interval", "100 ms", "--json"], &BOTH[..]].concat();
    let child = kernel
        .command(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let until = |colors: [&str; 2]| {
        let begin = Instant::now();
        while kernel.colors() != colors && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(kernel.colors(), colors);
    };
    kernel.needs("rt/b", 5.5);
    until(["0-1", "2-7"]);
    kernel.needs("rt/b", 0.5);
    kernel.needs("rt/a", 2.5);
    until(["0-1,7", "2-6"]);
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it lives");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("keep the colors that they have now"));
    let text = String::from_utf8(output.stdout).expect("text");
    let scans = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a document a line"));
    let numbers: Vec<u64> = scans
        .map(|scan| scan["data"]["scan"].as_u64().expect("a number"))
        .collect();
    assert!(
        numbers.len() > 1 && numbers.iter().copied().eq(1..=numbers.len() as u64),
        "{numbers:?}"
    );
}

#[test]
fn wrong_input_is_told_with_the_way_out() {
    let kernel = Kernel::new();
    let told = |words: &[&str], expected: &[&str]| {
        let told = kernel.refused(words);
        for word in expected {
            assert!(told.contains(word), "{words:?}: {word}: {told}");
        }
    };
    told(&["rt/a", "rt/a"], &["/rt/a and /rt/a", "named once"]);
    told(&["rt/none"], &["no such control group"]);
    told(&["rt"], &["cpuset.colors", "cpuset controller"]);
    told(&["--interval", "1 ms", "rt/a"], &["--interval", "100 ms"]);
    told(&["--channels", "0-3", "rt/a"], &["--channels", "two channels or more"]);
    told(&["--channels", "0-3;3-7", "rt/a"], &["color 3 twice"]);
    told(
        &["--channels", "0-3;4-7", "--once", "rt/a"],
        &["--channels", "memguard"],
    );
    told(
        &["--channels", "0-3;4-8", "rt/a"],
        &["--channels", "found color 8", "0-7"],
    );
    kernel.write("cgroup/rt/b/cpuset.colors", "4-9\n");
    told(&["--once", "rt/b"], &["/rt/b: cpuset.colors", "found color 8", "0-7"]);
    kernel.write("page_color/enabled", "0\n");
    told(&["--once", "rt/a"], &["page coloring", "docs/deploy.md"]);
}

/// Two groups that move a gigabyte a second each in one channel: one goes to the other channel.
#[test]
fn groups_that_move_much_get_channels_of_their_own() {
    let kernel = Kernel::new();
    for (group, colors) in [("a", "0-1\n"), ("b", "2-3\n")] {
        kernel.write(&format!("cgroup/rt/{group}/cpuset.colors"), colors);
        kernel.write(&format!("memguard/groups/{group}/cgroup"), &format!("/rt/{group}\n"));
        kernel.write(&format!("memguard/groups/{group}/stat"), "periods 1\nused 0\n");
    }
    kernel.write("memguard/active", "1\n");
    let words = [
        "--need",
        "resident",
        "--channels",
        "0-3;4-7",
        "--interval",
        "1 s",
        "--once",
        "rt/a",
        "rt/b",
    ];
    let child = kernel
        .command(&words)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // After its first look and before the second: until that the files may be written in any order, any number of times.
    std::thread::sleep(Duration::from_millis(500));
    for group in ["a", "b"] {
        kernel.write(
            &format!("memguard/groups/{group}/stat"),
            "periods 1000\nused 200000000\n",
        );
    }
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut colors = kernel.colors();
    colors.sort();
    assert_eq!(colors, ["0-3", "4-7"], "{}", String::from_utf8_lossy(&output.stdout));
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth and reservations that the module memguard holds, in settings made of plain files. The kernel's own are tried in
//! QEMU: `scripts/kernel-test memguard`.

use crate::run::limits::{no_class_is_left, resctrl};
use crate::run::planned::{planned, user};
use crate::run::{cannot_color, program};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Numbers of signals.
const INTERRUPT: i32 = 2;
const KILL: i32 = 9;

/// Settings of a processor, and a cgroup that the tests are in.
struct Module(TempDir);

impl Module {
    fn new() -> Self {
        let module = Self(tempfile::tempdir().expect("a directory"));
        for folder in ["memguard/cpus/0", "memguard/groups", "cgroups"] {
            std::fs::create_dir_all(module.0.path().join(folder)).expect("writable");
        }
        for (file, text) in [
            ("active", "0\n"),
            ("source", "llc-misses\n"),
            ("period_us", "1000\n"),
            ("cpus/0/budget", "none\n"),
            ("cpus/0/kind", "soft\n"),
        ] {
            module.write(&format!("memguard/{file}"), text);
        }
        module
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.path().join(file), text).expect("writable");
    }

    fn read(&self, file: &str) -> String {
        let text = std::fs::read_to_string(self.0.path().join(file)).unwrap_or_default();
        text.trim().to_owned()
    }

    /// `fresco` with these settings and without resctrl.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments);
        command.env("FRESCO_MEMGUARD", self.0.path().join("memguard"));
        command.env("FRESCO_CGROUP", self.0.path().join("cgroups"));
        command.env("FRESCO_RESCTRL", "/nowhere");
        command.stdin(Stdio::null());
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it starts")
    }

    /// What a run that is refused with a status says.
    fn refused(&self, status: i32, arguments: &[&str]) -> String {
        let done = self.output(arguments);
        let told = String::from_utf8(done.stderr).expect("UTF-8");
        assert_eq!(done.status.code(), Some(status), "{arguments:?}: {told}");
        assert!(done.stdout.is_empty(), "{arguments:?} starts");
        self.is_as_before();
        told
    }

    fn groups(&self) -> Vec<PathBuf> {
        let folders = ["memguard/groups", "cgroups"].map(|folder| self.0.path().join(folder));
        let entries = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).expect("readable").flatten());
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }

    /// Nothing has been set.
    fn is_as_before(&self) {
        assert_eq!(self.groups(), Vec::<PathBuf>::new());
        assert_eq!(self.read("memguard/active"), "0");
        assert_eq!(self.read("memguard/cpus/0/budget"), "none");
        assert_eq!(self.read("memguard/cpus/0/kind"), "soft");
    }

    /// Waits for the keeper, and sees that nothing is left.
    fn becomes_as_before(&self) {
        let start = Instant::now();
        while !self.groups().is_empty() || self.read("memguard/active") != "0" {
            assert!(start.elapsed().as_secs() < 10, "{:?}", self.groups());
            std::thread::sleep(Duration::from_millis(20));
        }
        self.is_as_before();
    }

    /// Starts a program that copies its input until that ends, and waits until it does.
    fn copying(&self, options: &[&str]) -> Child {
        self.copying_with(options, |_| {})
    }

    fn copying_with(&self, options: &[&str], change: impl FnOnce(&mut Command)) -> Child {
        let arguments = [&["run"], options, &["--", "cat"]].concat();
        let mut command = self.command(&arguments);
        change(&mut command);
        let piped = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = piped.spawn().expect("it starts");
        child
            .stdin
            .as_mut()
            .expect("a pipe")
            .write_all(b"there\n")
            .expect("open");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut line)
            .expect("UTF-8");
        assert_eq!(line, "there\n", "{:?}", child.wait_with_output());
        child
    }
}

fn data(output: &Output) -> Value {
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    crate::json_reference::check(&document, &[]);
    document["data"].clone()
}

#[test]
fn a_program_has_a_group_of_its_own_that_goes_away_with_it_however_it_ends() {
    let module = Module::new();
    for signal in [None, Some(INTERRUPT), Some(KILL)] {
        let mut child = module.copying(&["--bandwidth", "500M", "--stats"]);
        let name = format!("fresco-{}", child.id());
        assert_eq!(
            module.read(&format!("memguard/groups/{name}/cgroup")),
            format!("/{name}")
        );
        // 500 MB/s are 7,812.5 lines of 64 bytes in 1 ms.
        assert_eq!(module.read(&format!("memguard/groups/{name}/budget")), "7812");
        assert_eq!(
            module.read(&format!("cgroups/{name}/cgroup.procs")),
            child.id().to_string()
        );
        assert_eq!(module.read("memguard/active"), "1");
        module.write(
            &format!("memguard/groups/{name}/stat"),
            "periods 20\nused 180\nexhausted 17\nover 1\novershoot 3\nsleeps 17\n",
        );
        match signal {
            Some(signal) => {
                let kill = Command::new("kill")
                    .args([&format!("-{signal}"), &child.id().to_string()])
                    .status();
                assert!(kill.expect("it starts").success());
            }
            None => drop(child.stdin.take()),
        }
        let id = child.id();
        let done = child.wait_with_output().expect("it ends");
        assert_eq!(done.status.signal(), signal, "{done:?}");
        module.becomes_as_before();
        let told = String::from_utf8(done.stderr).expect("UTF-8");
        let used = "used 180 lines in 20 periods, all of its 7812 in 17 of them; beyond that in 1, by 3 at most; held 17 times";
        assert_eq!(told, format!("fresco: cat[{id}]: memguard: {used}\n"));
    }
}

#[test]
fn ways_are_a_class_of_resctrl_beside_a_group_of_memguard() {
    let module = Module::new();
    let tree = resctrl();
    let schemata = |file: &str| tree.path().join(file).join("schemata");
    // Per cent are no bytes.
    std::fs::write(schemata(""), "MB:0=100\nL3:0=7ff\n").expect("writable");
    let mut child = module.copying_with(&["--bandwidth", "500M", "--ways", "0-1"], |command| {
        command.env("FRESCO_RESCTRL", tree.path());
    });
    let name = format!("fresco-{}", child.id());
    assert_eq!(std::fs::read_to_string(schemata(&name)).expect("a class"), "L3:0=3\n");
    assert_eq!(module.read(&format!("memguard/groups/{name}/budget")), "7812");
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
    module.becomes_as_before();
    no_class_is_left(tree.path());
}

#[test]
fn processors_are_reserved_for_as_long_as_the_program_runs() {
    let module = Module::new();
    let mut child = module.copying(&["--reserve", "500M", "--cpus", "0"]);
    assert_eq!(module.read("memguard/cpus/0/budget"), "7812");
    assert_eq!(module.read("memguard/cpus/0/kind"), "hard");
    let beside = module.output(&["run", "--reserve", "1M", "--cpus", "0", "true"]);
    assert_eq!(beside.status.code(), Some(125));
    let told = String::from_utf8(beside.stderr).expect("UTF-8");
    assert!(
        told.starts_with("fresco run: --reserve: processor 0 has a budget of memguard already, of 7812 lines"),
        "{told}"
    );
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
    module.becomes_as_before();
}

#[test]
fn what_would_be_done_is_shown_and_nothing_is_set() {
    let module = Module::new();
    let dry = |options: &[&str]| {
        let done = module.output(&[&["run", "--dry-run"], options].concat());
        module.is_as_before();
        done
    };
    let shown = dry(&["--bandwidth", "500M", "--reserve", "64 kB/s", "--cpus", "0", "true"]);
    assert_eq!(
        shown.status.code(),
        Some(2),
        "less than 1 MB/s is refused for each: {shown:?}"
    );
    let shown = dry(&[
        "--bandwidth",
        "500M",
        "--reserve",
        "1G",
        "--cpus",
        "0",
        "--json",
        "true",
    ]);
    assert!(shown.status.success(), "{shown:?}");
    let found = data(&shown);
    let reserved = json!({ "cpus": "0", "lines": 15625, "bytes_per_s": 1_000_000_000 });
    assert_eq!(
        found["regulated"],
        json!({
            "regulator": "memguard", "bytes_per_s": 499_968_000, "source": "llc-misses", "period_us": 1000, "lines": 7812,
            "reserved": reserved,
        })
    );
    assert_eq!(found["limits"]["bytes_per_s"], 500_000_000);
    assert_eq!(found["missing"], json!([]));
    module.write("memguard/source", "page-faults\n");
    let shown = dry(&["--bandwidth", "500M", "--regulator", "memguard", "true"]);
    let shown = String::from_utf8(shown.stdout).expect("UTF-8");
    let line = |name: &str| {
        let line = shown
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{shown}"));
        line[name.len()..].trim().to_owned()
    };
    assert_eq!(
        line("regulator"),
        "memguard: 7812 lines, 499968 kB/s, in each period of 1000 us; it counts page-faults"
    );
    assert_eq!(
        line("attention"),
        "memguard counts page-faults, each of which is taken for a line of 64 bytes"
    );
    let tree = resctrl();
    let done = module
        .command(&["run", "--dry-run", "--bandwidth", "500M", "--json", "true"])
        .env("FRESCO_RESCTRL", tree.path())
        .output()
        .expect("it starts");
    let found = data(&done);
    assert_eq!(found["regulated"]["regulator"], "resctrl", "{found}");
    assert_eq!(found["regulated"]["bytes_per_s"], 476u64 << 20);
}

#[test]
fn what_cannot_be_held_is_refused_in_one_line_and_nothing_is_set() {
    let module = Module::new();
    let refused = |options: &[&str]| {
        let told = module.refused(125, &[&["run"], options, &["--", "echo", "here"]].concat());
        assert_eq!(told.lines().count(), 1, "{told}");
        told
    };
    module.write("memguard/period_us", "1\n");
    let told = refused(&["--bandwidth", "60M"]);
    assert!(told.contains("periods of 1 us: the least is 64 MB/s"), "{told}");
    module.write("memguard/period_us", "soon\n");
    let told = refused(&["--bandwidth", "60M"]);
    assert!(told.contains("period_us says \"soon\", which is no number"), "{told}");
    module.write("memguard/period_us", "1000\n");
    let told = refused(&["--bandwidth", "60M", "--regulator", "resctrl"]);
    assert!(
        told.starts_with("fresco run: --bandwidth: FRESCO_RESCTRL names /nowhere"),
        "{told}"
    );
    let neither = module
        .command(&["run", "--bandwidth", "60M", "true"])
        .env("FRESCO_MEMGUARD", "/nothing")
        .output()
        .expect("it starts");
    let told = String::from_utf8(neither.stderr).expect("UTF-8");
    assert!(
        told.contains("FRESCO_RESCTRL names /nowhere") && told.contains("FRESCO_MEMGUARD names /nothing"),
        "{told}"
    );
    let nowhere = module
        .command(&["run", "--bandwidth", "60M", "true"])
        .env("FRESCO_CGROUP", "/nothing")
        .output()
        .expect("it starts");
    let told = String::from_utf8(nowhere.stderr).expect("UTF-8");
    assert!(told.contains("mount -t cgroup2"), "{told}");
    module.is_as_before();
}

#[test]
fn the_tasks_of_a_core_share_a_group_of_memguard() {
    if cannot_color() {
        return;
    }
    let module = Module::new();
    let directory = planned(&user(1), &user(1));
    let file = |name: &str| directory.path().join(name);
    let text = std::fs::read_to_string(file("tasks.toml")).expect("readable");
    let budgets = "[bandwidth]\nreserve = [\"100 MB/s\", \"200 MB/s\"]\n";
    std::fs::write(file("tasks.toml"), format!("{text}{budgets}")).expect("writable");
    crate::common::stdout(&["plan", "tasks.toml", "--out", "plan.json"], directory.path());
    let run = |arguments: &[&str], directory: &Path| {
        let mut command = module.command(arguments);
        command
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command
    };
    let shown = run(&["run", "--dry-run", "--json", "plan.json"], directory.path())
        .output()
        .expect("it starts");
    let tasks = data(&shown)["tasks"].clone();
    let mut command = run(&["run", "--stats", "plan.json"], directory.path());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..2 {
        output.read_line(&mut String::new()).expect("UTF-8");
    }
    for number in 0..2 {
        let name = format!("fresco-{}-{number}", child.id());
        let lines = tasks[number]["regulated"]["lines"].as_u64().expect("a number");
        assert_eq!(
            module.read(&format!("memguard/groups/{name}/budget")),
            lines.to_string()
        );
        let stat = format!("memguard/groups/{name}/stat");
        module.write(&stat, &format!("periods 20\nused {number}\n"));
    }
    let verified = run(&["verify", "plan.json", "--json"], directory.path())
        .output()
        .expect("it starts");
    assert!(verified.status.success(), "{verified:?}");
    let found: Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    for number in 0..2 {
        let applied = &found["data"]["tasks"][number]["limits_applied"]["bytes_per_s"];
        assert_eq!(*applied, tasks[number]["regulated"]["bytes_per_s"], "{found}");
    }
    drop(child.stdin.take());
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success(), "{done:?}");
    module.becomes_as_before();
    let told = String::from_utf8(done.stderr).expect("UTF-8");
    for core in 0..2 {
        let line = format!("fresco: core {core}: memguard: used {core} lines in 20 periods");
        assert!(told.contains(&line), "{told}");
    }
}

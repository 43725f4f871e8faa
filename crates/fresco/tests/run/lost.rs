// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nothing is lost: however programs end, all that was theirs goes back. They run in a control group of their own, whose
//! count of memory knows nothing of what else the machine does.

use crate::common::directory_with;
use crate::run::{MAP, cannot_color, memory_user, program};
use fresco_testing::{Need, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What may be left in the count of a group: counters of processors that are not added up yet.
const TOLERANCE: u64 = 1 << 20;

/// A control group of the memory controller of version 1 or 2.
struct Group {
    path: PathBuf,
    used: &'static str,
    limit: &'static str,
}

impl Group {
    fn new(name: &str) -> Result<Self, String> {
        let (top, used, limit) = match Path::new("/sys/fs/cgroup/memory/memory.usage_in_bytes").exists() {
            true => (
                "/sys/fs/cgroup/memory",
                "memory.usage_in_bytes",
                "memory.limit_in_bytes",
            ),
            false => ("/sys/fs/cgroup", "memory.current", "memory.max"),
        };
        let path = Path::new(top).join(format!("fresco-test-{}-{name}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("no control group can be made: {error}"))?;
        let group = Self { path, used, limit };
        match group.path.join(used).exists() {
            true => Ok(group),
            false => Err("the control groups here count no memory".to_owned()),
        }
    }

    /// Starts `fresco run` in it.
    fn start(&self, options: &[&str], command: &[&str], directory: &Path) -> Child {
        let enter = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.path.display());
        Command::new("sh")
            .args(["-c", &enter, "sh"])
            .arg(program())
            .args(["run", "--map", "map.txt"])
            .args(options)
            .arg("--")
            .args(command)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts")
    }

    fn number(&self, file: &str) -> u64 {
        let text = fs::read_to_string(self.path.join(file)).expect("readable");
        text.trim().parse().expect("a number")
    }

    fn limit(&self, bytes: u64) {
        fs::write(self.path.join(self.limit), bytes.to_string()).expect("ours");
    }

    fn members(&self) -> usize {
        fs::read_to_string(self.path.join("cgroup.procs")).map_or(0, |text| text.lines().count())
    }

    /// Ends all that still runs in it.
    fn kill(&self) {
        let members = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        for member in members.lines() {
            let _ = Command::new("kill").args(["-9", member]).stderr(Stdio::null()).status();
        }
    }

    /// Nobody is in it, and what it counts is gone, within a few seconds.
    fn is_empty_again(&self, what: &str) {
        let start = Instant::now();
        loop {
            // Pages of files that were read first here: version 1 gives them up when asked.
            let _ = fs::write(self.path.join("memory.force_empty"), "0");
            let _ = fs::write(self.path.join("memory.reclaim"), "64M");
            let (members, used) = (self.members(), self.number(self.used));
            if members == 0 && used <= TOLERANCE {
                return;
            }
            assert!(
                start.elapsed().as_secs() < 10,
                "{what}: {members} processes, {used} bytes"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        for _ in 0..100 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

macro_rules! group {
    ($name:expr) => {
        match Group::new($name) {
            Ok(group) => group,
            Err(reason) => {
                skip(Need::Root, reason);
                return;
            }
        }
    };
}

/// What a machine has that programs could leave changed.
fn configuration() -> (String, Vec<String>, String) {
    let meminfo = fs::read_to_string("/proc/meminfo").expect("readable");
    let huge = meminfo.lines().filter(|line| line.starts_with("HugePages_Total"));
    (
        fs::read_to_string("/proc/self/mounts").expect("readable"),
        huge.map(str::to_owned).collect(),
        fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default(),
    )
}

#[test]
fn killed_at_any_moment() {
    if cannot_color() {
        return;
    }
    let group = group!("killed");
    let directory = directory_with(&[("map.txt", MAP)]);
    let user = memory_user().to_str().expect("UTF-8").to_owned();
    let before = configuration();
    let programs: [&[&str]; 3] = [
        &[&user, "40", "3"],
        &["sh", "-c", "while :; do (sort -n map.txt | cat); done"],
        &[&user, "4000"],
    ];
    // Moments as a generator of Lehmer's has them, from before the start to well into the work.
    let mut moment = 20_261_122u64;
    for round in 0..12 {
        moment = moment * 48_271 % 2_147_483_647;
        let options = [
            "--colors",
            "banks=0-7",
            "--pool",
            if round % 2 == 0 { "16M" } else { "0" },
        ];
        let mut child = group.start(&options, programs[round % 3], directory.path());
        std::thread::sleep(Duration::from_micros(moment % 150_000));
        child.kill().expect("ours");
        child.wait().expect("it ends");
        // Children of a shell go on by themselves.
        group.kill();
        group.is_empty_again(&format!("round {round}, {} us", moment % 150_000));
    }
    assert_eq!(configuration(), before);
}

#[test]
fn a_bomb_of_short_children() {
    if cannot_color() {
        return;
    }
    let group = group!("bomb");
    let directory = directory_with(&[("map.txt", MAP)]);
    let before = configuration();
    let bomb = "for i in 1 2 3 4; do (for j in 1 2 3 4 5 6 7 8 9 10; do (x=$(seq 300); echo \"$x\" | sort > /dev/null) & /bin/true & done; wait) & done; wait";
    let mut child = group.start(&["--colors", "banks=0-3"], &["sh", "-c", bomb], directory.path());
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
    group.is_empty_again("a bomb of children");
    assert_eq!(configuration(), before);
}

#[test]
fn colors_that_run_out_and_memory_that_is_short() {
    if cannot_color() {
        return;
    }
    let group = group!("short");
    let directory = directory_with(&[("map.txt", MAP)]);
    let user = memory_user().to_str().expect("UTF-8").to_owned();
    let run = |options: &[&str], mebibytes: &str| {
        let mut child = group.start(options, &[&user, mebibytes], directory.path());
        drop(child.stdin.take());
        child.wait().expect("it ends")
    };
    // One frame in 512.
    let few = ["--llc", "6-16", "--colors", "banks=1,llc=1", "--search", "64M"];
    assert!(run(&few, "24").success());
    group.is_empty_again("colors that run out");
    // Searches take from what the group leaves, not from what the machine has.
    group.limit(96 << 20);
    assert!(run(&["--colors", "banks=0-3"], "40").success());
    group.is_empty_again("memory that is short");
    // More than the group may have: the kernel ends the program, and all of it is gone.
    assert!(!run(&["--colors", "banks=0-3"], "400").success());
    group.is_empty_again("memory that is not there");
}

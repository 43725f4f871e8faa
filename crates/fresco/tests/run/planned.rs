// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans: each task a program of its own.

use crate::common::{directory_with, fresco, fresco_with, json, refused, stdout};
use crate::run::limits::{no_class_is_left, resctrl};
use crate::run::{cannot_color, memory_user, program};
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Two tasks on cores 0 and 1 with colors of their own.
fn tasks(first: &str, second: &str) -> String {
    let task = |name: &str, core: u32, command: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\nperiod = \"8 ms\"\nwcet = \"2 ms\"\ncore = {core}\ncolor = {core}\nmemory = \"64 KiB\"\ncommand = {command}\n"
        )
    };
    format!(
        "name = \"two\"\nmachine = \"machine.toml\"\n[plan]\nmethod = \"aligned\"\ncores = 2\n{}{}",
        task("control", 0, first),
        task("vision", 1, second)
    )
}

/// A directory with the plan of such tasks, on the machine of the refresh chapters with a second core.
pub fn planned(first: &str, second: &str) -> TempDir {
    let machine = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/ss-rtmc.toml"));
    let machine = machine.map(|text| text.replace("cores = 1 ", "cores = 2 "));
    let directory = directory_with(&[
        ("machine.toml", &machine.expect("shipped")),
        ("tasks.toml", &tasks(first, second)),
    ]);
    stdout(&["plan", "tasks.toml", "--out", "plan.json"], directory.path());
    directory
}

pub fn user(mebibytes: u32) -> String {
    format!("[{:?}, \"{mebibytes}\"]", memory_user().to_str().expect("UTF-8"))
}

#[test]
fn a_plan_may_come_from_standard_input() {
    let directory = planned(&user(2), &user(3));
    let plan = std::fs::read(directory.path().join("plan.json")).expect("there");
    for verb in [&["run", "--dry-run", "--json"][..], &["verify", "--json"]] {
        let of = |file: &'static str| [verb, &[file]].concat();
        let by_name = fresco(&of("plan.json"), directory.path());
        let piped = fresco_with(&of("-"), directory.path(), &plan);
        let data = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).expect("JSON")["data"].take();
        assert_eq!(data(&piped.stdout), data(&by_name.stdout), "{verb:?}");
        assert_eq!(piped.status.code(), by_name.status.code(), "{verb:?}");
    }
    let told = refused(&["verify", "plan"], directory.path());
    assert!(told.contains("ending in .json, or - for standard input"), "{told}");
}

#[test]
fn each_task_runs_where_the_plan_has_it_and_verify_says_so() {
    if cannot_color() {
        return;
    }
    let directory = planned(&user(2), &user(3));
    let mut child = Command::new(program())
        .args(["run", "plan.json"])
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..2 {
        let mut line = String::new();
        output.read_line(&mut line).expect("UTF-8");
        assert_eq!(line, "ready\n");
    }
    let found = json(&["verify", "plan.json", "--json"], directory.path());
    let tasks = found["data"]["tasks"].as_array().expect("a list").clone();
    assert_eq!(tasks.len(), 2, "{tasks:?}");
    for (task, (name, mebibytes)) in tasks.iter().zip([("control", 2), ("vision", 3)]) {
        assert_eq!(task["task"], name);
        assert_eq!(task["cpus_applied"], task["cpus_asked"]);
        assert!(task["pages"].as_u64() >= Some(mebibytes * 256), "{task}");
        assert!(task["share"].as_f64() >= Some(0.999), "{task}");
        assert_eq!(task["holds"], true);
    }
    assert_ne!(tasks[0]["asked"], tasks[1]["asked"]);
    assert_ne!(tasks[0]["cpus_applied"], tasks[1]["cpus_applied"]);
    let mut watch = Command::new(program())
        .args(["verify", "plan.json", "--watch", "1"])
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut looks = BufReader::new(watch.stdout.take().expect("a pipe")).lines();
    let look = |line: std::io::Result<String>| line.expect("UTF-8").contains("Tasks of the plan");
    for _ in 0..2 {
        assert!(looks.by_ref().any(look), "it looks again and again");
    }
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
    // It would block on a full pipe.
    looks.for_each(drop);
    assert!(
        watch.wait().expect("it ends with the tasks").success(),
        "the last look counts"
    );
    // Nothing runs any more: that is no proof of anything.
    let after = fresco(&["verify", "plan.json"], directory.path());
    assert_eq!(after.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&after.stdout).contains("not running"));
}

/// Runs a plan of which a task has started a daemon, has `end` end it, and returns its status when nothing is left.
fn ended_with_a_daemon(end: impl FnOnce(&mut Child)) -> ExitStatus {
    // In a session of its own, and deaf to SIGTERM.
    let daemon = "trap '' TERM; echo $$ > daemon; while :; do sleep 0.1; done";
    let task = format!("[\"sh\", \"-c\", \"setsid sh -c \\\"$1\\\" & sleep 1000\", \"sh\", {daemon:?}]");
    let directory = planned(&task, "[\"sleep\", \"1000\"]");
    // Whoever runs the tests may ignore signals, and what it starts ignores them, too.
    let mut child = Command::new("env")
        .arg("--default-signal")
        .arg(program())
        .args(["run", "plan.json"])
        .current_dir(directory.path())
        .process_group(0)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let read = || std::fs::read_to_string(directory.path().join("daemon")).unwrap_or_default();
    let start = Instant::now();
    let wait = || {
        assert!(start.elapsed().as_secs() < 60, "the task has not started, or not ended");
        std::thread::sleep(Duration::from_millis(20));
    };
    while !read().ends_with('\n') {
        wait();
    }
    let daemon = format!("/proc/{}", read().trim());
    assert!(Path::new(&daemon).exists());
    end(&mut child);
    let status = loop {
        match child.try_wait().expect("ours") {
            Some(status) => break status,
            None => wait(),
        }
    };
    // Who told it may have been killed; what is left then has some seconds.
    while Path::new(&daemon).exists() {
        wait();
    }
    status
}

#[test]
fn told_to_end_a_plan_leaves_nothing_of_its_tasks_running() {
    if cannot_color() {
        return;
    }
    let status = ended_with_a_daemon(|child| {
        let told = Command::new("kill").arg(child.id().to_string()).status();
        assert!(told.expect("every system has it").success());
    });
    assert_eq!(status.code(), Some(128 + 15));
}

#[test]
fn a_signal_to_the_whole_group_leaves_nothing_of_its_tasks_running() {
    if cannot_color() {
        return;
    }
    // As a terminal has it with Ctrl-\: both processes get the signal at once.
    for (name, number) in [("QUIT", 3), ("USR1", 10)] {
        let status = ended_with_a_daemon(|child| {
            let group = format!("-{}", child.id());
            let told = Command::new("kill").args(["-s", name, "--", &group]).status();
            assert!(told.expect("every system has it").success());
        });
        assert_eq!(status.code(), Some(128 + number), "{name}");
    }
}

#[test]
fn killed_a_plan_leaves_nothing_of_its_tasks_running() {
    if cannot_color() {
        return;
    }
    let status = ended_with_a_daemon(|child| child.kill().expect("ours"));
    assert_eq!(status.signal(), Some(9));
    // The one of its two processes that has started the tasks.
    let status = ended_with_a_daemon(|child| {
        let children = format!("/proc/{0}/task/{0}/children", child.id());
        let own = std::fs::read_to_string(children).expect("it has one");
        let killed = Command::new("kill").args(["-9", own.trim()]).status();
        assert!(killed.expect("every system has it").success());
    });
    assert_eq!(status.code(), Some(128 + 9));
}

#[test]
fn the_tasks_of_a_core_share_its_budget_of_bandwidth() {
    if cannot_color() {
        return;
    }
    let directory = planned(&user(1), &user(1));
    let text = std::fs::read_to_string(directory.path().join("tasks.toml")).expect("readable");
    let budgets = "[bandwidth]\nreserve = [\"100 MB/s\", \"200 MB/s\"]\n";
    std::fs::write(directory.path().join("tasks.toml"), format!("{text}{budgets}")).expect("writable");
    stdout(&["plan", "tasks.toml", "--out", "plan.json"], directory.path());
    let tree = resctrl();
    let with_tree = |arguments: &[&str]| {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(directory.path());
        command
            .env("FRESCO_RESCTRL", tree.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command
    };
    let mut child = with_tree(&["run", "plan.json"]).spawn().expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..2 {
        output.read_line(&mut String::new()).expect("UTF-8");
    }
    let verified = with_tree(&["verify", "plan.json", "--json"])
        .output()
        .expect("it starts");
    assert!(verified.status.success(), "{verified:?}");
    let found: serde_json::Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    for (task, least) in found["data"]["tasks"]
        .as_array()
        .expect("a list")
        .iter()
        .zip([90_000_000, 190_000_000])
    {
        let [asked, applied] = ["limits_asked", "limits_applied"].map(|limits| task[limits]["bytes_per_s"].as_u64());
        assert!(
            asked >= Some(least) && applied <= asked && applied > Some(least),
            "{task}"
        );
    }
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
    no_class_is_left(tree.path());
    // Budgets are what execution times were counted with: without them nothing is started.
    let nothing = with_tree(&["run", "plan.json"])
        .env("FRESCO_RESCTRL", "/nowhere")
        .output()
        .expect("it starts");
    let told = but_for_the_size(&nothing.stderr);
    assert_eq!(nothing.status.code(), Some(125), "{told}");
    assert!(told.starts_with("fresco run: task control: --bandwidth: "), "{told}");
}

/// What a run of a plan says, but for the lines that tell of a machine that is larger than that of the plan, and of the schedule.
pub fn but_for_the_size(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text
        .lines()
        .filter(|line| !line.contains("lie outside the map ss-rtmc") && !line.starts_with("fresco run: schedule: "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_status_is_that_of_the_first_task_that_failed() {
    if cannot_color() {
        return;
    }
    for (first, second, code, told) in [
        (r#"["true"]"#, r#"["true"]"#, 0, ""),
        (
            r#"["true"]"#,
            r#"["sh", "-c", "exit 7"]"#,
            7,
            "task vision: exit status: 7",
        ),
        (
            r#"["sh", "-c", "kill -9 $$"]"#,
            r#"["sh", "-c", "exit 7"]"#,
            137,
            "task control: signal: 9",
        ),
        (
            r#"["true"]"#,
            r#"["no-such-program"]"#,
            127,
            "task vision: no-such-program: no such program",
        ),
    ] {
        let directory = planned(first, second);
        let done = fresco(&["run", "plan.json"], directory.path());
        let complaint = but_for_the_size(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{complaint}");
        assert!(
            complaint.contains(told) && (told.is_empty() == complaint.is_empty()),
            "{complaint}"
        );
    }
}

#[test]
fn tasks_end_with_whoever_runs_the_plan() {
    if cannot_color() {
        return;
    }
    let directory = planned(r#"["sleep", "1000"]"#, r#"["sleep", "1000"]"#);
    let mut child = Command::new(program())
        .args(["run", "plan.json"])
        .current_dir(directory.path())
        .spawn()
        .expect("it starts");
    let alive = || {
        let report = fresco(&["verify", "plan.json", "--json", "--least", "0"], directory.path());
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
        let tasks = report["data"]["tasks"].as_array().expect("a list").clone();
        tasks.iter().filter(|task| !task["pid"].is_null()).count()
    };
    let until = |wanted: usize| {
        let start = std::time::Instant::now();
        while alive() != wanted {
            assert!(start.elapsed().as_secs() < 20, "{} live", alive());
        }
    };
    until(2);
    child.kill().expect("ours");
    child.wait().expect("it ends");
    until(0);
}

/// What a dry run prints, and its status.
fn shown(directory: &Path) -> (String, Option<i32>) {
    let done = fresco(&["run", "--dry-run", "plan.json"], directory);
    (String::from_utf8(done.stdout).expect("UTF-8"), done.status.code())
}

#[test]
fn a_dry_run_tells_of_a_program_that_does_not_exist() {
    let directory = planned(r#"["touch", "here"]"#, r#"["/nonexistent/program"]"#);
    let (shown, status) = shown(directory.path());
    assert!(shown.contains("/nonexistent/program:"), "{shown}");
    // As of running it: the first task that cannot be had decides.
    let able = crate::run::reason().is_none();
    assert_eq!(status, Some(if able { 127 } else { 125 }), "{shown}");
    let ran = fresco(&["run", "plan.json"], directory.path());
    assert_eq!(ran.status.code(), status);
    assert!(!directory.path().join("here").exists());
}

#[test]
fn what_a_plan_lacks_is_told_before_anything_starts() {
    let directory = planned(r#"["touch", "here"]"#, r#"["touch", "here"]"#);
    let (shown, status) = shown(directory.path());
    let able = crate::run::reason().is_none();
    assert_eq!(status, Some(if able { 0 } else { 125 }), "{shown}");
    for part in ["control", "touch here", "not applied", "refresh windows"] {
        assert!(shown.contains(part), "{part}:\n{shown}");
    }
    let complaint = refused(&["run", "--pool", "1M", "plan.json"], directory.path());
    assert!(
        complaint.starts_with("fresco: --pool: found it with a plan"),
        "{complaint}"
    );
    let complaint = refused(&["run", "--cpus", "0", "plan.json"], directory.path());
    assert!(
        complaint.starts_with("fresco: --cpus: found 1 processor\n"),
        "{complaint}"
    );
    let complaint = refused(&["run", "plan.json", "--dry-run"], directory.path());
    assert!(complaint.contains("found 1 word after the plan"), "{complaint}");
    let text = std::fs::read_to_string(directory.path().join("tasks.toml")).expect("readable");
    let without = text.replace("command = [\"touch\", \"here\"]\n", "");
    std::fs::write(directory.path().join("tasks.toml"), without).expect("writable");
    stdout(&["plan", "tasks.toml", "--out", "plan.json"], directory.path());
    let complaint = refused(&["run", "plan.json"], directory.path());
    assert!(
        complaint.contains("data.tasks[0].command") && complaint.contains("control"),
        "{complaint}"
    );
    assert!(!directory.path().join("here").exists());
}

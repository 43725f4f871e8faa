// SPDX-License-Identifier: MIT OR Apache-2.0
//! Schedules of plans: what is shown, what is refused, and what happens to who executes a table. The kernel's own sched_ext is tried in QEMU:
//! `scripts/kernel-test schedulers`.

use crate::common::{directory_with, fresco, refused_with, stdout};
use crate::run::planned::{but_for_the_size, planned, user};
use crate::run::{cannot_color, program};
use fresco_testing::{Need, skip};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Stands for fresco-scheduler: keeps the table that it is given, tells the folder that stands for the kernel's, and ends as `HOW` says.
const STAND_IN: &str = r#"#!/bin/sh
cat "$2" > table.toml
echo "$@" > arguments
[ "$HOW" != refuses ] || { echo "fresco-scheduler: this kernel: the verifier refuses it" >&2; exit 3; }
[ "$HOW" != hangs ] || { trap '' TERM INT; echo $$ > hangs; while :; do sleep 0.02; done; }
mkdir -p "$FRESCO_SCHED_EXT/root"
echo fresco_table > "$FRESCO_SCHED_EXT/root/ops"
echo enabled > "$FRESCO_SCHED_EXT/state"
trap 'echo disabled > "$FRESCO_SCHED_EXT/state"; exit 0' TERM
echo "fresco-scheduler: fresco_table runs 2 slots on 2 CPUs in frames of 8000000 ns" >&2
[ "$HOW" != dies ] || { sleep 0.3; echo disabled > "$FRESCO_SCHED_EXT/state"; echo "fresco-scheduler: fresco_table: the kernel has ended it" >&2; exit 1; }
while :; do sleep 0.02; done
"#;

/// A plan of two tasks with slots, a kernel with sched_ext made of plain files, and a program that stands for the scheduler.
struct Machine(TempDir);

impl Machine {
    fn new(first: &str, second: &str) -> Self {
        let directory = planned(first, second);
        let here = directory.path();
        for folder in ["kernel/sched_ext", "kernel/btf", "cgroups"] {
            std::fs::create_dir_all(here.join(folder)).expect("writable");
        }
        std::fs::write(here.join("kernel/sched_ext/state"), "disabled\n").expect("writable");
        std::fs::write(here.join("kernel/btf/vmlinux"), "types").expect("writable");
        let script = here.join("stand-in");
        std::fs::write(&script, STAND_IN).expect("writable");
        std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("ours");
        Self(directory)
    }

    fn path(&self, file: &str) -> std::path::PathBuf {
        self.0.path().join(file)
    }

    fn command(&self, arguments: &[&str], how: &str) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.0.path());
        command
            .env("FRESCO_SCHED_EXT", self.path("kernel/sched_ext"))
            .env("FRESCO_SCHEDULER", self.path("stand-in"))
            .env("FRESCO_CGROUP", self.path("cgroups"))
            .env("HOW", how)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn output(&self, arguments: &[&str], how: &str) -> Output {
        self.command(arguments, how).output().expect("it starts")
    }

    fn shown(&self, arguments: &[&str]) -> Value {
        let done = self.output(
            &[&["run", "--dry-run", "--json"], arguments, &["plan.json"]].concat(),
            "",
        );
        let mut shown: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        crate::json_reference::check(&shown, &["fresco-run/1"]);
        shown["data"]["schedule"].take()
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap_or_default()
    }

    /// The kernel's own scheduler is back, and no cgroup is left.
    fn is_as_before(&self) {
        let start = Instant::now();
        let left = || std::fs::read_dir(self.path("cgroups")).expect("readable").count();
        while left() > 0 {
            assert!(start.elapsed().as_secs() < 10, "{} cgroups are left", left());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn starts(machine: &Machine, how: &str) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = machine.command(&["run", "plan.json"], how).spawn().expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"))
        .lines()
        .map(|line| line.expect("UTF-8"));
    assert_eq!(
        [output.next(), output.next()],
        ["ready", "ready"].map(|line| Some(line.to_owned()))
    );
    (child, output)
}

#[test]
fn slots_are_shown() {
    let machine = Machine::new(&user(1), &user(1));
    let shown = machine.shown(&[]);
    let plan: Value = serde_json::from_str(&machine.read("plan.json")).expect("JSON");
    let schedule = &plan["data"]["schedule"];
    assert_eq!(schedule["kind"], "slots");
    let (period, handler) = (
        schedule["period_ns"].as_u64().expect("a time"),
        schedule["handler_ns"].as_u64().expect("a time"),
    );
    let border = |core: usize| schedule["cores"][core]["border_ns"].as_u64().expect("a time");
    let slot = |cpu: u64, start_ns: u64, end: u64, task: &str| serde_json::json!({"cpu": cpu, "start_ns": start_ns, "length_ns": end - start_ns, "task": task, "ends": false, "shut": []});
    let wanted = [
        slot(0, handler, border(0), "control"),
        slot(1, border(1) + handler, period, "vision"),
    ];
    assert_eq!(shown["executor"], "table", "{shown}");
    assert_eq!(shown["frame_ns"].as_u64(), Some(period));
    assert_eq!(shown["slots"].as_array().expect("a list")[..], wanted);
    let first = &shown["parameters"][0];
    assert_eq!(
        (
            &first["task"],
            &first["slots"],
            &first["rank"],
            &first["deadline_ns"],
            &first["priority"]
        ),
        (
            &"control".into(),
            &"control".into(),
            &0.into(),
            &8_000_000.into(),
            &Value::Null
        )
    );
    assert_eq!(machine.shown(&["--schedule", "none"])["executor"], "none");
}

#[test]
fn a_machine_that_cannot_is_told() {
    let machine = Machine::new(&user(1), &user(1));
    let told = |name: &str, value: &str, words: &str| {
        let run = |arguments: &[&str]| {
            machine
                .command(arguments, "")
                .env(name, value)
                .output()
                .expect("it starts")
        };
        let asked = run(&["run", "--schedule", "table", "--dry-run", "--json", "plan.json"]);
        let view = serde_json::from_slice::<Value>(&asked.stdout).expect("JSON")["data"]["schedule"].take();
        assert_eq!(asked.status.code(), Some(125), "{view}");
        assert!(view["reason"].as_str().expect("a reason").contains(words), "{view}");
        let auto = run(&["run", "--dry-run", "--json", "plan.json"]);
        let view = serde_json::from_slice::<Value>(&auto.stdout).expect("JSON")["data"]["schedule"].take();
        assert_eq!(view["executor"], "none");
        assert!(view["reason"].as_str().expect("a reason").contains(words), "{view}");
    };
    told(
        "FRESCO_SCHED_EXT",
        "/nowhere",
        "/nowhere: this kernel has no sched_ext; allowed: Linux 6.12",
    );
    told(
        "FRESCO_SCHEDULER",
        "/nowhere",
        "FRESCO_SCHEDULER: found /nowhere, No such file or directory (os error 2); allowed: fresco-scheduler, the program of kernel/schedulers;",
    );
    std::fs::write(machine.path("kernel/sched_ext/state"), "enabled\n").expect("writable");
    told("HOW", "", "another scheduler is loaded");
    std::fs::write(machine.path("kernel/sched_ext/state"), "disabled\n").expect("writable");
    std::fs::remove_file(machine.path("kernel/btf/vmlinux")).expect("there");
    told("HOW", "", "this kernel does not describe its types");
}

#[test]
fn a_schedule_that_nothing_executes_is_refused_and_its_tasks_run_without_it() {
    let tasks = "machine = \"ss-rtmc\"\n[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\nmemory = \"64 KiB\"\ncore = 0\ncommand = [\"true\"]\n";
    let directory = directory_with(&[("tasks.toml", tasks)]);
    let plan = |settings: &str| {
        let mut words = vec!["plan", "tasks.toml", "--out", "plan.json"];
        settings.split(' ').for_each(|set| words.extend(["--set", set]));
        stdout(&words, directory.path());
    };
    for (settings, schedule, found) in [
        (
            "plan.method=flat",
            "deadline",
            "the first ready task whose color is not locked",
        ),
        ("plan.method=crs", "fifo", "servers"),
        ("plan.method=colored-refresh", "deadline", "a table"),
        (
            "plan.method=auto-refresh",
            "table",
            "the first ready task by the policy, by deadlines",
        ),
        (
            "plan.method=auto-refresh plan.policy=rm",
            "deadline",
            "the first ready task by the policy, by fixed priorities",
        ),
    ] {
        plan(settings);
        let told = refused_with(2, &["run", "--schedule", schedule, "plan.json"], directory.path());
        let wanted = format!("plan.json: --schedule {schedule}: found a schedule that is {found}");
        assert!(
            told.contains(&wanted) && told.contains("allowed: a table, slots, servers or lock windows with table"),
            "{told}"
        );
    }
    let two = format!(
        "{tasks}{}",
        &tasks[tasks.find("[[task]]").expect("a task")..].replace("\"a\"", "\"b\"")
    );
    std::fs::write(directory.path().join("tasks.toml"), two).expect("writable");
    plan("plan.method=crs");
    let told = refused_with(2, &["run", "--records", "r.jsonl", "plan.json"], directory.path());
    assert!(told.contains("--records: found it without a table"), "{told}");
    assert!(!directory.path().join("r.jsonl").exists());
    if cannot_color() {
        return;
    }
    let done = fresco(&["run", "plan.json"], directory.path());
    let told = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{told}");
    assert!(
        told.contains(
            "fresco run: schedule: none: plan.json: --schedule table: found 42560 ns of 64000000 without a window"
        ),
        "{told}"
    );
}

/// Each in one line with the way out, whatever is asked to execute it; the tasks run without it where nothing is asked.
#[test]
fn what_no_scheduler_executes_is_refused_by_name() {
    let task = |name: &str, more: &str| {
        format!("[[task]]\nname = \"{name}\"\nmemory = \"64 KiB\"\ncommand = [\"true\"]\n{more}")
    };
    let two = |machine: &str, more: &str| {
        let tasks = task("a", &format!("period = \"8 ms\"\nwcet = \"1 ms\"\n{more}"));
        let tasks = format!("{tasks}{}", task("b", "period = \"16 ms\"\nwcet = \"1 ms\"\n"));
        format!("machine = \"{machine}\"\n{tasks}")
    };
    let copies = format!(
        "machine = \"ss-rtmc\"\nmemory = {{ density = 16, density_scales_refresh_only = true }}\n{}{}",
        task("a", "period = \"4 ms\"\nwcet = \"500 us\"\n"),
        task("b", "period = \"32 ms\"\nwcet = \"8 ms\"\n")
    );
    let long = "--set plan.lock='170 us' --set plan.unlock='170 us'";
    let all = ["table", "deadline", "fifo"];
    let cases: [(String, String, &[&str], [&str; 3]); 6] = [
        (
            copies,
            "--set plan.method=crs --set plan.lock='5 us' --set plan.unlock='2 us'".to_owned(),
            &["table"],
            [
                "task a, which has an instance in each of 2 colors",
                "tasks with one instance: a program has its memory in one color",
                "--set plan.instances=1 makes no copies, if there is a plan without; or use --schedule none",
            ],
        ),
        (
            two("gem5-2core", ""),
            "--set plan.method=auto-refresh --set plan.migration=global".to_owned(),
            &all,
            [
                "task a, whose jobs run on any core",
                "tasks that are bound to cores",
                "plan.migration = \"none\"",
            ],
        ),
        (
            two("gem5-2core", ""),
            "--set plan.method=burst --set plan.migration=global --set plan.policy=rm".to_owned(),
            &all,
            [
                "task a, whose jobs run on any core",
                "tasks that are bound to cores",
                "plan.migration = \"none\"",
            ],
        ),
        (
            two("ss-rtmc", "arrival_jitter = \"1 ms\"\n"),
            format!("--set plan.method=crs {long}"),
            &["table"],
            [
                "task a, whose jobs arrive up to 1000000 ns late",
                "arrivals at multiples of the period",
                "leave out arrival_jitter, or use --schedule none",
            ],
        ),
        (
            two("ss-rtmc", "criticality = \"high\"\nwcet_high = \"2 ms\"\n"),
            "--set plan.method=aligned".to_owned(),
            &all,
            [
                "a plan with tasks of two criticality levels",
                "one level: no scheduler of Linux drops tasks",
                "--schedule none starts the tasks without it; or leave out criticality and wcet_high",
            ],
        ),
        (
            format!("machine = \"gem5-2core\"\n{}{}", task("a", ""), task("b", "")),
            "--set plan.method=codesign".to_owned(),
            &all,
            [
                "a schedule that is fair shares of time slices",
                "`fresco-scheduler refresh` of kernel/schedulers gives them to all",
                "--schedule none starts the tasks without it",
            ],
        ),
    ];
    for (text, settings, executors, [found, allowed, help]) in cases {
        let directory = directory_with(&[("tasks.toml", &text)]);
        let mut words = vec!["plan".to_owned(), "tasks.toml".to_owned()];
        for set in settings.split("--set ").filter(|set| !set.is_empty()) {
            words.extend(["--set".to_owned(), set.trim().replace('\'', "")]);
        }
        words.extend(["--out", "plan.json"].map(str::to_owned));
        stdout(&words.iter().map(String::as_str).collect::<Vec<_>>(), directory.path());
        for executor in executors {
            let told = refused_with(2, &["run", "--schedule", executor, "plan.json"], directory.path());
            let place = format!("plan.json: --schedule {executor}: found {found}");
            assert!(
                told.contains(&place) && told.contains(allowed) && told.contains(help) && told.lines().count() == 3,
                "{told}"
            );
        }
        let shown = fresco(&["run", "--dry-run", "--json", "plan.json"], directory.path());
        let view = serde_json::from_slice::<Value>(&shown.stdout).expect("JSON")["data"]["schedule"].take();
        let reason = view["reason"].as_str().unwrap_or_default();
        assert!(view["executor"] == "none", "{view}");
        assert!(
            reason.contains(found) && reason.contains(help) && !reason.contains('\n'),
            "{view}"
        );
    }
}

#[test]
fn priorities_and_deadlines_are_those_of_the_kernel() {
    let row = |name: &str, period: u32| {
        format!(
            "[[task]]\nname = \"{name}\"\nperiod = \"{period} ms\"\nwcet = \"1 ms\"\nmemory = \"64 KiB\"\ncore = 0\ncommand = {}\n",
            user(1)
        )
    };
    let head = "machine = \"ss-rtmc\"\nplan.method = \"auto-refresh\"\n";
    let directory = directory_with(&[("tasks.toml", &format!("{head}{}{}", row("slow", 40), row("quick", 8)))]);
    let here = directory.path();
    stdout(
        &["plan", "tasks.toml", "--set", "plan.policy=rm", "--out", "plan.json"],
        here,
    );
    let verify = |of: &str| {
        let done = fresco(&["verify", "--json", "plan.json"], here);
        let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let tasks = report["data"]["tasks"].as_array().expect("a list").clone();
        let found: Vec<Value> = tasks.iter().map(|task| task[of].clone()).collect();
        (done.status.code(), found)
    };
    if cannot_color() || may_not_have_priorities() {
        return;
    }
    let mut child = Command::new(program())
        .args(["run", "--schedule", "fifo", "plan.json"])
        .current_dir(here)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..2 {
        output.read_line(&mut String::new()).expect("UTF-8");
    }
    let wanted = ["SCHED_FIFO, priority 1", "SCHED_FIFO, priority 2"]
        .map(Value::from)
        .to_vec();
    assert_eq!(verify("schedule_asked"), (Some(0), wanted.clone()));
    let (_, applied) = verify("schedule_applied");
    assert_eq!(applied, wanted);
    // Whoever changes it is found out.
    let (_, pids) = verify("pid");
    let done = Command::new("chrt")
        .args(["-f", "-p", "7", &pids[0].to_string()])
        .status()
        .expect("of util-linux");
    assert!(done.success());
    assert_eq!(verify("holds"), (Some(1), vec![false.into(), true.into()]));
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());

    stdout(&["plan", "tasks.toml", "--out", "plan.json"], here);
    let done = fresco(
        &["run", "--schedule", "deadline", "--dry-run", "--json", "plan.json"],
        here,
    );
    let shown = serde_json::from_slice::<Value>(&done.stdout).expect("JSON")["data"]["schedule"].take();
    let row = |task: &str, period_ns: u64| serde_json::json!({"task": task, "slots": null, "rank": null, "priority": null, "runtime_ns": 1_000_000, "deadline_ns": period_ns, "period_ns": period_ns, "phase_ns": null});
    assert_eq!(
        shown["parameters"],
        Value::from(vec![row("slow", 40_000_000), row("quick", 8_000_000)])
    );
    // A processor that is no root domain by itself: the kernel keeps no deadline there.
    if std::thread::available_parallelism().expect("known").get() > 1 {
        assert_eq!(done.status.code(), Some(125), "{shown}");
        let reason = shown["reason"].as_str().expect("a reason");
        assert!(
            reason.starts_with("SCHED_DEADLINE: the processor shares a root domain"),
            "{shown}"
        );
    }
}

/// Returns true if this machine gives no priorities: the test is skipped.
fn may_not_have_priorities() -> bool {
    let tried = Command::new("chrt")
        .args(["-f", "1", "true"])
        .stderr(Stdio::null())
        .status();
    let may = tried.is_ok_and(|status| status.success());
    (!may)
        .then(|| skip(Need::Root, "no SCHED_FIFO here".to_owned()))
        .is_some()
}

#[test]
fn tasks_are_in_cgroups_that_the_table_names() {
    if cannot_color() {
        return;
    }
    let machine = Machine::new(&user(1), &user(1));
    let (mut child, output) = starts(&machine, "");
    let table = machine.read("table.toml");
    assert_eq!(machine.read("arguments"), "table /proc/self/fd/0\n");
    let verified = machine.output(&["verify", "--json", "plan.json"], "");
    let report: Value = serde_json::from_slice(&verified.stdout).expect("JSON");
    crate::json_reference::check(&report, &["fresco-run/1"]);
    let tasks = report["data"]["tasks"].as_array().expect("a list").clone();
    assert_eq!(tasks.len(), 2);
    for (number, (task, name)) in tasks.iter().zip(["control", "vision"]).enumerate() {
        let group = format!("/fresco-slots-{}-{number}", child.id());
        assert!(
            table.contains(&format!(
                "{{ name = \"{name}\", cgroup = \"{group}\", slots = \"{name}\", rank = 0"
            )),
            "{table}"
        );
        let processes = machine.read(&format!("cgroups{group}/cgroup.procs"));
        assert_eq!(processes.trim(), task["pid"].to_string(), "the task entered it");
        assert_eq!(task["schedule_applied"], format!("slots of a table, as cgroup {group}"));
        assert_eq!(task["holds"], true, "{task}");
    }
    // Another scheduler, or none: that is told.
    std::fs::write(machine.path("kernel/sched_ext/root/ops"), "rusty\n").expect("writable");
    let verified = machine.output(&["verify", "--json", "plan.json"], "");
    assert_eq!(verified.status.code(), Some(1));
    let report = String::from_utf8_lossy(&verified.stdout);
    assert!(report.contains("by the scheduler rusty"), "{report}");
    drop(child.stdin.take());
    output.for_each(drop);
    let done = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
    assert!(
        told.contains("fresco run: schedule: table: 2 slots in frames of "),
        "{told}"
    );
    assert_eq!(but_for_the_size(&done.stderr), "");
    assert_eq!(machine.read("kernel/sched_ext/state"), "disabled\n");
    machine.is_as_before();
}

#[test]
fn tasks_go_on_when_the_scheduler_ends() {
    if cannot_color() {
        return;
    }
    let machine = Machine::new(&user(1), &user(1));
    let (mut child, output) = starts(&machine, "dies");
    let mut told = BufReader::new(child.stderr.take().expect("a pipe"))
        .lines()
        .map(|line| line.expect("UTF-8"));
    let wanted = "fresco run: the scheduler has ended before the tasks: fresco-scheduler: fresco_table: the kernel has ended it; \
        Linux's own schedules them from here on";
    assert!(told.any(|line| line == wanted));
    assert_eq!(machine.output(&["verify", "plan.json"], "").status.code(), Some(1));
    drop(child.stdin.take());
    output.for_each(drop);
    told.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    machine.is_as_before();
}

#[test]
fn a_scheduler_that_is_refused_starts_no_task() {
    if cannot_color() {
        return;
    }
    let machine = Machine::new("[\"touch\", \"started\"]", "[\"true\"]");
    let done = machine.output(&["run", "plan.json"], "refuses");
    let told = but_for_the_size(&done.stderr);
    assert_eq!(
        (done.status.code(), &*told),
        (
            Some(125),
            "fresco run: fresco-scheduler: this kernel: the verifier refuses it\n"
        )
    );
    assert!(!machine.path("started").exists());
    machine.is_as_before();
}

#[test]
fn told_to_end_nothing_is_left() {
    if cannot_color() {
        return;
    }
    // The first of the two processes, which the second one outlives for a moment, is told, or killed.
    for (signal, status) in [("TERM", Some(128 + 15)), ("KILL", None)] {
        let machine = Machine::new(&user(1), &user(1));
        let (mut child, output) = starts(&machine, "");
        let told = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(told.expect("every system has it").success());
        assert_eq!(child.wait().expect("it ends").code(), status);
        output.for_each(drop);
        machine.is_as_before();
        assert_eq!(machine.read("kernel/sched_ext/state"), "disabled\n");
    }
}

#[test]
fn told_to_end_while_the_scheduler_starts_nothing_is_left() {
    if cannot_color() {
        return;
    }
    for (signal, status) in [("TERM", Some(128 + 15)), ("INT", Some(128 + 2)), ("KILL", None)] {
        let machine = Machine::new("[\"touch\", \"started\"]", "[\"true\"]");
        let mut child = machine
            .command(&["run", "plan.json"], "hangs")
            .spawn()
            .expect("it starts");
        let begun = Instant::now();
        let scheduler = loop {
            match std::fs::read_to_string(machine.path("hangs")) {
                Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
                _ => assert!(begun.elapsed() < Duration::from_secs(20), "it starts its scheduler"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let told = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(told.expect("every system has it").success());
        assert_eq!(child.wait().expect("it ends").code(), status);
        let begun = Instant::now();
        while std::path::Path::new(&format!("/proc/{scheduler}")).exists() {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "{signal}: its scheduler ends"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!machine.path("started").exists());
        machine.is_as_before();
    }
}

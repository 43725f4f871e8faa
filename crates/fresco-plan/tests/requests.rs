// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every wrong file of tasks is refused with file, line, field, what is allowed, and a help.

use fresco_input::InputError;
use fresco_plan::TaskSet;
use std::path::Path;

/// A good file, to which wrong lines are added.
const TASKS: &str = r#"
[[task]]
name = "a"
period = "8 ms"
wcet = "1 ms"

[[task]]
name = "b"
period = "32 ms"
wcet = "2 ms"
"#;

fn read(text: &str) -> Result<TaskSet, InputError> {
    TaskSet::parse("t.toml", text, Path::new("nowhere"), &[])
}

/// The error of a text: it has to stand in the line of `wrong`, about `field`, and name what is found.
#[track_caller]
fn refused_in(text: &str, wrong: &str, field: &str, found: &str) {
    let error = read(text).err().unwrap_or_else(|| panic!("accepted:\n{text}"));
    let line = 1 + text[..text.find(wrong).expect("is there")].matches('\n').count();
    assert_eq!(
        (error.file.as_str(), error.line),
        ("t.toml", Some(line as u32)),
        "{error}"
    );
    assert_eq!(error.field, field, "{error}");
    assert!(error.found.contains(found), "{error}");
    assert!(!error.allowed.is_empty() && !error.help.is_empty(), "{error}");
}

/// A wrong line before the tasks.
#[track_caller]
fn refused(line: &str, field: &str, found: &str) {
    refused_in(&format!("name = \"t\"\n{line}\n{TASKS}"), line, field, found);
}

/// A wrong line in the last task.
#[track_caller]
fn refused_of_b(line: &str, field: &str, found: &str) {
    refused_in(&format!("{TASKS}{line}\n"), line, field, found);
}

/// A line of the good file that is replaced by a wrong one.
#[track_caller]
fn refused_edit(from: &str, to: &str, field: &str, found: &str) {
    assert_eq!(TASKS.matches(from).count(), 1, "{from}");
    refused_in(&TASKS.replace(from, to), to, field, found);
}

#[test]
fn the_good_file_is_good() {
    let set = read(TASKS).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (set.name.as_str(), set.tasks.len(), set.machine.name.as_str()),
        ("tasks", 2, "ss-rtmc")
    );
    assert_eq!(set.options.periods, (100_000, 64_000_000));
}

#[test]
fn wrong_values_of_plan() {
    refused("plan.method = \"best\"", "plan.method", "best");
    refused("plan.method = 3", "plan.method", "the integer 3");
    refused("plan.policy = \"fifo\"", "plan.policy", "fifo");
    refused("plan.cores = 0", "plan.cores", "the integer 0");
    refused("plan.cores = 2", "plan.cores", "the integer 2");
    refused("plan.burst = \"long\"", "plan.burst", "long");
    for key in ["lock", "unlock", "handler"] {
        refused(&format!("plan.{key} = \"-1 us\""), &format!("plan.{key}"), "-1 us");
        refused(&format!("plan.{key} = \"2 ms\""), &format!("plan.{key}"), "2 ms");
        refused(&format!("plan.{key} = \"500 ps\""), &format!("plan.{key}"), "500 ps");
        refused(&format!("plan.{key} = 5"), &format!("plan.{key}"), "the integer 5");
    }
    for key in ["shortest_period", "longest_period"] {
        refused(&format!("plan.{key} = \"0 ns\""), &format!("plan.{key}"), "0 ns");
        refused(&format!("plan.{key} = \"2 s\""), &format!("plan.{key}"), "2 s");
    }
    refused("plan.longest_period = \"50 us\"", "plan.longest_period", "50 us");
    refused("plan.instances = 0", "plan.instances", "the integer 0");
    refused("plan.instances = 9", "plan.instances", "the integer 9");
    refused("plan.copy_mb_per_s = 0", "plan.copy_mb_per_s", "the integer 0");
    refused("plan.copy_mb_per_s = 1000000", "plan.copy_mb_per_s", "1000000 MB/s");
    // What only a run heeds.
    refused("policy.frames = \"pallloc\"", "policy.frames", "pallloc");
    refused("policy.franes = \"palloc\"", "policy.franes", "unknown");
    refused("policy.boot = \"agde\"", "policy.boot", "agde");
    refused("seed = \"x\"", "seed", "\"x\"");
    refused("repetitions = -5", "repetitions", "the integer -5");
    refused("check = 7", "check", "the integer 7");
    refused("warm_up.foo = 1", "warm_up.foo", "unknown key");
    refused("measure.time = \"1 xs\"", "measure.time", "1 xs");
    refused("plan.within_postponing = 1", "plan.within_postponing", "the integer 1");
    refused("plan.high_retention = \"0 ms\"", "plan.high_retention", "found 0 ns");
    refused("plan.high_retention = \"24 ms\"", "plan.high_retention", "found 24 ms");
    refused("plan.refresh_jitter = \"2 ms\"", "plan.refresh_jitter", "2 ms");
    refused("plan.whole_frames = \"yes\"", "plan.whole_frames", "yes");
    refused("plan.attempts = 0", "plan.attempts", "the integer 0");
    refused("plan.candidates = 1025", "plan.candidates", "the integer 1025");
    refused("plan.speed = 3", "plan.speed", "unknown key");
    refused("plan = 3", "plan", "the integer 3");
}

#[test]
fn wrong_colors() {
    let halves = [
        "[\"0-3\"]",
        "[\"0-3\", \"4-6\"]",
        "[\"0-4\", \"4-7\"]",
        "[\"0-3\", \"4-8\"]",
        "[\"0-7\", \"\"]",
        "[]",
    ];
    for colors in halves {
        refused(&format!("plan.colors = {colors}"), "plan.colors", "found");
    }
    refused("plan.colors = \"0-3\"", "plan.colors", "0-3");
}

#[test]
fn wrong_machines() {
    refused("machine = \"nope\"", "machine", "no built-in machine");
    refused("machine = 4", "machine", "the integer 4");
    refused("memory.density = 0", "memory.density", "the integer 0");
    refused("memory.density = 128", "memory.density", "the integer 128");
    refused("memory.densty = 8", "memory.densty", "unknown key");
    refused(
        "memory.organisation.ranks = 3",
        "memory.organisation.ranks",
        "the integer 3",
    );
    refused("memory = 8", "memory", "the integer 8");
}

#[test]
fn wrong_servers() {
    let with = |lines: &str| format!("{lines}{TASKS}");
    let server = |period: &str, budget: &str| format!("[[server]]\nperiod = \"{period}\"\nbudget = \"{budget}\"\n");
    let good = server("4 ms", "1 ms");
    refused_in(&with(&good), "[[server]]", "server", "1 servers");
    refused_in(&with(&good.repeat(3)), "[[server]]", "server", "3 servers");
    let wrong = |line: &str, field: &str, found: &str, text: &str| {
        refused_in(&with(&(good.clone() + text)), line, field, found)
    };
    wrong(
        "budget = \"5 ms\"",
        "server.1.budget",
        "5000000 ns",
        &server("4 ms", "5 ms"),
    );
    wrong("budget = \"0 ns\"", "server.1.budget", "0 ns", &server("4 ms", "0 ns"));
    wrong("period = \"0 ns\"", "server.1.period", "0 ns", &server("0 ns", "1 ms"));
    wrong("period = \"2 s\"", "server.1.period", "2 s", &server("2 s", "1 ms"));
    wrong(
        "color = 1",
        "server.1.color",
        "unknown key",
        &(server("8 ms", "1 ms") + "color = 1\n"),
    );
    refused("server = 3", "server", "the integer 3");
}

/// One wrong line of `[bandwidth]`.
#[track_caller]
fn refused_budget(line: &str, field: &str, found: &str) {
    refused_in(
        &format!("name = \"t\"\n[bandwidth]\n{line}\n{TASKS}"),
        line,
        field,
        found,
    );
}

#[test]
fn budgets_of_bandwidth() {
    let budgets = |lines: &str| {
        let text = format!("machine = \"gem5-2core\"\n[bandwidth]\n{lines}\n{TASKS}");
        let set = read(&text).unwrap_or_else(|error| panic!("{error}"));
        set.bandwidth.expect("there are budgets")
    };
    // 64 MB/s in 1 ms: 1000 lines of 64 bytes.
    let two = budgets("reserve = [\"64 MB/s\", \"128 MB/s\"]");
    assert_eq!(
        (two.period_ns, two.line_bytes, two.lines.as_slice()),
        (1_000_000, 64, &[1000, 2000][..])
    );
    assert_eq!(
        (two.bytes_per_s(1), two.interrupt_cycles, two.count_write_backs),
        (128_000_000, 2000, false)
    );
    assert_eq!(budgets("reserve = \"64 MB/s\"\nperiod = \"100 us\"").lines, [100, 100]);
    // Nothing said: each its part of r_min.
    let equal = budgets("count_write_backs = true");
    let machine = fresco_machine::builtin("gem5-2core").expect("built in");
    let r_min = fresco_machine::Guaranteed::of(&machine, true).bytes_per_s();
    assert_eq!(equal.lines[0], equal.lines[1]);
    assert!(
        (0.99..=1.0).contains(&((equal.bytes_per_s(0) * 2) as f64 / r_min as f64)),
        "{equal:?} of {r_min}"
    );

    refused_budget(
        "reserve = \"2 GB/s\"",
        "bandwidth.reserve",
        "found reservations of 2 GB/s on controller 0",
    );
    refused_budget("reserve = \"1 kB/s\"", "bandwidth.reserve", "less than a line");
    refused_budget(
        "reserve = [\"1 MB/s\", \"1 MB/s\"]",
        "bandwidth.reserve",
        "found 2 reservations",
    );
    refused_budget("reserve = 5", "bandwidth.reserve", "the integer 5");
    refused_budget("period = \"5 us\"", "bandwidth.period", "5 us");
    refused_budget("period = \"10.0005 us\"", "bandwidth.period", "10.0005 us");
    refused_budget("interrupt = -1", "bandwidth.interrupt", "-1");
    // Two interrupts that fill more than a period: nothing else would ever run.
    refused_budget("interrupt = 1000000", "bandwidth.interrupt", "in periods of");
    refused_budget("budget = 1", "bandwidth.budget", "unknown");
}

/// A budget that is written with a task is its core's.
#[test]
fn budgets_of_tasks() {
    let text = |a: &str, b: &str| {
        format!("machine = \"gem5-2core\"\n{TASKS}{b}\n").replacen(
            "wcet = \"1 ms\"",
            &format!("wcet = \"1 ms\"\n{a}"),
            1,
        )
    };
    let lines = |a: &str, b: &str| {
        let set = read(&text(a, b)).unwrap_or_else(|error| panic!("{error}"));
        set.bandwidth.expect("there are budgets").lines
    };
    let both = lines("core = 0\nreserve = \"64 MB/s\"", "core = 1\nreserve = \"128 MB/s\"");
    assert_eq!(both, [1000, 2000]);
    // The other core has what is left of r_min.
    let one = lines("core = 0\nreserve = \"64 MB/s\"\nreservation = \"hard\"", "core = 1");
    let machine = fresco_machine::builtin("gem5-2core").expect("built in");
    let r_min = fresco_machine::Guaranteed::of(&machine, false).bytes_per_s();
    assert!(
        one[0] == 1000 && (0.99..=1.0).contains(&(((one[0] + one[1]) * 64_000) as f64 / r_min as f64)),
        "{one:?} {r_min}"
    );
    let wrong = |a: &str, b: &str, line: &str, field: &str, found: &str| refused_in(&text(a, b), line, field, found);
    wrong(
        "",
        "reserve = \"1 MB/s\"",
        "reserve",
        "task.b.reserve",
        "whose core the plan chooses",
    );
    wrong(
        "core = 0\nreserve = \"1 MB/s\"",
        "core = 0\nreserve = \"2 MB/s\"",
        "reserve = \"2 MB/s\"",
        "task.b.reserve",
        "another reserve than that of a, on core 0",
    );
    wrong(
        "core = 0",
        "core = 1\nreserve = \"2 MB/s\"\nreservation = \"soft\"",
        "reservation",
        "task.b.reservation",
        "soft",
    );
    let twice = format!(
        "bandwidth.reserve = \"1 MB/s\"\n{}",
        text("core = 0", "core = 1\nreserve = \"2 MB/s\"")
    );
    refused_in(
        &twice,
        "bandwidth.reserve",
        "bandwidth.reserve",
        "and one of b for core 1",
    );
}

#[test]
fn wrong_times() {
    refused_edit("wcet = \"2 ms\"", "wcet = \"0 ns\"", "task.b.wcet", "0");
    refused_edit("wcet = \"2 ms\"", "wcet = \"-2 ms\"", "task.b.wcet", "-2 ms");
    refused_edit("wcet = \"2 ms\"", "wcet = \"1500 ps\"", "task.b.wcet", "1500 ps");
    refused_edit(
        "wcet = \"2 ms\"",
        "wcet = \"33 ms\"",
        "task.b.wcet",
        "a utilisation over 1",
    );
    refused_edit("wcet = \"2 ms\"", "wcet = \"2 parsecs\"", "task.b.wcet", "2 parsecs");
    refused_edit("period = \"32 ms\"", "period = \"0 ns\"", "task.b.period", "0");
    refused_edit("period = \"32 ms\"", "period = \"1001 s\"", "task.b.period", "1001 s");
    refused_edit("period = \"32 ms\"", "period = 32", "task.b.period", "the integer 32");
    refused_of_b("deadline = \"33 ms\"", "task.b.deadline", "beyond the period");
    refused_of_b("deadline = \"-1 ns\"", "task.b.deadline", "-1 ns");
    refused_of_b("phase = \"-1 ns\"", "task.b.phase", "-1 ns");
    refused_of_b("phase = \"1001 s\"", "task.b.phase", "1001 s");
    // A deadline that the execution time does not fit is told of the execution time.
    refused_in(
        &format!("{TASKS}deadline = \"1 ms\"\n"),
        "wcet = \"2 ms\"",
        "task.b.wcet",
        "a utilisation over 1",
    );
    refused_in(
        &TASKS.replace("period = \"32 ms\"\n", ""),
        "wcet = \"2 ms\"",
        "task.b.wcet",
        "without a period",
    );
    refused_in(
        &TASKS.replace("wcet = \"2 ms\"\n", ""),
        "[[task]]\nname = \"b\"",
        "task.b.wcet",
        "",
    );
}

#[test]
fn wrong_tasks() {
    refused_edit("name = \"b\"", "name = \"\"", "task.1.name", "the name \"\"");
    refused_edit("name = \"b\"", "name = \"x\\ny\"", "task.1.name", "the name");
    refused_edit("name = \"b\"", "name = 3", "task.1.name", "the integer 3");
    let second = TASKS.replace("name = \"b\"", "name = \"a\" # again");
    refused_in(&second, "name = \"a\" # again", "task.a.name", "a second task");
    refused_in(
        &TASKS.replace("name = \"b\"\n", ""),
        "[[task]]\nperiod",
        "task.1.name",
        "",
    );
    refused_of_b("memory = \"0 B\"", "task.b.memory", "0 B");
    refused_of_b("memory = \"9 GiB\"", "task.b.memory", "9 GiB");
    refused_of_b("global = \"1 MiB\"", "task.b.global", "1 MiB");
    refused_of_b("core = 1", "task.b.core", "the integer 1");
    refused_of_b("color = 2", "task.b.color", "the integer 2");
    refused_of_b("parameters.n = 3", "task.b.parameters", "without a program");
    refused_of_b("program = 3", "task.b.program", "the integer 3");
    refused_of_b("priority = 3", "task.b.priority", "unknown key");
    refused("tasks = 3", "tasks", "unknown key");
    refused_in("name = \"t\"\ntask = []\n", "task = []", "task", "no task");
}

#[test]
fn impossible_loads() {
    let whole = TASKS.replace("wcet = \"2 ms\"", "wcet = \"32 ms\"");
    refused_in(&whole, "[[task]]", "task", "utilisation of 1.1250");
    let large = TASKS.replace("wcet", "memory = \"5 GiB\"\nwcet");
    refused_in(&large, "[[task]]", "task", "10737418240 bytes");
    let some = TASKS.replace("wcet = \"1 ms\"", "wcet = \"1 ms\"\ncore = 0");
    refused_in(&some, "[[task]]", "task", "a core for 1 of 2 tasks");
    let some = TASKS.replace("wcet = \"1 ms\"", "wcet = \"1 ms\"\ncolor = 0");
    refused_in(&some, "[[task]]", "task", "a color for 1 of 2 tasks with a period");
    // One without a period goes where there is room, or where it says.
    let beside = format!("{TASKS}[[task]]\nname = \"c\"\ncolor = 1\n");
    assert_eq!(read(&beside).unwrap().tasks[2].color, Some(1));
}

/// Overrides are told by their own text.
#[test]
fn wrong_overrides() {
    let refused = |set: &str, field: &str| {
        let error = TaskSet::parse("t.toml", TASKS, Path::new(""), &[set.to_owned()]).expect_err("is wrong");
        assert!(error.file.starts_with("--set "), "{error}");
        assert!(error.field == field && !error.help.is_empty(), "{error}");
    };
    refused("plan.method=best", "plan.method");
    refused("task.1.wcet=0 ns", "task.b.wcet");
    refused("task.b.deadline=1 s", "task.b.deadline");
    refused("task.c.deadline=1 s", "task.c.deadline");
    refused("task.1.deadline=1 s", "task.b.deadline");
    refused("memory.density=128", "memory.density");
    refused("machine=nope", "machine");
    refused("plan", "");
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong files of tasks, and wrong options of `plan` and `sched sensitivity`.

use crate::bad_input::case::{Case, edited};
use crate::bad_input::written_plans;
use crate::common::files::TASKS;

/// Tasks without periods.
const BATCH: &str = "machine = \"gem5-2core\"\n[[task]]\nname = \"a\"\n[[task]]\nname = \"b\"\n";

pub fn cases() -> Vec<Case> {
    let mut cases = tasks();
    cases.extend(programs());
    cases.extend(methods());
    cases.extend(options());
    cases.extend(written_plans::cases());
    cases
}

/// `fresco plan t.toml` with a part of the file replaced.
fn of_tasks(name: &'static str, from: &str, to: &'static str) -> Case {
    Case::new(name, &["plan", "t.toml"])
        .file("t.toml", edited(TASKS, from, to))
        .told_at("t.toml", to)
}

fn tasks() -> Vec<Case> {
    let text = |name, content: &str| Case::new(name, &["plan", "t.toml"]).file("t.toml", content);
    vec![
        Case::new("no file of tasks", &["plan", "t.toml"]).told("t.toml: "),
        Case::new("a directory of tasks", &["plan", "directory"]).told("directory: "),
        text("empty file of tasks", "").told("t.toml: "),
        text("tasks that are no TOML", "[[task\n").told("t.toml:1: "),
        of_tasks("a set without a name", "name = \"two\"", "name = \"\""),
        of_tasks("unknown method", "name = \"two\"", "plan.method = \"best\""),
        of_tasks("unknown machine", "name = \"two\"", "machine = \"nope\""),
        of_tasks(
            "cores that the machine does not have",
            "name = \"two\"",
            "plan.cores = 2",
        ),
        of_tasks("unknown migration", "name = \"two\"", "plan.migration = \"some\""),
        of_tasks(
            "migration in a partition",
            "name = \"two\"",
            "plan = { migration = \"global\", method = \"partition\" }",
        ),
        of_tasks(
            "migration beside budgets",
            "name = \"two\"",
            "plan.migration = \"global\"\nbandwidth.reserve = [\"100 MB/s\"]",
        ),
        Case::new("migration of tasks with a core", &["plan", "t.toml"])
            .file(
                "t.toml",
                edited(TASKS, "name = \"two\"", "plan.migration = \"global\"").replace("wcet =", "core = 0\nwcet ="),
            )
            .told_at("t.toml", "plan.migration = \"global\""),
        of_tasks("negative cost of a lock", "name = \"two\"", "plan.lock = \"-1 us\""),
        of_tasks(
            "ranks in both colors",
            "name = \"two\"",
            "plan.colors = [\"0-4\", \"4-7\"]",
        ),
        of_tasks(
            "shortest period above the longest",
            "name = \"two\"",
            "plan.longest_period = \"1 us\"",
        ),
        of_tasks("unknown key of plan", "name = \"two\"", "plan.speed = 3"),
        of_tasks("no density", "density = 8", "density = 0"),
        of_tasks("a density without a tRFC", "density = 8", "density = 128"),
        of_tasks("no execution time", "wcet = \"2 ms\"", "wcet = \"0 ms\""),
        of_tasks("negative execution time", "wcet = \"2 ms\"", "wcet = \"-2 ms\""),
        of_tasks(
            "execution time beyond the period",
            "wcet = \"2 ms\"",
            "wcet = \"33 ms\"",
        ),
        of_tasks("half a nanosecond", "wcet = \"2 ms\"", "wcet = \"500 ps\""),
        of_tasks(
            "unknown criticality",
            "wcet = \"2 ms\"",
            "criticality = \"medium\"\nwcet = \"2 ms\"",
        ),
        of_tasks(
            "an execution time of high mode without high criticality",
            "wcet = \"2 ms\"",
            "wcet_high = \"3 ms\"\nwcet = \"2 ms\"",
        ),
        of_tasks(
            "an execution time of high mode below that of low mode",
            "wcet = \"2 ms\"",
            "wcet_high = \"1 ms\"\ncriticality = \"high\"\nwcet = \"2 ms\"",
        ),
        of_tasks(
            "a hot device that no task is for",
            "name = \"two\"",
            "plan.high_retention = \"32 ms\"",
        ),
        of_tasks(
            "a retention time that is no part of the machine's",
            "name = \"two\"",
            "plan.high_retention = \"30 ms\"",
        ),
        of_tasks("no period", "period = \"32 ms\"", "period = \"0 ms\""),
        of_tasks(
            "a command without a program",
            "wcet = \"2 ms\"\n",
            "command = []\nwcet = \"2 ms\"\n",
        ),
        of_tasks(
            "a command that is no list",
            "wcet = \"2 ms\"\n",
            "command = \"run me\"\nwcet = \"2 ms\"\n",
        ),
        of_tasks(
            "a deadline beyond the period",
            "wcet = \"2 ms\"",
            "wcet = \"2 ms\"\ndeadline = \"33 ms\"",
        )
        .told_at("t.toml", "deadline = \"33 ms\""),
        of_tasks(
            "memory over capacity",
            "wcet = \"2 ms\"",
            "wcet = \"2 ms\"\nmemory = \"9 GiB\"",
        )
        .told_at("t.toml", "memory = \"9 GiB\""),
        of_tasks(
            "unknown key of a task",
            "wcet = \"2 ms\"",
            "wcet = \"2 ms\"\npriority = 1",
        )
        .told_at("t.toml", "priority = 1"),
        Case::new(
            "--set that names two tasks alike",
            &["plan", "t.toml", "--set", "task.0.name=b"],
        )
        .file("t.toml", TASKS)
        .told("--set task.0.name=b: task.b.name: found a second task"),
        of_tasks("two tasks of a name", "name = \"b\"", "name = \"a\" # too").told_at("t.toml", "name = \"a\" # too"),
        text("utilisation over 1", &edited(TASKS, "\"2 ms\"", "\"31 ms\"")).told_at("t.toml", "[[task]]"),
        text(
            "one server",
            &format!(
                "[[server]]\nperiod = \"4 ms\"\nbudget = \"1 ms\"\n{}",
                edited(TASKS, "name = \"two\"\n", "")
            ),
        )
        .told("t.toml:1: server: "),
    ]
}

/// Programs of tasks, at their lines.
fn programs() -> Vec<Case> {
    let of = |name, program: &str, at: &'static str| {
        Case::new(name, &["plan", "t.toml"])
            .file("t.toml", format!("{TASKS}{program}"))
            .told_at("t.toml", at)
    };
    vec![
        of("unknown program", "program = \"latncy\"\n", "program = \"latncy\""),
        of("a program like none", "program = \"doom\"\n", "program = \"doom\""),
        of(
            "unknown parameter of a program",
            "program = \"latency\"\n[task.parameters]\nbytes = \"16 KiB\"\nlenght = 3\n",
            "lenght = 3",
        ),
        of(
            "a parameter that is none",
            "program = \"latency\"\n[task.parameters]\nbytes = \"-16 KiB\"\n",
            "bytes = \"-16",
        ),
        of(
            "a program beyond the task's memory",
            "memory = \"16 KiB\"\nprogram = \"latency\"\nparameters.bytes = \"1 MiB\"\n",
            "memory = \"16 KiB\"",
        ),
        of(
            "parameters that are no table",
            "program = \"latency\"\nparameters = 3\n",
            "parameters = 3",
        ),
    ]
}

/// Methods that the machine or the tasks are not for.
fn methods() -> Vec<Case> {
    let by = |name, method: &'static str, tasks: &str| {
        Case::new(name, &["plan", "t.toml", "--method", method])
            .file("t.toml", tasks)
            .told("t.toml: plan.method: ")
    };
    let one_rank = "machine = \"raspberry-pi-4\"\n".to_owned()
        + &edited(TASKS, "[memory]\ndensity = 8\ndensity_scales_refresh_only = true\n", "");
    vec![
        by("two colors of one rank", "aligned", &one_rank),
        by("servers for one rank", "crs", &one_rank),
        by("colored refresh of one rank", "colored-refresh", &one_rank),
        by("aligned slots for batch tasks", "aligned", BATCH),
        by("auto-refresh for batch tasks", "auto-refresh", BATCH),
        by(
            "one bank after the other without REFpb",
            "codesign",
            &BATCH.replace("gem5-2core", "ss-rtmc"),
        ),
        by(
            "some tasks with periods",
            "colored-refresh",
            &edited(TASKS, "period = \"8 ms\"\nwcet = \"1 ms\"\n", ""),
        ),
        by(
            "a color for some tasks",
            "crs",
            &edited(TASKS, "wcet = \"1 ms\"", "wcet = \"1 ms\"\ncolor = 0"),
        )
        .told_at("t.toml", "[[task]]"),
    ]
}

fn options() -> Vec<Case> {
    let with = |name, words: &[&'static str]| Case::new(name, words).file("t.toml", TASKS);
    vec![
        Case::new("plan of nothing", &["plan"]).usage("<SCENARIO>"),
        with("misspelt method", &["plan", "t.toml", "--method", "alligned"]).told("--method: found \"alligned\""),
        with(
            "sensitivity by an unknown method",
            &["sched", "sensitivity", "t.toml", "--method", "fifo"],
        )
        .told("--method: found \"fifo\""),
        with("a change without a value", &["plan", "t.toml", "--set", "plan.cores"]).told("--set plan.cores: found no"),
        with(
            "a change to an unknown key",
            &["plan", "t.toml", "--set", "plan.core=1"],
        )
        .told("--set plan.core=1: "),
        with(
            "a change to a task that is none",
            &["plan", "t.toml", "--set", "task.7.wcet=1 ms"],
        )
        .told("--set task.7.wcet=1 ms: "),
        with("densities of a single plan", &["plan", "t.toml", "--density", "8"]).usage("--compare"),
        with(
            "a comparison with a method",
            &["plan", "t.toml", "--compare", "--method", "crs"],
        )
        .usage("cannot be used with"),
        with(
            "a density that is none",
            &["plan", "t.toml", "--compare", "--density", "8,x"],
        )
        .told("--density: found \"x\""),
        with("density 0", &["plan", "t.toml", "--compare", "--density", "0"]).told("--density: found \"0\""),
        with("density 128", &["sched", "sensitivity", "t.toml", "--density", "128"]).told("--density: found \"128\""),
        with("no densities", &["plan", "t.toml", "--compare", "--density", ""]).told("--density: found \"\""),
        with("a plan over its tasks", &["plan", "t.toml", "--out", "t.toml"]).told("t.toml: --out: "),
        with(
            "a plan over its tasks by another name",
            &["plan", "t.toml", "--out", "./directory/../t.toml"],
        )
        .told("./directory/../t.toml: --out: "),
        with("a plan in no directory", &["plan", "t.toml", "--out", "nowhere/p.json"]).told("nowhere/p.json: "),
        with("a plan onto a directory", &["plan", "t.toml", "--out", "directory"]).told("directory: "),
        with(
            "sensitivity of tasks that are none",
            &["sched", "sensitivity", "u.toml"],
        )
        .told("u.toml: "),
    ]
}

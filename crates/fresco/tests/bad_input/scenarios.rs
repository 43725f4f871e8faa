// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong scenarios, and wrong options of `fresco sim`.

use crate::bad_input::case::{Case, edited};
use crate::common::files::MACHINE;

/// A scenario of a few milliseconds, with a trace for its second task.
pub const GOOD: &str = r#"name = "good"
machine = "./small.toml"
repetitions = 1

[policy]
frames = "palloc"

[warm_up]
passes = 1

[measure]
passes = 1

[sweep]
corunners = [0, 1]
banks = ["same", "apart"]

[[variant]]
name = "same"
set.task.chase.banks = 0

[[variant]]
name = "apart"
set.task.chase.banks = 1

[[task]]
name = "chase"
program = "latency"
core = 0
parameters.bytes = "64 KiB"

[[task]]
name = "noise"
program = "strides"
core = 2
role = "background"
banks = 0
parameters.bytes = "1 MiB"
"#;

/// A scenario without colors.
const NO_COLORS: &str = r#"name = "plain"
machine = "./small.toml"
[[task]]
name = "chase"
program = "latency"
core = 0
parameters.bytes = "16 MiB"
"#;

const REPLAY: [(&str, &str); 2] = [
    ("program = \"strides\"", "program = \"trace\""),
    ("parameters.bytes = \"1 MiB\"", "parameters.file = \"noise.trace\""),
];

fn plain(name: &'static str, content: impl Into<Vec<u8>>) -> Case {
    with(name, content, &[])
}

fn with(name: &'static str, content: impl Into<Vec<u8>>, more: &[&'static str]) -> Case {
    Case::new(name, &[&["sim", "s.toml"], more].concat())
        .file("s.toml", content)
        .file("small.toml", MACHINE)
}

/// The good scenario with `from` replaced by `to`; the message points at `to`.
fn wrong(name: &'static str, from: &str, to: &'static str) -> Case {
    plain(name, edited(GOOD, from, to)).told_at("s.toml", to)
}

/// The good scenario, whose second task replays this trace.
fn replaying(name: &'static str, trace: impl Into<Vec<u8>>) -> Case {
    let text = REPLAY
        .iter()
        .fold(GOOD.to_owned(), |text, (from, to)| edited(&text, from, to));
    plain(name, text).file("noise.trace", trace)
}

pub fn cases() -> Vec<Case> {
    let mut cases = files();
    cases.extend(values());
    cases.extend(contradictions());
    cases.extend(traces());
    cases.extend(options());
    cases
}

fn files() -> Vec<Case> {
    vec![
        Case::new("missing scenario", &["sim", "s.toml"]).told("s.toml: cannot read it"),
        Case::new("directory for a scenario", &["sim", "./directory"]).told("./directory: found a directory"),
        Case::new("misspelt scenario", &["sim", "palloc-fig44"]).told("scenario palloc-fig44: "),
        Case::new("no scenario", &["sim"]).usage("<SCENARIO>"),
        plain("empty scenario", "").told("s.toml: machine: missing"),
        plain("scenario that is no text", b"name = \"x\"\nmachine = \"\xff\"\n").told("s.toml:2: found the byte 0xff"),
        plain("missing machine file", edited(GOOD, "small.toml", "large.toml")).told("./large.toml: cannot read it"),
        wrong("misspelt machine", "\"./small.toml\"", "\"xeon-w3350\""),
        plain("wrong machine file", GOOD)
            .file("small.toml", edited(MACHINE, "cores = 8", "cores = \"8\""))
            .told("./small.toml:7: cores: "),
    ]
}

fn values() -> Vec<Case> {
    vec![
        wrong("not TOML", "repetitions = 1", "repetitions = one"),
        plain("missing field", edited(GOOD, "program = \"latency\"\n", "")).told_at("s.toml", "[[task]]"),
        wrong("unknown key", "core = 0", "core = 0\npriority = 5").told_at("s.toml", "priority"),
        wrong("wrong unit", "\"64 KiB\"", "\"64 kB\""),
        wrong("negative number", "repetitions = 1", "repetitions = -1"),
        wrong("huge number", "repetitions = 1", "repetitions = 99999999999999999999"),
        wrong("unknown program", "\"latency\"", "\"latancy\""),
        wrong("unknown policy", "\"palloc\"", "\"pallok\""),
        wrong("core that does not exist", "core = 2", "core = 8"),
        wrong(
            "color that does not exist",
            "set.task.chase.banks = 1",
            "set.task.chase.banks = 64",
        ),
        wrong(
            "variant of an unknown task",
            "set.task.chase.banks = 1",
            "set.task.chaser.banks = 1",
        ),
        wrong("unknown variant", "[\"same\", \"apart\"]", "[\"same\", \"apert\"]"),
    ]
}

fn contradictions() -> Vec<Case> {
    vec![
        plain("core used twice", edited(GOOD, "core = 2", "core = 0")).told("s.toml:"),
        plain(
            "footprint larger than the memory",
            edited(GOOD, "\"1 MiB\"", "\"500 MiB\""),
        )
        .told("s.toml:"),
        plain(
            "footprint larger than its colors",
            edited(GOOD, "\"64 KiB\"", "\"8 MiB\""),
        )
        .told("s.toml:"),
        plain(
            "no measured task",
            edited(GOOD, "core = 0", "core = 0\nrole = \"background\""),
        )
        .told("s.toml"),
        plain(
            "two tasks of one name",
            edited(GOOD, "name = \"noise\"", "name = \"chase\""),
        )
        .told("s.toml:"),
    ]
}

fn traces() -> Vec<Case> {
    let text = REPLAY
        .iter()
        .fold(GOOD.to_owned(), |text, (from, to)| edited(&text, from, to));
    vec![
        plain("missing trace", text).told("s.toml:"),
        replaying("empty trace", "").told("noise.trace: "),
        replaying("wrong line in a trace", "3 0x40\n4 eighty\n").told_at("noise.trace", "4 eighty"),
        replaying("truncated trace", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x33]).told("noise.trace: "),
    ]
}

fn options() -> Vec<Case> {
    vec![
        with("override without value", GOOD, &["--set", "repetitions"]).told("--set repetitions: "),
        with("override of an unknown task", GOOD, &["--set", "task.noisy.core=1"]).told("--set task.noisy.core=1: "),
        with("override out of range", GOOD, &["--set", "task.chase.core=9"]).told("--set task.chase.core=9: "),
        with(
            "override of the machine out of range",
            GOOD,
            &["--set", "memory.controller.hit_cap=0"],
        )
        .told("--set memory.controller.hit_cap=0: "),
        with("seed that is no number", GOOD, &["--seed", "x"]).told("--seed: found \"x\""),
        with("negative seed", GOOD, &["--seed", "-1"]).told("--seed: found \"-1\""),
        with("too many threads", GOOD, &["--threads", "99999"]).told("--threads: "),
        with("length of a plan's run", GOOD, &["--horizon", "1 s"]).told("--horizon: found it with a scenario"),
        with("switch-on of a plan", GOOD, &["--from-switch-on"]).told("--from-switch-on: "),
        with("two seeds", GOOD, &["--seed", "3", "--set", "seed=4"]).told("--set seed=4: seed: found a second value"),
        with(
            "two directories of traces",
            GOOD,
            &["--trace-dir", ".", "--set", "trace_dir=x"],
        )
        .told("--set trace_dir=x: trace_dir: "),
        with("value for a whole task", GOOD, &["--set", "task.chase=3"]).told("--set task.chase=3: task.chase: "),
        with("task by a number that there is not", GOOD, &["--set", "task.9.core=1"])
            .told("--set task.9.core=1: task.9.core: "),
        plain(
            "no copy of the measured task",
            edited(GOOD, "core = 0", "cores = [0]\ncopies = 0"),
        )
        .told("s.toml:"),
        with(
            "share that is no number",
            GOOD,
            &["--set", "policy.boot=aged", "--set", "policy.occupied=nan"],
        )
        .told("--set policy.occupied=nan: policy.occupied: "),
        with(
            "negative share",
            GOOD,
            &["--set", "policy.boot=aged", "--set", "policy.occupied=-0.0"],
        )
        .told("--set policy.occupied=-0.0: policy.occupied: "),
        with(
            "more co-runners than there are",
            GOOD,
            &["--set", "sweep.corunners=[2]"],
        )
        .told("--set sweep.corunners=[2]: corunners: "),
        with(
            "more co-runners than cores can be",
            GOOD,
            &["--set", "sweep.corunners=[5000]"],
        )
        .told("--set sweep.corunners=[5000]: corunners: "),
        Case::new(
            "policy of a built-in machine that needs another key",
            &["sim", "first", "--set", "sweep.memory.controller.page=[\"adaptive\"]"],
        )
        .told("--set sweep.memory.controller.page=[\"adaptive\"]: memory.controller.page_idle: missing beside "),
        Case::new("the same in a file, with other keys beside it", &["sim", "s.toml"])
            .file(
                "s.toml",
                "name = \"s\"\nmachine = \"xeon-w3530\"\n[memory.controller]\ndrain_once = true\npage = \"adaptive\"\n\
                 frontend = \"20 ns\"\n[[task]]\nname = \"a\"\nprogram = \"random\"\ncore = 0\n",
            )
            .told("s.toml:5: memory.controller.page_idle: missing beside "),
        Case::new(
            "memory full under an allocator without colors",
            &[
                "sim",
                "s.toml",
                "--set",
                "policy.frames=buddy",
                "--set",
                "policy.boot=aged",
                "--set",
                "policy.occupied=0.999",
            ],
        )
        .file("s.toml", NO_COLORS)
        .file("small.toml", MACHINE)
        .told("s.toml:"),
        with("report into a file", GOOD, &["--out", "small.toml"]).told("small.toml: --out: "),
        with("scenario twice", GOOD, &["s.toml"]).told("s.toml: name: found a second scenario"),
    ]
}

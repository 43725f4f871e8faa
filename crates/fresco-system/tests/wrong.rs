// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong scenarios: every message names file, line, field, what was found, what is allowed, and the help.
//!
//! The messages are in `data/wrong.golden`. After a wanted change: `FRESCO_BLESS=1 cargo test -p fresco-system --test all wrong`.

use crate::common::data;
use fresco_system::{Scenario, run};
use std::fmt::Write;

/// A scenario without fault, with a marker for each place at which a case puts its own.
const GOOD: &str = r#"name = "good"
machine = "small.toml"
seed = 1
repetitions = 2

[policy]
frames = "palloc"

[warm_up]
passes = 1

[measure]
passes = 1

[sweep]
corunners = [0, 1]
policy = ["same", "diff"]

[[variant]]
name = "same"
set.task.fg.banks = 0

[[variant]]
name = "diff"
set.task.fg.banks = 1

[[task]]
name = "fg"
program = "latency"
core = 0
parameters.bytes = "256 KiB"

[[task]]
name = "bg"
program = "strides"
cores = [2]
role = "background"
banks = 0
parameters = { bytes = "1 MiB" }
"#;

/// What a case changes in the scenario: a text and what takes its place.
struct Case(&'static str, &'static [(&'static str, &'static str)]);

const CASES: &[Case] = &[
    Case("not TOML", &[("seed = 1", "seed = one")]),
    Case("no name", &[("name = \"good\"\n", "")]),
    Case("a name that is no file's", &[("\"good\"", "\"../good\"")]),
    Case("unknown key", &[("seed = 1", "seeds = 1")]),
    Case("unknown key of a task", &[("core = 0", "core = 0\npriority = 5")]),
    Case("unknown machine", &[("small.toml", "xeon-w3350")]),
    Case("missing machine file", &[("small.toml", "large.toml")]),
    Case(
        "machine key that does not exist",
        &[("[policy]", "[memory.controller]\nhit_kap = 3\n\n[policy]")],
    ),
    Case(
        "machine value out of range",
        &[("[policy]", "[memory.controller]\nhit_cap = -1\n\n[policy]")],
    ),
    Case("wrong unit", &[("\"256 KiB\"", "\"256 kB\"")]),
    Case("unknown program", &[("\"latency\"", "\"latancy\"")]),
    Case(
        "unknown parameter",
        &[("parameters = { bytes", "parameters = { sise = 3, bytes")],
    ),
    Case("parameter out of range", &[("\"256 KiB\"", "\"1 TiB\"")]),
    Case(
        "length of the program's own",
        &[("parameters = { bytes", "parameters = { passes = 3, bytes")],
    ),
    Case(
        "no task",
        &[
            ("[[task]]\nname = \"fg\"", "[[job]]\nname = \"fg\""),
            ("[[task]]\nname = \"bg\"", "[[job]]\nname = \"bg\""),
        ],
    ),
    Case("no measured task", &[("core = 0", "core = 0\nrole = \"background\"")]),
    Case("unknown role", &[("role = \"background\"", "role = \"backgroud\"")]),
    Case("two tasks of one name", &[("name = \"bg\"", "name = \"fg\"")]),
    Case("a task named by a number", &[("name = \"bg\"", "name = \"7\"")]),
    Case("core that does not exist", &[("core = 0", "core = 8")]),
    Case(
        "core used twice",
        &[
            ("cores = [2]", "cores = [2, 0]"),
            ("corunners = [0, 1]", "corunners = [2]"),
        ],
    ),
    Case("neither core nor cores", &[("core = 0\n", "")]),
    Case("both core and cores", &[("core = 0", "core = 0\ncores = \"0-1\"")]),
    Case("more copies than cores", &[("cores = [2]", "cores = [2]\ncopies = 2")]),
    Case(
        "more co-runners than there are",
        &[("corunners = [0, 1]", "corunners = [0, 2]")],
    ),
    Case("no measured copy", &[("core = 0", "cores = [0]\ncopies = 0")]),
    Case(
        "more co-runners than any machine has",
        &[("corunners = [0, 1]", "corunners = [5000]")],
    ),
    Case(
        "variant that TintMalloc does not have",
        &[("frames = \"palloc\"", "frames = \"tintmalloc\"\nvariant = \"mem+lcc\"")],
    ),
    Case(
        "more threads than colors can be divided among",
        &[
            ("frames = \"palloc\"", "frames = \"tintmalloc\"\nvariant = \"llc\""),
            ("cores = [2]", "cores = \"2-7\""),
            ("banks = 0\nparameters", "parameters"),
        ],
    ),
    Case(
        "channels of a machine that has one",
        &[("frames = \"palloc\"", "frames = \"bpm+\"")],
    ),
    Case(
        "dynamic division of banks and cache",
        &[("frames = \"palloc\"", "frames = \"bpm\"\nllc = true\ndynamic = true")],
    ),
    Case(
        "interval without dynamic",
        &[("frames = \"palloc\"", "frames = \"bpm\"\ninterval = \"1 ms\"")],
    ),
    Case(
        "placement of a colored task",
        &[("core = 0", "core = 0\nplacement = \"interleave\"")],
    ),
    Case(
        "bound to no nodes",
        &[
            ("frames = \"palloc\"", "frames = \"camc\""),
            ("core = 0", "core = 0\ncolors = 0\nplacement = \"bind\""),
            ("set.task.fg.banks = 0", "set.task.fg.core = 0"),
            ("set.task.fg.banks = 1", "set.task.fg.core = 1"),
        ],
    ),
    Case(
        "occupied share that is no number",
        &[(
            "frames = \"palloc\"",
            "frames = \"palloc\"\nboot = \"aged\"\noccupied = nan",
        )],
    ),
    Case("missing value of a task", &[("name = \"bg\"\n", "")]),
    Case("node that does not exist", &[("core = 0", "core = 0\nnode = 4")]),
    Case(
        "color that does not exist",
        &[("set.task.fg.banks = 1", "set.task.fg.banks = \"63-64\"")],
    ),
    Case(
        "pattern of another machine",
        &[("banks = 0\nparameters", "banks = \"[00XX]\"\nparameters")],
    ),
    Case("LLC color that does not exist", &[("core = 0", "core = 0\nllc = 2")]),
    Case(
        "colors that no frame has together",
        &[
            ("core = 0", "core = 0\nllc = 1"),
            ("[policy]", "[memory.map]\nbank = [12, 14, 15]\n\n[policy]"),
        ],
    ),
    Case(
        "colors under the buddy allocator",
        &[("frames = \"palloc\"", "frames = \"buddy\"")],
    ),
    Case(
        "a count of colors under PALLOC",
        &[("banks = 0\nparameters", "colors = 2\nparameters")],
    ),
    Case(
        "banks for another number of copies",
        &[("banks = 0\nparameters", "banks_each = [0, 1]\nparameters")],
    ),
    Case(
        "option of another policy",
        &[("frames = \"palloc\"", "frames = \"palloc\"\nshortage = \"share\"")],
    ),
    Case(
        "a bank of two tasks in a hard partition",
        &[("frames = \"palloc\"", "frames = \"codesign\"\npartition = \"hard\"")],
    ),
    Case("unknown policy", &[("frames = \"palloc\"", "frames = \"pallock\"")]),
    Case(
        "more colors than a node has",
        &[
            ("frames = \"palloc\"", "frames = \"camc\""),
            ("banks = 0\nparameters", "colors = 17\nparameters"),
        ],
    ),
    Case("more data than its color holds", &[("\"256 KiB\"", "\"3 MiB\"")]),
    Case(
        "more data than the memory holds",
        &[
            ("frames = \"palloc\"", "frames = \"palloc\"\nexhaustion = \"spill\""),
            ("\"256 KiB\"", "\"200 MiB\""),
        ],
    ),
    Case(
        "limit below the data",
        &[("core = 0", "core = 0\nmemory_limit = \"64 KiB\"")],
    ),
    Case("huge repetitions", &[("repetitions = 2", "repetitions = 1000000")]),
    Case(
        "too many runs",
        &[
            ("repetitions = 2", "repetitions = 1000"),
            (
                "corunners = [0, 1]",
                "seed_of_fg = [\"same\", \"diff\"]\nx = [\"same\", \"diff\"]\ny = [\"same\", \"diff\"]\nz = [\"same\", \"diff\"]\nu = [\"same\", \"diff\"]\nv = [\"same\", \"diff\"]",
            ),
        ],
    ),
    Case(
        "phase in two units",
        &[("[measure]\npasses = 1", "[measure]\npasses = 1\ntime = \"1 ms\"")],
    ),
    Case(
        "phase of no length",
        &[("[measure]\npasses = 1", "[measure]\npasses = 0")],
    ),
    Case(
        "phase without unit",
        &[("[measure]\npasses = 1", "[measure]\ntime = 5")],
    ),
    Case("a timeline of no length", &[("seed = 1", "timeline = \"0 us\"")]),
    Case("empty phase", &[("[measure]\npasses = 1", "[measure]")]),
    Case("empty axis", &[("corunners = [0, 1]", "corunners = []")]),
    Case(
        "value twice on an axis",
        &[("corunners = [0, 1]", "corunners = [0, 0]")],
    ),
    Case("axis that is no list", &[("corunners = [0, 1]", "corunners = 1")]),
    Case("unknown variant", &[("[\"same\", \"diff\"]", "[\"same\", \"dif\"]")]),
    Case(
        "axis of neither variants nor a key",
        &[("corunners = [0, 1]", "neighbours = [0, 1]")],
    ),
    Case(
        "axis of a key that all points share",
        &[("corunners = [0, 1]", "corunners = [0, 1]\nseed = [1, 2]")],
    ),
    Case(
        "axis of another such key",
        &[("corunners = [0, 1]", "repetitions = [1, 2]")],
    ),
    Case("misspelt axis", &[("corunners = [0, 1]", "corunner = [0, 1]")]),
    Case("two variants of one name", &[("name = \"diff\"", "name = \"same\"")]),
    Case(
        "variant of a task that does not exist",
        &[("set.task.fg.banks = 1", "set.task.gf.banks = 1")],
    ),
    Case(
        "variant of a key that it cannot set",
        &[("set.task.fg.banks = 1", "set.repetitions = 1")],
    ),
    Case(
        "variant of an unknown key",
        &[("set.task.fg.banks = 1", "set.task.fg.bank = 1")],
    ),
    Case(
        "baseline on no axis",
        &[(
            "[[variant]]\nname = \"same\"",
            "[baseline]\ntasks = 0\n\n[[variant]]\nname = \"same\"",
        )],
    ),
    Case(
        "baseline of no value",
        &[(
            "[[variant]]\nname = \"same\"",
            "[baseline]\ncorunners = 7\n\n[[variant]]\nname = \"same\"",
        )],
    ),
    Case(
        "aged machine without free memory",
        &[(
            "frames = \"palloc\"",
            "frames = \"palloc\"\nboot = \"aged\"\noccupied = 1",
        )],
    ),
    Case(
        "missing trace",
        &[
            ("program = \"latency\"", "program = \"trace\""),
            ("bytes = \"256 KiB\"", "file = \"missing.gz\""),
        ],
    ),
    Case(
        "a bandwidth without unit",
        &[("core = 0\n", "core = 0\nreserve = 500\n")],
    ),
    Case(
        "a reservation of another kind",
        &[("core = 0\n", "core = 0\nreservation = \"firm\"\n")],
    ),
    Case("a weight of nothing", &[("core = 0\n", "core = 0\nweight = 0\n")]),
    Case(
        "an unknown regulation",
        &[(
            "frames = \"palloc\"\n",
            "frames = \"palloc\"\nbandwidth = \"memgard\"\n",
        )],
    ),
    Case(
        "an unknown way to share",
        &[("[warm_up]", "[bandwidth]\nshare = \"all\"\n[warm_up]")],
    ),
    Case(
        "an unknown key of the regulation",
        &[("[warm_up]", "[bandwidth]\nbudget = 5\n[warm_up]")],
    ),
    Case(
        "a total that is neither r_min nor a bandwidth",
        &[("[warm_up]", "[bandwidth]\ntotal = \"most\"\n[warm_up]")],
    ),
    Case(
        "a total above r_min",
        &[
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("[warm_up]", "[bandwidth]\ntotal = \"6 GB/s\"\n[warm_up]"),
        ],
    ),
    Case(
        "interrupts that fill the period",
        &[(
            "[warm_up]",
            "[bandwidth]\nperiod = \"10 us\"\ninterrupt = 1000000\n[warm_up]",
        )],
    ),
    Case(
        "reservations above r_min",
        &[
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 0\nreserve = \"2 GB/s\"\n"),
        ],
    ),
    Case(
        "a reservation of less than a line",
        &[
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 0\nreserve = \"1 kB/s\"\n"),
        ],
    ),
    Case(
        "two budgets for a core",
        &[
            (
                "[warm_up]\npasses = 1\n\n[measure]\npasses = 1",
                "[warm_up]\njobs = 1\n\n[measure]\njobs = 1",
            ),
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 2\nperiod = \"1 ms\"\nreserve = \"10 MB/s\"\n"),
            ("cores = [2]\n", "cores = [2]\nreserve = \"20 MB/s\"\n"),
        ],
    ),
    Case(
        "a core whose tasks have memory of two controllers",
        &[
            (
                "[warm_up]\npasses = 1\n\n[measure]\npasses = 1",
                "[warm_up]\njobs = 1\n\n[measure]\njobs = 1",
            ),
            (
                "frames = \"palloc\"\n",
                "frames = \"palloc\"\nbandwidth = \"memguard\"\n",
            ),
            ("core = 0\n", "core = 2\nperiod = \"1 ms\"\nnode = 3\n"),
        ],
    ),
];

fn text_of(case: &Case) -> String {
    let mut text = GOOD.to_owned();
    for (from, to) in case.1 {
        assert_eq!(
            text.matches(from).count(),
            1,
            "{}: {from:?} stands once in the scenario",
            case.0
        );
        text = text.replace(from, to);
    }
    text
}

fn parse(text: &str, overrides: &[&str]) -> Result<Scenario, fresco_input::InputError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    Scenario::parse("wrong.toml", text, data(), &overrides)
}

/// Messages name files by their path; the golden file knows no directory.
fn message(error: &fresco_input::InputError) -> String {
    error.to_string().replace(&format!("{}/", data().display()), "")
}

#[test]
fn every_fault_is_told_with_place_and_cure() {
    parse(GOOD, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut messages = String::new();
    for case in CASES {
        let error = parse(&text_of(case), &[])
            .err()
            .unwrap_or_else(|| panic!("{}: is accepted", case.0));
        writeln!(messages, "== {}\n{}\n", case.0, message(&error)).expect("a String takes everything");
        assert!(!error.help.is_empty(), "{}: {error}", case.0);
    }
    let overrides: &[&[&str]] = &[
        &["corunners=1"],
        &["task.gf.core=1"],
        &["task.fg.core=9"],
        &["variant.dif.set.task.fg.banks=1"],
        &["variant.2.set.task.fg.banks=1"],
        &["variant.diff.set.task.fg.banks=99"],
        &["variant.diff.name=same"],
        &["variant=1"],
        &["measure.passes"],
        &["task.fg.parameters.bytes=[1"],
    ];
    for set in overrides {
        let error = parse(GOOD, set).err().unwrap_or_else(|| panic!("{set:?} is accepted"));
        writeln!(messages, "== --set {}\n{}\n", set[0], message(&error)).expect("a String takes everything");
    }
    let golden = data().join("wrong.golden");
    if std::env::var_os("FRESCO_BLESS").is_some() {
        std::fs::write(&golden, &messages).expect("the golden file is writable");
    }
    let expected = std::fs::read_to_string(&golden).expect("the golden file is there");
    assert_eq!(messages, expected, "FRESCO_BLESS=1 accepts the new messages");
}

/// What loading cannot foresee is an error of the run, at the task's line: here the boot leaves too little memory.
#[test]
fn colors_that_run_out_in_the_middle_are_told() {
    let text = GOOD
        .replace(
            "frames = \"palloc\"",
            "frames = \"palloc\"\nboot = \"aged\"\noccupied = 0.9",
        )
        .replace("256 KiB", "1 MiB");
    let scenario = parse(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let error = run(&scenario.runs()[0]).expect_err("a tenth of 2 MiB is too little");
    let told = error.to_string();
    assert!(
        told.starts_with("wrong.toml:29: task.fg: found no page frame: fg has used up"),
        "{told}"
    );
    assert!(told.contains("more colors or less data"), "{told}");
}

/// No change of a single line makes anything panic.
#[test]
fn damaged_scenarios_do_not_panic() {
    let lines: Vec<&str> = GOOD.lines().collect();
    for left_out in 0..lines.len() {
        for instead in [
            "",
            "x = 1",
            "[",
            "= 3",
            "name = 18446744073709551616",
            "set = 1",
            "parameters = 3",
            "cores = -1",
        ] {
            let mut damaged = lines.clone();
            damaged[left_out] = instead;
            let _ = parse(&damaged.join("\n"), &[]);
        }
    }
}

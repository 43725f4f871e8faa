// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is no sweep is told with file, line, key, what is allowed, and the way out.

use fresco_input::Kind;
use fresco_sweep::Sweep;
use std::path::Path;

fn told(text: &str) -> String {
    let sweep = Sweep::parse("s.toml", text, Path::new(""), &[]);
    let error = sweep.and_then(|sweep| sweep.check()).expect_err(text);
    assert!(!error.allowed.is_empty() && !error.help.is_empty(), "{error}");
    error.to_string()
}

/// What the schema says of a wrong sweep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// It is wrong.
    Refuses,
    /// Nothing: it takes more than a schema to see it.
    Takes,
}
use Schema::{Refuses, Takes};

/// Sweeps, what is told of them, and whether the schema sees that they are wrong.
pub const WRONG: [(&str, &str, Schema); 48] = [
    ("grid.seed = [1]", "s.toml: scenario: missing", Refuses),
    (
        "scenario = \"fisrt\"\ngrid.seed = [1]",
        "found no built-in scenario",
        Takes,
    ),
    ("scenario = \"first\"", "s.toml: found no point", Refuses),
    ("scenario = \"first\"\n[grid]", "s.toml:2: grid: found no key", Refuses),
    (
        "scenario = \"first\"\ngird.seed = [1]",
        "s.toml:2: gird: unknown key\n  allowed: scenario",
        Refuses,
    ),
    (
        "scenario = \"first\"\nrandom = { samples = 1, over.task.victim.parameters.bytes = { from = 1, to = 8, unit = \"MiB\" } }",
        "a range has whole numbers with a step, for example step = 1",
        Takes,
    ),
    (
        "scenario = \"first\"\nrandom = { samples = 1, over.memory.controller.hit_cap = { from = 1, to = 8 } }",
        "a range has whole numbers with a step, for example step = 1",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.seed = [1]\nseeds = 1",
        "s.toml:3: seeds: unknown key",
        Refuses,
    ),
    (
        "scenario = \"first\"\ngrid.seed = 1",
        "s.toml:2: grid.seed: found the integer 1",
        Refuses,
    ),
    ("scenario = \"first\"\ngrid.seed = []", "found an empty list", Refuses),
    ("scenario = \"first\"\ngrid.seed = [1, 1]", "found 1 twice", Takes),
    (
        "scenario = \"first\"\n[grid]\ntask.victim.parameters.bytes = [\"1 MiB\", \"2 MiB\", \"1024 KiB\"]",
        "s.toml:3: grid.task.victim.parameters.bytes.2: found 1024 KiB, which is 1 MiB once more",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.measure.time = [\"1 ms\", \"1000 us\"]",
        "found 1000 us, which is 1 ms once more",
        Takes,
    ),
    (
        "scenario = \"first\"\n[[point]]\nseed = 1\nmeasure.time = \"1 ms\"\n[[point]]\nmeasure.time = \"1000 us\"\nseed = 1",
        "s.toml:5: point.1: found a point that is listed before",
        Takes,
    ),
    // Variants may have this axis.
    (
        "scenario = \"first\"\n\ngrid.name = [\"a\"]",
        "s.toml:3: grid.name: found \"name\", which is the same",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.sweep.corunners = [[1]]",
        "which is the same at all points",
        Refuses,
    ),
    // Plans.
    (
        "scenario = \"first\"\ngrid.server.0.period = [\"8 ms\"]",
        "s.toml:2: grid.server.0.period: found a key that only plans heed",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.seed = [1]\nplan_run.horizon = \"64 ms\"",
        "plan_run: found how plans are run, and no point is planned",
        Takes,
    ),
    (
        "scenario = \"first\"\nset.plan.method = \"crs\"\ngrid.seed = [1]\nplan_run.horizon = 64",
        "s.toml:4: plan_run.horizon: found the integer 64",
        Refuses,
    ),
    (
        "scenario = \"first\"\nset.plan.method = \"crs\"\ngrid.seed = [1]\nplan_run.horzon = \"64 ms\"",
        "did you mean \"horizon\"?",
        Refuses,
    ),
    (
        "scenario = \"first\"\nset.plan.method = \"crs\"\ngrid.seed = [1]",
        "itself, and is planned",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.seed = [1]\nset.seed = 2",
        "s.toml:3: set.seed: found a key that has an axis",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.seed = [1]\n[random]\nsamples = 2\nover.seed = { from = 1, to = 2, step = 1 }",
        "found a second axis \"seed\"",
        Takes,
    ),
    // Whichever of two axes stood last in the file would win.
    (
        "scenario = \"first\"\n[grid]\nwhere = [\"a\"]\nseed = [5, 6]\n[[variant]]\nname = \"a\"\nset.seed = 1",
        "s.toml:7: variant.0.set.seed: found a key that has an axis: \"seed\" sets it, too",
        Takes,
    ),
    (
        "scenario = \"first\"\n[grid]\nseed = [5, 6]\nwhere = [\"a\"]\n[[variant]]\nname = \"a\"\nset.seed = 1",
        "s.toml:7: variant.0.set.seed: found a key that has an axis: \"seed\" sets it, too",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.where = [\"a\"]\n[[variant]]\nname = \"a\"\nset.seed = 1\n[random]\nsamples = 2\nover.seed = { from = 1, to = 2, step = 1 }",
        "s.toml:5: variant.0.set.seed: found a key that has an axis",
        Takes,
    ),
    (
        "scenario = \"first\"\n[grid]\nwhere = [\"a\"]\nhow = [\"b\"]\n[[variant]]\nname = \"a\"\nset.seed = 1\n[[variant]]\nname = \"b\"\nset.seed = 2",
        "s.toml:10: variant.1.set.seed: found a key that has an axis: \"where\" sets it, too",
        Takes,
    ),
    // One task by its name and by its number.
    (
        "scenario = \"first\"\n[grid]\nwhere = [\"a\"]\ntask.0.core = [0]\n[[variant]]\nname = \"a\"\nset.task.victim.core = 1",
        "s.toml:7: variant.0.set.task.victim.core: found a key that has an axis: \"task.0.core\" sets it, too",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.task.0.core = [0]\nset.task.victim.core = 1",
        "s.toml:3: set.task.victim.core: found a key that has an axis",
        Takes,
    ),
    // A table of keys.
    (
        "scenario = \"first\"\n[grid]\nwhere = [\"a\"]\ntask.victim.core = [0]\n[[variant]]\nname = \"a\"\nset.task = [{ name = \"x\" }]",
        "s.toml:7: variant.0.set.task: found a key that has an axis: \"task.victim.core\" sets it, too",
        Refuses,
    ),
    (
        "scenario = \"first\"\ngrid.task = [[{ name = \"x\" }]]\nset.task.x.core = 0",
        "s.toml:3: set.task.x.core: found a key that has an axis",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[random]\nsamples = 2\nover.seed = { from = 1, to = 2 }\n[latin_hypercube]",
        "a second way to draw samples",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[random]\nsamples = 0\nover.seed = { from = 1, to = 2 }",
        "s.toml:3: random.samples: found the integer 0",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[random]\nsamples = 2\nover.seed = { from = 1, to = 2, stepp = 1 }",
        "did you mean \"step\"?",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[random]\nsamples = 2\nover.seed = { from = \"1\", to = 2 }",
        "s.toml:4: random.over.seed.from: found the text",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[grid]\nmeasure.operations = { from = 1, to = 2 }",
        "s.toml:3: grid.measure.operations: found a range without steps in a grid",
        Takes,
    ),
    (
        "scenario = \"first\"\n[grid]\nseed = { from = 1, to = 2, step = 1, scale = \"log\" }",
        "s.toml:3: grid.seed: found scale = \"log\" in a grid",
        Takes,
    ),
    (
        "scenario = \"first\"\n[grid]\ntask.victim.parameters.bytes = { from = 1, to = 2, step = 1, unit = \"MiB\" }\n[[point]]\ntask.victim.parameters.bytes = 196608",
        "s.toml:5: point.0.task.victim.parameters.bytes: found 196608, where the axis",
        Takes,
    ),
    (
        "scenario = \"first\"\n[grid]\nwhere = [\"a\"]\n[[variant]]\nname = \"a\"\nset.seed = 1\n[[point]]\nwhere = \"a\"",
        "s.toml:8: point.0.where: found a key that is the name of an axis of variants",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[grid]\ntask.victim.parameters.bytes = [\"64 KiB\", 65536]",
        "s.toml:3: grid.task.victim.parameters.bytes.1: found 65536, which is 64 KiB once more",
        Takes,
    ),
    (
        "scenario = \"first\"\n[grid]\nover.seed = { from = 1, to = 2, step = 1 }",
        "s.toml:3: grid.over: found a table that [random] and [latin_hypercube] have",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[grid]\nseed = [1]\nmeasure = {}",
        "s.toml:4: grid.measure: found no key",
        Takes,
    ),
    (
        "scenario = \"first\"\ngrid.seed = [1]\n[[variant]]\nset.seed = 1",
        "variant.0.name: missing",
        Refuses,
    ),
    (
        "scenario = \"first\"\ntables = [\"jbos\"]\ngrid.seed = [1]",
        "did you mean \"jobs\"?",
        Refuses,
    ),
    // What the scenario says of a value is told where the sweep has it.
    (
        "scenario = \"first\"\n[grid]\nmeasure.operations = [0, 10]",
        "s.toml:3: grid.measure.operations: found the integer 0",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[grid]\nmeasure.opertions = [10]",
        "s.toml:3: grid.measure.opertions: unknown key",
        Refuses,
    ),
    (
        "scenario = \"first\"\n[grid]\ntask.vicitm.core = [1]",
        "s.toml:3: grid.task.vicitm.core: found the task \"vicitm\"",
        Takes,
    ),
    // Its own sweep varies this key.
    (
        "scenario = \"first\"\n[grid]\ncorunners = [1]",
        "found a key that the scenario sweeps",
        Takes,
    ),
];

#[test]
fn wrong_sweeps() {
    for (text, wrong, _) in WRONG {
        let told = told(text);
        assert!(told.contains(wrong), "{text}\n{told}");
    }
}

#[test]
fn a_sweep_that_is_too_large_is_refused_before_it_is_made() {
    let axis = |key: &str| format!("{key} = {:?}\n", (1..=1001).collect::<Vec<_>>());
    let text = format!(
        "scenario = \"first\"\n[grid]\n{}{}",
        axis("seed"),
        axis("measure.operations")
    );
    let error = Sweep::parse("s.toml", &text, Path::new(""), &[]).expect_err("a million and two thousand");
    assert_eq!(error.kind, Kind::TooLarge);
    assert!(error.to_string().contains("found 1002001 points"), "{error}");
}

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

#[test]
fn wrong_sweeps() {
    for (text, wrong) in [
        ("grid.seed = [1]", "s.toml: scenario: missing"),
        ("scenario = \"fisrt\"\ngrid.seed = [1]", "found no built-in scenario"),
        ("scenario = \"first\"", "s.toml: found no point"),
        ("scenario = \"first\"\n[grid]", "s.toml:2: grid: found no key"),
        (
            "scenario = \"first\"\ngird.seed = [1]",
            "s.toml:2: gird: unknown key\n  allowed: scenario",
        ),
        (
            "scenario = \"first\"\nrandom = { samples = 1, over.task.victim.parameters.bytes = { from = 1, to = 8, unit = \"MiB\" } }",
            "a range has whole numbers with a step, for example step = 1",
        ),
        (
            "scenario = \"first\"\nrandom = { samples = 1, over.memory.controller.hit_cap = { from = 1, to = 8 } }",
            "a range has whole numbers with a step, for example step = 1",
        ),
        (
            "scenario = \"first\"\ngrid.seed = [1]\nseeds = 1",
            "s.toml:3: seeds: unknown key",
        ),
        (
            "scenario = \"first\"\ngrid.seed = 1",
            "s.toml:2: grid.seed: found the integer 1",
        ),
        ("scenario = \"first\"\ngrid.seed = []", "found an empty list"),
        ("scenario = \"first\"\ngrid.seed = [1, 1]", "found 1 twice"),
        (
            "scenario = \"first\"\n\ngrid.name = [\"a\"]",
            "s.toml:3: grid.name: found \"name\", which is the same",
        ),
        (
            "scenario = \"first\"\ngrid.sweep.corunners = [[1]]",
            "which is the same at all points",
        ),
        ("scenario = \"first\"\ngrid.plan.cores = [1]", "plan first"),
        (
            "scenario = \"first\"\ngrid.seed = [1]\nset.seed = 2",
            "s.toml:3: set.seed: found a key that has an axis",
        ),
        (
            "scenario = \"first\"\ngrid.seed = [1]\n[random]\nsamples = 2\nover.seed = { from = 1, to = 2, step = 1 }",
            "found a second axis \"seed\"",
        ),
        (
            "scenario = \"first\"\n[random]\nsamples = 2\nover.seed = { from = 1, to = 2 }\n[latin_hypercube]",
            "a second way to draw samples",
        ),
        (
            "scenario = \"first\"\n[random]\nsamples = 0\nover.seed = { from = 1, to = 2 }",
            "s.toml:3: random.samples: found the integer 0",
        ),
        (
            "scenario = \"first\"\n[random]\nsamples = 2\nover.seed = { from = 1, to = 2, stepp = 1 }",
            "did you mean \"step\"?",
        ),
        (
            "scenario = \"first\"\ntables = [\"jbos\"]\ngrid.seed = [1]",
            "did you mean \"jobs\"?",
        ),
        // What the scenario says of a value is told where the sweep has it.
        (
            "scenario = \"first\"\n[grid]\nmeasure.operations = [0, 10]",
            "s.toml:3: grid.measure.operations: found the integer 0",
        ),
        (
            "scenario = \"first\"\n[grid]\nmeasure.opertions = [10]",
            "s.toml:3: grid.measure.opertions: unknown key",
        ),
        (
            "scenario = \"first\"\n[grid]\ntask.vicitm.core = [1]",
            "s.toml:3: grid.task.vicitm.core: found the task \"vicitm\"",
        ),
        // Its own sweep varies this key.
        (
            "scenario = \"first\"\n[grid]\ncorunners = [1]",
            "found a key that the scenario sweeps",
        ),
    ] {
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

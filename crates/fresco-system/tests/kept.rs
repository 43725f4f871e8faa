// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results that are kept: found again to the last bit, by runs that are the same and by no other.

use fresco_system::results::ScenarioResult;
use fresco_system::{Batch, Scenario, Store};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Keeps in memory, and counts what was not there.
#[derive(Default)]
struct InMemory {
    values: Mutex<BTreeMap<String, Vec<u8>>>,
    missing: Mutex<usize>,
}

impl InMemory {
    fn missing(&self) -> usize {
        std::mem::take(&mut self.missing.lock().expect("no panic"))
    }
}

impl Store for InMemory {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let value = self.values.lock().expect("no panic").get(key).cloned();
        *self.missing.lock().expect("no panic") += usize::from(value.is_none());
        value
    }

    fn put(&self, key: &str, value: &[u8]) {
        self.values
            .lock()
            .expect("no panic")
            .insert(key.to_owned(), value.to_vec());
    }
}

fn run(scenario: &Scenario, store: &InMemory) -> ScenarioResult {
    let batch = Batch {
        threads: 2,
        store: Some(store),
        ..Batch::default()
    };
    batch
        .run(scenario)
        .unwrap_or_else(|error| panic!("{error}"))
        .expect("nobody stops it")
}

fn builtin(name: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    fresco_scenario::builtin(name, &overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn bytes(result: &ScenarioResult) -> String {
    serde_json::to_string(result).expect("numbers")
}

/// Made, found again, and made without a store: all the same.
fn is_found_again(scenario: &Scenario) {
    let (name, store) = (&scenario.name, InMemory::default());
    let made = run(scenario, &store);
    // Runs at several points may be the same: without co-runners their colors make no difference.
    assert!((1..=scenario.runs().len()).contains(&store.missing()), "{name}");
    let found = run(scenario, &store);
    assert_eq!(store.missing(), 0, "{name}");
    let plain = fresco_system::run_all(scenario, 2, &|_| {}).expect("runs");
    for other in [found, plain].map(|result| bytes(&result)) {
        let first = std::iter::zip(bytes(&made).bytes(), other.bytes()).position(|(a, b)| a != b);
        assert!(
            first.is_none() && bytes(&made).len() == other.len(),
            "{name}: other from byte {first:?} on"
        );
    }
}

/// Results of all kinds: energy, the checker's word, timelines, budgets, colors that change, threads of a program.
#[test]
fn what_is_found_again_is_what_was_made() {
    let operations = [
        "repetitions=2",
        "warm_up.operations=100",
        "measure.operations=400",
        "check=true",
        "timeline=\"5 us\"",
    ];
    let times = ["repetitions=2", "warm_up.time=\"2 us\"", "measure.time=\"10 us\""];
    let budgets = [
        "repetitions=2",
        "bandwidth.period=100us",
        "warm_up.time=200us",
        "measure.time=500us",
    ];
    is_found_again(&builtin("palloc-fig4", &operations));
    is_found_again(&builtin("memguard-four", &budgets));
    is_found_again(&builtin("bpm-balance", &times));
    is_found_again(&builtin(
        "tint-serial",
        &["repetitions=1", "task.thread.parameters.n=32"],
    ));
}

/// And jobs.
#[test]
fn jobs_that_are_found_again_are_those_that_were_made() {
    let text = r#"
        name = "jobs"
        machine = "small.toml"
        repetitions = 2
        warm_up.jobs = 1
        measure.jobs = 5
        [[task]]
        name = "periodic"
        program = "latency"
        parameters.bytes = "16 KiB"
        core = 0
        period = "500 us"
        [[task]]
        name = "other"
        program = "bandwidth"
        parameters.bytes = "1 MiB"
        core = 1
        role = "background"
    "#;
    is_found_again(&crate::common::parse(text).unwrap_or_else(|error| panic!("{error}")));
}

/// Whatever is changed of a scenario, its runs are others; its name and its other points are none of a run.
#[test]
fn a_run_is_what_its_experiment_says() {
    let store = InMemory::default();
    let base = [
        "repetitions=1",
        "warm_up.operations=100",
        "measure.operations=400",
        "sweep.corunners=[0]",
        "sweep.policy=[\"buddy\"]",
    ];
    let missing = |more: &[&str]| {
        run(&builtin("palloc-fig4", &[&base[..], more].concat()), &store);
        store.missing()
    };
    assert_eq!(missing(&[]), 1);
    assert_eq!(missing(&["name=another", "title=another"]), 0);
    for changed in [
        "seed=7",
        "warm_up.operations=101",
        "measure.operations=401",
        "machine=i7-860",
        "check=true",
    ] {
        assert_eq!(missing(&[changed]), 1, "{changed}");
        assert_eq!(missing(&[changed]), 0, "{changed}");
    }
    // A further repetition and a further point.
    assert_eq!(missing(&["repetitions=2"]), 1);
    assert_eq!(missing(&["sweep.corunners=[0, 1]"]), 1);
}

/// Of a trace the bytes count, not the name.
#[test]
fn a_trace_is_its_bytes() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, lines: u64| {
        let text: String = (0..lines).map(|line| format!("3 {}\n", 64 * line)).collect();
        std::fs::write(directory.path().join(name), text).expect("written");
    };
    let store = InMemory::default();
    let missing = || {
        let text = "name = \"traces\"\nmachine = \"xeon-w3530\"\nwarm_up.operations = 10\nmeasure.operations = 50\n\
             [[task]]\nname = \"a\"\nprogram = \"trace\"\nparameters.file = \"a.trc\"\ncore = 0\n";
        let scenario =
            Scenario::parse("traces.toml", text, directory.path(), &[]).unwrap_or_else(|error| panic!("{error}"));
        run(&scenario, &store);
        store.missing()
    };
    write("a.trc", 100);
    assert_eq!((missing(), missing()), (1, 0));
    write("a.trc", 101);
    assert_eq!((missing(), missing()), (1, 0));
    write("a.trc", 100);
    assert_eq!(missing(), 0);
}

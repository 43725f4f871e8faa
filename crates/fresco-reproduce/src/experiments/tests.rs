// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of experiments against the contract in `claims/experiments.toml`.

use super::*;
use crate::Unobserved;
use crate::testing::{Stopped, means};
use fresco_report::claims::Claims;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

#[test]
fn every_experiment_is_in_the_contract_and_its_scenario_is_built_in() {
    let claims = Claims::builtin().expect("the claims are sound");
    let mut systems = SYSTEMS;
    systems.sort_unstable();
    assert_eq!(claims.names(), systems);
    for experiment in ALL {
        assert!(claims.experiments.contains_key(experiment.name), "{}", experiment.name);
        assert!(experiment.systems.iter().all(|system| systems.contains(system)));
        let known = |name: &str| fresco_scenario::builtin_names().any(|scenario| scenario == name);
        assert!(experiment.scenario.is_none_or(known), "{}", experiment.name);
    }
}

#[test]
fn what_was_not_run_before_the_end_has_no_rows() {
    let experiments = of_systems(&["palloc".to_owned(), KERNEL.to_owned()]);
    let record = Record::load(None).expect("the record is sound");
    let results = rows(&experiments, &[], Some(&record), World::default(), means(&Stopped)).expect("rows");
    let found: Vec<&str> = results.0.keys().map(String::as_str).collect();
    assert_eq!(found, ["kernel-allocation", "kernel-faults", "kernel-start"]);
}

/// What makes a scenario short enough for a test.
fn short(scenario: &str) -> Vec<String> {
    let of_scenario: &[&str] = match scenario {
        "palloc-fig5" => &["sweep.corunners=[0, 7]"],
        "palloc-spec" => &["sweep.program=[\"403.gcc\"]"],
        "palloc-kernels" => &["sweep.program=[\"histogram\"]"],
        // A job of a millisecond has every value that one of tens has.
        "camc-fig2.8" => &[
            "measure.jobs=1",
            "warm_up.jobs=0",
            "task.synthetic.parameters.writes=8192",
            "task.synthetic.parameters.bytes=1 MiB",
            "task.synthetic.period=5 ms",
            "task.is_ser.parameters.class=S",
            "task.is_ser.period=8 ms",
        ],
        "palloc-tab2" => &["measure.jobs=1", "warm_up.jobs=0", "task.hrt.parameters.elements=16384"],
        "palloc-tab3" => &[
            "measure.jobs=1",
            "warm_up.jobs=0",
            "task.hrt.parameters.elements=16384",
            "task.hrt.period=4 ms",
            "task.hog.parameters.bytes=1 MiB",
        ],
        "camc-tab2.1" | "camc-tab2.2" => &["task.writer.parameters.writes=500", "measure.passes=2"],
        "camc-fig2.4" => &["sweep.program=[\"is\"]"],
        "bpm-mixes" => &["sweep.workload=[\"wl-11\", \"lbm\", \"tiny\"]"],
        "bpm-eight" => &["sweep.workload=[\"streams-tiny\"]"],
        "bpm-banks" => &["sweep.task.program.parameters.of=[\"470.lbm\"]"],
        "bpm-short" => &["sweep.workload=[\"milc\"]"],
        "bpm-speed" => &["sweep.workload=[\"medium\"]"],
        "bpm-team" => &["task.team.parameters.points=64"],
        "tint-fig3.10" => &[
            "variant.4.set.task.thread.parameters.writes=200",
            "task.thread.parameters.bytes=1 MiB",
            "warm_up.passes=0",
            "sweep.threads=[\"4_threads_1_nodes\"]",
        ],
        // Cold caches: warm ones hold so little data.
        "tint-fig3.11" => &[
            "variant.2.set.task.thread.parameters.options=3000",
            "variant.4.set.task.thread.parameters.elements=3000",
            "variant.4.set.task.thread.parameters.bins=512",
            "sweep.program=[\"blackscholes\", \"histogram\"]",
            "sweep.policy=[\"buddy\", \"mem+llc\", \"llc+mem-part\"]",
            "warm_up.passes=0",
        ],
        "tint-placements" => &[
            "variant.1.set.task.thread.parameters.options=3000",
            "sweep.program=[\"blackscholes\"]",
        ],
        "tint-serial" => &["task.thread.parameters.n=32"],
        "camc-fig2.5" => &["sweep.corunners=[0, 3]"],
        name if name.starts_with("memguard-") => &[
            "bandwidth.period=100us",
            "fill.operations=100",
            "warm_up.time=200us",
            "measure.time=500us",
        ],
        _ => &[],
    };
    let operations: &[&str] = match scenario {
        "camc-tab2.1" | "camc-tab2.2" | "camc-fig2.8" | "palloc-tab2" | "palloc-tab3" => &[],
        name if name.starts_with("memguard-") => &[],
        "bpm-team" => &[],
        name if name.starts_with("bpm-") => &["fill.operations=100", "warm_up.time=\"2 us\"", "measure.time=\"10 us\""],
        "palloc-spec" | "palloc-kernels" => &[
            "fill.operations=100",
            "warm_up.operations=100",
            "measure.operations=400",
        ],
        name if name.starts_with("tint-") => &[],
        _ => &["warm_up.operations=100", "measure.operations=400"],
    };
    let all = [&["repetitions=2"], of_scenario, operations].concat();
    all.into_iter().map(str::to_owned).collect()
}

/// The result of an experiment's scenario, short; made once for all experiments that run the same.
fn short_result(experiment: &Experiment) -> Option<Arc<ScenarioResult>> {
    type Made = Arc<OnceLock<Arc<ScenarioResult>>>;
    static MADE: Mutex<BTreeMap<(&str, &[&str]), Made>> = Mutex::new(BTreeMap::new());
    let name = experiment.scenario?;
    let made = Arc::clone(
        MADE.lock()
            .expect("no panic")
            .entry((name, experiment.only))
            .or_default(),
    );
    let run = || {
        let only = experiment.only.iter().map(|text| (*text).to_owned());
        let overrides: Vec<String> = only.chain(short(name)).collect();
        let scenario = fresco_scenario::builtin(name, &overrides).expect(name);
        Arc::new(fresco_system::run_all(&scenario, 1, &|_| {}).expect(name))
    };
    Some(Arc::clone(made.get_or_init(run)))
}

fn keeps_to_the_contract(experiment: &Experiment, claims: &Claims) {
    let scenarios: Vec<ScenarioResult> = short_result(experiment).iter().map(|made| (**made).clone()).collect();
    let record = Record::load(None).expect("the record is sound");
    let results = rows(
        &[experiment],
        &scenarios,
        Some(&record),
        World::default(),
        means(&Unobserved),
    )
    .expect("rows");
    let contract = &claims.experiments[experiment.name];
    let found = &results.0[experiment.name];
    assert!(!found.is_empty(), "{}", experiment.name);
    for row in found {
        for (label, value) in &row.labels {
            let allowed = &contract.labels[label];
            assert!(
                allowed.is_empty() || allowed.contains(value),
                "{}: {label}={value}",
                experiment.name
            );
        }
        assert!(row.values.keys().all(|name| contract.values.contains(name)), "{row:?}");
    }
    // Each value is there once: of runs that are repeated, one for all of them.
    let mut seen = std::collections::BTreeSet::new();
    for row in found {
        for name in row.values.keys() {
            assert!(
                seen.insert((&row.labels, name)),
                "{}: {name} of {:?} twice",
                experiment.name,
                row.labels
            );
        }
    }
    // Every value is there at least once, but for what is known of whole jobs of every task: runs are too short for them here.
    let given = |value: &String| value == "utilization" || found.iter().any(|row| row.values.contains_key(value));
    assert!(contract.values.iter().all(given), "{}: {found:?}", experiment.name);
}

#[test]
fn rows_keep_to_the_contract() {
    let claims = Claims::builtin().expect("the claims are sound");
    let next = AtomicUsize::new(0);
    // Threads of its own: what waits here for a result that another one makes must not be lent to rayon, which makes it.
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(experiment) = ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Maps of 24 machines: half a minute. Its machines have a test of their own, and `make claims-quick` has its rows.
                    if experiment.name != "bpm-detection" {
                        keeps_to_the_contract(experiment, &claims);
                    }
                }
            });
        }
    });
    assert!(next.into_inner() >= ALL.len());
}

#[test]
fn systems_share_experiments() {
    let names = |systems: &[&str]| {
        let systems: Vec<String> = systems.iter().map(|name| (*name).to_owned()).collect();
        of_systems(&systems)
            .iter()
            .map(|experiment| experiment.name)
            .collect::<Vec<_>>()
    };
    assert!(
        names(&["camc"]).contains(&"palloc-fig4"),
        "CAMC compares itself with PALLOC"
    );
    assert!(!names(&["palloc"]).contains(&"camc-fig2.6"));
    let of_banks = |name: &&str| {
        ["camc-", "palloc-", "tint-"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    assert_eq!(
        names(&["camc", "palloc"]),
        names(&["camc", "palloc", CR])
            .into_iter()
            .filter(of_banks)
            .collect::<Vec<_>>()
    );
}

#[test]
fn every_system_has_the_experiments_of_its_claims() {
    let claims = Claims::builtin().expect("the claims are sound");
    for experiment in ALL {
        let asks = |name: &&str| {
            claims.systems[*name]
                .claims
                .iter()
                .any(|claim| claim.experiment == experiment.name)
        };
        let missing = claims
            .names()
            .into_iter()
            .filter(asks)
            .find(|name| !experiment.systems.contains(name));
        assert_eq!(missing, None, "{}", experiment.name);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments that the papers' claims are checked against: what each of them runs, and the rows it yields. Labels
//! and values are those of `claims/experiments.toml`.

mod allocation;
mod bpm;
mod camc;
mod codesign;
mod densities;
mod facts;
mod kernel;
mod memguard;
mod palloc;
mod realtime;
mod refresh;
mod tintmalloc;

pub use allocation::SIZES_MIB;

use crate::kernel_record::Record;
use fresco_input::InputError;
use fresco_report::claims::{Results, Row};
use fresco_system::results::ScenarioResult;

/// One experiment.
pub struct Experiment {
    /// Its name in `claims/experiments.toml`.
    pub name: &'static str,
    /// The systems whose claims need it.
    pub systems: &'static [&'static str],
    /// The built-in scenario that it runs, if it runs one.
    pub scenario: Option<&'static str>,
    /// The part of the scenario that claims need, as `--set` takes it; empty for all of it.
    pub only: &'static [&'static str],
    /// The rows that follow from the scenario's result.
    from_scenario: fn(&ScenarioResult) -> Vec<Row>,
    /// Rows that need no scenario, for a seed: they follow from theory, machine files or allocators.
    direct: fn(u64) -> Result<Vec<Row>, InputError>,
    /// Rows of the record of the kernel's measurements.
    from_record: fn(&Record) -> Vec<Row>,
}

/// TintMalloc and the systems of the refresh chapters, as `fresco reproduce` names them.
const TINT: &str = "tintmalloc";
const CR: &str = "colored-refresh";
const CRS: &str = "crs";
const CODESIGN: &str = "codesign";
const BASELINES: &str = "refresh-baselines";

const MEMGUARD: &str = "memguard";

/// PALLOC's and CAMC's claims on the cost of allocation, beside Linux with the patches of `kernel/`.
pub const KERNEL: &str = "kernel";

/// BPM, and BPM+ with its divided channels.
const BPM: &str = "bpm";
const BPM_PLUS: &str = "bpm-plus";

/// Every experiment that this program can run.
pub const ALL: &[Experiment] = &[
    of_scenario("palloc-fig4", &["palloc", "camc"], "palloc-fig4", palloc::latency),
    of_scenario("palloc-fig5", &["palloc"], "palloc-fig5", palloc::latency),
    of_scenario("palloc-xeon-queues", &["palloc"], "palloc-fig5-xeon", palloc::latency),
    without_scenario("palloc-map", &["palloc"], facts::palloc_map),
    without_scenario("palloc-tab1", &["palloc"], allocation::palloc_table_1),
    without_scenario("camc-map", &["camc"], facts::camc_map),
    of_scenario("camc-tab2.1", &["camc", TINT], "camc-tab2.1", camc::by_controller),
    Experiment {
        only: &["sweep.policy=[\"buddy\", \"camc\"]"],
        direct: allocation::camc_table_2_2,
        ..of_scenario("camc-tab2.2", &["camc"], "camc-tab2.2", camc::by_allocator)
    },
    of_scenario("camc-fig2.4", &["camc"], "camc-fig2.4", camc::beside_attackers),
    of_scenario("camc-fig2.5", &["camc"], "camc-fig2.5", camc::beside_many_attackers),
    of_scenario("camc-fig2.6", &["camc"], "camc-fig2.6", camc::beside_its_like),
    of_scenario("camc-fig2.7", &["camc"], "camc-fig2.7", camc::beside_its_like),
    of_scenario("camc-rt", &["camc"], "camc-fig2.8", realtime::camc),
    of_scenario("palloc-tab2", &["palloc"], "palloc-tab2", realtime::palloc),
    of_scenario("palloc-tab3", &["palloc"], "palloc-tab3", realtime::palloc),
    of_scenario("palloc-spec", &["palloc"], "palloc-spec", realtime::models),
    without_scenario("tint-facts", &[TINT], tintmalloc::facts),
    without_scenario("tint-shares", &[TINT], tintmalloc::shares),
    of_scenario("tint-fig3.10", &[TINT], "tint-fig3.10", tintmalloc::by_threads),
    of_scenario("tint-fig3.11", &["camc", TINT], "tint-fig3.11", tintmalloc::by_policy),
    of_scenario("tint-placements", &[TINT], "tint-placements", tintmalloc::by_placement),
    of_scenario("tint-serial", &[TINT], "tint-serial", tintmalloc::by_serial_share),
    without_scenario("bpm-facts", &[BPM], bpm::facts),
    of_scenario("bpm-banks", &[BPM], "bpm-banks", bpm::banks),
    of_scenario("bpm-mixes", &[BPM, BPM_PLUS], "bpm-mixes", bpm::mixes),
    of_scenario("bpm-lbm", &[BPM], "bpm-mixes", bpm::lbm),
    of_scenario("bpm-groups", &[BPM, BPM_PLUS], "bpm-mixes", bpm::groups),
    of_scenario("bpm-correlations", &[BPM, BPM_PLUS], "bpm-mixes", bpm::correlations),
    of_scenario("bpm-short", &[BPM], "bpm-short", bpm::short),
    of_scenario("bpm-balance", &[BPM_PLUS], "bpm-balance", bpm::balance),
    of_scenario("bpm-team", &[BPM], "bpm-team", bpm::team),
    of_scenario("bpm-speed", &[BPM, BPM_PLUS], "bpm-speed", bpm::speed),
    without_scenario("refresh-facts", &[CR, CRS, BASELINES], refresh::facts),
    without_scenario("refresh-modes", &[BASELINES], refresh::modes),
    without_scenario("refresh-timing", &[BASELINES], refresh::timing),
    without_scenario("cr-example1", &[CR], refresh::example_1),
    without_scenario("cr-example2", &[CR], refresh::example_2),
    without_scenario("cr-table4.4", &[CR], refresh::table_4_4),
    without_scenario("cr-analysis", &[CR, CRS], refresh::cr_analysis),
    without_scenario("cr-coloring", &[CR], refresh::cr_coloring),
    without_scenario("cr-allocation", &[CR], refresh::cr_allocation),
    without_scenario("crs-example", &[CRS], refresh::crs_example),
    without_scenario("crs-analysis", &[CRS], refresh::crs_analysis),
    without_scenario("crs-soundness", &[CRS, BASELINES], refresh::soundness),
    without_scenario("crs-facts", &[CRS], refresh::crs_facts),
    without_scenario("crs-toplevel", &[CRS], refresh::crs_toplevel),
    without_scenario("cr-densities", &[CR, BASELINES], densities::cr_tasks),
    without_scenario("cr-densities-set", &[CR, CRS, BASELINES], densities::cr_set),
    without_scenario("crs-densities", &[CRS, BASELINES], densities::crs_tasks),
    without_scenario("crs-densities-set", &[CR, CRS, BASELINES], densities::crs_set),
    without_scenario("crs-short", &[CRS, BASELINES], densities::crs_short),
    without_scenario("codesign-facts", &[CODESIGN, BASELINES], refresh::codesign_facts),
    without_scenario("codesign-machine", &[CODESIGN], refresh::machine),
    without_scenario("codesign-models", &[CODESIGN], refresh::models),
    without_scenario("codesign-capacity", &[CODESIGN], refresh::capacity),
    without_scenario("codesign-allocation", &[BASELINES], refresh::allocation),
    without_scenario("codesign-example", &[CODESIGN, BASELINES], codesign::example),
    without_scenario("codesign-eta", &[CODESIGN], codesign::eta),
    without_scenario("codesign-runs", &[CODESIGN, BASELINES], codesign::runs),
    without_scenario("codesign-banks", &[CODESIGN], codesign::banks),
    without_scenario("codesign-variants", &[CODESIGN], codesign::variants),
    without_scenario("refresh-probe", &[CR, CRS, BASELINES], codesign::probe),
    without_scenario("memguard-facts", &[MEMGUARD], memguard::facts),
    without_scenario("memguard-reorder", &[MEMGUARD], memguard::reorder),
    without_scenario("memguard-example", &[MEMGUARD], memguard::example),
    of_scenario("memguard-isolation", &[MEMGUARD], "memguard-isolation", memguard::tasks),
    of_scenario("memguard-reclaim", &[MEMGUARD], "memguard-reclaim", memguard::tasks),
    of_scenario("memguard-sharing", &[MEMGUARD], "memguard-sharing", memguard::tasks),
    of_scenario("memguard-weights", &[MEMGUARD], "memguard-weights", memguard::tasks),
    of_scenario("memguard-four", &[MEMGUARD], "memguard-four", memguard::tasks),
    of_record("kernel-faults", kernel::faults),
    of_record("kernel-allocation", kernel::allocations),
    of_record("kernel-start", kernel::starts),
];

const fn of_scenario(
    name: &'static str,
    systems: &'static [&'static str],
    scenario: &'static str,
    rows: fn(&ScenarioResult) -> Vec<Row>,
) -> Experiment {
    Experiment {
        name,
        systems,
        scenario: Some(scenario),
        only: &[],
        from_scenario: rows,
        direct: |_| Ok(Vec::new()),
        from_record: |_| Vec::new(),
    }
}

const fn without_scenario(
    name: &'static str,
    systems: &'static [&'static str],
    rows: fn(u64) -> Result<Vec<Row>, InputError>,
) -> Experiment {
    Experiment {
        name,
        systems,
        scenario: None,
        only: &[],
        from_scenario: |_| Vec::new(),
        direct: rows,
        from_record: |_| Vec::new(),
    }
}

const fn of_record(name: &'static str, rows: fn(&Record) -> Vec<Row>) -> Experiment {
    Experiment {
        name,
        systems: &[KERNEL],
        scenario: None,
        only: &[],
        from_scenario: |_| Vec::new(),
        direct: |_| Ok(Vec::new()),
        from_record: rows,
    }
}

/// The experiments that claims of these systems need.
pub fn of_systems(systems: &[String]) -> Vec<&'static Experiment> {
    let needed = |experiment: &&Experiment| {
        experiment
            .systems
            .iter()
            .any(|one| systems.iter().any(|name| name == one))
    };
    ALL.iter().filter(needed).collect()
}

/// The rows of all experiments, from the results of their scenarios and the kernel's record. Rows with the same labels
/// are one. Experiments whose scenario has no result are left out, and so is, once `stop` says so, what would have to be
/// run still.
///
/// # Errors
/// None in practice: the built-in machines have the memory that the experiments allocate.
pub fn rows(
    experiments: &[&Experiment],
    scenarios: &[ScenarioResult],
    record: Option<&Record>,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Results, InputError> {
    let mut results = Results::new();
    for experiment in experiments {
        let scenario = scenarios
            .iter()
            .find(|result| Some(result.scenario.as_str()) == experiment.scenario);
        let is_left_out = match experiment.scenario {
            Some(_) => scenario.is_none(),
            // What the record says is there already.
            None => stop() && experiment.systems != [KERNEL],
        };
        if is_left_out {
            continue;
        }
        let mut rows = scenario.map(experiment.from_scenario).unwrap_or_default();
        for direct in (experiment.direct)(seed)? {
            match rows.iter_mut().find(|row| row.labels == direct.labels) {
                Some(row) => row.values.extend(direct.values),
                None => rows.push(direct),
            }
        }
        rows.extend(record.map(experiment.from_record).unwrap_or_default());
        rows.into_iter().for_each(|row| results.push(experiment.name, row));
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_report::claims::Claims;

    #[test]
    fn every_experiment_is_in_the_contract_and_its_scenario_is_built_in() {
        let claims = Claims::builtin().expect("the claims are sound");
        for experiment in ALL {
            assert!(claims.experiments.contains_key(experiment.name), "{}", experiment.name);
            assert!(
                experiment
                    .systems
                    .iter()
                    .all(|system| claims.systems.contains_key(*system))
            );
            let known = |name: &str| fresco_scenario::builtin_names().any(|scenario| scenario == name);
            assert!(experiment.scenario.is_none_or(known), "{}", experiment.name);
        }
    }

    #[test]
    fn what_was_not_run_before_the_end_has_no_rows() {
        let experiments = of_systems(&["palloc".to_owned(), KERNEL.to_owned()]);
        let record = Record::load(None).expect("the record is sound");
        let results = rows(&experiments, &[], Some(&record), 1, &|| true).expect("rows");
        let found: Vec<&str> = results.0.keys().map(String::as_str).collect();
        assert_eq!(found, ["kernel-allocation", "kernel-faults", "kernel-start"]);
    }

    /// What makes a scenario short enough for a test.
    fn short(scenario: &str) -> Vec<String> {
        let of_scenario: &[&str] = match scenario {
            "palloc-fig5" => &["sweep.corunners=[0, 7]"],
            "palloc-spec" => &["sweep.program=[\"403.gcc\"]"],
            "camc-fig2.8" | "palloc-tab2" | "palloc-tab3" => &["measure.jobs=1", "warm_up.jobs=0"],
            "camc-tab2.1" | "camc-tab2.2" => &["task.writer.parameters.writes=500", "measure.passes=2"],
            "camc-fig2.4" => &["sweep.program=[\"is\"]"],
            "bpm-mixes" => &["sweep.workload=[\"wl-11\", \"lbm\", \"tiny\"]"],
            "bpm-banks" => &["sweep.task.program.parameters.of=[\"470.lbm\"]"],
            "bpm-short" => &["sweep.workload=[\"milc\"]"],
            "bpm-speed" => &["sweep.workload=[\"medium\"]"],
            "bpm-team" => &["task.team.parameters.points=64"],
            "tint-fig3.10" => &[
                "variant.4.set.task.thread.parameters.writes=200",
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
            name if name.starts_with("memguard-") => {
                &["bandwidth.period=100us", "warm_up.time=200us", "measure.time=500us"]
            }
            _ => &[],
        };
        let operations: &[&str] = match scenario {
            "camc-tab2.1" | "camc-tab2.2" | "camc-fig2.8" | "palloc-tab2" | "palloc-tab3" => &[],
            name if name.starts_with("memguard-") => &[],
            "bpm-team" => &[],
            name if name.starts_with("bpm-") => &["warm_up.time=\"2 us\"", "measure.time=\"10 us\""],
            name if name.starts_with("tint-") => &[],
            _ => &["warm_up.operations=100", "measure.operations=400"],
        };
        let all = [&["repetitions=2"], of_scenario, operations].concat();
        all.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn rows_keep_to_the_contract() {
        let claims = Claims::builtin().expect("the claims are sound");
        for experiment in ALL {
            let scenario = experiment.scenario.map(|name| {
                let only = experiment.only.iter().map(|text| (*text).to_owned());
                let overrides: Vec<String> = only.chain(short(name)).collect();
                let (scenario, _) = crate::scenarios::load(name, &overrides).expect(name);
                fresco_system::run_all(&scenario, 2, &|_| {}).expect(name)
            });
            let scenarios: Vec<ScenarioResult> = scenario.into_iter().collect();
            let record = Record::load(None).expect("the record is sound");
            let results = rows(&[experiment], &scenarios, Some(&record), 1, &|| false).expect("rows");
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
            // Every value is there at least once.
            let given = |value: &String| found.iter().any(|row| row.values.contains_key(value));
            assert!(contract.values.iter().all(given), "{}: {found:?}", experiment.name);
        }
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
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The experiments that the papers' claims are checked against: what each of them runs, and the rows it yields. Labels
//! and values are those of `claims/experiments.toml`.

mod allocation;
mod bank_bits;
mod bounds;
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
mod row;
mod tintmalloc;

pub use allocation::SIZES_MIB;
pub(crate) use codesign::Recorded;

use crate::kernel_record::Record;
use crate::{Means, Observer, World};
use codesign::Programs;
use fresco_input::InputError;
use fresco_report::InputFile;
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
    /// How many seeds its long runs are made with that are no scenario: scenarios have repetitions.
    seeds: u32,
    rows: Rows,
    /// Further values, for a seed: of the row with the same labels, or of one of their own.
    more: Option<fn(u64) -> Made>,
}

/// The rows that were made, or why they could not be.
type Made = Result<Vec<Row>, InputError>;

/// What the rows of an experiment follow from.
enum Rows {
    /// The result of its scenario.
    Scenario(fn(&ScenarioResult) -> Vec<Row>),
    /// Theory and machine files.
    Facts(fn() -> Made),
    /// What is over at once, for a seed: allocators, random task sets, short runs.
    Seeded(fn(u64) -> Made),
    /// Long runs that are no scenario.
    Runs(fn(World, &dyn Observer) -> Made),
    /// The same of the co-design's programs, which may be recordings.
    Mixes(OfMixes),
    /// The record of the kernel's measurements.
    Record(fn(&Record) -> Vec<Row>),
}

/// Rows of the co-design's programs.
type OfMixes = fn(Programs<'_>, World, &dyn Observer) -> Made;

/// TintMalloc and the systems of the refresh chapters, as `fresco reproduce` names them.
const TINT: &str = "tintmalloc";
const CR: &str = "colored-refresh";
const CRS: &str = "crs";
const CODESIGN: &str = "codesign";
const BASELINES: &str = "refresh-baselines";

const MEMGUARD: &str = "memguard";

/// PALLOC's and CAMC's claims on the cost of allocation, beside Linux with the patches of `kernel/`.
pub const KERNEL: &str = "kernel";

/// Analyses of interference.
const BOUNDS: &str = "bounds";

/// BPM, and BPM+ with its divided channels.
const BPM: &str = "bpm";
const BPM_PLUS: &str = "bpm-plus";

/// Every system that has claims.
pub const SYSTEMS: [&str; 12] = [
    BPM, BPM_PLUS, "camc", "palloc", TINT, CR, CRS, CODESIGN, BASELINES, MEMGUARD, KERNEL, BOUNDS,
];

/// Every experiment.
pub const ALL: &[Experiment] = &[
    of_scenario("palloc-fig4", &["palloc", "camc"], "palloc-fig4", palloc::latency),
    of_scenario("palloc-fig5", &["palloc"], "palloc-fig5", palloc::latency),
    of_scenario("palloc-xeon-queues", &["palloc"], "palloc-fig5-xeon", palloc::latency),
    facts("palloc-map", &["palloc"], facts::palloc_map),
    facts("palloc-bits", &["palloc"], bank_bits::test),
    seeded("palloc-tab1", &["palloc"], allocation::palloc_table_1),
    facts("camc-map", &["camc"], facts::camc_map),
    of_scenario("camc-tab2.1", &["camc", TINT], "camc-tab2.1", camc::by_controller),
    Experiment {
        only: &["sweep.policy=[\"buddy\", \"camc\"]"],
        more: Some(allocation::camc_table_2_2),
        ..of_scenario("camc-tab2.2", &["camc"], "camc-tab2.2", camc::by_allocator)
    },
    of_scenario("camc-fig2.4", &["camc"], "camc-fig2.4", camc::beside_attackers),
    of_scenario("camc-fig2.5", &["camc"], "camc-fig2.5", camc::beside_many_attackers),
    of_scenario("camc-fig2.6", &["camc"], "camc-fig2.6", camc::beside_its_like),
    of_scenario("camc-fig2.7", &["camc"], "camc-fig2.7", camc::beside_its_like),
    of_scenario("camc-interleave", &["camc"], "camc-interleave", palloc::by_axes),
    of_scenario("camc-rt", &["camc"], "camc-fig2.8", realtime::camc),
    of_scenario("palloc-tab2", &["palloc"], "palloc-tab2", realtime::palloc),
    of_scenario("palloc-tab3", &["palloc"], "palloc-tab3", realtime::palloc),
    of_scenario("palloc-spec", &["palloc", MEMGUARD], "palloc-spec", palloc::by_axes),
    of_scenario("palloc-kernels", &["palloc"], "palloc-kernels", palloc::by_axes),
    seeded("tint-facts", &[TINT], tintmalloc::facts),
    facts("tint-shares", &[TINT], tintmalloc::shares),
    facts("tint-hops", &[TINT], tintmalloc::hops),
    of_scenario("tint-fig3.10", &[TINT], "tint-fig3.10", tintmalloc::by_threads),
    of_scenario("tint-fig3.11", &["camc", TINT], "tint-fig3.11", tintmalloc::by_policy),
    of_scenario("tint-placements", &[TINT], "tint-placements", tintmalloc::by_placement),
    of_scenario("tint-serial", &[TINT], "tint-serial", tintmalloc::by_serial_share),
    facts("bpm-facts", &[BPM, BPM_PLUS], bpm::facts),
    facts("bpm-map", &[BPM], bpm::bits),
    facts("bpm-detection", &[BPM], bpm::found),
    facts("bpm-appendix", &[BPM], bpm::example),
    of_scenario("bpm-banks", &[BPM], "bpm-banks", bpm::banks),
    of_scenario("bpm-mixes", &[BPM, BPM_PLUS], "bpm-mixes", bpm::mixes),
    of_scenario("bpm-eight", &[BPM, BPM_PLUS], "bpm-eight", bpm::mixes),
    of_scenario("bpm-lbm", &[BPM], "bpm-mixes", bpm::lbm),
    of_scenario("bpm-groups", &[BPM, BPM_PLUS], "bpm-mixes", bpm::groups),
    of_scenario("bpm-correlations", &[BPM, BPM_PLUS], "bpm-mixes", bpm::correlations),
    of_scenario("bpm-short", &[BPM], "bpm-short", bpm::short),
    of_scenario("bpm-balance", &[BPM_PLUS], "bpm-balance", bpm::balance),
    of_scenario("bpm-team", &[BPM], "bpm-team", bpm::team),
    of_scenario("bpm-speed", &[BPM, BPM_PLUS], "bpm-speed", bpm::speed),
    facts("refresh-facts", &[CR, CRS, BASELINES], refresh::facts),
    facts("refresh-modes", &[BASELINES], refresh::modes),
    facts("refresh-timing", &[BASELINES], refresh::timing),
    facts("cr-example1", &[CR], refresh::example_1),
    facts("cr-example2", &[CR], refresh::example_2),
    facts("cr-table4.4", &[CR], refresh::table_4_4),
    seeded("cr-analysis", &[CR, CRS], refresh::cr_analysis),
    seeded("cr-coloring", &[CR], refresh::cr_coloring),
    seeded("cr-allocation", &[CR], refresh::cr_allocation),
    facts("crs-example", &[CRS], refresh::crs_example),
    facts("crs-analysis", &[CRS], refresh::crs_analysis),
    seeded("crs-soundness", &[CRS, BASELINES], refresh::soundness),
    facts("crs-facts", &[CRS], refresh::crs_facts),
    facts("crs-toplevel", &[CRS], refresh::crs_toplevel),
    runs("cr-densities", &[CR, BASELINES], densities::cr_tasks),
    runs("cr-densities-set", &[CR, CRS, BASELINES], densities::cr_set),
    runs("crs-densities", &[CRS, BASELINES], densities::crs_tasks),
    runs("crs-densities-set", &[CR, CRS, BASELINES], densities::crs_set),
    facts("crs-short", &[CRS, BASELINES], densities::crs_short),
    facts("codesign-facts", &[CODESIGN, BASELINES], refresh::codesign_facts),
    facts("codesign-machine", &[CODESIGN], refresh::machine),
    mixes("codesign-models", &[CODESIGN], codesign::alone),
    facts("codesign-capacity", &[CODESIGN], refresh::capacity),
    seeded("codesign-allocation", &[BASELINES], refresh::allocation),
    runs("codesign-example", &[CODESIGN, BASELINES], codesign::example),
    mixes("codesign-eta", &[CODESIGN], codesign::eta),
    mixes("codesign-runs", &[CODESIGN, BASELINES], codesign::runs),
    Experiment {
        seeds: 3,
        ..mixes("codesign-banks", &[CODESIGN], codesign::banks)
    },
    mixes("codesign-variants", &[CODESIGN], codesign::variants),
    facts("refresh-probe", &[CR, CRS, BASELINES], codesign::probe),
    facts("memguard-facts", &[MEMGUARD], memguard::facts),
    facts("memguard-reorder", &[MEMGUARD], memguard::reorder),
    facts("memguard-example", &[MEMGUARD], memguard::example),
    of_scenario("memguard-isolation", &[MEMGUARD], "memguard-isolation", memguard::tasks),
    of_scenario("memguard-reclaim", &[MEMGUARD], "memguard-reclaim", memguard::tasks),
    of_scenario("memguard-sharing", &[MEMGUARD], "memguard-sharing", memguard::tasks),
    of_scenario("memguard-weights", &[MEMGUARD], "memguard-weights", memguard::tasks),
    of_scenario("memguard-four", &[MEMGUARD], "memguard-four", memguard::tasks),
    facts("bounds-reads", &[BOUNDS], bounds::reads),
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
        scenario: Some(scenario),
        ..experiment(name, systems, Rows::Scenario(rows))
    }
}

const fn facts(name: &'static str, systems: &'static [&'static str], rows: fn() -> Made) -> Experiment {
    experiment(name, systems, Rows::Facts(rows))
}

const fn seeded(name: &'static str, systems: &'static [&'static str], rows: fn(u64) -> Made) -> Experiment {
    experiment(name, systems, Rows::Seeded(rows))
}

const fn runs(
    name: &'static str,
    systems: &'static [&'static str],
    rows: fn(World, &dyn Observer) -> Made,
) -> Experiment {
    experiment(name, systems, Rows::Runs(rows))
}

const fn mixes(name: &'static str, systems: &'static [&'static str], rows: OfMixes) -> Experiment {
    experiment(name, systems, Rows::Mixes(rows))
}

const fn of_record(name: &'static str, rows: fn(&Record) -> Vec<Row>) -> Experiment {
    experiment(name, &[KERNEL], Rows::Record(rows))
}

const fn experiment(name: &'static str, systems: &'static [&'static str], rows: Rows) -> Experiment {
    Experiment {
        name,
        systems,
        scenario: None,
        only: &[],
        seeds: 1,
        rows,
        more: None,
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

/// The experiment of this name, if there is one.
pub(crate) fn named(name: &str) -> Option<&'static Experiment> {
    ALL.iter().find(|experiment| experiment.name == name)
}

/// The rows of all experiments, from the results of their scenarios and the kernel's record. Rows with the same labels
/// are one. Experiments whose scenario has no result are left out, and so is, once the observer says so, what would have
/// to be run still.
///
/// # Errors
/// None in practice: the built-in machines have the memory that the experiments allocate.
pub fn rows(
    experiments: &[&Experiment],
    scenarios: &[ScenarioResult],
    record: Option<&Record>,
    world: World,
    means: Means<'_>,
) -> Result<Results, InputError> {
    let mut results = Results::new();
    for experiment in experiments {
        let key = experiment.key(world.of_one_run());
        let scenario = scenarios
            .iter()
            .find(|result| Some(result.scenario.as_str()) == experiment.scenario);
        let mut rows = match (&experiment.rows, scenario) {
            (Rows::Scenario(rows), Some(result)) => rows(result),
            (Rows::Scenario(_), None) => continue,
            // What the record says is there already.
            (Rows::Record(rows), _) => record.map(rows).unwrap_or_default(),
            _ if means.observer.is_stopped() || !world.makes(experiment) => continue,
            (Rows::Facts(rows), _) => means.rows(&key, rows)?,
            (Rows::Seeded(rows), _) => means.rows(&key, || rows(world.seed()))?,
            (Rows::Runs(_) | Rows::Mixes(_), _) => row::means(&experiment.by_seed(world, means)?),
        };
        let more = experiment
            .more
            .map(|more| means.rows(&format!("more of {key}"), || more(world.seed())));
        for more in more.unwrap_or(Ok(Vec::new()))? {
            match rows.iter_mut().find(|row| row.labels == more.labels) {
                Some(row) => row.values.extend(more.values),
                None => rows.push(more),
            }
        }
        rows.into_iter().for_each(|row| results.push(experiment.name, row));
    }
    Ok(results)
}

impl Experiment {
    /// What is set in its scenario in this world, as `--set` takes it.
    pub(crate) fn set(&self, world: World) -> Vec<String> {
        let only = self.only.iter().map(|text| (*text).to_owned());
        only.chain(self.scenario.into_iter().flat_map(|name| world.set(name)))
            .collect()
    }

    /// Its rows of another result of its scenario: `rows`, which it has, with the values of this one.
    pub(crate) fn rows_of(&self, result: &ScenarioResult, rows: &[Row]) -> Vec<Row> {
        let Rows::Scenario(of_result) = self.rows else {
            return rows.to_vec();
        };
        let found = of_result(result);
        let other = |row: &Row| {
            let mut row = row.clone();
            let same = found.iter().filter(|other| other.labels == row.labels);
            same.for_each(|other| row.values.extend(other.values.clone()));
            row
        };
        rows.iter().map(other).collect()
    }

    /// What tells its rows in this world from those of others.
    fn key(&self, world: World) -> String {
        format!("{} {world:?}", self.name)
    }

    /// The rows of its long runs that are no scenario, by each seed alone; those that are not whole when the observer stops them are empty.
    ///
    /// # Errors
    /// A run that has a fault.
    pub(crate) fn by_seed(&self, world: World, means: Means<'_>) -> Result<Vec<Vec<Row>>, InputError> {
        let rows = |world: World| match self.rows {
            Rows::Runs(rows) => means.rows(&self.key(world), || rows(world, means.observer)),
            Rows::Mixes(rows) => means.rows(&self.key(world), || rows(Programs::Models, world, means.observer)),
            _ => Ok(Vec::new()),
        };
        world.of_seeds(self.seeds).map(rows).collect()
    }

    /// Returns true if its rows are what was measured: others are exact.
    pub(crate) fn is_measured(&self) -> bool {
        matches!(self.rows, Rows::Scenario(_) | Rows::Runs(_) | Rows::Mixes(_))
    }

    /// Returns true if its programs are those of the co-design's mixes.
    pub(crate) fn is_of_mixes(&self) -> bool {
        matches!(self.rows, Rows::Mixes(_))
    }
}

/// The rows of those experiments whose programs are those of the co-design's mixes, with recordings in place of models, which these files
/// have. Those that are not whole when the observer stops them have none.
///
/// # Errors
/// A recording is damaged.
pub(crate) fn rows_of_mixes(
    experiments: &[&Experiment],
    recorded: &Recorded,
    traces: &[InputFile],
    world: World,
    means: Means<'_>,
) -> Result<Results, InputError> {
    let mut results = Results::new();
    for experiment in experiments {
        if let Rows::Mixes(rows) = experiment.rows
            && !means.observer.is_stopped()
        {
            let key = format!("{} {world:?} {recorded:?} {traces:?}", experiment.name);
            let rows = means.rows(&key, || rows(Programs::Recorded(recorded), world, means.observer))?;
            rows.into_iter().for_each(|row| results.push(experiment.name, row));
        }
    }
    Ok(results)
}

#[cfg(test)]
mod tests;

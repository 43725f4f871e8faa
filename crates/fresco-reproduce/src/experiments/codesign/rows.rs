// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of runs that are compared by IPC.

use super::spec::{Banks, Scheme, Spec};
use super::{Outcome, Programs, outcomes};
use crate::{Observer, World};
use fresco_input::InputError;
use fresco_report::claims::Row;
use std::collections::{BTreeMap, BTreeSet};

/// A row to be: its labels, its run, and the run that it is compared with.
struct Wanted {
    labels: Vec<(&'static str, String)>,
    spec: Spec,
    baseline: Spec,
}

/// How a scheme is called in rows; the modes of DDR4 are all-bank refresh and the co-design of a memory that has them.
const SCHEMES: [(&str, Scheme); 10] = [
    ("none", Scheme::NoRefresh),
    ("all-bank", Scheme::AllBank),
    ("per-bank", Scheme::PerBank),
    ("per-bank-ooo", Scheme::OutOfOrder),
    ("codesign", Scheme::CODESIGN),
    ("adaptive", Scheme::Adaptive),
    ("ddr4-1x", Scheme::AllBank),
    ("ddr4-2x", Scheme::Finer(2)),
    ("ddr4-4x", Scheme::Finer(4)),
    ("ddr4-codesign", Scheme::CODESIGN),
];
/// Those that claims need at 8 Gb, and at 32 ms.
const FIRST: usize = 3;
const HOT: usize = 5;

/// The mixes under each scheme.
pub fn runs(programs: Programs<'_>, world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    let mut wanted = Vec::new();
    for workload in programs.workloads() {
        let mut add = |name: &str, spec: Spec| {
            let retention = if spec.hot { "32" } else { "64" };
            wanted.push(Wanted {
                labels: labels(&spec, name, &[("retention_ms", retention)]),
                baseline: Spec {
                    scheme: Scheme::AllBank,
                    banks: Banks::All,
                    ..spec
                },
                spec,
            });
        };
        for gbit in [8, 16, 24, 32] {
            let used = if gbit == 8 { FIRST } else { SCHEMES.len() };
            for &(name, scheme) in &SCHEMES[..used] {
                add(name, Spec::usual(workload, gbit, scheme));
            }
        }
        let best_effort = Spec {
            banks: Banks::All,
            ..Spec::usual(workload, 32, Scheme::CODESIGN)
        };
        add("best-effort", best_effort);
        for gbit in [16, 32] {
            for &(name, scheme) in SCHEMES[..HOT].iter().filter(|(name, _)| *name != "per-bank-ooo") {
                let spec = Spec::usual(workload, gbit, scheme);
                add(name, Spec { hot: true, ..spec });
            }
        }
    }
    rows("co-design, runs", programs, world, wanted, observer, |row, outcome| {
        row.value("latency_cycles.mean", outcome.latency)
            .value("accesses", outcome.reads as f64)
            .value("interfered_reads", outcome.interfered as f64)
            .value("blp.mean", outcome.parallelism)
    })
}

/// Few banks, with and without refresh.
pub fn banks(programs: Programs<'_>, world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    let mut wanted = Vec::new();
    let none = [(8, 2), (16, 4), (24, 4), (32, 4)].map(|at| ("none", Scheme::NoRefresh, at));
    let codesign = [(32, 2), (32, 4), (32, 6)].map(|at| ("codesign", Scheme::CODESIGN, at));
    for workload in programs.workloads() {
        for &(name, scheme, (gbit, banks)) in none.iter().chain(&codesign) {
            let baseline = Spec::usual(workload, gbit, Scheme::AllBank);
            let spec = Spec {
                scheme,
                banks: if banks == 6 {
                    Banks::Published
                } else {
                    Banks::Few(banks)
                },
                ..baseline
            };
            let labels = labels(&spec, name, &[("banks", &banks.to_string())]);
            wanted.push(Wanted { labels, spec, baseline });
        }
    }
    rows("co-design, banks", programs, world, wanted, observer, |row, _| row)
}

/// More and fewer cores, tasks and modules.
pub fn variants(programs: Programs<'_>, world: World, observer: &dyn Observer) -> Result<Vec<Row>, InputError> {
    let all = ["all-bank", "per-bank", "codesign"].as_slice();
    let two = ["all-bank", "codesign"].as_slice();
    let hard = ["all-bank", "per-bank", "codesign", "codesign-hard"].as_slice();
    // Density, cores, tasks per core, modules.
    let at = [
        ((32, 2, 2, 1), hard),
        ((32, 2, 4, 1), hard),
        ((32, 4, 2, 1), all),
        ((32, 4, 4, 1), all),
        ((24, 2, 2, 1), two),
        ((16, 2, 2, 1), two),
        ((24, 4, 4, 1), all),
        ((16, 4, 4, 1), all),
        ((32, 2, 2, 2), two),
    ];
    let mut wanted = Vec::new();
    for workload in programs.workloads() {
        for ((gbit, cores, tasks_per_core, dimms), names) in at {
            for &name in names {
                let (scheme, banks) = match name {
                    "all-bank" => (Scheme::AllBank, Banks::All),
                    "per-bank" => (Scheme::PerBank, Banks::All),
                    "codesign" => (Scheme::CODESIGN, Banks::Published),
                    _ => (Scheme::CODESIGN, Banks::Hard),
                };
                let baseline = Spec {
                    cores,
                    tasks_per_core,
                    dimms,
                    ..Spec::usual(workload, gbit, Scheme::AllBank)
                };
                let spec = Spec {
                    scheme,
                    banks,
                    ..baseline
                };
                let more = [
                    ("cores", cores.to_string()),
                    ("tasks_per_core", tasks_per_core.to_string()),
                    ("dimms", dimms.to_string()),
                ];
                let more: Vec<(&'static str, &str)> =
                    more.iter().map(|(label, value)| (*label, value.as_str())).collect();
                wanted.push(Wanted {
                    labels: labels(&spec, name, &more),
                    spec,
                    baseline,
                });
            }
        }
    }
    rows("co-design, variants", programs, world, wanted, observer, |row, _| row)
}

fn labels(spec: &Spec, refresh: &str, more: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let mut labels = vec![
        ("density", spec.gbit.to_string()),
        ("refresh", refresh.to_owned()),
        ("workload", format!("wl-{}", spec.workload)),
    ];
    labels.extend(more.iter().map(|&(label, value)| (label, value.to_owned())));
    labels
}

fn rows(
    what: &str,
    programs: Programs<'_>,
    world: World,
    mut wanted: Vec<Wanted>,
    observer: &dyn Observer,
    more: impl Fn(Row, &Outcome) -> Row,
) -> Result<Vec<Row>, InputError> {
    wanted.retain(|row| programs.takes(&row.spec) && programs.takes(&row.baseline));
    let specs: BTreeSet<Spec> = wanted.iter().flat_map(|row| [row.spec, row.baseline]).collect();
    let outcomes: BTreeMap<Spec, Outcome> = outcomes(what, programs, world, &specs, observer)?;
    let row = |wanted: Wanted| {
        let outcome = outcomes.get(&wanted.spec)?;
        let baseline = outcomes.get(&wanted.baseline)?;
        let labelled = wanted
            .labels
            .iter()
            .fold(Row::new(), |row, (label, value)| row.label(*label, value));
        let row = labelled
            .value("ipc_hmean", outcome.ipc)
            .value("speedup", outcome.ipc / baseline.ipc);
        Some(more(row, outcome))
    };
    Ok(wanted.into_iter().filter_map(row).collect())
}

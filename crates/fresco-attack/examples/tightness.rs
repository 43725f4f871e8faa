// SPDX-License-Identifier: MIT OR Apache-2.0
//! How near attacks come to bounds: on every built-in machine of several cores, 2, 4 and 8 of them, with banks of their own or shared ones,
//! reading or writing, each core with all the reads under way that its miss registers allow. Prints each case and the median of each kind.
//!
//! `cargo run --release -p fresco-attack --example tightness -- [TRIES [MACHINE]]`

use fresco_attack::{Limits, Search, crowd, search};
use fresco_bound::{Dram, displaced_lines, read};
use fresco_dram::Organisation;
use fresco_machine::{ControllerConfig, Machine, RefreshPolicy, Scheduler, builtin, builtin_names};
use std::collections::BTreeMap;

/// Who attacks: so many cores.
#[derive(Clone, Copy)]
struct Case {
    cores: u32,
    is_private: bool,
    writes: bool,
    refreshes: bool,
}

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        [2, 4, 8].into_iter().flat_map(|cores| {
            (0..8).map(move |bits| Self {
                cores,
                is_private: bits & 1 == 0,
                writes: bits & 2 > 0,
                refreshes: bits & 4 > 0,
            })
        })
    }

    fn kind(self) -> String {
        format!(
            "{} {}{}",
            if self.is_private { "private" } else { "shared" },
            if self.writes { "writes" } else { "reads" },
            if self.refreshes { " refresh" } else { "" },
        )
    }

    fn limits(self, machine: &Machine, org: &Organisation) -> Option<Vec<Limits>> {
        let banks = org.banks_per_channel();
        let each = banks / self.cores;
        if each == 0 || self.cores > machine.cores {
            return None;
        }
        let misses = machine.core.mshrs;
        let limits = (0..self.cores).map(|core| Limits {
            reads: misses,
            writes: if self.writes { displaced_lines(misses) } else { 0 },
            banks: match self.is_private {
                true => (core * each..(core + 1) * each).collect(),
                false => (0..banks).collect(),
            },
        });
        Some(limits.collect())
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let tries = arguments.next().map_or(640, |n| n.parse().expect("a number of tries"));
    let only = arguments.next();
    let mut shares: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for name in builtin_names().filter(|name| only.as_deref().is_none_or(|only| only == *name)) {
        let machine = builtin(name).expect("a machine");
        let organisation = Organisation {
            nodes: 1,
            channels: 1,
            ..machine.memory.organisation
        };
        for case in Case::all() {
            let Some(limits) = case.limits(&machine, &organisation) else {
                continue;
            };
            let config = &machine.memory.controller;
            let controller = ControllerConfig {
                scheduler: match config.scheduler {
                    Scheduler::FrFcfs { .. } => Scheduler::FrFcfs { hit_cap: 4 },
                    other => other,
                },
                refresh: if case.refreshes {
                    config.refresh
                } else {
                    RefreshPolicy::None
                },
                drain_once: true,
                ..config.clone()
            };
            let dram = Dram {
                timing: &machine.memory.timing,
                organisation: &organisation,
                controller: &controller,
            };
            let crowd = crowd(&limits, 0, &organisation);
            let bound = match read(&dram, &crowd) {
                Ok(bound) => bound,
                Err(why) => {
                    println!("{name} {} {}: {why}", case.cores, case.kind());
                    continue;
                }
            };
            let how = Search {
                tries,
                cycles: 10_000,
                seed: 1,
            };
            let found = search(&dram, &limits, 0, &how, &()).expect("nobody stops it");
            let share = found.worst.cycles as f64 / bound.total() as f64;
            assert!(share <= 1.0, "{name} {}: {found:?} {bound:?}", case.kind());
            println!(
                "{share:.2} {name} {} {}: {} of {} T {} S {} Q {} ranks {} {:?}",
                case.cores,
                case.kind(),
                found.worst.cycles,
                bound.total(),
                crowd.reads,
                crowd.of_rank,
                crowd.of_bank,
                crowd.ranks,
                bound
            );
            let kind = format!(
                "{}, {} of a core under way, {}",
                if case.is_private {
                    "banks of their own"
                } else {
                    "shared banks"
                },
                if limits[0].reads == 1 { "one" } else { "several" },
                if crowd.ranks == 1 { "one rank" } else { "several ranks" },
            );
            shares.entry(kind).or_default().push(share);
        }
    }
    for (kind, shares) in &mut shares {
        shares.sort_by(f64::total_cmp);
        println!(
            "{kind}: {} cases, median {:.2}, least {:.2}",
            shares.len(),
            shares[shares.len() / 2],
            shares[0]
        );
    }
}

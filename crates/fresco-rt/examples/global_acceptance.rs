// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fraction of random task sets that are accepted on cores of their own (first fit, heaviest first, the exact test of each core) and on cores that they
//! share, by utilisation of the cores: auto-refresh at 8 Gb, tRFC alone. The cells are those of the table in docs/theory.md.
//!
//! `cargo run --release -p fresco-rt --example global_acceptance -- [SETS]`; 1000 sets of 12 tasks per cell by default.

use fresco_rt::Task;
use fresco_rt::acceptance::recipe;
use fresco_rt::edf::edf_test;
use fresco_rt::fixed_priority::fixed_priority_test;
use fresco_rt::global::responses::response_bounds;
use fresco_rt::global::{Platform, density};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::{COMMANDS, Density, RETENTION};
use fresco_rt::supply::AutoRefresh;
use std::cmp::Reverse;

const CORES: u32 = 4;
const DM: Policy = Policy::FixedPriority(Order::DeadlineMonotonic);

fn main() {
    let sets: u64 = std::env::args()
        .nth(1)
        .map_or(1000, |n| n.parse().expect("a number of sets"));
    let recipe = recipe(12);
    let supply = AutoRefresh::new(RETENTION, COMMANDS, Density::Gb8.trfc()).expect("refresh takes a part of the time");
    let shared = Platform {
        cores: CORES,
        supply: &supply,
        backlog: 0,
    };
    println!("load | own EDF | own DM | global DM | global EDF, responses | global EDF, densities | either");
    for load in [300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000] {
        let mut accepted = [0_u64; 6];
        for index in 0..sets {
            let set = recipe.set(load * CORES, index).expect("a possible recipe");
            let responses = response_bounds(&set, Policy::Edf, &shared).is_ok();
            let by_density = density::accepts(&set, &shared);
            let found = [
                fits(&set, Policy::Edf, &supply),
                fits(&set, DM, &supply),
                response_bounds(&set, DM, &shared).is_ok(),
                responses,
                by_density,
                responses || by_density,
            ];
            for (count, found) in accepted.iter_mut().zip(found) {
                *count += u64::from(found);
            }
        }
        let cells = accepted.map(|count| format!("{:.3}", count as f64 / sets as f64));
        println!("{:.2} | {}", f64::from(load) / 1e6, cells.join(" | "));
    }
}

/// Whether first fit finds a core for each task.
fn fits(tasks: &[Task], policy: Policy, supply: &AutoRefresh) -> bool {
    let mut order: Vec<&Task> = tasks.iter().collect();
    order.sort_by_key(|task| Reverse((u128::from(task.wcet) << 64) / u128::from(task.period)));
    let mut cores: Vec<Vec<Task>> = vec![Vec::new(); CORES as usize];
    order.into_iter().all(|task| {
        cores.iter_mut().any(|core| {
            core.push(task.clone());
            let fits = match policy {
                Policy::Edf => edf_test(core, supply).is_ok_and(|verdict| verdict.is_schedulable()),
                Policy::FixedPriority(order) => fixed_priority_test(core, order, supply).is_some(),
            };
            if !fits {
                core.pop();
            }
            fits
        })
    })
}

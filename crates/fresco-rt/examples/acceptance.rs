// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fraction of random task sets that each method accepts, by density and load (E33): two colours, the burst of the standard,
//! handlers of 2 us, any partition of the tasks.
//!
//! `cargo run --release -p fresco-rt --example acceptance -- [SETS]`; 120 sets of 6 tasks per cell by default.

use fresco_rt::aligned::RefreshDemand;
use fresco_rt::edf::edf_test;
use fresco_rt::policy::Policy;
use fresco_rt::refresh::{Burst, COMMANDS, Density, RETENTION};
use fresco_rt::search::{Space, assign_aligned, full_budgets, partition, partition_flat};
use fresco_rt::supply::AutoRefresh;
use fresco_rt::toplevel::Locks;
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

const TASKS: usize = 6;
const HANDLER: Time = 2_000;

/// UUniFast: utilisations that add up to `load`, drawn evenly.
fn tasks(rng: &mut Pcg64, load: f64) -> Vec<Task> {
    const PERIODS: [Time; 8] = [8, 10, 16, 20, 32, 40, 64, 80];
    loop {
        let mut left = load;
        let mut set = Vec::new();
        for i in 0..TASKS {
            let rest = (TASKS - i - 1) as f64;
            let next = if rest == 0.0 {
                0.0
            } else {
                left * rng.random::<f64>().powf(1.0 / rest)
            };
            let period = PERIODS[rng.random_range(0..PERIODS.len())] * 1_000_000;
            let wcet = (((left - next) * period as f64) as Time).max(1);
            left = next;
            if let Ok(task) = Task::new(&format!("t{i}"), 0, period, wcet, period) {
                set.push(task);
            }
        }
        if set.len() == TASKS {
            return set;
        }
    }
}

/// The split by period with the most even load, for the periodic resource model, which has no search of its own.
fn split(tasks: &[Task]) -> [Vec<Task>; 2] {
    let mut by_period = tasks.to_vec();
    by_period.sort_by_key(|task| task.period);
    let load = |set: &[Task]| set.iter().map(|t| t.wcet as f64 / t.period as f64).sum::<f64>();
    let uneven = |k: &usize| ((load(&by_period[..*k]) - load(&by_period[*k..])).abs() * 1e9) as u64;
    let border = (1..TASKS).min_by_key(uneven).expect("several tasks");
    let second = by_period.split_off(border);
    [by_period, second]
}

fn main() {
    let sets: u64 = std::env::args()
        .nth(1)
        .map_or(120, |n| n.parse().expect("a number of sets"));
    println!("density load |  auto   prm table aligned  flat");
    let cells = [
        (Density::Gb2, 0.8),
        (Density::Gb2, 0.95),
        (Density::Gb8, 0.8),
        (Density::Gb8, 0.95),
        (Density::Gb16, 0.8),
    ];
    let more = [
        (Density::Gb16, 0.95),
        (Density::Gb32, 0.9),
        (Density::Gb64, 0.8),
        (Density::Gb64, 0.95),
    ];
    for (density, load) in cells.into_iter().chain(more) {
        let locks = Locks::of_two_servers(RETENTION, Burst::Standard.length(density), HANDLER, HANDLER).expect("fits");
        let space = Space::new(locks.clone(), 250_000, 16_000_000);
        let demand = RefreshDemand {
            retention: RETENTION,
            commands: COMMANDS,
            trfc: density.trfc(),
            handler: HANDLER,
        };
        let auto = AutoRefresh::new(RETENTION, COMMANDS, density.trfc()).expect("refresh fits");
        let mut accepted = [0u64; 5];
        for seed in 0..sets {
            let set = tasks(&mut Pcg64::seed_from_u64(seed), load);
            let [first, second] = split(&set);
            let halves = [first.as_slice(), second.as_slice()];
            let verdicts = [
                edf_test(&set, &auto).expect("fits").is_schedulable(),
                full_budgets(halves, Policy::Edf, &space).expect("fits").is_some(),
                partition(&set, None, Policy::Edf, &space, 100).expect("fits").is_some(),
                assign_aligned(&set, 1, None, Policy::Edf, demand, None, 100)
                    .expect("fits")
                    .is_some(),
                partition_flat(&set, None, Policy::Edf, &locks, 100)
                    .expect("fits")
                    .is_some(),
            ];
            verdicts
                .iter()
                .zip(&mut accepted)
                .for_each(|(&verdict, count)| *count += u64::from(verdict));
        }
        let [auto, prm, table, aligned, flat] = accepted.map(|count| count as f64 / sets as f64);
        println!(
            "{:>5}Gb {load:.2} | {auto:5.2} {prm:5.2} {table:5.2}   {aligned:5.2} {flat:5.2}",
            density.gigabits()
        );
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long search B and the partition take for twenty tasks, and Algorithm 7's loops with a sound test on a coarse grid, both on
//! one core: `cargo run --release -p fresco-rt --example search_speed`.

use std::time::{Duration, Instant};

use fresco_rt::policy::Policy;
use fresco_rt::refresh::{Burst, Density, RETENTION};
use fresco_rt::search::{Space, brute_force, partition, rest_of_table};
use fresco_rt::toplevel::Locks;
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

const SETS: u64 = 20;
const TASKS: usize = 20;

/// Twenty tasks of about equal load, `percent` in all, with periods from 8 to 80 ms.
fn tasks(rng: &mut Pcg64, percent: Time) -> Vec<Task> {
    const PERIODS: [Time; 8] = [8, 10, 16, 20, 32, 40, 64, 80];
    let task = |i: usize| {
        let period = PERIODS[rng.random_range(0..PERIODS.len())] * 1_000_000;
        let wcet = period * percent / 100 / TASKS as Time * rng.random_range(50..150) / 100;
        Task::new(&format!("t{i}"), 0, period, wcet, period).expect("a light task")
    };
    (0..TASKS).map(task).collect()
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (run(), start.elapsed())
}

fn main() {
    for (density, percent) in [
        (Density::Gb2, 80),
        (Density::Gb4, 85),
        (Density::Gb8, 80),
        (Density::Gb8, 95),
        (Density::Gb16, 95),
    ] {
        let burst = Burst::Standard.length(density);
        let locks = Locks::of_two_servers(RETENTION, burst, 2000, 2000).expect("the burst fits");
        let space = Space::new(locks.clone(), 250_000, 16_000_000);
        let (mut found, mut placed) = (0, 0);
        let (mut slowest, mut slowest_partition) = (Duration::ZERO, Duration::ZERO);
        for seed in 0..SETS {
            let set = tasks(&mut Pcg64::seed_from_u64(seed), percent);
            let mut by_period = set.clone();
            by_period.sort_by_key(|task| task.period);
            let (short, long) = by_period.split_at(TASKS / 2);
            let (servers, time) = timed(|| rest_of_table([short, long], Policy::Edf, &space, false));
            found += u64::from(servers.expect("times fit").is_some());
            slowest = slowest.max(time);
            let (servers, time) = timed(|| partition(&set, None, Policy::Edf, &space, 200));
            placed += u64::from(servers.expect("times fit").verdict() == Some(true));
            slowest_partition = slowest_partition.max(time);
        }
        println!(
            "{density:?}, load {percent} %: search B found {found} of {SETS}, slowest {slowest:?}; \
             partition {placed} of {SETS}, slowest {slowest_partition:?}"
        );
    }

    let locks = Locks::of_two_servers(RETENTION, Burst::Standard.length(Density::Gb2), 0, 0).expect("the burst fits");
    let set = tasks(&mut Pcg64::seed_from_u64(1), 60);
    let mut by_period = set;
    by_period.sort_by_key(|task| task.period);
    let (short, long) = by_period.split_at(TASKS / 2);
    let space = Space::new(locks, 2_000_000, 4_000_000);
    let (search, fast) = timed(|| rest_of_table([short, long], Policy::Edf, &space, false).expect("times fit"));
    let step = 100_000;
    let (brute, slow) = timed(|| brute_force([short, long], Policy::Edf, &space, step).expect("times fit"));
    println!(
        "{} periods: search B {fast:?} ({}), the loops of Algorithm 7 in steps of 0.1 ms, {} points, {slow:?} ({}): {:.0} times as long",
        space.periods().len(),
        if search.is_some() { "found" } else { "none" },
        brute.1,
        if brute.0.is_some() { "found" } else { "none" },
        slow.as_secs_f64() / fast.as_secs_f64()
    );
}

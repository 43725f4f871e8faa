// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random mixes with two periodic tasks on each core.

use super::{CHANGING, HUNGRY, Missed, PROGRAMS, counted};
use fresco_system::{Scenario, run};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;
use std::path::Path;

/// The scenario of a mix, and for each of its tasks whether the core always wants more.
fn mix(seed: u64) -> (String, Vec<bool>) {
    let mut random = Pcg64::seed_from_u64(seed ^ 0x5eed);
    let share = ["none", "best-effort", "weights"][random.random_range(0..3)];
    let scheduler = ["rm", "dm", "edf"][random.random_range(0..3)];
    let mut text = format!(
        "name = \"mix\"\nmachine = \"core2-q8400\"\nseed = {seed}\n\
         policy = {{ bandwidth = \"memguard\", scheduler = \"{scheduler}\", context_switch = \"1 us\" }}\n\
         [bandwidth]\nperiod = \"100 us\"\nreclaim = true\nshare = \"{share}\"\ncount_write_backs = true\n\
         [warm_up]\ntime = \"300 us\"\n[measure]\ntime = \"3 ms\"\n"
    );
    let mut left = 1_030;
    let mut hungry = Vec::new();
    for core in 0..4u32 {
        let most = (left - 50 * (3 - core)).min(450);
        let reserve = random.random_range(50..=most);
        left -= reserve;
        let kind = if core < 2 { "hard" } else { "soft" };
        // A job of the first task is short: it computes, or has a few lines. One of the second goes on for long, and if it is
        // hungry it never ends within the run.
        let lines = random.random_range(0..200);
        let first = match lines % 2 {
            0 => format!("program = \"idle\"\nparameters.instructions = {}", 200 * lines + 1000),
            _ => format!("program = \"random\"\nparameters = {{ bytes = \"4 MiB\", accesses = {lines}, gap = 20 }}"),
        };
        let second = random.random_range(if core == 0 { 0..HUNGRY } else { 0..CHANGING });
        let (name, parameters) = PROGRAMS[second];
        hungry.extend([second < HUNGRY; 2]);
        let (short, long) = (random.random_range(90..400), random.random_range(500..2_000));
        let _ = write!(
            text,
            "[[task]]\nname = \"first{core}\"\ncore = {core}\nperiod = \"{short} us\"\n{first}\n\
             [[task]]\nname = \"second{core}\"\nprogram = \"{name}\"\ncore = {core}\nperiod = \"{long} us\"\n\
             reserve = \"{reserve} MB/s\"\nreservation = \"{kind}\"\nweight = {}\nparameters = {{ {parameters} }}\n",
            core + 1
        );
    }
    (text, hungry)
}

/// Runs a mix.
pub fn missed(seed: u64) -> Missed {
    let (text, hungry) = mix(seed);
    let scenario = Scenario::parse("mix.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let result = run(&scenario.runs()[0]).unwrap_or_else(|error| panic!("{error}"));
    let preemptions: u64 = result
        .tasks
        .iter()
        .filter_map(|task| task.jobs.as_ref())
        .flat_map(|jobs| &jobs.jobs)
        .map(|job| job.preemptions)
        .sum();
    assert!(preemptions > 0, "{text}");
    // The tasks of a core show the same budget.
    let cores = result.tasks.iter().zip(hungry).step_by(2);
    cores.fold(Missed::default(), |missed, (task, hungry)| {
        missed.and(counted(task, hungry))
    })
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Burnt time given to the other color: no job ends later than without, so that what idling servers accept holds.

use std::collections::BTreeMap;

use crate::soundness::jobs::{Deviation, RandomJobs};
use crate::soundness::{POLICIES, tasks};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::{Burst, Density, RETENTION};
use fresco_rt::simulation::{Activity, Dispatch, Horizon, Outcome, Simulation, Trace};
use fresco_rt::toplevel::TopLevel;
use fresco_rt::toplevel::{Locks, Server, accepts};
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

fn run(
    top: &TopLevel,
    workloads: [&[Task]; 2],
    policy: Policy,
    donating: bool,
    (seed, deviation, end): (u64, Deviation, Time),
) -> (Outcome, Trace) {
    let servers = top.servers().to_vec();
    let dispatch = if donating {
        Dispatch::Donating(servers)
    } else {
        Dispatch::Idling(servers)
    };
    let simulation = Simulation::new(workloads.to_vec(), policy, dispatch, Some(top.locks())).unwrap();
    let mut trace = Trace::default();
    let horizon = Horizon {
        phase: 0,
        repeat: end / 2,
        repeats: 2,
    };
    let rng = &mut Pcg64::seed_from_u64(seed);
    let outcome = simulation.run(horizon, &mut RandomJobs { rng, deviation }, &mut trace);
    (outcome.unwrap(), trace)
}

fn ends(trace: &Trace) -> BTreeMap<(usize, u64), Time> {
    trace
        .completions
        .iter()
        .map(|done| ((done.task, done.job), done.end))
        .collect()
}

/// Every job that ends without donation ends with it, no later; nothing that was accepted misses.
#[test]
fn no_job_ends_later() {
    let (mut earlier, mut accepted) = (0, 0);
    for seed in 0..1500 {
        let rng = &mut Pcg64::seed_from_u64(seed);
        let policy = POLICIES[rng.random_range(0..POLICIES.len())];
        let load = rng.random_range(10..100);
        let (first, second) = (tasks(rng, "a", 3, load / 2), tasks(rng, "b", 3, load / 2));
        let server = |rng: &mut Pcg64| {
            let period = [4, 8, 12, 16, 24][rng.random_range(0..5)];
            Server::new(period, rng.random_range(1..=period)).unwrap()
        };
        let servers = [server(rng), server(rng)];
        let handler = rng.random_range(0..2);
        let locks = Locks::of_two_servers(192, rng.random_range(0..60), handler, handler).unwrap();
        let top = TopLevel::new(servers, locks).unwrap();
        let workloads = [first.as_slice(), second.as_slice()];
        let table = accepts(&top, workloads, policy).unwrap().table;
        accepted += u64::from(table);
        for deviation in Deviation::ALL {
            let with = |donating| run(&top, workloads, policy, donating, (seed, deviation, 2000));
            let ((idle, without), (donated, trace)) = (with(false), with(true));
            let context = format!("seed {seed}, {deviation:?}");
            assert!(donated.misses <= idle.misses, "{context}");
            assert!(!table || donated.misses == 0, "accepted, {context}");
            let donated = ends(&trace);
            for (job, end) in ends(&without) {
                assert!(donated.get(&job).is_some_and(|&with| with <= end), "{job:?}, {context}");
                earlier += u64::from(donated[&job] < end);
            }
        }
    }
    assert!(earlier > 10_000 && accepted > 100, "{earlier} {accepted}");
}

/// Budgets are burnt as before, locked colors stay untouched: both dispatches replenish and lock alike, and each donated
/// stretch lies where the other server burnt.
#[test]
fn donated_time_is_burnt_time() {
    let task = |name: &str, p, e| Task::new(name, 0, p, e, p).unwrap();
    let (first, second) = ([task("a", 24, 1)], [task("b", 24, 9)]);
    let servers = [Server::new(8, 4).unwrap(), Server::new(8, 4).unwrap()];
    let top = TopLevel::new(servers, Locks::of_two_servers(48, 3, 0, 0).unwrap()).unwrap();
    let trace = |donating| run(&top, [&first, &second], Policy::Edf, donating, (0, Deviation::None, 96)).1;
    let (idle, donated) = (trace(false), trace(true));
    assert_eq!(
        (&idle.locks, &idle.replenishments),
        (&donated.locks, &donated.replenishments)
    );
    let at = |trace: &Trace, t: Time| {
        trace
            .segments
            .iter()
            .find(|s| s.start <= t && t < s.end)
            .unwrap()
            .activity
    };
    let of_b = |t| matches!(at(&donated, t), Activity::Run { color: 1, .. });
    // Color 1 is locked up to 3; then server 0 burns for want of work, up to 4, and what is donated is server 1's.
    assert_eq!((at(&idle, 3), of_b(3)), (Activity::Burn { color: 0 }, true));
    assert_eq!(ends(&idle)[&(1, 0)], 21);
    assert_eq!(ends(&donated)[&(1, 0)], 12);
}

/// The worked examples: mean responses do not rise. They fall in Table 5.2; in §5.3.5 budgets are used to the last.
#[test]
fn worked_examples_respond_sooner() {
    const MS: Time = 1_000_000;
    let set = |tasks: &[(Time, Time)]| -> Vec<Task> {
        let task = |(i, &(p, e)): (usize, &(Time, Time))| Task::new(&format!("t{i}"), 0, p, e, p).unwrap();
        tasks.iter().enumerate().map(task).collect()
    };
    let table_5_2 = [
        set(&[(20 * MS, 3 * MS), (10 * MS, 1_600_000), (8 * MS, 2 * MS)]),
        set(&[(10 * MS, 1_200_000), (40 * MS, 10 * MS)]),
    ];
    let section_5_3_5 = [
        set(&[(16 * MS, 4 * MS), (16 * MS, 2 * MS)]),
        set(&[(32 * MS, 8 * MS), (64 * MS, 8 * MS)]),
    ];
    let fixed = Policy::FixedPriority(Order::RateMonotonic);
    for (workloads, servers, policy, burns) in [
        (table_5_2, [(4 * MS, 2_400_000), (4 * MS, 1_600_000)], Policy::Edf, true),
        (section_5_3_5, [(16 * MS, 6 * MS), (16 * MS, 6 * MS)], fixed, false),
    ] {
        for density in Density::ALL.into_iter().filter(|&density| density <= Density::Gb8) {
            let locks = Locks::of_two_servers(RETENTION, Burst::Standard.length(density), 0, 0).unwrap();
            let servers = servers.map(|(p, e)| Server::new(p, e).unwrap());
            let top = TopLevel::new(servers, locks).unwrap();
            let [first, second] = &workloads;
            let mean = |donating| {
                let (outcome, trace) = run(&top, [first, second], policy, donating, (0, Deviation::None, 640 * MS));
                assert_eq!(outcome.misses, 0);
                let mut sums = vec![(0, 0); first.len() + second.len()];
                for done in &trace.completions {
                    sums[done.task].0 += done.end - done.release;
                    sums[done.task].1 += 1;
                }
                sums
            };
            let (idle, donated) = (mean(false), mean(true));
            for (a, b) in idle.iter().zip(&donated) {
                assert_eq!(a.1, b.1, "as many jobs");
                assert!(b.0 <= a.0, "{density:?}");
            }
            let all = |sums: &[(Time, u64)]| sums.iter().map(|sum| sum.0).sum::<Time>();
            assert_eq!(all(&donated) < all(&idle), burns, "{density:?}");
        }
    }
}

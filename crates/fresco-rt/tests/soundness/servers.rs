// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two servers: linear ⇒ periodic resource ⇒ table ⇒ no miss with idling servers; the guarantee ⇒ no miss with deferrable ones;
//! flat ⇒ no miss with early completions.

use fresco_rt::budget::{Family, least_budget};
use fresco_rt::edf::{EdfVerdict, edf_test};
use fresco_rt::fixed_priority::fixed_priority_test;
use fresco_rt::flat::{FlatVerdict, flat_test};
use fresco_rt::policy::Policy;
use fresco_rt::simulation::{Dispatch, Horizon, Outcome, Simulation};
use fresco_rt::toplevel::{Locks, Server, TopLevel, accepts, deferrable_guarantee, response_times, server_tables};
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::jobs::{Deviation, RandomJobs};
use super::{POLICIES, tasks};

/// How many sets each test accepted: a run that accepts nothing shows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    pub sets: u64,
    pub linear: u64,
    pub periodic: u64,
    pub table: u64,
    pub deferrable: u64,
    pub flat: u64,
    pub simulations: u64,
}

impl Accepted {
    pub fn add(&mut self, other: Accepted) {
        self.sets += other.sets;
        self.linear += other.linear;
        self.periodic += other.periodic;
        self.table += other.table;
        self.deferrable += other.deferrable;
        self.flat += other.flat;
        self.simulations += other.simulations;
    }
}

/// Draws the set of a seed and checks every claim about it.
pub fn check(seed: u64) -> Accepted {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let policy = POLICIES[rng.random_range(0..POLICIES.len())];
    let load = rng.random_range(10..90);
    let part = load * rng.random_range(20..80) / 100;
    let first = tasks(rng, "a", 3, part);
    let second = tasks(rng, "b", 3, load - part);
    let top = top_level(rng, [&first, &second], policy);
    let context = format!("seed {seed}: {top:?} {policy:?} {first:?} {second:?}");
    let workloads = [first.as_slice(), second.as_slice()];

    let acceptance = accepts(&top, workloads, policy).unwrap();
    assert!(
        !acceptance.linear || acceptance.periodic,
        "linear without periodic: {context}"
    );
    assert!(
        !acceptance.periodic || acceptance.table,
        "periodic without table: {context}"
    );
    check_top(&top, &context);

    let mut accepted = Accepted {
        sets: 1,
        linear: acceptance.linear.into(),
        periodic: acceptance.periodic.into(),
        table: acceptance.table.into(),
        deferrable: acceptance.deferrable.into(),
        flat: 0,
        simulations: 0,
    };
    let servers = top.servers().to_vec();
    if acceptance.table {
        let bounds = certified_bounds(&top, workloads, policy, &context);
        for deviation in Deviation::ALL {
            let outcome = run(
                rng,
                &workloads,
                policy,
                Dispatch::Idling(servers.clone()),
                top.locks(),
                deviation,
            );
            assert_eq!(outcome.misses, 0, "idling, {deviation:?}: {context}");
            for (worst, bound) in outcome.worst_response.iter().zip(&bounds) {
                assert!(
                    worst.is_none_or(|worst| worst <= *bound),
                    "response beyond its bound, {deviation:?}: {context}"
                );
            }
            accepted.simulations += 1;
        }
    }
    if acceptance.deferrable {
        for deviation in Deviation::ALL {
            let outcome = run(
                rng,
                &workloads,
                policy,
                Dispatch::Deferrable(servers.clone()),
                top.locks(),
                deviation,
            );
            assert_eq!(outcome.misses, 0, "deferrable, {deviation:?}: {context}");
            accepted.simulations += 1;
        }
        // Whatever the other server does: it is given work that never ends.
        let greedy = tasks(rng, "g", 3, 200);
        for (own, other) in [(0, 1), (1, 0)] {
            let mut loaded = workloads;
            loaded[other] = &greedy;
            let outcome = run(
                rng,
                &loaded,
                policy,
                Dispatch::Deferrable(servers.clone()),
                top.locks(),
                Deviation::Both,
            );
            let mine = |task: usize| (task < loaded[0].len()) == (own == 0);
            let late = outcome
                .worst_response
                .iter()
                .enumerate()
                .filter(|&(task, _)| mine(task));
            for ((_, worst), task) in late.zip(loaded[own]) {
                assert!(
                    worst.is_none_or(|worst| worst <= task.deadline),
                    "beside greedy work: {context}"
                );
            }
            accepted.simulations += 1;
        }
    }
    if let FlatVerdict::Schedulable(_) = flat_test(&workloads, policy, top.locks()).unwrap() {
        accepted.flat = 1;
        for deviation in [Deviation::None, Deviation::Early] {
            let outcome = run(rng, &workloads, policy, Dispatch::Flat, top.locks(), deviation);
            assert_eq!(outcome.misses, 0, "flat, {deviation:?}: {context}");
            accepted.simulations += 1;
        }
    }
    accepted
}

/// Servers and locks: budgets drawn, or the least that fit the periodic resource.
fn top_level(rng: &mut Pcg64, workloads: [&[Task]; 2], policy: Policy) -> TopLevel {
    const PERIODS: [Time; 8] = [4, 6, 8, 12, 16, 24, 32, 48];
    let retention = [96, 192, 240, 384][rng.random_range(0..4)];
    let same = rng
        .random_bool(0.4)
        .then(|| PERIODS[rng.random_range(0..PERIODS.len())]);
    let tight = rng.random_bool(0.8);
    let servers = workloads.map(|workload| {
        let period = same.unwrap_or(PERIODS[rng.random_range(0..PERIODS.len())]);
        let least = if tight {
            least_budget(workload, policy, Family::Periodic, period).unwrap()
        } else {
            None
        };
        let spare = if rng.random_bool(0.3) {
            rng.random_range(0..=period / 4)
        } else {
            0
        };
        let budget = least.map_or_else(|| rng.random_range(1..=period), |least| (least + spare).min(period));
        Server::new(period, budget).unwrap()
    });
    let (lock, unlock) = if rng.random_bool(0.5) {
        (0, 0)
    } else {
        (rng.random_range(0..2), rng.random_range(0..2))
    };
    let longest = if rng.random_bool(0.7) {
        retention / 24
    } else {
        retention / 2 - 4
    };
    TopLevel::new(
        servers,
        Locks::of_two_servers(retention, rng.random_range(0..=longest), lock, unlock).unwrap(),
    )
    .unwrap()
}

/// Closed-form response times and the guarantee each imply full tables.
fn check_top(top: &TopLevel, context: &str) {
    let (tables, _) = server_tables(top).unwrap();
    let (responses, guaranteed) = (response_times(top), deferrable_guarantee(top).unwrap());
    for color in 0..2 {
        assert!(
            responses[color].is_none() || tables[color].full,
            "response time without full budget: {context}"
        );
        let budget = top.servers()[color].budget();
        let by_guarantee = guaranteed[color] >= budget;
        assert!(
            !by_guarantee || tables[color].full,
            "guarantee without full budget: {context}"
        );
    }
}

/// Response bounds on the tables (deadlines under EDF), after their certificates were checked.
fn certified_bounds(top: &TopLevel, workloads: [&[Task]; 2], policy: Policy, context: &str) -> Vec<Time> {
    let (tables, _) = server_tables(top).unwrap();
    let mut bounds = Vec::new();
    for (tasks, table) in workloads.into_iter().zip(&tables) {
        match policy {
            Policy::Edf => {
                let EdfVerdict::Schedulable(certificate) = edf_test(tasks, &table.slots).unwrap() else {
                    panic!("accepted by the table: {context}")
                };
                assert_eq!(certificate.check(tasks, &table.slots), Ok(()), "{context}");
                bounds.extend(tasks.iter().map(|task| task.deadline));
            }
            Policy::FixedPriority(order) => {
                let certificate = fixed_priority_test(tasks, order, &table.slots).expect("accepted by the table");
                assert_eq!(certificate.check(tasks, &table.slots), Ok(()), "{context}");
                bounds.extend(certificate.responses);
            }
        }
    }
    bounds
}

fn run(
    rng: &mut Pcg64,
    workloads: &[&[Task]; 2],
    policy: Policy,
    dispatch: Dispatch,
    locks: &Locks,
    deviation: Deviation,
) -> Outcome {
    let simulation = Simulation::new(workloads.to_vec(), policy, dispatch, Some(locks)).unwrap();
    let horizon = Horizon {
        phase: 0,
        repeat: 2000,
        repeats: 2,
    };
    simulation
        .run(horizon, &mut RandomJobs { rng, deviation }, &mut ())
        .unwrap()
}

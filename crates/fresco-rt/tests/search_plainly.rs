// SPDX-License-Identifier: MIT OR Apache-2.0
//! The searches give up early where a bound refuses. Here they are done plainly, with every budget and every test in full: what is found
//! must be the same.

use fresco_rt::aligned::{RefreshDemand, plan};
use fresco_rt::copies::{
    CopyTask, CopyVerdict, ServerSearch, Switch, copies_test, partition_for_phases, servers_with_copies,
};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::search::{Space, assign_aligned, partition, rest_of_table};
use fresco_rt::switches::SliceCost;
use fresco_rt::toplevel::{Locks, Server, TopLevel, fits, server_tables};
use fresco_rt::{Attempts, Patience, Progress, Task, Time};
use proptest::prelude::*;

const RETENTION: Time = 64;
const POLICIES: [Policy; 2] = [Policy::Edf, Policy::FixedPriority(Order::DeadlineMonotonic)];

fn tasks(most: usize) -> impl Strategy<Value = Vec<Task>> {
    let task =
        (prop::sample::select(vec![8u64, 16, 24, 32, 64]), 1u64..=20, 50u64..=100).prop_map(|(period, share, d)| {
            let wcet = (period * share / 64).max(1);
            Task::new("t", 0, period, wcet, (period * d / 100).max(wcet)).unwrap()
        });
    prop::collection::vec(task, 1..=most)
}

fn space(burst: Time) -> Space {
    Space::new(Locks::of_two_servers(RETENTION, burst, 1, 1).unwrap(), 2, 32)
}

fn tops(space: &Space, period: Time) -> impl Iterator<Item = TopLevel> {
    let server = move |budget| Server::new(period, budget).unwrap();
    (0..=period).map(move |budget| TopLevel::new([server(budget), server(period)], space.locks().clone()).unwrap())
}

/// The first servers, the longest period first, with the least budget that serves the first workload; and the order of the workloads.
fn plainly(workloads: [&[Task]; 2], policy: Policy, space: &Space) -> Option<(TopLevel, [usize; 2])> {
    for &period in space.periods().iter().rev() {
        for order in [[0, 1], [1, 0]] {
            let serves = |top: &TopLevel, server: usize| {
                let slots = &server_tables(top).unwrap().0[server].slots;
                fits(workloads[order[server]], policy, slots).unwrap()
            };
            let first = tops(space, period).find(|top| workloads[order[0]].is_empty() || serves(top, 0));
            if let Some(top) = first.filter(|top| serves(top, 1)) {
                return Some((top, order));
            }
        }
    }
    None
}

/// As [`plainly`], with copy tasks.
fn plainly_with_copies(
    workloads: [&[Task]; 2],
    shared: &[CopyTask],
    policy: Policy,
    space: &Space,
) -> Option<(TopLevel, [usize; 2], Switch)> {
    for &period in space.periods().iter().rev() {
        for switch in [Switch::Earliest, Switch::Latest] {
            for order in [[0, 1], [1, 0]] {
                let ordered = order.map(|workload| workloads[workload]);
                let verdict = |top: &TopLevel| copies_test(top, ordered, shared, policy, switch).unwrap();
                let least = tops(space, period).map(|top| (verdict(&top), top));
                let least = least
                    .into_iter()
                    .find(|(verdict, _)| !matches!(verdict, CopyVerdict::Missed(0, ..)));
                if let Some((CopyVerdict::Schedulable(_), top)) = least {
                    return Some((top, order, switch));
                }
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: proptest::test_runner::RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn servers_are_those_of_the_plain_search(a in tasks(3), b in tasks(3), burst in 1u64..8, policy in 0usize..2) {
        let (space, policy) = (space(burst), POLICIES[policy]);
        let found = rest_of_table([&a, &b], policy, &space, true).unwrap().map(|found| (found.top, found.order));
        prop_assert_eq!(found, plainly([&a, &b], policy, &space));
    }

    #[test]
    fn servers_with_copies_are_those_of_the_plain_search(a in tasks(2), b in tasks(2), c in tasks(2), burst in 1u64..8) {
        let space = space(burst);
        let shared: Vec<CopyTask> = c.into_iter().map(|task| CopyTask { task, copy_cost: 1 }).collect();
        let found = servers_with_copies([&a, &b], &shared, Policy::Edf, &space, Patience::ENDLESS).unwrap();
        let found = found.map(|found| (found.top, found.order, found.switch));
        prop_assert_eq!(found, plainly_with_copies([&a, &b], &shared, Policy::Edf, &space));
    }

    /// A search that has been asked before finds what the plain search does: of all splits of the same tasks, with phases, one of them shared
    /// or none.
    #[test]
    fn what_earlier_workloads_taught_changes_no_servers(
        a in tasks(5),
        phases in prop::collection::vec(0u64..80, 5),
        burst in 1u64..8,
        policy in 0usize..2,
    ) {
        let (space, policy) = (space(burst), POLICIES[policy]);
        let late = |(task, phase): (&Task, &Time)| Task { phase: *phase, ..task.clone() };
        let a: Vec<Task> = a.iter().zip(&phases).map(late).collect();
        let mut search = ServerSearch::new(policy, &space);
        for bits in (0..1u32 << a.len()).rev() {
            let side = |wanted: u32| (1..a.len()).filter(|i| bits >> i & 1 == wanted).map(|i| a[i].clone()).collect::<Vec<Task>>();
            let (mut first, second) = (side(0), side(1));
            let mut shared = Vec::new();
            match bits & 1 {
                0 => first.push(a[0].clone()),
                _ => shared.push(CopyTask { task: a[0].clone(), copy_cost: 1 }),
            }
            let found = search.servers([&first, &second], &shared, Patience::ENDLESS).unwrap();
            let found = found.map(|found| (found.top, found.order, found.switch));
            prop_assert_eq!(found, plainly_with_copies([&first, &second], &shared, policy, &space));
        }
    }

    /// Servers for the phases alone are those of the plain search, and there are some wherever sporadic tasks have some.
    #[test]
    fn servers_for_phases_are_those_of_the_plain_search(a in tasks(3), burst in 1u64..8) {
        let space = space(burst);
        let found = partition_for_phases(&a, None, Policy::Edf, &space, 300).unwrap();
        let side = |bits: u32, wanted: u32| (0..a.len()).filter(|i| bits >> i & 1 == wanted).map(|i| a[i].clone()).collect::<Vec<Task>>();
        let any = (0..1u32 << a.len()).any(|bits| plainly_with_copies([&side(bits, 0), &side(bits, 1)], &[], Policy::Edf, &space).is_some());
        prop_assert_eq!(found.verdict(), Some(any));
        let sporadic = partition(&a, None, Policy::Edf, &space, 300).unwrap();
        prop_assert!(any || sporadic.verdict() == Some(false));
    }

    /// Lengths that were too short for one split refuse others: the frame found is the longest that has any split.
    #[test]
    fn aligned_frames_are_the_longest_with_a_split(a in tasks(5), trfc in 1u64..4, policy in 0usize..2) {
        let policy = POLICIES[policy];
        let slice = SliceCost::default();
        let demand = RefreshDemand { retention: RETENTION, commands: 8, trfc, handler: 1, jitter: 0, slice };
        let found = assign_aligned(&a, 1, None, policy, demand, Some(32), 300).unwrap().found();
        let side = |bits: u32, wanted: u32| (0..a.len()).filter(|i| bits >> i & 1 == wanted).map(|i| a[i].clone()).collect::<Vec<Task>>();
        let fits = |period: Time| {
            (0..1u32 << a.len()).any(|bits| plan(&[[&side(bits, 0), &side(bits, 1)]], policy, period, demand).is_ok())
        };
        let longest = [32, 16, 8, 4, 2, 1].into_iter().find(|&period| fits(period));
        prop_assert_eq!(found.map(|found| found.plan.period()), longest);
    }

    /// What refused one candidate is tried first on the next: the servers of the partition found are those of the plain search, and where
    /// none is found no partition has any.
    #[test]
    fn what_earlier_candidates_taught_changes_no_partition(a in tasks(5), burst in 1u64..8) {
        let space = space(burst);
        let found = partition(&a, None, Policy::Edf, &space, 300).unwrap().found();
        if let Some(found) = &found {
            let sets = found.workloads.clone().map(|all| all.into_iter().map(|i| a[i].clone()).collect::<Vec<Task>>());
            let plain = plainly([&sets[0], &sets[1]], Policy::Edf, &space);
            prop_assert_eq!(Some((found.found.top.clone(), found.found.order)), plain);
        } else {
            for bits in 0..1u32 << a.len() {
                let side = |wanted: u32| (0..a.len()).filter(|i| bits >> i & 1 == wanted).map(|i| a[i].clone()).collect::<Vec<Task>>();
                prop_assert_eq!(plainly([&side(0), &side(1)], Policy::Edf, &space), None);
            }
        }
    }
}

/// Without patience there is no verdict, whatever the answer would be.
#[test]
fn a_search_without_patience_has_no_verdict() {
    let tasks = [
        Task::new("a", 0, 32, 4, 32).unwrap(),
        Task::new("b", 0, 64, 4, 64).unwrap(),
    ];
    let space = space(4);
    assert!(
        partition(&tasks, None, Policy::Edf, &space, 300)
            .unwrap()
            .found()
            .is_some()
    );
    let over = |_: Progress| true;
    let attempts = Attempts {
        most: 300,
        patience: Patience::until(&over),
    };
    let stopped = partition(&tasks, None, Policy::Edf, &space, attempts).unwrap_err();
    assert_eq!(stopped.to_string(), "the search was stopped before there was a verdict");
}

/// What searches cost, in runs of jobs in slots: a miss tells the least budget that its window asks for, and what windows refuse is not run. A
/// bisection would make two dozen runs for each period of each order.
#[test]
fn searches_make_few_runs() {
    const MS: Time = 1_000_000;
    let task = |(period, wcet): (Time, Time)| Task::new("t", 0, period * MS, wcet * MS, period * MS).unwrap();
    let tasks = [(16, 4), (32, 5), (64, 9), (16, 2), (32, 4), (64, 8)].map(task);
    let locks = Locks::of_two_servers(RETENTION * MS, 6 * MS, MS, MS).unwrap();
    let space = Space::new(locks, 2 * MS, 32 * MS);
    let mut search = ServerSearch::new(Policy::Edf, &space);
    let (mut found, mut cases) = (0, 0);
    for bits in 0..1u32 << tasks.len() {
        let side = |wanted: u32| {
            let own = (0..tasks.len()).filter(|i| bits >> i & 1 == wanted);
            own.map(|i| tasks[i].clone()).collect::<Vec<Task>>()
        };
        found += u32::from(
            search
                .servers([&side(0), &side(1)], &[], Patience::ENDLESS)
                .unwrap()
                .is_some(),
        );
        cases += 2 * space.periods().len() as u64;
    }
    assert!((1..60).contains(&found), "{found}");
    assert!(search.runs() < 2 * cases, "{} runs in {cases} cases", search.runs());
}

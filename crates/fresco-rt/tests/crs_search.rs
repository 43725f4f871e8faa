// SPDX-License-Identifier: MIT OR Apache-2.0
//! Searches for servers against trying everything, and on the published task set.

use fresco_rt::copies::partition_for_phases;
use fresco_rt::flat::{FlatVerdict, flat_test};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::{Burst, Density, RETENTION};
use fresco_rt::search::{
    MemoryNeed, Sought, Space, brute_force, full_budgets, partition, partition_flat, rest_of_table, shrink_last,
};
use fresco_rt::toplevel::{Locks, Server, TopLevel, accepts, server_tables};
use fresco_rt::{Task, Time};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const POLICIES: [Policy; 2] = [Policy::Edf, Policy::FixedPriority(Order::DeadlineMonotonic)];

fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let periods = prop::sample::select(vec![12u64, 16, 20, 24, 32, 48]);
    let task = (periods, 1u64..5, 0u64..3)
        .prop_map(|(period, wcet, early)| Task::new("t", 0, period, wcet, (period - early).max(wcet)).unwrap());
    prop::collection::vec(task, 1..=2)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, rng_seed: RngSeed::Fixed(3), ..ProptestConfig::default() })]

    /// Search B finds servers with one period exactly if some budgets on the whole grid do; search A finds the least bandwidth.
    #[test]
    fn searches_agree_with_brute_force(first in tasks(), second in tasks(), burst in 0u64..6, period in prop::sample::select(vec![4u64, 6, 8])) {
        let locks = Locks::of_two_servers(48, burst, 0, 0).unwrap();
        let space = Space::new(locks.clone(), period, period);
        let workloads = [first.as_slice(), second.as_slice()];
        for policy in POLICIES {
            let (brute, tried) = brute_force(workloads, policy, &space, 1).unwrap();
            prop_assert_eq!(tried, period * period);
            let found = rest_of_table(workloads, policy, &space, false).unwrap();
            prop_assert_eq!(found.is_some(), brute.is_some());
            if let Some(found) = found {
                let placed = found.order.map(|w| workloads[w]);
                prop_assert!(accepts(&found.top, placed, policy).unwrap().table);
                let shrunk = shrink_last(&found, workloads, policy).unwrap();
                prop_assert!(accepts(&shrunk.top, placed, policy).unwrap().table);
                let [kept, last] = shrunk.top.servers();
                prop_assert_eq!(kept, found.top.servers()[0]);
                if last.budget() > 1 {
                    let less = [kept, Server::new(last.period(), last.budget() - 1).unwrap()];
                    prop_assert!(!accepts(&TopLevel::new(less, locks.clone()).unwrap(), placed, policy).unwrap().table);
                }
            }
            // Search A against all budgets whose tables are full and fit the periodic resource.
            let mut least: Option<Time> = None;
            for e1 in 1..=period {
                for e2 in 1..=period - e1.min(period) {
                    for order in [[0, 1], [1, 0]] {
                        let servers = [e1, e2].map(|e| Server::new(period, e).unwrap());
                        let top = TopLevel::new(servers, locks.clone()).unwrap();
                        if accepts(&top, order.map(|w| workloads[w]), policy).unwrap().periodic {
                            least = Some(least.unwrap_or(Time::MAX).min(e1 + e2));
                        }
                    }
                }
            }
            let full = full_budgets(workloads, policy, &space).unwrap();
            let sum = full.as_ref().map(|found| found.top.servers().iter().map(|s| s.budget()).sum::<Time>());
            prop_assert_eq!(sum, least);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(4), ..ProptestConfig::default() })]

    /// For few tasks the partition is found exactly if some split has servers.
    #[test]
    fn partitions_of_few_tasks_are_exhaustive(first in tasks(), second in tasks(), burst in 0u64..12) {
        let space = Space::new(Locks::of_two_servers(48, burst, 0, 0).unwrap(), 4, 16);
        let tasks = [first, second].concat();
        let any = (0..1usize << tasks.len()).any(|bits| {
            let side = |wanted: usize| -> Vec<Task> {
                (0..tasks.len()).filter(|i| bits >> i & 1 == wanted).map(|i| tasks[i].clone()).collect()
            };
            rest_of_table([&side(0), &side(1)], Policy::Edf, &space, true).unwrap().is_some()
        });
        prop_assert_eq!(partition(&tasks, None, Policy::Edf, &space, usize::MAX).unwrap().verdict(), Some(any));
    }
}

fn table_5_2() -> [Vec<Task>; 2] {
    let task = |(name, p, e): &(&str, Time, Time)| Task::new(name, 0, *p, *e, *p).unwrap();
    let first = [
        ("cnt", 20_000_000, 3_000_000),
        ("lms", 10_000_000, 1_600_000),
        ("st", 8_000_000, 2_000_000),
    ];
    let second = [("compress", 10_000_000, 1_200_000), ("matmult", 40_000_000, 10_000_000)];
    [first.iter().map(task).collect(), second.iter().map(task).collect()]
}

fn space(density: Density, shortest: Time) -> Space {
    let locks = Locks::of_two_servers(RETENTION, Burst::Standard.length(density), 0, 0).unwrap();
    Space::new(locks, shortest, 16_000_000)
}

/// Table 5.2 with the burst of the standard and its own partition: servers exist up to 8 Gb, and not at 16 Gb and above.
#[test]
fn table_5_2_by_density() {
    let [first, second] = table_5_2();
    for density in Density::ALL {
        let space = space(density, 250_000);
        let found = rest_of_table([&first, &second], Policy::Edf, &space, false).unwrap();
        assert_eq!(found.is_some(), density <= Density::Gb8, "{density:?}: {found:?}");
        if let Some(found) = found {
            let sets = found.order.map(|w| [first.as_slice(), second.as_slice()][w]);
            assert!(accepts(&found.top, sets, Policy::Edf).unwrap().table);
        }
    }
}

/// Table 5.2's own partition: the period and least budget that are known to work at each density (ISR cost 0).
#[test]
fn table_5_2_least_first_budget() {
    let [first, second] = table_5_2();
    let known = [
        (Density::Gb1, 2_560_000, 1_460_000),
        (Density::Gb2, 2_560_000, 1_474_048),
        (Density::Gb4, 256_000, 151_473),
        (Density::Gb8, 512_000, 307_556),
    ];
    for (density, period, budget) in known {
        let locks = Locks::of_two_servers(RETENTION, Burst::Standard.length(density), 0, 0).unwrap();
        let space = Space::new(locks, period, period);
        let found = rest_of_table([&first, &second], Policy::Edf, &space, false)
            .unwrap()
            .unwrap();
        assert_eq!(
            (found.order, found.top.servers()[0]),
            ([0, 1], Server::new(period, budget).unwrap()),
            "{density:?}"
        );
    }
}

#[test]
fn partitions_respect_memory_and_hold() {
    let [first, second] = table_5_2();
    let tasks = [first, second].concat();
    let space = space(Density::Gb2, 250_000);
    let need = |capacity| MemoryNeed {
        bytes: vec![4, 1, 1, 1, 4],
        capacity,
    };
    for memory in [None, Some(need([6, 6])), Some(need([3, 8]))] {
        let found = partition(&tasks, memory.as_ref(), Policy::Edf, &space, 1000)
            .unwrap()
            .found()
            .unwrap();
        let mut all = found.workloads.concat();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
        let sets = found
            .workloads
            .clone()
            .map(|w| w.iter().map(|&i| tasks[i].clone()).collect::<Vec<Task>>());
        let placed = found.found.order.map(|w| sets[w].as_slice());
        assert!(accepts(&found.found.top, placed, Policy::Edf).unwrap().table);
        if let Some(memory) = memory {
            for (color, workload) in found.workloads.iter().enumerate() {
                assert!(workload.iter().map(|&i| memory.bytes[i]).sum::<u64>() <= memory.capacity[color]);
            }
        }
    }
    assert_eq!(
        partition(&tasks, Some(&need([5, 5])), Policy::Edf, &space, 1000).unwrap(),
        Sought::Nowhere
    );
}

/// No full budgets exist where the table still serves: search B accepts more than search A.
#[test]
fn the_table_accepts_more_than_full_budgets() {
    let [first, second] = table_5_2();
    let space = space(Density::Gb4, 250_000);
    let sets = [first.as_slice(), second.as_slice()];
    assert!(rest_of_table(sets, Policy::Edf, &space, true).unwrap().is_some());
    assert_eq!(full_budgets(sets, Policy::Edf, &space).unwrap(), None);
    let text = Locks::of_two_servers(RETENTION, Burst::AsPublished { ranks: 8 }.length(Density::Gb4), 0, 0).unwrap();
    let found = full_budgets(sets, Policy::Edf, &Space::new(text, 250_000, 16_000_000))
        .unwrap()
        .unwrap();
    assert!(server_tables(&found.top).unwrap().0.iter().all(|table| table.full));
}

/// What no servers serve and flat scheduling does (docs/theory.md): a lock takes 2.87 of 8 ms, and budgets are the same in every period.
#[test]
fn constant_budgets_are_not_enough() {
    let task = |name: &str, period: Time, wcet: Time| Task::new(name, 0, period, wcet, period).unwrap();
    let tasks = [task("a", 8_000_000, 4_000_000), task("b", 10_000_000, 4_000_000)];
    let locks = Locks::of_two_servers(RETENTION, Burst::Standard.length(Density::Gb8), 0, 0).unwrap();
    let space = Space::new(locks.clone(), 100_000, 64_000_000);
    let sporadic = partition(&tasks, None, Policy::Edf, &space, 100).unwrap();
    assert_eq!(sporadic, Sought::Nowhere);
    let for_phases = partition_for_phases(&tasks, None, Policy::Edf, &space, 100).unwrap();
    assert_eq!(for_phases, Sought::Nowhere);
    let flat = partition_flat(&tasks, None, Policy::Edf, &locks, 100).unwrap();
    assert_eq!(flat.verdict(), Some(true));
}

/// Table 5.2 at 16 Gb: no servers, but a flat schedule, whichever way its tasks are colored as published or by search.
#[test]
fn flat_scheduling_goes_further() {
    let [first, second] = table_5_2();
    let locks = |density| Locks::of_two_servers(RETENTION, Burst::Standard.length(density), 0, 0).unwrap();
    assert!(matches!(
        flat_test(&[&first, &second], Policy::Edf, &locks(Density::Gb16)).unwrap(),
        FlatVerdict::Schedulable(_)
    ));
    // At 32 Gb st, due every 8 ms, waits 8.192 ms for any color.
    assert!(matches!(
        flat_test(&[&first, &second], Policy::Edf, &locks(Density::Gb32)).unwrap(),
        FlatVerdict::Missed(_)
    ));
    let tasks = [first, second].concat();
    let colors = partition_flat(&tasks, None, Policy::Edf, &locks(Density::Gb16), 100)
        .unwrap()
        .found()
        .unwrap();
    assert_eq!(colors.iter().map(Vec::len).sum::<usize>(), 5);
    assert_eq!(
        partition_flat(&tasks, None, Policy::Edf, &locks(Density::Gb32), 100).unwrap(),
        Sought::Nowhere
    );
    // Eleven of them are more than are split in every way.
    let light: Vec<Task> = (0..11)
        .map(|_| Task::new("light", 0, 8_000_000, 1000, 8_000_000).unwrap())
        .collect();
    let open = partition_flat(&light, None, Policy::Edf, &locks(Density::Gb32), 7).unwrap();
    assert_eq!((open.verdict(), open), (None, Sought::Open(7)));
}

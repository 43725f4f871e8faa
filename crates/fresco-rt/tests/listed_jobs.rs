// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explicit jobs in slots: worked executives inside servers (CRS-8), and the engine against a simulation tick by tick.

use fresco_rt::edf::edf_test;
use fresco_rt::fixed_priority::fixed_priority_test;
use fresco_rt::listed::{JobList, Served, WrongExecutive, cyclic_executive};
use fresco_rt::policy::Order;
use fresco_rt::refresh::RETENTION;
use fresco_rt::supply::SlotTable;
use fresco_rt::toplevel::{Locks, Server, TopLevel, server_tables};
use fresco_rt::{Task, Time};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const MS: Time = 1_000_000;

fn task(name: &str, (phase, period, wcet, deadline): (Time, Time, Time, Time)) -> Task {
    Task::new(name, phase, period, wcet, deadline).unwrap()
}

/// Table 5.2 in its servers at 8 Gb: both have an executive although neither is guaranteed for sporadic tasks (E29).
#[test]
fn table_5_2_has_executives_where_its_phases_hold() {
    let workloads = [
        vec![
            task("cnt", (0, 20 * MS, 3 * MS, 20 * MS)),
            task("lms", (0, 10 * MS, 1_600_000, 10 * MS)),
            task("st", (0, 8 * MS, 2 * MS, 8 * MS)),
        ],
        vec![
            task("compress", (0, 10 * MS, 1_200_000, 10 * MS)),
            task("matmult", (0, 40 * MS, 10 * MS, 40 * MS)),
        ],
    ];
    let tables = |burst: Time| {
        let servers = [(4 * MS, 2_400_000), (4 * MS, 1_600_000)].map(|(p, e)| Server::new(p, e).unwrap());
        let locks = Locks::of_two_servers(RETENTION, burst, 0, 0).unwrap();
        server_tables(&TopLevel::new(servers, locks).unwrap()).unwrap().0
    };
    for (workload, table) in workloads.iter().zip(tables(2_867_200)) {
        assert!(!edf_test(workload, &table.slots).unwrap().is_schedulable());
        let executive = cyclic_executive(workload, &table.slots).unwrap();
        assert_eq!(executive.check(workload, &table.slots), Ok(()));
        assert_eq!(executive.length, 320 * MS);
    }
    // At 16 Gb jobs of the first server miss; the reason names them and what there is for them.
    let [first, _] = tables(4_505_600);
    let reason = cyclic_executive(&workloads[0], &first.slots).unwrap_err().to_string();
    assert_eq!(
        reason,
        "lms (job 3), st (job 4) need 3600000 together, but only 2800000 is left where they may run"
    );
}

#[test]
fn a_window_may_wrap_around_the_turn() {
    let table = SlotTable::new(10, &[(0, 3), (7, 9)]).unwrap();
    let tasks = [task("a", (8, 10, 4, 6))];
    let executive = cyclic_executive(&tasks, &table).unwrap();
    let slots: Vec<(Time, Time)> = executive.slots.iter().map(|slot| (slot.start, slot.end)).collect();
    assert_eq!(slots, [(0, 3), (8, 9)]);
    assert_eq!(executive.check(&tasks, &table), Ok(()));
    let more = [task("a", (8, 10, 5, 6))];
    let reason = cyclic_executive(&more, &table).unwrap_err().to_string();
    assert_eq!(
        reason,
        "a (job 0) need 5 together, but only 4 is left where they may run"
    );
    let full = [task("a", (0, 10, 3, 10)), task("b", (0, 10, 3, 10))];
    let reason = cyclic_executive(&full, &table).unwrap_err().to_string();
    assert!(reason.contains("need 6 together, but only 5"), "{reason}");
}

#[test]
fn forged_executives_are_refused() {
    let table = SlotTable::new(10, &[(0, 3), (6, 9)]).unwrap();
    let tasks = [task("a", (0, 10, 2, 5)), task("b", (5, 20, 3, 5))];
    let good = cyclic_executive(&tasks, &table).unwrap();
    assert_eq!(good.check(&tasks, &table), Ok(()));
    let forged = |change: &dyn Fn(&mut fresco_rt::listed::ServerExecutive)| {
        let mut forged = good.clone();
        change(&mut forged);
        forged.check(&tasks, &table).unwrap_err()
    };
    assert_eq!(forged(&|e| e.length = 30), WrongExecutive::Length);
    assert_eq!(forged(&|e| e.length = 0), WrongExecutive::Length);
    assert_eq!(forged(&|e| e.slots.swap(0, 1)), WrongExecutive::Slot(1));
    assert_eq!(forged(&|e| e.slots[0].task = 2), WrongExecutive::Slot(0));
    assert_eq!(forged(&|e| e.slots[0].job = 2), WrongExecutive::Slot(0));
    assert_eq!(forged(&|e| e.slots[0].end = 4), WrongExecutive::Outside(0));
    assert_eq!(forged(&|e| e.slots[0].job = 1), WrongExecutive::Window(0));
    assert_eq!(forged(&|e| e.slots[0].end = 1), WrongExecutive::Time(0, 0, 1));
    assert_eq!(forged(&|e| e.slots.truncate(1)), WrongExecutive::Time(0, 1, 0));
}

/// Slots inside a table of 16.
fn slots() -> impl Strategy<Value = SlotTable> {
    proptest::collection::vec(0u64..16, 1..8).prop_map(|mut cuts| {
        cuts.sort_unstable();
        cuts.dedup();
        let spans: Vec<(Time, Time)> = cuts.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        SlotTable::new(16, &spans).unwrap()
    })
}

fn set() -> impl Strategy<Value = Vec<Task>> {
    let one = (0usize..5, 1u64..6, 0u64..40, 0u64..8).prop_map(|(period, wcet, phase, less)| {
        let period = [8, 12, 16, 24, 48][period];
        task("t", (phase, period, wcet, (period - less.min(period - wcet)).max(wcet)))
    });
    proptest::collection::vec(one, 1..4)
}

/// Returns true if a job misses its deadline: tick by tick, each job by itself, for six turns after the last phase.
fn misses(tasks: &[Task], table: &SlotTable, rank: impl Fn(usize, Time) -> (Time, usize)) -> bool {
    let turn: Time = 48;
    let end = 40 + 6 * turn;
    let mut left: Vec<Option<(Time, Time)>> = vec![None; tasks.len()];
    for now in 0..end {
        for (i, task) in tasks.iter().enumerate() {
            if left[i].is_some_and(|(deadline, _)| deadline <= now) {
                return true;
            }
            if now >= task.phase && (now - task.phase).is_multiple_of(task.period) {
                left[i] = Some((now + task.deadline, task.wcet));
            }
        }
        if table.slots().iter().any(|&(s, e)| (s..e).contains(&(now % 16))) {
            let ready = (0..tasks.len()).filter(|&i| left[i].is_some());
            if let Some(i) = ready.min_by_key(|&i| rank(i, left[i].unwrap().0)) {
                let (deadline, lacks) = left[i].unwrap();
                left[i] = (lacks > 1).then_some((deadline, lacks - 1));
            }
        }
    }
    false
}

/// Found by a random set: the end of a job and the begin of the same job of the next turn are two slots.
#[test]
fn a_window_that_wraps_ends_where_it_begins() {
    let tasks = [task("t", (34, 16, 5, 16))];
    let table = SlotTable::new(16, &[(1, 4), (5, 7)]).unwrap();
    let executive = cyclic_executive(&tasks, &table).unwrap();
    assert_eq!(executive.check(&tasks, &table), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Exact for both policies; what sporadic tests accept is served; an executive exists exactly if EDF serves, and is one.
    #[test]
    fn serving_is_exact(tasks in set(), table in slots()) {
        let list = JobList::of(&tasks, 48).unwrap();
        let edf = matches!(list.serve(&table, None).unwrap(), Served::Met(_));
        prop_assert_eq!(edf, !misses(&tasks, &table, |i, deadline| (deadline, i)));
        let order = Order::DeadlineMonotonic;
        let ranks = order.ranks(&tasks);
        let fixed = matches!(list.serve(&table, Some(&ranks)).unwrap(), Served::Met(_));
        prop_assert_eq!(fixed, !misses(&tasks, &table, |i, _| (0, ranks[i])));
        prop_assert!(edf || !fixed, "EDF serves whatever can be served");
        prop_assert!(edf || !edf_test(&tasks, &table).unwrap().is_schedulable());
        prop_assert!(fixed || fixed_priority_test(&tasks, order, &table).is_none());
        match cyclic_executive(&tasks, &table) {
            Ok(executive) => {
                prop_assert!(edf);
                prop_assert_eq!(executive.check(&tasks, &table), Ok(()));
            }
            Err(reason) => {
                prop_assert!(!edf);
                prop_assert!(reason.to_string().contains("together"), "{}", reason);
            }
        }
    }
}

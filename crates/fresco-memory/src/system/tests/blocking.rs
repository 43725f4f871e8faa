// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches with few miss registers, by hand.
//!
//! A cycle is 1250 ps, CL 11 cycles, a burst 4: a read of an open row takes 1 + 11 + 4 cycles, 20 ns, from its arrival, which is 10 ns
//! after its access, the latency of the cache.

use super::*;
use crate::system::{Blocked, Service};

/// When the tests begin: cycle 800. Line 1 of node 0 is in the cache of cores 0 and 1, and its row is open.
const T: Ps = 1_000_000;

fn system(mshrs: Option<u32>) -> MemorySystem {
    let mut machine = machine();
    machine.llc = Some(LlcConfig { mshrs, ..small_llc() });
    let mut system = MemorySystem::new(&machine);
    system.read(0, 1, line(0, 1), false);
    system.run_until(T, &mut Vec::new());
    system
}

fn times(done: &[Done]) -> Vec<(u32, Ps)> {
    done.iter().map(|done| (done.core, done.at)).collect()
}

#[test]
fn while_all_registers_are_taken_hits_wait_too() {
    let mut system = system(Some(1));
    let is_pending = |service| matches!(service, Service::Pending(_));
    assert!(is_pending(system.read(T, 0, line(0, 0), false)));
    // A hit, and another miss; each at its time.
    assert!(is_pending(system.read(T, 1, line(0, 1), false)));
    system.run_until(T + 2_000, &mut Vec::new());
    assert!(is_pending(system.read(T + 2_000, 1, line(0, 2), false)));
    // Cores of another cache do not notice.
    assert!(is_pending(system.read(T + 2_000, 2, line(0, 1), false)));
    let done = finish(&mut system);
    // The first miss: 10 ns and 20 ns. Then the hit is looked up, and has its data 10 ns later; the second miss goes its way at the same
    // time. That of core 2, of node 1, has left at 2 ns: 10 ns and 20.3 ns, cycle 826, 16 cycles, and 20 ns back.
    assert_eq!(
        times(&done),
        [(0, T + 30_000), (1, T + 40_000), (1, T + 60_000), (2, T + 72_500)]
    );
    assert!(done[1].sample.is_none(), "it did not come from memory");
    let miss = sample(&done[2]);
    assert_eq!((miss.latency, miss.path), (58_000, 10_000));
    assert_eq!(miss.queue + miss.service, 28_000 + 20_000);
    assert!(miss.queue >= 28_000, "{miss:?}");
    let stats = system.core_stats();
    let blocked = |reads, time_ps| Blocked { reads, time_ps };
    assert_eq!(stats[1].blocked, blocked(2, 30_000 + 28_000));
    assert_eq!((stats[0].blocked, stats[2].blocked), (blocked(0, 0), blocked(0, 0)));
    assert_eq!((stats[1].llc.hits, stats[1].llc.misses, stats[1].reads), (1, 2, 3));
}

#[test]
fn a_line_under_way_is_not_joined_but_found_when_it_is_there() {
    let mut system = system(Some(1));
    system.read(T, 0, line(0, 0), false);
    system.read(T, 1, line(0, 0), false);
    assert_eq!(times(&finish(&mut system)), [(0, T + 30_000), (1, T + 40_000)]);
    assert_eq!((system.core_stats()[1].merged, system.core_stats()[1].llc.hits), (0, 1));
}

#[test]
fn lines_written_back_wait_in_the_same_order() {
    let mut system = system(Some(1));
    system.read(T, 0, line(0, 0), false);
    system.write_back(T, 1, line(0, 3));
    system.read(T, 1, line(0, 3), false);
    assert_eq!(times(&finish(&mut system)), [(0, T + 30_000), (1, T + 40_000)]);
}

#[test]
fn whoever_came_first_goes_first() {
    let mut system = system(Some(1));
    // Three misses wait for one register: one after the other, 30 ns each.
    for (core, number) in [(0, 0), (1, 2), (0, 4), (1, 6)] {
        system.read(T, core, line(0, number), false);
    }
    let end = |n: Ps| T + n * 30_000;
    assert_eq!(
        times(&finish(&mut system)),
        [(0, end(1)), (1, end(2)), (0, end(3)), (1, end(4))]
    );
}

#[test]
fn enough_registers_change_nothing() {
    let run = |mshrs| {
        let mut system = system(mshrs);
        for (core, number) in [(0, 0), (1, 1), (1, 2), (0, 4)] {
            system.read(T, core, line(0, number), false);
        }
        system.write_back(T, 0, line(0, 3));
        (finish(&mut system), system.core_stats())
    };
    assert_eq!(run(Some(3)), run(None));
    assert_ne!(run(Some(2)), run(None));
}

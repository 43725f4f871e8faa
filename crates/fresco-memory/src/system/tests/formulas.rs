// SPDX-License-Identifier: MIT OR Apache-2.0
//! Single requests against closed formulas.

use super::*;
use crate::request::RowOutcome;
use crate::system::{RequestId, Service};

/// Cycles of a read of a closed row from its arrival to its last data: the controller's pipeline cycle, ACT, RD, data.
fn closed_row(machine: &Machine) -> u64 {
    let t = &machine.memory.timing;
    1 + t.rcd + t.cl + t.burst()
}

/// One read by core 0 of the first line of `node`, alone at `at`.
fn single(machine: &Machine, at: Ps, node: u64) -> (Done, Sample) {
    let mut system = MemorySystem::new(machine);
    system.run_until(at, &mut Vec::new());
    assert_eq!(system.read(at, 0, line(node, 0), false), Service::Pending(RequestId(0)));
    let done = finish(&mut system);
    assert_eq!(done.len(), 1);
    (done[0], sample(&done[0]))
}

#[test]
fn local_one_hop_and_two_hops_differ_by_the_interconnect_alone() {
    let mut machine = machine();
    machine.llc = Some(small_llc());
    machine.memory.controller.frontend = 15_001;
    let clock = machine.memory.timing.clock;
    for at in [0, 1, 1_249, 1_250, 777_777] {
        for (node, hops) in (0..4).zip([0, 1, 1, 2]) {
            let arrival = at + 10_000 + 7_500 + THERE[node];
            let cycle = clock.cycle_at_or_after(arrival);
            let data = clock.to_ps(cycle + closed_row(&machine));
            let expected = data + 7_501 + BACK[node];
            let (done, found) = single(&machine, at, node as u64);
            assert_eq!(done.at, expected, "node {node}, access at {at}");
            let sample = Sample {
                latency: expected - at,
                path: 10_000 + 15_001 + clock.to_ps(cycle) - arrival,
                remote: THERE[node] + BACK[node],
                queue: found.queue,
                bank: 0,
                bus: 0,
                refresh: 0,
                service: data - clock.to_ps(cycle) - found.queue,
                in_memory: data - clock.to_ps(cycle),
                merged: 0,
                outcome: RowOutcome::Miss,
                node: node as u32,
                hops,
            };
            assert_eq!(found, sample);
            // The pipeline cycle is at most what the read waits for alone.
            assert!(found.queue <= 1_250);
        }
    }
}

#[test]
fn without_cache_and_frontend_only_the_clock_edge_is_added() {
    let machine = machine();
    let clock = machine.memory.timing.clock;
    let (done, sample) = single(&machine, 1, 0);
    assert_eq!(done.at, clock.to_ps(1 + closed_row(&machine)));
    assert_eq!(sample.path, clock.to_ps(1) - 1);
}

#[test]
fn a_request_at_the_very_time_run_to_reaches_the_cycle_of_that_time() {
    let machine = machine();
    let clock = machine.memory.timing.clock;
    let cycle = clock.to_ps(100);
    assert_eq!(single(&machine, cycle, 0).0.at, clock.to_ps(100 + closed_row(&machine)));
}

#[test]
fn an_llc_hit_takes_its_latency() {
    let mut machine = machine();
    machine.llc = Some(small_llc());
    let mut system = MemorySystem::new(&machine);
    let addr = line(3, 5);
    assert_eq!(system.read(0, 0, addr, true), Service::Pending(RequestId(0)));
    let at = finish(&mut system)[0].at;
    // Any byte of the line, and the other core of the cache.
    let other_byte = PhysAddr(addr.0 + 63);
    assert_eq!(system.read(at, 1, other_byte, false), Service::Done { at: at + 10_000 });
    // A core of another cache does not find it.
    assert_eq!(system.read(at, 2, addr, false), Service::Pending(RequestId(1)));
    let stats = system.core_stats();
    assert_eq!(
        (stats[0].reads, stats[0].reads_for_write, stats[0].llc.misses),
        (1, 1, 1)
    );
    assert_eq!((stats[1].llc.hits, stats[1].llc.misses, stats[2].llc.misses), (1, 0, 1));
}

#[test]
fn reads_of_a_line_under_way_join_it() {
    let mut machine = machine();
    machine.llc = Some(small_llc());
    let mut system = MemorySystem::new(&machine);
    let addr = line(0, 0);
    assert_eq!(system.read(0, 0, addr, false), Service::Pending(RequestId(0)));
    assert_eq!(
        system.read(0, 2, addr, false),
        Service::Pending(RequestId(1)),
        "another cache asks on its own"
    );
    let mut early = Vec::new();
    system.run_until(20_000, &mut early);
    assert!(early.is_empty());
    assert_eq!(system.read(20_000, 1, addr, false), Service::Pending(RequestId(2)));
    assert_eq!(system.outstanding(), 2, "two lines for three reads");
    let done = finish(&mut system);
    let names: Vec<_> = done.iter().map(|d| (d.id.0, d.core)).collect();
    assert_eq!(names, [(0, 0), (2, 1), (1, 2)]);
    assert_eq!(done[1].at, done[0].at);
    let [first, joined] = [0, 1].map(|at: usize| sample(&done[at]));
    assert_eq!(joined.latency, first.latency - 20_000);
    assert_eq!(joined.merged, joined.latency);
    assert_eq!(joined.parts(), joined.latency);
    let stats = system.core_stats();
    assert_eq!((stats[1].merged, stats[1].llc.hits, stats[1].llc.misses), (1, 0, 0));
    let channel = &system.node_stats()[0].channels[0];
    assert_eq!(channel.reads + channel.forwarded, 2);
}

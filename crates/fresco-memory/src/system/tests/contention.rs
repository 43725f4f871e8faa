// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores that share a cache; lines that are written back; counters.

use super::*;
use crate::system::Service;

fn with_llc() -> MemorySystem {
    let mut machine = machine();
    machine.llc = Some(small_llc());
    MemorySystem::new(&machine)
}

/// Runs a read to its end. Returns true if it was a hit.
fn read(system: &mut MemorySystem, at: &mut Ps, core: u32, addr: PhysAddr) -> bool {
    match system.read(*at, core, addr, false) {
        Service::Done { at: done } => {
            *at = done;
            system.run_until(done, &mut Vec::new());
            true
        }
        Service::Pending(_) => {
            *at = finish(system)[0].at;
            false
        }
    }
}

#[test]
fn a_core_loses_lines_only_to_those_that_share_its_cache() {
    let mut system = with_llc();
    let mut at = 0;
    assert!(!read(&mut system, &mut at, 0, line(0, 0)));
    // Even lines share a set of two ways. A core of another cache does no harm …
    for other in [2, 4, 6, 8] {
        read(&mut system, &mut at, 2, line(0, other));
    }
    assert!(read(&mut system, &mut at, 0, line(0, 0)));
    // … and neither do other sets, but the second line of a neighbour in the set does.
    for other in [2, 1, 3, 5] {
        read(&mut system, &mut at, 1, line(0, other));
    }
    assert!(read(&mut system, &mut at, 0, line(0, 0)));
    read(&mut system, &mut at, 1, line(0, 4));
    read(&mut system, &mut at, 1, line(0, 6));
    assert!(!read(&mut system, &mut at, 0, line(0, 0)));
    let stats = system.core_stats();
    assert_eq!((stats[0].llc.hits, stats[0].llc.misses), (2, 2));
    assert_eq!((stats[0].llc.evictions, stats[0].llc.evictions_by_others), (1, 1));
    assert_eq!(stats[1].llc.evictions_by_others, 1, "by the last read of core 0");
    assert_eq!(stats[2].llc.evictions_by_others, 0);
}

#[test]
fn dirty_lines_reach_memory_when_the_cache_needs_room() {
    let mut system = with_llc();
    let writes = |system: &mut MemorySystem| {
        let nodes = system.node_stats();
        nodes.iter().map(|n| n.channels[0].writes).collect::<Vec<_>>()
    };
    // Two dirty lines fit a set; they are taken without reading memory.
    system.write_back(0, 0, line(1, 0));
    system.write_back(0, 1, line(1, 2));
    system.write_back(5, 1, line(1, 2));
    system.run_until(1_000_000, &mut Vec::new());
    assert_eq!(writes(&mut system), [0, 0, 0, 0]);
    assert_eq!(
        system.read(1_000_000, 0, line(1, 0), false),
        Service::Done { at: 1_010_000 }
    );
    // A third, and a read, push them out, the least recently used one first.
    system.write_back(1_000_000, 0, line(2, 4));
    system.read(1_000_000, 0, line(3, 6), false);
    system.run_until(1_500_000, &mut Vec::new());
    assert_eq!(
        writes(&mut system),
        [0; 4],
        "they wait for more, or until they are asked for"
    );
    system.set_eager_writes(true);
    system.run_until(2_000_000, &mut Vec::new());
    assert_eq!(writes(&mut system), [0, 2, 0, 0]);
    let stats = system.core_stats();
    assert_eq!((stats[0].write_backs, stats[1].write_backs), (2, 2));
    assert_eq!((stats[0].llc.write_backs, stats[1].llc.write_backs), (1, 1));
    assert_eq!(stats[1].llc.evictions_by_others, 1);
}

#[test]
fn without_a_shared_cache_write_backs_go_to_memory_at_once() {
    let mut system = MemorySystem::new(&machine());
    for number in 0..100 {
        system.write_back(number, 7, PhysAddr(line(2, number).0 + 8));
    }
    run_out(&mut system);
    system.run_until(10_000_000, &mut Vec::new());
    let node = &system.node_stats()[2];
    assert_eq!((node.channels[0].writes, node.channels[0].reads), (100, 0));
}

#[test]
fn counters_cover_the_time_since_their_reset() {
    let mut machine = machine();
    machine.memory.controller.page = PagePolicy::Closed;
    let burst = machine.memory.timing.burst();
    let mut system = MemorySystem::new(&machine);
    let count = |system: &mut MemorySystem, from: Ps| {
        for n in 0..10 {
            system.read(from, 0, line(0, 16 * n), false);
        }
        system.run_until(from + 1_250_000, &mut Vec::new());
        system.node_stats().swap_remove(0)
    };
    let first = count(&mut system, 0);
    assert_eq!((first.cycles, first.channels[0].reads), (1_000, 10));
    assert_eq!(first.bus_utilisation(), (10 * burst) as f64 / 1_000.0);
    assert!(first.mean_read_queue() > 0.0 && first.max_read_queue() >= 8);
    system.reset_stats();
    assert_eq!(system.node_stats()[0].bus_utilisation(), 0.0);
    let second = count(&mut system, 1_250_000);
    assert_eq!((second.cycles, second.channels[0].reads), (1_000, 10));
    assert_eq!(system.core_stats()[0].reads, 10);
}

/// Two dirty lines displaced for each line read, `count` times, with so many reads in flight, by a core that stands still when it has to: more than memory
/// can write.
/// Returns the longest latency, and the end.
fn flood(system: &mut MemorySystem, count: u64, in_flight: u64) -> (Ps, Ps) {
    let entries = machine().core.mshrs.max(8);
    let (mut now, mut longest, mut issued, mut completed) = (0, 0, 0, 0);
    let mut done = Vec::new();
    while completed < count {
        while issued < count && issued - completed < in_flight && !system.stands(0) {
            // Each a row of its own: eight lines of a row, eight rows of the bank, sixteen lines per row.
            let place = |i: u64| line(0, i * 128 % (NODE / LINE) + i / 64 % 16);
            system.write_back(now, 0, place(3 * issued));
            system.write_back(now, 0, place(3 * issued + 1));
            assert!(matches!(
                system.read(now, 0, place(3 * issued + 2), true),
                Service::Pending(_)
            ));
            assert!(system.most_write_backs() <= entries, "{}", system.most_write_backs());
            issued += 1;
        }
        now = system.next_event();
        system.run_until(now, &mut done);
        for read in done.drain(..) {
            completed += 1;
            longest = longest.max(sample(&read).latency);
            assert_eq!(sample(&read).parts(), sample(&read).latency);
        }
    }
    (longest, now)
}

/// Runs until nobody waits for anything; returns the cores that stood still and went on, with the times.
fn run_out(system: &mut MemorySystem) -> Vec<(Ps, u32, bool)> {
    let mut told = Vec::new();
    let mut tell = |at, system: &mut MemorySystem| {
        let mut standing = Vec::new();
        system.take_standing(&mut standing);
        told.extend(standing.iter().map(|(core, stands)| (at, *core, *stands)));
    };
    tell(0, system);
    while system.next_event() < NEVER {
        let now = system.next_event();
        system.run_until(now, &mut Vec::new());
        tell(now, system);
    }
    told
}

/// A core has at most as many lines on their way as its write-back buffer has entries, whatever it displaces, and stands still while
/// one finds no room; others do not.
#[test]
fn a_core_stands_still_while_a_line_of_it_has_no_room() {
    let entries = u64::from(machine().core.mshrs.max(8));
    for over in [0, 1, 3, 40] {
        let mut system = MemorySystem::new(&machine());
        for number in 0..entries + over {
            system.write_back(0, 7, line(2, 16 * number));
            assert_eq!(system.stands(7), number >= entries);
        }
        assert_eq!(u64::from(system.most_write_backs()), entries);
        system.write_back(0, 6, line(2, 3));
        assert!(!system.stands(6), "it has a buffer of its own");
        let told = run_out(&mut system);
        assert_eq!(told.len(), if over > 0 { 2 } else { 0 }, "{told:?}");
        if over > 0 {
            assert_eq!(told[0], (0, 7, true));
            assert_eq!((told[1].1, told[1].2), (7, false));
            // The last of them has an entry once `over` have been taken: the controller does not get them all at once.
            assert!(told[1].0 > 0);
        }
        system.run_until(100_000_000, &mut Vec::new());
        assert_eq!(system.node_stats()[2].channels[0].writes, entries + over + 1);
        assert_eq!(system.most_write_backs(), 0);
    }
}

/// An operating system that cleans a rank waits for nothing: its lines go at once, after those of the core that waited.
#[test]
fn what_is_cleaned_does_not_wait_for_an_entry() {
    let entries = machine().core.mshrs.max(8);
    let mut system = MemorySystem::new(&machine());
    for number in 0..u64::from(entries) + 3 {
        system.write_back(0, 7, line(2, 16 * number));
    }
    let above: Vec<PhysAddr> = (0..20).map(|number| line(2, 16 * number + 1)).collect();
    assert_eq!(system.clean(0, 7, &above, |_| true), 0, "there is no shared cache");
    assert_eq!(system.most_write_backs(), entries + 3 + 20);
    let mut told = Vec::new();
    system.take_standing(&mut told);
    assert_eq!(told, [(7, true), (7, false)]);
    // Its next line waits for all of these but as many as there are entries.
    system.write_back(0, 7, line(2, 7));
    assert!(system.stands(7));
    assert_eq!(run_out(&mut system).len(), 2);
    system.run_until(100_000_000, &mut Vec::new());
    assert_eq!(system.node_stats()[2].channels[0].writes, u64::from(entries) + 24);
}

#[test]
fn writes_that_memory_cannot_take_slow_down_their_core() {
    // Without a cache every dirty line goes to memory.
    let mut system = MemorySystem::new(&machine());
    let (longest, end) = flood(&mut system, 2000, 10);
    let channel = system.node_stats()[0].channels[0].clone();
    // What has left has been written, but for a buffer of 16 and what waits for it.
    assert!(channel.writes + 16 + 30 >= 4000, "{}", channel.writes);
    // 6000 lines of 5 ns each at the least.
    assert!(end >= 6000 * 5_000, "{end}");
    // Neither do reads wait without end: longer runs have no longer waits.
    let (longer, _) = flood(&mut MemorySystem::new(&machine()), 8000, 10);
    assert!(longer < 2 * longest, "{longer} after {longest}");
    // Many more misses than entries, and fewer.
    for in_flight in [1, 100] {
        flood(&mut MemorySystem::new(&machine()), 1000, in_flight);
    }
}

#[test]
fn a_full_write_back_buffer_holds_back_no_other_core() {
    let alone = {
        let mut system = MemorySystem::new(&machine());
        system.read(0, 2, line(1, 0), false);
        sample(&finish(&mut system)[0])
    };
    let mut system = MemorySystem::new(&machine());
    for i in 0..100 {
        system.write_back(0, 0, line(0, 16 * i));
    }
    assert!(system.stands(0) && !system.stands(2));
    system.read(0, 2, line(1, 0), false);
    assert_eq!(sample(&finish(&mut system)[0]), alone);
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices beside the cores, and lines under way that are limited.

use super::*;
use crate::request::Access;

/// A lone read of a closed bank: one cycle, tRCD, CL, half a burst, of 1.25 ns each.
const ALONE: Ps = (1 + 11 + 11 + 4) * 1250;

/// Cores as without devices, and one device on node 0 and on node 3.
fn system(change: impl FnOnce(&mut Machine)) -> MemorySystem {
    let mut machine = machine();
    change(&mut machine);
    MemorySystem::with_agents(&machine, &[0, 3])
}

#[test]
fn a_lone_line_of_a_device_takes_the_way_of_a_miss() {
    // A cache is looked up on the way, and has nothing to do with it.
    let mut system = system(|machine| {
        machine.llc = Some(small_llc());
        machine.memory.controller.frontend = 20_000;
    });
    for _ in 0..2 {
        let before = system.now;
        let id = system.transfer(before, 0, line(0, 5), Access::Read);
        let done = finish(&mut system);
        let alone = if before == 0 { ALONE } else { ALONE - 11 * 1250 };
        assert_eq!((done[0].id, done[0].core), (id, 8));
        let sample = sample(&done[0]);
        // The second finds its row open; the way to the next edge of the clock is a part of the path.
        assert_eq!(sample.service, alone);
        assert_eq!(sample.latency - sample.path, alone);
        assert!((30_000..31_250).contains(&sample.path), "{sample:?}");
        assert_eq!((sample.hops, sample.remote), (0, 0));
    }
    // No core has read anything.
    assert!(
        system
            .core_stats()
            .iter()
            .all(|core| core.reads == 0 && core.llc.misses == 0)
    );
    // From node 3 it is two hops, as from its cores.
    let at = system.now;
    system.transfer(at, 1, line(0, 5), Access::Read);
    assert_eq!(sample(&finish(&mut system)[0]).hops, 2);
}

#[test]
fn a_write_is_under_way_until_a_controller_has_taken_it() {
    let mut system = system(|machine| machine.memory.controller.frontend = 20_000);
    let id = system.transfer(0, 0, line(0, 0), Access::Write);
    let done = finish(&mut system);
    // Half of the frontend there; it is in the buffer in the cycle of its arrival, which is known a cycle later; half back.
    assert_eq!((done.len(), done[0].id, done[0].at), (1, id, 10_000 + 1250 + 10_000));
}

#[test]
fn two_reads_of_a_line_are_two_reads() {
    let mut system = system(|_| {});
    (0..2).for_each(|_| _ = system.transfer(0, 0, line(0, 0), Access::Read));
    let done = finish(&mut system);
    assert!(done.iter().all(|done| sample(done).merged == 0));
    assert_eq!(system.node_stats()[0].channels[0].reads, 2);
}

/// Reads by a device of lines of all banks in turn, all wanted at once: when the data of each are there.
fn arrivals(in_flight: Option<u32>, lines: u64) -> Vec<Ps> {
    let mut system = system(|machine| {
        machine.memory.controller.page = PagePolicy::Closed;
        machine.fabric.node.in_flight = in_flight;
    });
    // A row of 16 lines, then the next bank.
    (0..lines).for_each(|n| _ = system.transfer(0, 0, line(0, n % 8 * 16 + n / 8), Access::Read));
    finish(&mut system).iter().map(|done| done.at).collect()
}

#[test]
fn lines_under_way_bound_the_rate_by_littles_law() {
    // One at a time: each takes what a lone read takes. Its place is free a picosecond after, so that the next one leaves with the next edge
    // of the clock.
    let next = ALONE + 1250;
    let expected: Vec<Ps> = (0..6).map(|n| ALONE + n * next).collect();
    assert_eq!(arrivals(Some(1), 6), expected);
    // Two at a time: twice the rate; the second of a pair waits for the data bus (tRRD and the burst are both 4 or 5 cycles).
    let two = arrivals(Some(2), 40);
    let per_line = (two[39] - two[1]) / 38;
    assert!((next / 2..=next / 2 + 1250).contains(&per_line), "{per_line}");
    // As many as there are is no limit: the same times as without.
    assert_eq!(arrivals(Some(40), 40), arrivals(None, 40));
}

#[test]
fn writes_count_too_and_give_their_places_back() {
    let mut system = system(|machine| {
        machine.fabric.node.in_flight = Some(1);
        machine.memory.controller.frontend = 20_000;
    });
    (0..3).for_each(|n| _ = system.transfer(0, 0, line(0, n), Access::Write));
    let at: Vec<Ps> = finish(&mut system).iter().map(|done| done.at).collect();
    // 21.25 ns each; the next leaves with the next edge.
    assert_eq!(at, [21_250, 43_750, 66_250]);
    // Dirty lines of cores, which nobody waits for, do too: a read of another waits for the first of them, and goes before the second.
    let now = system.now;
    (0..2).for_each(|n| system.write_back(now, 0, line(0, n)));
    system.read(now, 2, line(0, 64), false);
    let sample = sample(&finish(&mut system)[0]);
    assert!((21_251..22_502).contains(&sample.queue), "{sample:?}");
}

#[test]
fn clusters_and_nodes_have_limits_apart_and_devices_no_cluster() {
    let clusters = |core: u32| {
        let mut machine = machine();
        machine.llc = Some(small_llc());
        machine.fabric.cluster.in_flight = Some(1);
        let mut system = MemorySystem::with_agents(&machine, &[0]);
        system.read(0, 0, line(0, 0), false);
        match core {
            8 => _ = system.transfer(0, 0, line(0, 16), Access::Read),
            _ => _ = system.read(0, core, line(0, 16), false),
        }
        let done = finish(&mut system);
        done.iter().map(|done| sample(done).queue).max().expect("two reads")
    };
    // Core 1 shares the cluster of core 0: it waits for a whole read. Core 2 and the device do not.
    assert!(clusters(1) > ALONE, "{}", clusters(1));
    assert!(clusters(2) < 10_000 && clusters(8) < 10_000);
}

#[test]
fn it_does_not_matter_how_time_is_cut() {
    let run = |step: Ps| {
        let mut system = system(|machine| {
            machine.fabric.node.in_flight = Some(3);
            machine.fabric.cluster.in_flight = Some(2);
            machine.fabric.node.traffic = Some(7_000_000_000);
        });
        let (mut done, mut now) = (Vec::new(), 0);
        for n in 0..60u64 {
            let (core, target) = ((n % 5) as u32, line(0, n * 37 % 512));
            match n % 4 {
                0 => system.write_back(now, core, target),
                1 => _ = system.transfer(now, 0, target, Access::Write),
                2 => _ = system.transfer(now, 0, target, Access::Read),
                _ => _ = system.read(now, core, target, false),
            }
            let until = now + n * 977 % 40_000;
            while now < until {
                now = until.min(system.next_event()).min(now.saturating_add(step));
                system.run_until(now, &mut done);
            }
        }
        done.extend(finish(&mut system));
        done.iter().map(|done| (done.id, done.at)).collect::<Vec<_>>()
    };
    let whole = run(Ps::MAX);
    assert_eq!(whole.len(), 45);
    for step in [1, 700, 1250, 9_999] {
        assert_eq!(run(step), whole, "steps of {step} ps");
    }
}

/// A link carries so much in each direction; what stays within a node, or goes another way, does not wait for it.
#[test]
fn lines_between_nodes_wait_for_their_link() {
    // 64 bytes in 100 ns, longer than anything else takes.
    let waits = |lines: &[(u32, u64, Access)]| -> Vec<Ps> {
        let mut system = system(|machine| machine.fabric.link = Some(640_000_000));
        let ids: Vec<_> = (0..)
            .zip(lines)
            .map(|(n, (agent, node, access))| system.transfer(0, *agent, line(*node, 16 * n), *access))
            .collect();
        let done = finish(&mut system);
        let of = |id| done.iter().find(|done| done.id == id).map(|done| sample(done).queue);
        let waits = ids.into_iter().map(|id| of(id).expect("each is done"));
        // To 10 ns: what else they wait for is less.
        waits.map(|wait| wait / 10_000 * 10).collect()
    };
    let (read, write) = (Access::Read, Access::Write);
    // Device 0 is on node 0, device 1 on node 3. Three reads from node 3 come over one link, of the device's own node over none.
    assert_eq!(waits(&[(0, 3, read); 3]), [0, 100, 200]);
    assert_eq!(waits(&[(0, 0, read); 3]), [0, 0, 0]);
    // A written line goes the other way than a line that is read, and the same as what the other device reads.
    assert_eq!(waits(&[(0, 3, read), (0, 3, write), (1, 0, read)]), [0, 0, 100]);
    // Each pair of nodes has links of its own.
    assert_eq!(
        waits(&[(0, 1, read), (0, 2, read), (0, 3, read), (1, 2, read)]),
        [0, 0, 0, 0]
    );
}

#[test]
fn controllers_on_a_thread_of_their_own_change_nothing() {
    let run = |beside: bool| {
        let mut system = system(|machine| {
            machine.memory.controller.frontend = 20_000;
            machine.memory.controller.refresh = RefreshPolicy::AllBankIndependent;
        });
        assert!(!beside || system.run_beside());
        let (mut done, mut now) = (Vec::new(), 0);
        for n in 0..400u64 {
            let target = line(n % 4, n * 37 % 4096);
            match n % 3 {
                0 => _ = system.read(now, (n % 8) as u32, target, false),
                1 => _ = system.transfer(now, (n % 2) as u32, target, Access::Write),
                _ => _ = system.transfer(now, (n % 2) as u32, target, Access::Read),
            }
            let until = now + n * 977 % 90_000;
            while now < until {
                now = until.min(system.next_event());
                system.run_until(now, &mut done);
            }
        }
        done.extend(finish(&mut system));
        done
    };
    let here = run(false);
    assert_eq!(here.len(), 400);
    assert_eq!(here, run(true));
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core alone: what `fresco memory` does with a trace, in the form in which the programs here print what they saw.

use fresco_dram::{CommandKind, PhysAddr};
use fresco_machine::{Machine, builtin};
use fresco_memory::controller::ChannelStats;
use fresco_memory::{Access, Completion, Controller, Driver, Observer, TraceRequest};
use std::fmt::Write;

pub fn machine(name: &str) -> Machine {
    builtin(name).expect("a built-in machine")
}

/// Vigna's splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

/// Lines all over the memory, some of them next to each other, a third written; the first half as fast as they are taken, then with pauses.
pub fn traffic(machine: &Machine, seed: u64, count: usize) -> Vec<TraceRequest> {
    let mut random = Random(seed);
    let regions = machine.memory.map.regions();
    let (mut cycle, mut address) = (0, regions[0].base);
    (0..count)
        .map(|i| {
            if random.below(10) < 7 {
                let region = &regions[random.below(regions.len() as u64) as usize];
                let lines = (region.end() - region.base) / 64;
                address = region.base + random.below(lines - 4 * count as u64) * 64;
            } else {
                address += 64;
            }
            cycle += if i % 200 == 0 { 9_000 } else { random.below(4) };
            TraceRequest {
                cycle: if i < count / 2 { 0 } else { cycle },
                address,
                access: if random.below(3) == 0 {
                    Access::Write
                } else {
                    Access::Read
                },
            }
        })
        .collect()
}

/// A line for each request, as `host.c` reads them.
pub fn lines(requests: &[TraceRequest]) -> String {
    let mut lines = String::new();
    for r in requests {
        writeln!(
            lines,
            "{} {} {}",
            r.cycle,
            r.address,
            u8::from(r.access == Access::Write)
        )
        .expect("a string");
    }
    lines
}

struct Ends(Vec<u64>);

impl Observer for Ends {
    fn completed(&mut self, done: &Completion) {
        self.0[done.id as usize] = done.done + u64::from(done.access == Access::Write);
    }
}

/// What a replay by the driver of address traces comes to: the cycle in which each is done, the end, the counts of each channel.
pub fn replayed(
    machine: &Machine,
    requests: &[TraceRequest],
    outstanding: usize,
) -> (Vec<u64>, u64, Vec<ChannelStats>) {
    let memory = &machine.memory;
    let controllers = (0..memory.organisation.nodes)
        .map(|node| Controller::new(&memory.controller, &memory.organisation, &memory.timing, node));
    let mut driver = Driver::new(controllers.collect(), outstanding);
    let place = |address| memory.map.decode(PhysAddr(address)).ok_or(());
    let mut ends = Ends(vec![0; requests.len()]);
    let requests = requests.iter().copied().map(Ok);
    let driven = driver.run(requests, place, &mut ends).expect("all have places");
    let stats = driver.controllers().iter_mut().flat_map(Controller::stats).collect();
    (ends.0, driven.end, stats)
}

/// The same, as `host.c` prints it.
pub fn printed(machine: &Machine, requests: &[TraceRequest], outstanding: usize) -> String {
    let (ends, end, stats) = replayed(machine, requests, outstanding);
    let mut text = String::new();
    for end in ends {
        writeln!(text, "{end}").expect("a string");
    }
    writeln!(text, "end {end}").expect("a string");
    for s in &stats {
        let counts = [
            s.reads,
            s.writes,
            s.forwarded,
            s.merged,
            s.row_hits,
            s.row_misses,
            s.row_conflicts,
            s.data_cycles,
            s.read_queue_integral,
            s.read_queue_max.into(),
            s.write_queue_integral,
            s.write_queue_max.into(),
            s.rank_active_cycles,
        ];
        use CommandKind as K;
        let kinds = [
            K::Act,
            K::Pre,
            K::PreAll,
            K::Rd,
            K::RdA,
            K::Wr,
            K::WrA,
            K::RefAb,
            K::RefAb4,
            K::RefPb,
            K::RefSb,
            K::RfmAb,
            K::RfmSb,
        ];
        assert_eq!(kinds.len(), CommandKind::ALL.len());
        let counts = counts.into_iter().chain(kinds.map(|kind| s.command(kind)));
        let counts: Vec<String> = counts.map(|count| count.to_string()).collect();
        writeln!(text, "{}", counts.join(" ")).expect("a string");
    }
    text + "clean 1\n"
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The traces that DRAM simulators are compared on, made as they go, on the machine they are compared on.
#![allow(dead_code)] // each user takes its part

use fresco_dram::{Location, PhysAddr};
use fresco_machine::{Machine, builtin, load_with};
use fresco_memory::controller::ChannelStats;
use fresco_memory::{Access, Completion, Controller, Driver, Observer, TraceRequest};
use std::convert::Infallible;

/// Reads outstanding at most.
pub const OUTSTANDING: usize = 32;
/// Bytes of a request.
pub const LINE: u64 = 64;

/// Vigna's splitmix64.
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    #[inline]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// One of the traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Lines uniform over 4 GiB, as fast as they are taken.
    Random,
    /// One line after the other, as fast as they are taken.
    Stream,
    /// Lines uniform over 4 GiB, one every 500 cycles with up to 99 cycles of jitter.
    Sparse,
    /// Lines uniform over 4 GiB, as fast as they are taken; a third of them is written.
    Mixed,
    /// 10^8 cycles apart: what an idle cycle costs.
    Idle,
}

impl Trace {
    pub const NAMES: [(&str, Trace); 5] = [
        ("random", Trace::Random),
        ("stream", Trace::Stream),
        ("sparse", Trace::Sparse),
        ("mixed", Trace::Mixed),
        ("idle", Trace::Idle),
    ];

    /// The first `n` requests: reads, but for [`Self::Mixed`].
    pub fn requests(self, n: u64) -> impl Iterator<Item = Result<TraceRequest, Infallible>> {
        let mut random = SplitMix64(if self == Trace::Random { 1 } else { 3 });
        (0..n).map(move |i| {
            let writes = self == Trace::Mixed && random.next().is_multiple_of(3);
            let (line, cycle) = match self {
                Trace::Random | Trace::Mixed => (random.next() % (1 << 26), 0),
                Trace::Stream => (i, 0),
                Trace::Sparse => (random.next() % (1 << 26), 500 * i + random.next() % 100),
                Trace::Idle => (i, 100_000_000 * i),
            };
            Ok(TraceRequest {
                cycle,
                address: line * LINE,
                access: if writes { Access::Write } else { Access::Read },
            })
        })
    }
}

/// Sums latencies, the least that any use of the model asks for.
#[derive(Default)]
pub struct Latencies {
    pub count: u64,
    pub sum: u64,
}

impl Observer for Latencies {
    #[inline]
    fn completed(&mut self, completion: &Completion) {
        self.count += 1;
        self.sum += completion.done - completion.arrived;
    }
}

/// What came of a run.
pub struct Outcome {
    pub cycles: u64,
    pub latencies: Latencies,
    pub stats: ChannelStats,
}

/// The machine of the comparison.
pub fn machine() -> Machine {
    builtin("ddr4-2400-bench").expect("a built-in machine")
}

/// The same with another number of ranks, a power of two: sixteen banks each.
pub fn machine_of(ranks: u32) -> Machine {
    let bits = ranks.ilog2();
    let map = [
        ("rank", format!("{:?}", (13..13 + bits).collect::<Vec<u32>>())),
        ("bank_group", format!("[{}, {}]", 13 + bits, 14 + bits)),
        ("bank", format!("[{}, {}]", 15 + bits, 16 + bits)),
        ("row", format!("\"{}-{}\"", 17 + bits, 32 + bits)),
    ];
    let overrides = map.map(|(key, bits)| (format!("memory.map.{key}"), bits));
    let ranks = ("memory.organisation.ranks".to_owned(), ranks.to_string());
    let overrides: Vec<(String, String)> = overrides.into_iter().chain([ranks]).collect();
    load_with("ddr4-2400-bench", &overrides).expect("a machine with more ranks")
}

/// A driver of its one controller.
pub fn driver(machine: &Machine) -> Driver {
    let memory = &machine.memory;
    let controller = Controller::new(&memory.controller, &memory.organisation, &memory.timing, 0);
    Driver::new(vec![controller], OUTSTANDING)
}

/// Runs the first `n` requests of a trace.
pub fn run(machine: &Machine, trace: Trace, n: u64) -> Outcome {
    let mut driver = driver(machine);
    let mut latencies = Latencies::default();
    let place = |address| -> Result<Location, Infallible> {
        Ok(machine
            .memory
            .map
            .decode(PhysAddr(address))
            .expect("an address of the machine"))
    };
    let Ok(driven) = driver.run(trace.requests(n), place, &mut latencies);
    let stats = driver.controllers()[0].stats().remove(0);
    Outcome {
        cycles: driven.end,
        latencies,
        stats,
    }
}

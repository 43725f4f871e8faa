// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults planted in the bound, one at a time, and what finds them: a bound that does not know how long one distance is, or how large one limit is, is
//! exceeded by an attack on a memory in which that is large. The right bound is not.

use fresco_attack::{Limits, Search, crowd, search};
use fresco_bound::{Dram, read};
use fresco_dram::standards::{self, Device, TimingOverrides};
use fresco_dram::{Organisation, Timing};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};

struct Memory {
    timing: Timing,
    organisation: Organisation,
    controller: ControllerConfig,
}

impl Memory {
    fn of(standard: &str, groups: u32, refresh: RefreshPolicy) -> Self {
        Self {
            timing: standards::timing_with(standard, &Device::jedec(4), &TimingOverrides::default()).expect("timing"),
            organisation: Organisation {
                nodes: 1,
                channels: 1,
                ranks: 1,
                bank_groups: groups,
                banks: 8 / groups,
                rows: 32_768,
                columns: 1024,
                bus_bytes: 8,
            },
            controller: ControllerConfig {
                scheduler: Scheduler::FrFcfs { hit_cap: 1 },
                page: PagePolicy::Open,
                queues: Queues::Global { reads: 64, writes: 8 },
                drain_high: 6,
                drain_low: 2,
                refresh,
                drain_once: true,
                frontend: 0,
            },
        }
    }

    fn dram(&self) -> Dram<'_> {
        Dram {
            timing: &self.timing,
            organisation: &self.organisation,
            controller: &self.controller,
        }
    }
}

/// Who attacks: reads and writes of each core, and whether it has a bank of its own.
#[derive(Clone, Copy)]
struct Cores {
    count: u32,
    reads: u32,
    /// Of the victim.
    own: u32,
    /// Of all but the first, the victim.
    writes: u32,
    shared: bool,
}

const ALONE: Cores = Cores {
    count: 1,
    reads: 1,
    own: 1,
    writes: 0,
    shared: false,
};
const APART: Cores = Cores {
    count: 8,
    reads: 1,
    own: 1,
    writes: 0,
    shared: false,
};
const TOGETHER: Cores = Cores {
    count: 4,
    reads: 2,
    own: 1,
    writes: 0,
    shared: true,
};
const WRITING: Cores = Cores {
    count: 4,
    reads: 1,
    own: 1,
    writes: 8,
    shared: false,
};

impl Cores {
    fn limits(self, memory: &Memory) -> Vec<Limits> {
        let banks = memory.organisation.banks_per_channel();
        let of = |core: u32| Limits {
            reads: if core > 0 { self.reads } else { self.own },
            writes: if core > 0 { self.writes } else { 0 },
            // Of two ranks every second one is in the other.
            banks: vec![if self.shared { 0 } else { core * 5 % banks }],
        };
        (0..self.count).map(of).collect()
    }
}

/// How much longer the worst read is than the bound that does not know of `grow`, in cycles; negative if it is not.
fn excess(base: &dyn Fn() -> Memory, cores: Cores, grow: &dyn Fn(&mut Memory), tries: u64) -> i64 {
    let (ignorant, mut grown) = (base(), base());
    grow(&mut grown);
    let crowd = crowd(&cores.limits(&grown), 0, &grown.organisation);
    let faulty = read(&ignorant.dram(), &crowd).expect("bounded").total();
    let right = read(&grown.dram(), &crowd).expect("bounded").total();
    let how = Search {
        tries,
        cycles: if grown.controller.refresh == RefreshPolicy::None {
            6_000
        } else {
            24_000
        },
        seed: 1,
    };
    let limits = cores.limits(&grown);
    let found = search(&grown.dram(), &limits, 0, &how, &()).expect("nobody stops it");
    assert!(found.worst.cycles <= right, "{} {right}", found.worst.cycles);
    found.worst.cycles as i64 - faulty as i64
}

type Grow = fn(&mut Memory);
type Fault = (&'static str, Cores, Grow);
/// A memory, and what is grown of it.
type Faults = (fn() -> Memory, &'static [Fault]);

fn ddr3() -> Memory {
    Memory::of("ddr3-1600", 1, RefreshPolicy::None)
}

/// With refreshes, often.
fn refreshed() -> Memory {
    let mut memory = Memory::of("ddr3-1600", 1, RefreshPolicy::AllBankSimultaneous);
    memory.timing.refi = 2_500;
    memory
}

/// All banks in one group.
fn groups() -> Memory {
    Memory::of("ddr4-2400", 1, RefreshPolicy::None)
}

fn ranks() -> Memory {
    let mut memory = ddr3();
    memory.organisation.ranks = 2;
    memory
}

/// Column commands far apart, so that others have room on the command bus.
fn roomy() -> Memory {
    let mut memory = ddr3();
    (memory.timing.ccd_l, memory.timing.ccd_s, memory.timing.rtrs) = (48, 48, 48);
    memory
}

fn in_order() -> Memory {
    let mut memory = refreshed();
    memory.controller.scheduler = Scheduler::Fcfs;
    (memory.timing.refi, memory.timing.rfc_ab, memory.timing.rc) = (12_000, 1_500, 120);
    memory
}

/// No hit may overtake.
fn without_hits() -> Memory {
    let mut memory = ddr3();
    memory.controller.scheduler = Scheduler::FrFcfs { hit_cap: 0 };
    memory
}

fn by_bank() -> Memory {
    let mut memory = Memory::of("lpddr4-3200", 1, RefreshPolicy::PerBank);
    memory.timing.bank_refreshes = memory.timing.refw / 20_000;
    memory
}

/// Distances and limits, by the part of the bound that they are in.
const FAULTS: &[Faults] = &[
    (
        ddr3,
        &[
            ("service: tRP", ALONE, |m| m.timing.rp += 100),
            ("service: tRCD", ALONE, |m| m.timing.rcd += 100),
            ("service: CL", ALONE, |m| m.timing.cl += 100),
            ("service: BL/2", ALONE, |m| m.timing.burst_length *= 16),
            ("service: tRTP", ALONE, |m| m.timing.rtp += 200),
            ("service: tRAS", ALONE, |m| m.timing.ras += 200),
            ("service: tRC", ALONE, |m| m.timing.rc += 200),
            ("bank: tRC", TOGETHER, |m| m.timing.rc += 100),
            ("bank: tRTP", TOGETHER, |m| m.timing.rtp += 100),
            ("activations: tRRD", APART, |m| {
                (m.timing.rrd_l, m.timing.rrd_s) = (60, 60)
            }),
            ("activations: tFAW", APART, |m| m.timing.faw = 400),
            ("activations: tPPD", APART, |m| m.timing.ppd = 60),
            ("bus: tCCD", APART, |m| (m.timing.ccd_l, m.timing.ccd_s) = (60, 60)),
            ("drain: writes of the buffer", WRITING, |m| {
                (m.controller.queues, m.controller.drain_high) = (Queues::Global { reads: 64, writes: 32 }, 24)
            }),
            ("drain: tWR", WRITING, |m| m.timing.wr += 300),
            ("drain: CWL", WRITING, |m| m.timing.cwl += 300),
            ("drain: tWTR", WRITING, |m| {
                (m.timing.wtr_l, m.timing.wtr_s) = (1_500, 1_500)
            }),
            ("drain: read-to-write gap", WRITING, |m| m.timing.rtw_gap += 1_500),
            ("drain: tCCD_L_WR", WRITING, |m| m.timing.ccd_l_wr += 200),
            ("queue: places", APART, |m| {
                m.controller.queues = Queues::Global { reads: 1, writes: 8 }
            }),
        ],
    ),
    (
        roomy,
        &[
            ("rho: slots of ACT", APART, |m| m.timing.act_slots = 40),
            ("rho: slots of PRE", APART, |m| m.timing.pre_slots = 40),
            ("rho: slots of column commands", Cores { count: 2, ..APART }, |m| {
                m.timing.column_slots = 40
            }),
        ],
    ),
    (
        groups,
        &[
            ("activations: tRRD_L", APART, |m| m.timing.rrd_l = 80),
            ("bus: tCCD_L", APART, |m| m.timing.ccd_l = 80),
        ],
    ),
    (ranks, &[("bus: tRTRS", APART, |m| m.timing.rtrs = 150)]),
    (
        refreshed,
        &[
            ("refresh: tRFC", ALONE, |m| m.timing.rfc_ab += 500),
            ("refresh: tRPab", ALONE, |m| m.timing.rp_ab += 300),
        ],
    ),
    (
        without_hits,
        &[(
            "overtaking: N",
            Cores {
                count: 2,
                reads: 8,
                own: 1,
                writes: 0,
                shared: true,
            },
            |m| m.controller.scheduler = Scheduler::FrFcfs { hit_cap: 128 },
        )],
    ),
    (
        in_order,
        &[(
            "refresh: tREFI",
            Cores {
                count: 4,
                reads: 8,
                own: 1,
                writes: 0,
                shared: true,
            },
            |m| m.timing.refi = 3_000,
        )],
    ),
    (
        by_bank,
        &[
            ("refresh: tRFCpb", ALONE, |m| m.timing.rfc_pb += 1_000),
            ("refresh: of other banks", ALONE, |m| {
                m.timing.refresh_to_act_other += 1_500
            }),
        ],
    ),
];

/// `BOUND_TRIES` attacks on each.
#[test]
fn faults_in_the_bound_are_found() {
    let tries = std::env::var("BOUND_TRIES").map_or(128, |tries| tries.parse().expect("a number"));
    let mut missed = Vec::new();
    for (base, faults) in FAULTS {
        for (name, cores, grow) in *faults {
            let excess = excess(base, *cores, grow, tries);
            println!("{name}: {excess}");
            if excess <= 0 {
                missed.push(*name);
            }
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

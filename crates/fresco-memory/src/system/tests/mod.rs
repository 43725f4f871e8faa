// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shared levels as a whole, on a machine small enough to compute by hand.

mod agents;
mod blocking;
mod coherence;
mod contention;
mod formulas;
mod levels;
mod random;

use super::{Done, MemorySystem, Sample};
use fresco_dram::standards::{self, Device};
use fresco_dram::{AddressMap, Functions, NEVER, Organisation, PhysAddr, Ps, Region};
use fresco_machine::{
    CacheConfig, ControllerConfig, CoreConfig, CoreKind, Fabric, Inclusion, LlcConfig, Machine, MemoryConfig,
    PagePolicy, Prefetch, Queues, RefreshPolicy, Replacement, Scheduler, Topology,
};

/// Bytes of a line.
const LINE: u64 = 64;
/// Bytes of one node's memory: consecutive addresses fill a row (1 KiB), then eight banks, then the next row.
const NODE: u64 = 512 << 10;
/// One-way times from node 0 to nodes 0 to 3, in picoseconds: local, one hop, one hop, two hops.
const THERE: [Ps; 4] = [0, 20_000, 21_000, 45_500];
/// And back.
const BACK: [Ps; 4] = [0, 20_300, 21_000, 44_000];

/// Four nodes of DDR3-1600 without refresh, two cores each; no caches.
fn machine() -> Machine {
    let organisation = Organisation {
        nodes: 4,
        channels: 1,
        ranks: 1,
        bank_groups: 1,
        banks: 8,
        rows: 64,
        columns: 128,
        bus_bytes: 8,
    };
    let bits = |range: std::ops::Range<u32>| range.map(|bit| 1 << bit).collect();
    let region = Region {
        base: 0,
        size: 4 * NODE,
        offset: 0,
        node: None,
        functions: Functions {
            column: bits(3..10),
            bank: bits(10..13),
            row: bits(13..19),
            node: bits(19..21),
            ..Functions::default()
        },
    };
    let mut hop_latency = vec![vec![10_000; 4]; 4];
    for node in 0..4 {
        hop_latency[node][node] = 0;
        hop_latency[0][node] = THERE[node];
        hop_latency[node][0] = BACK[node];
    }
    Machine {
        name: "tiny".into(),
        title: String::new(),
        sources: Vec::new(),
        assumptions: Vec::new(),
        cores: 8,
        core: CoreConfig {
            mhz: 1000,
            kind: CoreKind::InOrder,
            issue_width: 1,
            window: 1,
            mshrs: 1,
            threads: 1,
            prefetch: Prefetch::default(),
            tlb: None,
        },
        page_bytes: 4096,
        l1: None,
        l1i: None,
        l2: None,
        llc: None,
        coherence: None,
        topology: Topology {
            node_of_core: (0..8).map(|core| core / 2).collect(),
            hops: vec![vec![0, 1, 1, 2], vec![1, 0, 2, 1], vec![1, 2, 0, 1], vec![2, 1, 1, 0]],
            hop_latency,
        },
        fabric: Fabric::default(),
        memory: MemoryConfig {
            timing: standards::timing("ddr3-1600", 2).expect("a built-in grade"),
            device: Device::jedec(2),
            own_timing: Vec::new(),
            organisation,
            map: AddressMap::new(organisation, vec![region]).expect("bit by bit"),
            controller: ControllerConfig {
                scheduler: Scheduler::FrFcfs { hit_cap: 4 },
                page: PagePolicy::Open,
                queues: Queues::Global { reads: 16, writes: 16 },
                drain_high: 12,
                drain_low: 4,
                refresh: RefreshPolicy::None,
                drain_once: false,
                frontend: 0,
            },
        },
        calibration: None,
        text_digest: String::new(),
    }
}

/// A last-level cache of two sets and two ways, hit in 10 ns, for each two cores (one node).
fn small_llc() -> LlcConfig {
    LlcConfig {
        cache: CacheConfig {
            size: 4 * LINE,
            ways: 2,
            line: LINE as u32,
            latency: 10_000,
            replacement: Replacement::Lru,
        },
        cores_per_cache: 2,
        slice_functions: Vec::new(),
        hashed_slices: None,
        mshrs: None,
        inclusion: Inclusion::NonInclusive,
        sparse_masks: false,
    }
}

/// The address of a line in a node.
fn line(node: u64, number: u64) -> PhysAddr {
    PhysAddr(node * NODE + number * LINE)
}

/// Where the time of a read from memory went.
fn sample(done: &Done) -> Sample {
    done.sample.expect("the line came from memory")
}

/// Runs from event to event until nothing is under way.
fn finish(system: &mut MemorySystem) -> Vec<Done> {
    let mut done = Vec::new();
    system.set_eager_writes(true);
    while system.outstanding() > 0 {
        let next = system.next_event();
        assert_ne!(next, NEVER, "reads are under way, so something will happen");
        system.run_until(next, &mut done);
    }
    system.set_eager_writes(false);
    done
}

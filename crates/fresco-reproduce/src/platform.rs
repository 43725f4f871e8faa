// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the machines on which the papers measured had besides what the machine files have, which is what the papers name: caches
//! that exclude each other's lines or not, TLBs whose walks read memory, and prefetchers where the paper did not switch them off.
//!
//! Of the platforms that are simulators in the papers (RTSim, gem5 with NVMain) nothing is added, and of the P4080 nothing is known.

use fresco_scenario::builtin;

/// Intel Nehalem (Optimization Reference Manual, cache and TLB parameters): an inclusive L3, 64 and 512 translations in 4 ways. How many
/// entries its paging-structure caches have is not published: an assumption, as is the latency of the second level.
const NEHALEM: &[&str] = &[
    "llc.inclusion=inclusive",
    "core.tlb.entries=64",
    "core.tlb.ways=4",
    "core.tlb.l2.entries=512",
    "core.tlb.l2.ways=4",
    "core.tlb.l2.latency=\"7 cycles\"",
    "core.tlb.walk_cache.entries=32",
];

/// Its prefetchers (the same manual: DCU, IP and streamer), which BPM does not say were off.
const NEHALEM_PREFETCHERS: &[&str] = &[
    "core.prefetch.next_line=true",
    "core.prefetch.stride.degree=1",
    "core.prefetch.stream.degree=2",
];

/// AMD family 10h (Software Optimization Guide, publication 40546): an L3 of lines that L2 gave up, taken here as exclusive; 48 and 512
/// translations. It prefetches strides into L1: the dissertation chooses large strides to defeat that (2.4), so that it was on. The
/// latency of the second level of the TLB and the entries of the walk cache are assumptions.
const FAMILY_10H: &[&str] = &[
    "llc.inclusion=exclusive",
    "core.prefetch.stride.degree=1",
    "core.tlb.entries=48",
    "core.tlb.ways=48",
    "core.tlb.l2.entries=512",
    "core.tlb.l2.ways=4",
    "core.tlb.l2.latency=\"5 cycles\"",
    "core.tlb.walk_cache.entries=24",
];

/// Intel Core (the same manual): 16 and 256 translations. MemGuard's evaluation switched prefetchers off.
const CORE: &[&str] = &[
    "core.tlb.entries=16",
    "core.tlb.ways=4",
    "core.tlb.l2.entries=256",
    "core.tlb.l2.ways=4",
    "core.tlb.l2.latency=\"2 cycles\"",
];

/// What is set in a built-in scenario, as `--set` takes it.
pub(crate) fn set(scenario: &str) -> Vec<String> {
    let Ok(scenario) = builtin(scenario, &[]) else {
        return Vec::new();
    };
    // A scenario with several machines has two whose processors are the same.
    let parts: &[&[&str]] = match scenario.points[0].setup.machine.name.as_str() {
        // PALLOC IV-A switched prefetchers off.
        "xeon-w3530" => &[NEHALEM],
        "i7-860" | "i7-860-channels" => &[NEHALEM, NEHALEM_PREFETCHERS],
        "opteron-6128" | "opteron-6128-interleaved" => &[FAMILY_10H],
        "core2-q8400" => &[CORE],
        _ => &[],
    };
    parts.concat().into_iter().map(str::to_owned).collect()
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! A machine as JSON shows it: every number with its unit in its name.

use super::timing::Parameter;
use crate::verbs::map::counts::Counts;
use crate::verbs::map::functions::{FunctionView, MapView};
use fresco_dram::{ColorSpace, Organisation, Prac, Rfm};
use fresco_machine::{
    CacheConfig, Calibration, CoreKind, Fabric, Inclusion, LlcConfig, Machine, PagePolicy, Prefetch, Protocol, Queues,
    RefreshPolicy, Replacement, Scheduler, Tlb,
};
use serde::Serialize;

/// Page sizes whose colors are counted, beside the machine's own: what x86-64 and ARMv8-A have, up to 2 MiB.
const PAGES: [u64; 4] = [4 << 10, 16 << 10, 64 << 10, 2 << 20];

/// Everything about a machine.
#[derive(Debug, Serialize)]
pub struct MachineView {
    pub name: String,
    pub title: String,
    /// Of the machine file and the overrides.
    pub digest: String,
    pub page_bytes: u64,
    pub cores: u32,
    pub core: CoreView,
    pub caches: Vec<CacheView>,
    pub nodes: Vec<NodeView>,
    /// Omitted where private caches are not coherent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coherence: Option<CoherenceView>,
    /// In bytes per second; omitted where nothing is limited.
    #[serde(skip_serializing_if = "Fabric::is_unlimited")]
    pub fabric: Fabric,
    pub dram: DramView,
    pub timing: Vec<Parameter>,
    pub controller: ControllerView,
    pub map: MapView,
    /// Colors of pages of several sizes.
    pub colors: Vec<Counts>,
    /// What was fitted to measurements; omitted where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Where the numbers come from.
    pub sources: Vec<String>,
    /// Numbers that no source gives.
    pub assumptions: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct CoreView {
    pub clock_mhz: u32,
    pub kind: CoreKind,
    pub issue_width: u32,
    pub window: u32,
    pub mshrs: u32,
    pub threads: u32,
    /// Hardware prefetchers; left out where there are none.
    #[serde(skip_serializing_if = "Prefetch::is_off")]
    pub prefetch: Prefetch,
    /// What it remembers of translations; left out where that is not modelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tlb: Option<Tlb>,
}

#[derive(Debug, Serialize)]
pub struct CoherenceView {
    pub protocol: Protocol,
    /// Beyond the latency of the last-level cache.
    pub transfer_ps: u64,
}

#[derive(Debug, Serialize)]
pub struct CacheView {
    pub level: &'static str,
    pub size_bytes: u64,
    pub ways: u32,
    pub line_bytes: u32,
    /// Of all slices together.
    pub sets: u64,
    pub latency_ps: u64,
    pub replacement: Replacement,
    /// Cores that share one of it.
    pub cores: u32,
    /// Functions that choose the slice; empty where the cache is one piece.
    pub slice_functions: Vec<FunctionView>,
    /// Slices that a hash chooses; left out where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashed_slices: Option<u32>,
    /// Lines that one can await from memory at a time; left out where nothing bounds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mshrs: Option<u32>,
    /// What a last level has of the private caches' lines; left out where it keeps them or not by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclusion: Option<Inclusion>,
}

/// A memory node.
#[derive(Debug, Serialize)]
pub struct NodeView {
    pub node: u32,
    pub cores: Vec<u32>,
    /// Interconnect hops to each node.
    pub hops: Vec<u32>,
    /// One-way latency to each node on top of a local access.
    pub hop_latency_ps: Vec<u64>,
}

#[derive(Debug, Serialize)]
pub struct DramView {
    pub standard: String,
    pub density_gbit: u32,
    pub capacity_bytes: u64,
    pub rate_mts: u32,
    pub clock_ps: f64,
    pub organisation: Organisation,
    pub row_bytes: u64,
    pub bank_bytes: u64,
    /// Of all channels together.
    pub peak_gb_per_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rfm: Option<Rfm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prac: Option<Prac>,
}

#[derive(Debug, Serialize)]
pub struct ControllerView {
    pub scheduler: Scheduler,
    pub page: PagePolicy,
    pub queues: Queues,
    /// Writes are drained from this fill of the write buffer …
    pub drain_high: u32,
    /// … down to this one.
    pub drain_low: u32,
    /// A read waits for one drain at most.
    pub drain_once: bool,
    pub refresh: RefreshPolicy,
    pub frontend_ps: u64,
}

impl MachineView {
    /// The view of a machine.
    pub fn new(machine: &Machine) -> Self {
        let (core, memory) = (&machine.core, &machine.memory);
        let controller = &memory.controller;
        Self {
            name: machine.name.clone(),
            title: machine.title.clone(),
            digest: machine.text_digest.clone(),
            page_bytes: machine.page_bytes,
            cores: machine.cores,
            core: CoreView {
                clock_mhz: core.mhz,
                kind: core.kind,
                issue_width: core.issue_width,
                window: core.window,
                mshrs: core.mshrs,
                threads: core.threads,
                prefetch: core.prefetch,
                tlb: core.tlb,
            },
            caches: caches(machine),
            nodes: nodes(machine),
            coherence: machine.coherence.map(|coherence| CoherenceView {
                protocol: coherence.protocol,
                transfer_ps: coherence.transfer,
            }),
            fabric: machine.fabric,
            dram: DramView::new(machine),
            timing: Parameter::all(&memory.timing),
            controller: ControllerView {
                scheduler: controller.scheduler,
                page: controller.page,
                queues: controller.queues,
                drain_high: controller.drain_high,
                drain_low: controller.drain_low,
                drain_once: controller.drain_once,
                refresh: controller.refresh,
                frontend_ps: controller.frontend,
            },
            map: MapView::of_machine(&memory.map),
            colors: colors(machine),
            calibration: machine.calibration.clone(),
            sources: machine.sources.clone(),
            assumptions: machine.assumptions.clone(),
        }
    }
}

fn caches(machine: &Machine) -> Vec<CacheView> {
    let private = [("L1", &machine.l1), ("L2", &machine.l2)];
    let mut caches: Vec<CacheView> = private
        .into_iter()
        .filter_map(|(level, cache)| Some(CacheView::new(level, cache.as_ref()?, 1)))
        .collect();
    if let Some(LlcConfig {
        cache,
        cores_per_cache,
        slice_functions,
        hashed_slices,
        mshrs,
        inclusion,
        sparse_masks: _,
    }) = &machine.llc
    {
        let mut view = CacheView::new("LLC", cache, *cores_per_cache);
        view.slice_functions = slice_functions.iter().map(|&mask| FunctionView::new(mask)).collect();
        view.hashed_slices = *hashed_slices;
        view.mshrs = *mshrs;
        view.inclusion = (*inclusion != Inclusion::NonInclusive).then_some(*inclusion);
        caches.push(view);
    }
    // Last: the others have the places that they have without it.
    caches.extend(machine.l1i.as_ref().map(|cache| CacheView::new("L1I", cache, 1)));
    caches
}

impl CacheView {
    fn new(level: &'static str, cache: &CacheConfig, cores: u32) -> Self {
        Self {
            level,
            size_bytes: cache.size,
            ways: cache.ways,
            line_bytes: cache.line,
            sets: cache.sets(),
            latency_ps: cache.latency,
            replacement: cache.replacement,
            cores,
            slice_functions: Vec::new(),
            hashed_slices: None,
            mshrs: None,
            inclusion: None,
        }
    }
}

fn nodes(machine: &Machine) -> Vec<NodeView> {
    let topology = &machine.topology;
    (0..topology.nodes())
        .map(|node| NodeView {
            node,
            cores: topology.cores_of_node(node).collect(),
            hops: topology.hops[node as usize].clone(),
            hop_latency_ps: topology.hop_latency[node as usize].clone(),
        })
        .collect()
}

impl DramView {
    fn new(machine: &Machine) -> Self {
        let memory = &machine.memory;
        let org = &memory.organisation;
        let rate_mts = memory.timing.clock.rate_mts();
        let channels = org.nodes * org.channels;
        Self {
            standard: memory.timing.standard.clone(),
            density_gbit: memory.device.density_gbit,
            capacity_bytes: org.total_bytes(),
            rate_mts,
            clock_ps: memory.timing.clock.period_ps(),
            organisation: *org,
            row_bytes: org.row_bytes(),
            bank_bytes: org.bank_bytes(),
            peak_gb_per_s: f64::from(rate_mts) * f64::from(org.bus_bytes) * f64::from(channels) / 1000.0,
            rfm: memory.device.rfm,
            prac: memory.device.prac,
        }
    }
}

/// The colors of pages of the machine's size and of the usual others, ascending.
fn colors(machine: &Machine) -> Vec<Counts> {
    let llc = machine.set_functions();
    let mut pages: Vec<u64> = PAGES.into_iter().chain([machine.page_bytes]).collect();
    pages.sort_unstable();
    pages.dedup();
    let counts = |page: u64| {
        let space = ColorSpace::new(&machine.memory.map, &llc, page.trailing_zeros())
            .map_err(|error| error.into_input(machine.name.clone(), "colors"));
        Counts::new(page, space.as_ref())
    };
    pages.into_iter().map(counts).collect()
}

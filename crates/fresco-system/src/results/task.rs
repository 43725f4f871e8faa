// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one task measured in one run.

use super::CoreRegulation;
use super::jobs::JobsResult;
use super::reads::Reads;
use super::recorder::ReadRecorder;
use super::reordered::MayBeRead;
use super::spread::Spread;
use super::thread::ThreadResult;
use super::tlb::TlbResult;
use crate::Role;
use crate::experiment::Met;
use fresco_dram::Ps;
use fresco_memory::{Blocked, CoherenceCounts, OrderCounts, PrefetchCounts, SourceStats};
use serde::{Deserialize, Serialize};

/// The measured phase of one task. Of a background task: from the moment at which all measured tasks had warmed up to
/// the end of the last measured one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskResult {
    /// Name; with the number of the copy (`attacker.1`) if there are several.
    pub name: String,
    /// Core it is pinned to.
    pub core: u32,
    /// Node of that core.
    pub node: u32,
    /// Name of its program; `synthetic` where it has none and accesses random lines, `registers` where it accesses nothing.
    pub program: String,
    /// Measured or background.
    pub role: Role,
    /// Bank colors it had, as `0-3,8`, of its first memory if it has several; `none` if it was not colored.
    pub banks: String,
    /// LLC colors it had; `all` if it had no own.
    pub llc_colors: String,
    /// Row domains that its memory lies in, as `0-1,4`; `None` if it named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<String>,
    /// Begin of the phase, in picoseconds since the start of the run.
    pub from_ps: Ps,
    /// End of the phase.
    pub to_ps: Ps,
    /// Time between the two.
    pub run_time_ps: Ps,
    /// Whole passes over its data: those that began and ended within the phase. A phase counted in operations or time
    /// may begin and end within a pass; these parts are no passes. A task in the background is not stopped at its passes:
    /// one of it is the whole course of a program that ends and begins again.
    pub passes: u64,
    /// Time of these passes, in nanoseconds; `None` if there was none.
    pub pass_time_ns: Option<Spread>,
    /// Instructions executed.
    pub instructions: u64,
    /// Loads and stores among them.
    pub operations: u64,
    /// Lines of code fetched, of a program that names them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub fetches: u64,
    /// Instructions executed per core cycle (IPC).
    pub instructions_per_cycle: f64,
    /// Run time divided by the number of loads and stores, in nanoseconds: what a program measures that does nothing
    /// but access memory.
    pub access_time_ns: f64,
    /// Reads that missed all caches.
    pub reads: Reads,
    /// Caches it looked up.
    pub caches: CacheCounts,
    /// Translations of its addresses, if its core has TLBs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tlb: Option<TlbResult>,
    /// Lines on their way to memory: dirty lines of this task that left the last cache within the phase. A few wait in
    /// buffers when it ends; what the DRAM served stands with the controllers.
    pub write_backs: u64,
    /// Lines read from memory, and lines that left the last cache for it, in bytes per second of the phase.
    pub bandwidth_bytes_per_s: f64,
    /// Page faults of the whole run.
    pub pages: Pages,
    /// Its memories, if it has more than one (CR-10).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Memory>,
    /// Jobs that began with a copy from another memory (CR-10).
    #[serde(default, skip_serializing_if = "is_none")]
    pub copies: u64,
    /// Bytes copied.
    #[serde(default, skip_serializing_if = "is_none")]
    pub copied_bytes: u64,
    /// Loads and stores of a job of a task without a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic_operations: Option<u64>,
    /// Accesses of the whole run that met a refresh; `None` in runs of phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met_refresh: Option<RefreshMet>,
    /// What it waited for, if it is a thread of a program of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadResult>,
    /// Its jobs, if it is periodic. The phase is then the whole run, and the run time the time that jobs had the core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<JobsResult>,
    /// Budgets of its core, if bandwidth is regulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regulation: Option<CoreRegulation>,
    /// All latencies, to be put together with those of other repetitions.
    #[serde(skip)]
    pub(crate) recorder: ReadRecorder,
}

impl TaskResult {
    /// What may be a read if its accesses come to the last-level cache in another order; `None` if that was not
    /// [noted](crate::experiment::Experiment::heeds_order).
    pub fn may_be_read(&self) -> Option<(MayBeRead, OrderCounts)> {
        self.recorder.may_be_read()
    }
}

/// One of several memories of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Its bank colors, as `0-3,8`; `none` without.
    pub banks: String,
}

/// Accesses of a task that met a refresh (REF-17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshMet {
    /// From when all ranks are refreshed by plan; all of them where there is none.
    #[serde(flatten)]
    pub planned: Met,
    /// Those before: until its first window a rank is refreshed as usual, whoever runs (E34).
    pub at_start: Met,
}

/// Counters of each cache level; `None` where the machine has no such level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    /// Level 1, data; where the machine has no instruction cache, fetches of code, too.
    pub l1: Option<SourceStats>,
    /// Level 1, instructions, if any were fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1i: Option<SourceStats>,
    /// Level 2.
    pub l2: Option<SourceStats>,
    /// The shared last level.
    pub llc: Option<SourceStats>,
    /// Reads that waited while all miss registers of the last level were taken; `None` where the machine bounds these not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<Blocked>,
    /// Its lines that left the private levels because an inclusive last level displaced them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalidated: Option<u64>,
    /// What became of prefetches; `None` where its core has no prefetchers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefetch: Option<PrefetchCounts>,
    /// What coherence did to its lines, and for it; `None` where private caches are not coherent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coherence: Option<CoherenceCounts>,
}

/// Page faults: how many, and what allocating cost (PAL-9, MET-1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pages {
    /// Page faults: pages of the program that got a frame.
    pub faults: u64,
    /// Those within the phase that was measured.
    pub faults_measured: u64,
    /// Time in the allocator per page, in nanoseconds.
    pub allocation_ns: f64,
    /// The most expensive allocation.
    pub allocation_max_ns: f64,
    /// Whole page faults, the allocator included, per page.
    pub fault_ns: f64,
    /// Frames from another node than the home node.
    pub remote: u64,
    /// Frames outside the task's colors, because these were used up.
    pub spilled: u64,
    /// Pages that moved because the task's colors changed (BPM-7), each time counted.
    #[serde(default, skip_serializing_if = "is_none")]
    pub recolored: u64,
    /// Frames held at the end, by bank color: its share of the footprint (MET-8). Colors ascend, those without frames
    /// are left out.
    pub by_bank: Vec<(u32, u64)>,
}

pub(super) fn is_none(count: &u64) -> bool {
    *count == 0
}

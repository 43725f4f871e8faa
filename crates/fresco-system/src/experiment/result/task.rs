// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one task did.

use crate::results::{MayBeRead, Measured, ReadRecorder, Reads, ThreadResult, TlbResult};
use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// One task in one run.
#[derive(Clone, Debug)]
pub struct TaskOutcome {
    /// Name.
    pub name: String,
    /// The core it is pinned to; a table may use others too.
    pub core: u32,
    /// Bank colors of each of its memories, as `0-3,8`; `none` for one without.
    pub banks: Vec<String>,
    /// Operations of a job, if the work is synthetic.
    pub synthetic_operations: Option<u64>,
    /// Jobs released.
    pub released: u64,
    /// Jobs that ended.
    pub completed: u64,
    /// Jobs with a deadline within the run that ended after it or not at all.
    pub misses: u64,
    /// The first of them.
    pub first_miss: Option<JobRecord>,
    /// Response times of the jobs that ended.
    pub response: Option<Spread>,
    /// Their execution times: how long they had the core, refresh and interference included.
    pub execution: Option<Spread>,
    /// Passes of a batch task.
    pub passes: u64,
    /// Every job, in order; of a job that has not ended the end is missing.
    pub jobs: Vec<JobRecord>,
    /// Its reads from memory, copies included.
    pub reads: Reads,
    /// Accesses that met a refresh (REF-17), from when all ranks are refreshed by plan; all of them where there is none.
    pub met_refresh: Met,
    /// Those before: until its first window a rank is refreshed as usual, whoever runs (E34).
    pub met_refresh_at_start: Met,
    /// Jobs that began with a copy (CR-10).
    pub copies: u64,
    /// Bytes copied.
    pub copied_bytes: u64,
    /// Instructions executed, those of copies included.
    pub instructions: u64,
    /// Loads and stores of its program.
    pub operations: u64,
    /// Lines of code fetched.
    pub fetches: u64,
    /// Translations of its addresses, if its core has TLBs.
    pub tlb: Option<TlbResult>,
    /// Time it had a core, in sum.
    pub executing_ps: Ps,
    /// Dirty lines that left the last cache for memory while it had the core. Lines of its that others push out count as
    /// theirs.
    pub write_backs: u64,
    /// All its read latencies, to be put together with those of other runs.
    pub(crate) recorder: ReadRecorder,
    /// What allocating the pages of its first memory cost, those mapped before time 0 included.
    pub allocation: fresco_frames::TaskStats,
    /// Calls among these that were for page tables.
    pub table_frames: u64,
    /// Pages of its first memory by bank color.
    pub pages_by_bank: Vec<(u32, u64)>,
    /// Page faults within the run.
    pub page_faults: PageFaults,
    /// Pages that moved because the task's colors changed (BPM-7), each time counted.
    pub pages_moved: u64,
    /// What it waited for, if it is a thread of a program of several.
    pub thread: Option<ThreadResult>,
    /// What was counted in its measured phase, if the run had phases.
    pub(crate) measured: Option<Measured>,
}

/// Page faults of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageFaults {
    /// How many.
    pub count: u64,
    /// Time of all of them, in picoseconds.
    pub time_ps: Ps,
}

/// Accesses that had to wait for a refresh of their bank or rank, or were in the controller meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met {
    /// Reads that waited for one.
    pub reads: u64,
    /// How long, in sum.
    pub read_wait_ps: Ps,
    /// The longest wait of one read.
    pub longest_read_wait_ps: Ps,
    /// Write-backs of its lines that were in a write buffer while their bank was refreshed. Nobody waits for them, but they
    /// take room; where refresh is not planned some would have waited there anyway.
    pub writes: u64,
    /// How long, in sum.
    pub write_wait_ps: Ps,
}

impl Met {
    /// Accesses of both kinds.
    pub fn accesses(&self) -> u64 {
        self.reads.saturating_add(self.writes)
    }
}

/// Extremes and mean of some times, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Smallest.
    pub min_ps: Ps,
    /// Mean, rounded down.
    pub mean_ps: Ps,
    /// Largest.
    pub max_ps: Ps,
}

impl Spread {
    /// Of these times; `None` without any.
    pub fn of(times: impl Iterator<Item = Ps> + Clone) -> Option<Self> {
        let (sum, count) = times
            .clone()
            .fold((0u128, 0u128), |(s, n), t| (s + u128::from(t), n + 1));
        Some(Self {
            min_ps: times.clone().min()?,
            mean_ps: (sum / count) as Ps,
            max_ps: times.max()?,
        })
    }
}

/// One job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    /// Its number, from 0.
    pub job: u64,
    /// The memory it used.
    pub instance: usize,
    /// Release.
    pub release_ps: Ps,
    /// When it first had the core, if it had.
    pub start_ps: Option<Ps>,
    /// When it ended, if it did.
    pub end_ps: Option<Ps>,
    /// Absolute deadline; `None` for a batch task.
    pub deadline_ps: Option<Ps>,
    /// When it was abandoned, as its task was dropped by a change of mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandoned_ps: Option<Ps>,
    /// Time it had the core.
    pub execution_ps: Ps,
    /// Times it was stopped.
    pub preemptions: u64,
    /// Bytes copied at its start.
    pub copied_bytes: u64,
    /// Its reads from memory; those of a line that was under way already are not counted.
    #[serde(default)]
    pub reads: u64,
    /// Time of these in the controllers, in sum, in picoseconds; they may have been there at the same time.
    #[serde(default)]
    pub in_memory_ps: Ps,
    /// The shortest of these times; 0 without any.
    #[serde(default)]
    pub in_memory_min_ps: Ps,
    /// The most of its reads of which each was sent when the data of the one before had arrived.
    #[serde(default)]
    pub chain: u64,
    /// What may be a read if its accesses come in another order ([`Experiment::heeds_order`](crate::experiment::Experiment::heeds_order)).
    #[serde(skip)]
    pub may_be_read: MayBeRead,
    /// Its reads that waited for a refresh (REF-17).
    pub met_refresh_reads: u64,
    /// How long they waited, in sum, in picoseconds; they may have waited at the same time.
    pub refresh_wait_ps: Ps,
}

impl JobRecord {
    /// From release to end.
    pub fn response_ps(&self) -> Option<Ps> {
        Some(self.end_ps?.saturating_sub(self.release_ps))
    }

    /// Returns true if it was abandoned before its deadline.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned_ps.is_some() && !self.is_missed(Ps::MAX)
    }

    /// Returns true if it missed its deadline in a run that ended at `horizon`; one that is abandoned before its deadline does not.
    pub fn is_missed(&self, horizon: Ps) -> bool {
        let late = |deadline: Ps| match self.end_ps {
            Some(end) => end > deadline,
            None => deadline <= self.abandoned_ps.unwrap_or(horizon),
        };
        self.deadline_ps.is_some_and(late)
    }
}

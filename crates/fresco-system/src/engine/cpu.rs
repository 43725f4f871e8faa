// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core with its task, and what is counted of it.

use super::team::Waits;
use crate::core::{Core, MissTag, Timed};
use crate::os::process::Process;
use crate::results::ReadRecorder;
use fresco_dram::Ps;
use fresco_memory::{CoreStats, MemorySystem, RequestId};

/// A core that has a task.
pub(super) struct Cpu {
    /// Index of the copy in the setup; also its number with the frame allocator.
    pub copy: usize,
    /// Number of the core.
    pub number: u32,
    pub core: Core,
    pub process: Process,
    /// Reads under way.
    waits: Vec<(RequestId, MissTag)>,
    pub phase: Phase,
    pub recorder: ReadRecorder,
    /// Reads are recorded.
    pub recording: bool,
    pub faults: FaultCounts,
    /// For the other threads of its program.
    pub met: Waits,
    /// Its pages are mapped, as far as that is done before the program begins.
    pub is_set_up: bool,
    /// The program has marked a pass since it began.
    pub marked: bool,
    /// Instructions executed when the program began last.
    pub began_at_instruction: u64,
    /// Instructions executed when its present pass began; `None` before its first.
    pub pass_at_instruction: Option<u64>,
}

/// How far a task has come.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// Its data are being set up.
    Starting,
    /// Not measured, or measured already.
    Running,
    /// Warming up; so many passes are left if it is counted in passes.
    WarmingUp { passes: u64 },
    /// Waiting for the others to be warm, and for the place to begin at.
    Warm,
    /// In its measured phase.
    Measuring(Measurement),
}

/// A measured phase that has begun.
#[derive(Clone, Debug)]
pub(super) struct Measurement {
    pub from: Snapshot,
    /// Passes to go, if the phase is counted in passes.
    pub passes_left: u64,
    /// When the present pass began; `None` if that was before the measured phase.
    pub pass_began: Option<Ps>,
    /// Times of the passes that began and ended within it.
    pub passes: Vec<Ps>,
}

impl Measurement {
    /// A pass has ended at `at`, and the next begins. One that began before the phase is not counted.
    pub fn passed(&mut self, at: Ps) {
        let began = self.pass_began.replace(at);
        self.passes.extend(began.map(|began| at - began));
    }
}

/// Counters at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Snapshot {
    pub at: Ps,
    pub instructions: u64,
    pub operations: u64,
    pub faults: u64,
    pub met: Waits,
    pub shared: CoreStats,
}

/// Page faults so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FaultCounts {
    pub count: u64,
    /// Time of all of them.
    pub time: Ps,
}

impl Timed for Cpu {
    #[inline]
    fn next_time(&self) -> Ps {
        self.core.next_time()
    }
}

impl Cpu {
    pub fn new(copy: usize, number: u32, core: Core, process: Process) -> Self {
        Self {
            copy,
            number,
            core,
            process,
            waits: Vec::new(),
            phase: Phase::Starting,
            recorder: ReadRecorder::default(),
            recording: false,
            faults: FaultCounts::default(),
            met: Waits::default(),
            is_set_up: false,
            marked: false,
            began_at_instruction: 0,
            pass_at_instruction: None,
        }
    }

    /// Notes that a fetch waits for a read.
    pub fn wait(&mut self, id: RequestId, tag: MissTag) {
        self.waits.push((id, tag));
    }

    /// The fetch that waits for a read.
    pub fn arrived(&mut self, id: RequestId) -> MissTag {
        let at = self.waits.iter().position(|(other, _)| *other == id);
        self.waits.swap_remove(at.expect("a read that is done was asked for")).1
    }

    /// The counters now.
    pub fn snapshot(&self, at: Ps, memory: &MemorySystem) -> Snapshot {
        Snapshot {
            at,
            instructions: self.core.instructions(),
            operations: self.process.operations(),
            faults: self.faults.count,
            met: self.met,
            shared: memory.core_stats()[self.number as usize],
        }
    }

    /// Is it at the very begin of a pass?
    pub fn is_between_passes(&self) -> bool {
        self.pass_at_instruction == Some(self.core.instructions())
    }

    /// Begins to count anew.
    pub fn measure(&mut self, at: Ps, memory: &MemorySystem, passes_left: u64) -> Measurement {
        self.recorder = ReadRecorder::default();
        self.recording = true;
        self.process.caches_mut().reset_stats();
        Measurement {
            from: self.snapshot(at, memory),
            passes_left,
            pass_began: self.is_between_passes().then_some(at),
            passes: Vec::new(),
        }
    }
}

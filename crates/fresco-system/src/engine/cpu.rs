// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core, its dispatcher, and the job on it.

use crate::core::{CoreModel, MissTag, Timed, WalkCounts};
use crate::experiment::{Activity, CoreOutcome, Decision, Dispatcher};
use crate::os::process::Process;
use fresco_dram::Ps;
use fresco_memory::{Lines, PrivateCaches, RequestId};

/// A core.
pub(super) struct Cpu {
    pub number: u32,
    pub core: Box<dyn CoreModel<Process>>,
    /// Its private caches while no process is on it.
    pub caches: PrivateCaches,
    /// Reads under way.
    waits: Vec<(RequestId, MissTag)>,
    /// Those of them that no operation asked for.
    prefetches: Vec<RequestId>,
    pub dispatcher: Box<dyn Dispatcher>,
    pub decision: Decision,
    /// Since when the decision holds.
    pub since: Ps,
    pub loaded: Option<Loaded>,
    /// No process has been on it since.
    pub free_since: Ps,
    /// The task that was on it last.
    pub last_task: Option<usize>,
    /// The handler that was decided on has begun: when.
    pub handler_since: Option<Ps>,
    /// It has used up its budget of bandwidth, and has stood still since.
    pub stalled_since: Option<Ps>,
    /// The job that has left it was to be interrupted for the sake of its budget.
    pub interrupted: bool,
    pub outcome: CoreOutcome,
}

/// A job on a core.
pub(super) struct Loaded {
    pub task: usize,
    pub job: u64,
    pub instance: usize,
    /// Since when it has had the core, or had it again after a stall.
    pub since: Ps,
    /// When it goes on at the earliest: the switch takes so long.
    pub from: Ps,
    /// What the core had counted by then.
    pub then: Counters,
    /// Dirty lines of the core that had left the last cache by then.
    pub write_backs: u64,
    /// Since when it is to stop.
    pub stopping: Option<Ps>,
}

/// What cores count, of one of them or while a task had them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Executed.
    pub instructions: u64,
    /// Moved to and from memory.
    pub lines: Lines,
    /// Page walks.
    pub walks: WalkCounts,
}

impl Timed for Cpu {
    #[inline]
    fn next_time(&self) -> Ps {
        self.core.next_time()
    }
}

impl Cpu {
    /// A core that waits for its first decision, at time 0.
    pub fn new(
        number: u32,
        core: Box<dyn CoreModel<Process>>,
        caches: PrivateCaches,
        dispatcher: Box<dyn Dispatcher>,
    ) -> Self {
        Self {
            number,
            core,
            caches,
            waits: Vec::new(),
            prefetches: Vec::new(),
            dispatcher,
            decision: Decision {
                activity: Activity::Idle,
                until: 0,
                owner: None,
            },
            since: 0,
            loaded: None,
            free_since: 0,
            last_task: None,
            handler_since: None,
            stalled_since: None,
            interrupted: false,
            outcome: CoreOutcome {
                core: number,
                ..CoreOutcome::default()
            },
        }
    }

    /// Notes that a fetch waits for a read.
    pub fn wait(&mut self, id: RequestId, tag: MissTag) {
        self.waits.push((id, tag));
    }

    /// The fetch that waits for a read, which goes on to wait.
    pub fn tag_of(&self, id: RequestId) -> MissTag {
        let wait = self.waits.iter().find(|(other, _)| *other == id);
        wait.expect("a read that is done was asked for").1
    }

    /// Notes that a prefetch waits for a read.
    pub fn wait_for_prefetch(&mut self, id: RequestId, tag: MissTag) {
        self.wait(id, tag);
        self.prefetches.push(id);
    }

    /// Returns true if a read that is done was a prefetch.
    #[inline]
    pub fn was_prefetch(&mut self, id: RequestId) -> bool {
        let at = self.prefetches.iter().position(|other| *other == id);
        at.map(|at| self.prefetches.swap_remove(at)).is_some()
    }

    /// The fetch that waits for a read.
    pub fn arrived(&mut self, id: RequestId) -> MissTag {
        let at = self.waits.iter().position(|(other, _)| *other == id);
        self.waits.swap_remove(at.expect("a read that is done was asked for")).1
    }

    /// Begin of the last instruction slot that begins before `at`.
    pub fn last_slot_before(&self, at: Ps) -> Ps {
        let clock = self.core.clock();
        clock.to_ps(clock.from_ps(at).saturating_sub(1))
    }
}

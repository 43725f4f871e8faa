// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exact simulation of refresh-aware schedules, event by event (F27, F28).
//!
//! It shares no code with the analysis: what the analysis accepts is run here, and must not miss. Who has the processor is
//! decided by a [`Processor`], which others may drive too.

mod arrivals;
mod engine;
mod grant;
mod outcome;
mod processor;
mod queue;
mod recorder;

pub use arrivals::{Arrivals, Periodic};
pub use outcome::{Miss, Outcome};
pub use processor::{Decision, Processor};
pub use queue::Job;
pub use recorder::{Activity, Completion, Recorder, Segment, Trace};

use std::fmt;

use crate::patience::{Patience, STOPPED};
use crate::policy::Policy;
use crate::supply::SlotTable;
use crate::task::{Task, hyperperiod};
use crate::time::{Overflow, Time, lcm, lcm_all};
use crate::toplevel::{Locks, Server};

/// Who may use the processor when.
#[derive(Clone, Debug)]
pub enum Dispatch {
    /// Servers that burn their budget whenever eligible, work or not; server `c` owns color `c`, lower before higher.
    Idling(Vec<Server>),
    /// As [`Dispatch::Idling`], but the time that a server without work burns goes to the first ready job of another unlocked
    /// color, whose budget is not charged. Slots stay where they are, and a job that got time besides has less to do in
    /// them: no job ends later than without (F27).
    Donating(Vec<Server>),
    /// Servers that keep their budget while they have no work, until its period ends.
    Deferrable(Vec<Server>),
    /// No servers: the first ready job by the policy whose color is unlocked (F28).
    Flat,
    /// Fixed slots per color, disjoint between colors; refresh is inside what the slots leave out (F29).
    Slots(Vec<SlotTable>),
}

/// A schedule to run: workloads by color, a policy inside each color, a dispatch and locks.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    workloads: Vec<&'a [Task]>,
    policy: Policy,
    dispatch: Dispatch,
    locks: Option<&'a Locks>,
    patience: Patience<'a>,
}

/// How long to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Horizon {
    /// Φ: from here on releases are periodic.
    pub phase: Time,
    /// Everything periodic repeats after this.
    pub repeat: Time,
    /// Number of repeats to run, at least 2: convergence compares the last two.
    pub repeats: Time,
}

impl Horizon {
    /// Φ + repeats · repeat.
    pub fn end(&self) -> Result<Time, Overflow> {
        self.repeat
            .checked_mul(self.repeats)
            .and_then(|run| run.checked_add(self.phase))
            .ok_or(Overflow)
    }
}

/// Why a simulation is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationError {
    /// There are tasks of this many colors, but servers, locks or slots of that many.
    Colors(usize, usize),
    /// A time exceeds 64 bits.
    Overflow,
    /// The run has more than [`MAX_EVENTS`] releases and replenishments; holds their number.
    TooLong(u64),
    /// The patience was over before the end of the run.
    Stopped,
}

/// Longest run, in releases and replenishments.
pub const MAX_EVENTS: u64 = 1 << 28;

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulationError::Colors(tasks, others) => {
                write!(
                    f,
                    "there are workloads of {tasks} colors, but servers, locks or slots of {others}"
                )
            }
            SimulationError::Overflow => Overflow.fmt(f),
            SimulationError::Stopped => f.write_str(STOPPED),
            SimulationError::TooLong(events) => write!(
                f,
                "the run has {events} releases and replenishments, more than {MAX_EVENTS}: choose periods with a smaller \
                 least common multiple"
            ),
        }
    }
}

impl std::error::Error for SimulationError {}

impl From<Overflow> for SimulationError {
    fn from(_: Overflow) -> Self {
        SimulationError::Overflow
    }
}

impl<'a> Simulation<'a> {
    /// `workloads[c]` uses memory of color `c`; without `locks` no color is ever locked and no handler runs.
    pub fn new(
        workloads: Vec<&'a [Task]>,
        policy: Policy,
        dispatch: Dispatch,
        locks: Option<&'a Locks>,
    ) -> Result<Self, SimulationError> {
        let colors = workloads.len();
        let parties = match &dispatch {
            Dispatch::Idling(servers) | Dispatch::Donating(servers) | Dispatch::Deferrable(servers) => servers.len(),
            Dispatch::Flat => colors,
            Dispatch::Slots(tables) => tables.len(),
        };
        let locked = locks.map_or(colors, |locks| locks.colors().len());
        match [parties, locked].into_iter().find(|&other| other != colors) {
            Some(other) => Err(SimulationError::Colors(colors, other)),
            None => Ok(Simulation {
                workloads,
                policy,
                dispatch,
                locks,
                patience: Patience::ENDLESS,
            }),
        }
    }

    /// From here on runs end with [`SimulationError::Stopped`] once the patience is over.
    pub fn while_patient(mut self, patience: Patience<'a>) -> Self {
        self.patience = patience;
        self
    }

    /// The horizon of an exact test: latest phase, then twice the common multiple of every period (F27).
    pub fn horizon(&self) -> Result<Horizon, Overflow> {
        let mut repeat = self.locks.map_or(1, Locks::retention);
        match &self.dispatch {
            Dispatch::Idling(servers) | Dispatch::Donating(servers) | Dispatch::Deferrable(servers) => {
                repeat = lcm(repeat, lcm_all(servers.iter().map(|server| server.period()))?)?;
            }
            Dispatch::Flat => {}
            Dispatch::Slots(tables) => {
                use crate::supply::Supply;
                repeat = lcm(repeat, lcm_all(tables.iter().map(|table| table.period()))?)?;
            }
        }
        for workload in &self.workloads {
            repeat = lcm(repeat, hyperperiod(workload)?)?;
        }
        let phase = self
            .workloads
            .iter()
            .flat_map(|tasks| tasks.iter())
            .map(|task| task.phase)
            .max()
            .unwrap_or(0);
        Ok(Horizon {
            phase,
            repeat,
            repeats: 2,
        })
    }

    /// Runs from 0 to the end of the horizon.
    ///
    /// Tasks are counted through all colors: those of color 0 first, each in the order of its workload.
    ///
    /// # Errors
    /// If the horizon, or a deadline up to it, exceeds 64 bits, or the run is too long.
    pub fn run(
        &self,
        horizon: Horizon,
        arrivals: &mut impl Arrivals,
        recorder: &mut impl Recorder,
    ) -> Result<Outcome, SimulationError> {
        engine::Engine::new(self, horizon, arrivals, recorder)?.run()
    }

    /// Runs the periodic tasks with their worst-case execution times, to the end or to the completion of the first job that
    /// misses; what is counted is then counted up to there. Records nothing.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_until_miss(&self, horizon: Horizon) -> Result<Outcome, SimulationError> {
        let (mut arrivals, mut recorder) = (Periodic, ());
        engine::Engine::new(self, horizon, &mut arrivals, &mut recorder)?
            .until_miss()
            .run()
    }

    /// Runs the periodic tasks with their worst-case execution times over [`Self::horizon`], recording nothing.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_exact(&self) -> Result<Outcome, SimulationError> {
        self.run(self.horizon()?, &mut Periodic, &mut ())
    }
}

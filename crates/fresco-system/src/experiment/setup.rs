// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is run.

use super::dynamic;
use super::{Dynamic, ModeChange, Phases, Schedule, TaskSpec};
use crate::bandwidth::Budgets;
use fresco_dram::{Clock, Cycle, Ps};
use fresco_frames::{FrameError, FramesConfig, Policy, TaskId};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_memory::controller::refresh::{Window, Windows};
use fresco_scenario::{Agent, Rows, allocator, error_at};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A machine, tasks, a schedule and a plan of refreshes.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The machine, with its density.
    pub machine: Machine,
    /// How its memory is refreshed.
    pub refresh: RefreshPlan,
    /// The windows of the plan have been kept for a while before the run begins. Else a rank is refreshed as usual until its
    /// first window (E34), and tasks may meet that.
    pub in_rhythm: bool,
    /// Windows of every second retention time begin so much later than planned, in nanoseconds.
    pub refresh_jitter_ns: u64,
    /// Ranks of each color that the schedule names, a bit each, in every channel alike. Empty if it names none.
    pub color_ranks: Vec<u64>,
    /// Tasks; the schedule knows them by their index.
    pub tasks: Vec<TaskSpec>,
    /// Devices that move lines beside the tasks.
    pub agents: Vec<Agent>,
    /// Who runs when.
    pub schedule: Schedule,
    /// Jobs run on any core: the first of all ready jobs, as many as there are cores ([`Schedule::Plain`], [`Schedule::Burst`]).
    pub migrates: bool,
    /// How page frames are chosen: CAMC for tasks with colors, the buddy system for tasks without.
    pub frames: FramesConfig,
    /// Each page lies in the frame with its own number, as when the processors were recorded that the tasks replay; `frames` gives none.
    pub recorded: bool,
    /// Row domains that tasks and devices have, if any do.
    pub rows: Option<Arc<Rows>>,
    /// Length of the run in nanoseconds.
    pub horizon_ns: u64,
    /// When counters of tasks, controllers and banks at work begin, in nanoseconds: with the run, or once caches are warm. Jobs, cores, ranks
    /// and the timeline tell of the whole run. A run of phases counts its phases and has 0 here.
    pub count_from_ns: u64,
    /// Seed of page frames and programs.
    pub seed: u64,
    /// Judge every DRAM command by the independent checker, retention included.
    pub check: bool,
    /// Note which accesses of a task may be reads if they come to the last-level cache in another order.
    pub heeds_order: bool,
    /// Length of the part whose timeline is kept, in nanoseconds: from time 0, or from when all measured tasks of a run of phases
    /// are warm.
    pub record_ns: u64,
    /// A second processor is free for the run: it has the controllers, which changes no result
    /// ([`MemorySystem::run_beside`](fresco_memory::MemorySystem::run_beside)).
    pub beside: bool,
    /// Time of a switch to another task, in nanoseconds; cold caches come on top.
    pub context_switch_ns: u64,
    /// By how much the work of a synthetic job stays below the task's WCET, in thousandths ([`Self::MARGIN`]).
    pub margin_permille: u32,
    /// Budgets of bandwidth, if cores are regulated.
    pub regulation: Option<Regulation>,
    /// Colors are divided anew while tasks run.
    pub dynamic: Option<Dynamic>,
    /// The run changes to high mode.
    pub mode_change: Option<ModeChange>,
    /// The run lasts until its tasks have been measured, not to the horizon.
    pub phases: Option<Phases>,
    /// Where the run keeps its present time, in picoseconds, for programs that run meanwhile.
    pub clock: Option<Arc<AtomicU64>>,
}

/// Budgets of bandwidth for the cores of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regulation {
    /// The budgets; cores without any may do what they like.
    pub budgets: Budgets,
    /// Results count the periods that begin at this time or later, in picoseconds.
    pub counted_from: Ps,
}

/// When the memory is refreshed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefreshPlan {
    /// By the machine's own policy.
    Machine,
    /// In windows that repeat, in every channel of every node alike.
    Windows {
        /// tRET, or less, in nanoseconds.
        period_ns: u64,
        /// The windows of a period.
        windows: Vec<RefreshWindow>,
    },
}

/// Refreshes of some ranks back to back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshWindow {
    /// Time of the first command from the start of the period, in nanoseconds.
    pub start_ns: u64,
    /// The ranks, a bit each.
    pub ranks: u64,
    /// REFab for each of them.
    pub commands: u64,
}

impl Experiment {
    /// Usual margin of synthetic work: 3 %. Accesses to random lines differ from job to job by far less.
    pub const MARGIN: u32 = 30;

    /// Longest run and time, in nanoseconds: 1000 s, far within 64 bits of picoseconds.
    pub const LONGEST_NS: u64 = 1_000_000_000_000;

    /// No tasks yet, and nothing but what must be said: the machine's own refresh, no check, no record, no regulation.
    pub fn new(machine: Machine, schedule: Schedule, frames: FramesConfig) -> Self {
        Self {
            machine,
            refresh: RefreshPlan::Machine,
            in_rhythm: false,
            refresh_jitter_ns: 0,
            color_ranks: Vec::new(),
            tasks: Vec::new(),
            agents: Vec::new(),
            schedule,
            migrates: false,
            frames,
            recorded: false,
            rows: None,
            horizon_ns: 0,
            count_from_ns: 0,
            seed: 1,
            check: false,
            heeds_order: false,
            record_ns: 0,
            beside: false,
            context_switch_ns: 0,
            margin_permille: Self::MARGIN,
            regulation: None,
            dynamic: None,
            mode_change: None,
            phases: None,
            clock: None,
        }
    }

    /// The color that has a rank, if there is one and no other has it.
    pub(crate) fn color_of_rank(&self, rank: u32) -> Option<usize> {
        let has = |ranks: &u64| ranks.checked_shr(rank).is_some_and(|ranks| ranks & 1 == 1);
        let mut colors = (0..self.color_ranks.len()).filter(|color| has(&self.color_ranks[*color]));
        colors.next().filter(|_| colors.next().is_none())
    }

    /// Refuses what cannot be run.
    pub(crate) fn check(&self) -> Result<(), InputError> {
        if self.phases.is_none() && (self.horizon_ns == 0 || self.horizon_ns > Self::LONGEST_NS) {
            let error = self.error(format!("found a run of {} ns", self.horizon_ns));
            return Err(error
                .allowed(format!("1 to {} ns", Self::LONGEST_NS))
                .help("choose a horizon of a few retention times"));
        }
        let end = if self.phases.is_some() { 1 } else { self.horizon_ns };
        if self.count_from_ns >= end {
            let error = self.error(format!("found counters that begin at {} ns", self.count_from_ns));
            return Err(error
                .allowed(format!("0 to {} ns", end - 1))
                .help("begin to count before the run ends; a run of phases has a warm-up for that"));
        }
        if self.margin_permille >= 1000 {
            let error = self.error(format!("found a margin of {} ‰", self.margin_permille));
            return Err(error
                .allowed("0 to 999 ‰")
                .help(format!("write {}, the usual margin", Self::MARGIN)));
        }
        for (number, task) in self.tasks.iter().enumerate() {
            task.check(self, number)?;
        }
        self.schedule.check(self)?;
        if let Some(phases) = &self.phases {
            phases.check(self)?;
        }
        if let Some(dynamic) = &self.dynamic {
            dynamic::check(dynamic, self)?;
        }
        if let Some(change) = &self.mode_change {
            change.check(self)?;
        }
        self.windows().map(|_| ())
    }

    /// The plan in cycles of the memory's clock; `None` if the machine's own policy holds.
    pub(crate) fn windows(&self) -> Result<Option<Windows>, InputError> {
        let started = |windows: Windows| if self.in_rhythm { windows.in_rhythm() } else { windows };
        let windows = self
            .windows_of(&self.refresh, self.machine.memory.timing.refw)?
            .map(started);
        let (Some(low), Some(change)) = (&windows, &self.mode_change) else {
            return Ok(windows);
        };
        let hotter = change.hotter(self);
        let next = self.windows_of(&change.refresh, hotter.refw)?;
        Ok(next.map(|next| low.clone().followed_by(hotter.from, next)))
    }

    /// The windows of a plan, late by the jitter in every other turn of so many cycles.
    fn windows_of(&self, plan: &RefreshPlan, turn: Cycle) -> Result<Option<Windows>, InputError> {
        let RefreshPlan::Windows { period_ns, windows } = plan else {
            return Ok(None);
        };
        let (timing, organisation) = (&self.machine.memory.timing, &self.machine.memory.organisation);
        let cycles = |ns: u64| floor(timing.clock, ns);
        if *period_ns > Self::LONGEST_NS || windows.iter().any(|window| window.start_ns > Self::LONGEST_NS) {
            let error = self.error("found refresh windows beyond the longest run".to_owned());
            return Err(error
                .allowed(format!("times up to {} ns", Self::LONGEST_NS))
                .help("give them in nanoseconds from the start of a retention time"));
        }
        let in_cycles: Vec<Window> = windows
            .iter()
            .map(|window| Window {
                start: cycles(window.start_ns),
                ranks: window.ranks,
                commands: window.commands,
            })
            .collect();
        let late = |windows: Windows| windows.late_every_other_turn(cycles(self.refresh_jitter_ns), turn);
        Windows::on_time(organisation, timing, cycles(*period_ns), &in_cycles)
            .map(|windows| Some(late(windows)))
            .map_err(|error| {
                self.error(format!("found a plan of refreshes that no memory can follow: {error}"))
                    .allowed(format!(
                        "ranks 0 to {}, windows that do not overlap",
                        organisation.ranks - 1
                    ))
                    .help("plan the refreshes for this machine and density")
            })
    }

    /// The allocator has refused a task memory, which it knows as `id`.
    pub(crate) fn no_frame(&self, task: usize, id: TaskId, error: &FrameError) -> InputError {
        // It knows memories by number, in the order of tasks and their instances.
        let owners = self
            .tasks
            .iter()
            .flat_map(|task| task.instances.iter().map(|_| &task.name));
        let told = allocator::named(error, id, |id| {
            owners.clone().nth(id.0 as usize).cloned().unwrap_or_default()
        });
        let help = match self.frames.policy {
            _ if matches!(error, FrameError::OutOfRows { .. }) => {
                "name more row domains, make them larger (rows.size), or give the tasks less data"
            }
            _ if matches!(error, FrameError::OutOfColor { rows: Some(_), .. }) => {
                "name more row domains or more colors, or give the task less data"
            }
            Policy::Codesign(_) => "give the task more banks or less data, or set policy.partition = \"soft\"",
            Policy::Buddy => {
                "give the tasks less data, raise memory_limit, or lower policy.occupied of an aged machine"
            }
            policy if policy.is_strict() => {
                "give the task more colors or less data, or set policy.exhaustion = \"spill\""
            }
            _ => "give the tasks less data, or lower policy.occupied of an aged machine",
        };
        self.error_in(task, format!("found no page frame: {told}"))
            .allowed("programs that fit the memory and the colors they may have")
            .help(help)
            .does_not_fit()
    }

    /// An error in a task.
    pub(crate) fn error_in(&self, task: usize, found: String) -> InputError {
        let task = &self.tasks[task];
        match &task.place {
            Some(place) => error_at(place, found),
            None => self.error(format!("task {:?}: {found}", task.name)),
        }
    }

    /// An error in this experiment.
    pub(crate) fn error(&self, found: String) -> InputError {
        InputError::new(format!("the experiment on {}", self.machine.name), found)
    }
}

/// The cycle that begins at a time or last before it.
pub(super) fn floor(clock: Clock, ns: u64) -> Cycle {
    let cycle = clock.cycle_at_or_after(ns * 1000);
    if clock.to_ps(cycle) > ns * 1000 {
        cycle - 1
    } else {
        cycle
    }
}

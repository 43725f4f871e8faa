// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run showed. Times are integers whose unit is in the name; the same experiment gives the same bytes.

mod agent;
mod regulation;
mod task;
mod timeline;

pub use agent::AgentOutcome;
pub use regulation::{CoreBudget, RegulationOutcome};
pub use task::{JobRecord, Met, PageFaults, Spread, TaskOutcome};
pub use timeline::{
    FaultSpan, LockSpan, ModeSpan, Move, OwnerSpan, Pass, RefreshSpan, RunSpan, ShootdownSpan, StallSpan, Timeline,
};

use crate::results::{ControllerResult, RowsApart};
use fresco_dram::Ps;
use fresco_machine::Machine;
use fresco_memory::checker::CheckerReport;
use fresco_memory::controller::refresh::Lateness;
use serde::{Deserialize, Serialize};

/// One run: all that the engine counted. What people and programs are shown of it is [`crate::results::RunResult`].
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// Name of the machine.
    pub machine: String,
    /// Length of the run.
    pub horizon_ns: u64,
    /// The time of which controllers and counters of tasks tell, in picoseconds: all of the run, or from when its measured tasks were warm, or from
    /// [`Experiment::count_from_ns`](super::Experiment::count_from_ns) on.
    pub counted_ps: (Ps, Ps),
    /// Seed of page frames and programs.
    pub seed: u64,
    /// The tasks, in the order of the experiment.
    pub tasks: Vec<TaskOutcome>,
    /// Devices, in the order of the experiment, in the time that is counted.
    pub agents: Vec<AgentOutcome>,
    /// The verdict on their row domains, if any have some.
    pub rows_apart: Option<RowsApart>,
    /// The cores, by number.
    pub cores: Vec<CoreOutcome>,
    /// The ranks of all channels, by channel, then by rank.
    pub ranks: Vec<RankRefresh>,
    /// The controllers, by node, in the time that is counted.
    pub controllers: Vec<ControllerResult>,
    /// How well each channel kept the plan's windows; zeros where the machine's own policy holds.
    pub windows: Vec<WindowsKept>,
    /// Banks at work, mean over the time that is counted and in which any bank of their channel is: with commands or data of a request, not
    /// with a refresh. 0 if none ever was.
    pub banks_at_work: f64,
    /// Time in which every core has a read that waits for a refresh, of those sent in the part that is recorded; a read's
    /// wait counts from when it was sent.
    pub all_cores_wait_ps: Ps,
    /// Verdict of the independent checker; `None` if it was not asked.
    pub checker: Option<CheckerVerdict>,
    /// What budgets of bandwidth did, if cores had any.
    pub regulation: Option<RegulationOutcome>,
    /// The part of the run that was recorded, in detail.
    pub timeline: Timeline,
}

/// What one core did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreOutcome {
    /// Its number.
    pub core: u32,
    /// Time that jobs had it by the dispatcher's decisions.
    pub run_ps: Ps,
    /// Time that handlers had it.
    pub handler_ps: Ps,
    /// Time left: nothing to run, or nothing that may.
    pub idle_ps: Ps,
    /// Time in which a job was really on it: from its start or resumption until it had ended or its accesses had.
    pub executing_ps: Ps,
    /// Switches to another task than the one before.
    pub context_switches: u64,
    /// Jobs that were stopped before their end.
    pub preemptions: u64,
    /// Handlers that were over before the job before them had let its accesses end: they cleaned nothing.
    pub handlers_missed: u64,
    /// Longest time from a decision to stop a job until its accesses had ended.
    pub longest_drain_ps: Ps,
    /// Dirty lines that handlers wrote back when they locked a color, from its caches.
    pub lines_cleaned: u64,
    /// Dirty lines that left its caches for a rank in its refresh window (RLIM-7); none in a sound schedule.
    pub writes_into_windows: u64,
}

/// The refresh of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankRefresh {
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// The color of the schedule that has it, if it is the only one; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<usize>,
    /// Refresh commands of all kinds.
    pub commands: u64,
    /// Longest time without one, start and end of the run included.
    pub longest_gap_ps: Ps,
    /// The same in units of tREFI.
    pub longest_gap_refi: f64,
}

/// How well a channel kept the windows of the plan, its ranks added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowsKept {
    /// Windows begun, one for each rank.
    pub windows: u64,
    /// Those that began late, because accesses of the rank were under way.
    pub late: u64,
    /// By how much, in sum.
    pub late_ps: Ps,
    /// By how much at most.
    pub latest_ps: Ps,
}

impl WindowsKept {
    pub(crate) fn new(lateness: &Lateness, machine: &Machine) -> Self {
        let clock = machine.memory.timing.clock;
        Self {
            windows: lateness.windows,
            late: lateness.late,
            late_ps: clock.to_ps(lateness.total),
            latest_ps: clock.to_ps(lateness.worst),
        }
    }
}

/// What the independent checker found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckerVerdict {
    /// Commands judged.
    pub commands: u64,
    /// No violation and every row refreshed in time, where refresh was judged.
    pub clean: bool,
    /// Commands that came too early or to a bank in the wrong state.
    pub violations: u64,
    /// Refresh was judged: false if the machine's policy is to do without, and the next three are 0 then.
    pub refresh_judged: bool,
    /// Rows that were not refreshed in time, once for each time.
    pub late_rows: u64,
    /// Banks with too few refreshes in a run shorter than the refresh window.
    pub short_banks: u64,
    /// Pauses of refresh beyond what the standard lets a controller postpone; a warning.
    pub long_pauses: u64,
    /// Distances that were demanded as the machine has them ([`fresco_memory::checker::Required`]).
    pub own_timing: Vec<String>,
    /// The findings in words, the first twenty lines.
    pub report: String,
}

impl From<&CheckerReport> for CheckerVerdict {
    fn from(report: &CheckerReport) -> Self {
        Self {
            commands: report.commands_total(),
            clean: report.is_clean(),
            violations: report.violations_total(),
            refresh_judged: report.refresh_judged,
            late_rows: report.retention.late_rows,
            short_banks: report.retention.shortfall_banks,
            long_pauses: report.retention.postponements,
            own_timing: report.own_timing.iter().map(|name| (*name).to_owned()).collect(),
            report: report.to_string().lines().take(20).collect::<Vec<_>>().join("\n"),
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The independent judge of a command trace: every timing constraint of [`Timing`], the state each command needs, and
//! every row refreshed in time. It shares no code with the controllers; it knows the table of distances at
//! [`fresco_dram::Timing`], and has their values from a table of its own ([`Required`]).
//!
//! The style is the plainest that can be had. For each command: look up the earlier commands that matter and compare
//! each distance with the one required (`activate`, `precharge`, `column`, `refresh`, `bus`); then remember the command
//! (`state`). Nothing is derived ahead, so there is nothing to keep consistent. Memory is bounded by the number of
//! banks and, for retention, by 8 bytes per refresh command of a window and bank.
//!
//! Not modelled: power-down, self-refresh, mode register and calibration commands; REFpb does not
//! count as an activation for tFAW.

mod activate;
mod bus;
mod column;
mod constraint;
mod findings;
mod management;
mod precharge;
mod record;
mod refresh;
mod report;
mod required;
mod retention;
mod retention_report;
mod rounds;
mod state;

pub use constraint::Constraint;
pub use findings::Violation;
pub use record::{CommandRecord, parse_line};
pub use report::CheckerReport;
pub use required::Required;
pub use retention_report::{LateRows, Postponement, Repeat, RetentionReport, Shortfall};

use findings::Findings;
use fresco_dram::{CommandKind, Cycle, Organisation, Timing};
use fresco_machine::{MemoryConfig, RefreshPolicy};
use management::Counts;
use retention::Retention;
use state::Channel;

/// What to check and how much to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Judge refresh (rows not refreshed in time, postponing). Off for runs without refresh; timing stays judged.
    pub retention: bool,
    /// In a run shorter than the refresh window, demand the refreshes that are due by then, less those that may be
    /// postponed. Off for schedules that leave all refreshes to the end of the window.
    pub pro_rata: bool,
    /// Findings of each class that are kept in full; all are counted.
    pub keep: usize,
    /// Rows keep their data for less from a cycle on; `None` if they never do.
    pub hotter: Option<Hotter>,
}

/// Devices that become hot: rows keep their data for less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hotter {
    /// Rows refreshed at this cycle or later are to be refreshed again within [`refw`](Self::refw), those before within the refresh window of the timing.
    pub from: Cycle,
    /// The refresh window from there on.
    pub refw: Cycle,
    /// By this cycle every row has to have been refreshed at `from` or later.
    pub settled: Cycle,
}

impl Options {
    /// What a run under this policy can be held to.
    pub fn of_policy(refresh: RefreshPolicy) -> Self {
        Self {
            retention: refresh != RefreshPolicy::None,
            pro_rata: refresh.is_spread(),
            ..Self::default()
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            retention: true,
            pro_rata: true,
            keep: 100,
            hotter: None,
        }
    }
}

/// Reads a command trace, in order, and reports what the devices would not have stood.
///
/// Every row counts as freshly written at cycle 0. Violations do not stop the check: the command is taken as executed,
/// except that one which is out of order, addressed outside the organisation or unknown to the standard is reported
/// and left out.
#[derive(Clone)]
pub struct Checker {
    org: Organisation,
    timing: Timing,
    channels: Vec<Channel>,
    /// By channel, of devices that ask for refresh management or count activations.
    counts: Vec<Counts>,
    retention: Option<Retention>,
    findings: Findings,
    /// In the order of [`CommandKind::ALL`].
    commands: [u64; CommandKind::ALL.len()],
    idle_precharges: u64,
    last_cycle: Cycle,
    /// Distances that are the machine's own.
    own: Vec<&'static str>,
}

impl Checker {
    /// A checker of what a memory system does, by what its devices must be given ([`Required`]); otherwise as [`Self::new`].
    pub fn of(memory: &MemoryConfig, options: Options) -> Self {
        let Required { timing, own } = Required::of(memory);
        Self {
            own,
            ..Self::new(&memory.organisation, &timing, options)
        }
    }

    /// A checker at cycle 0, all banks closed, all rows fresh. The channels of all nodes are numbered through:
    /// `node * channels + channel`.
    pub fn new(org: &Organisation, timing: &Timing, options: Options) -> Self {
        let channels = (0..org.nodes * org.channels)
            .map(|_| Channel::new(org, timing))
            .collect();
        Self {
            org: *org,
            timing: timing.clone(),
            channels,
            counts: Counts::of_channels(org, &timing.management),
            retention: options.retention.then(|| Retention::new(org, timing, options)),
            findings: Findings::new(options.keep),
            commands: [0; CommandKind::ALL.len()],
            idle_precharges: 0,
            last_cycle: 0,
            own: Vec::new(),
        }
    }

    /// The next command of the trace. Within a channel, cycles must not decrease.
    pub fn observe(&mut self, command: &CommandRecord) {
        self.commands[command.kind as usize] += 1;
        if !command.lies_in(&self.org) {
            self.findings.fault(Constraint::Address, None, command);
            return;
        }
        if !refresh::is_supported(&self.timing, command) {
            self.findings.fault(Constraint::Unsupported, None, command);
            return;
        }
        let channel = &mut self.channels[command.channel as usize];
        if !bus::in_order(channel, command, &mut self.findings) {
            return;
        }
        self.last_cycle = self.last_cycle.max(command.cycle);

        let (t, found) = (&self.timing, &mut self.findings);
        bus::command_bus(t, channel, command, found);
        let rank = &channel.ranks[command.rank as usize];
        refresh::blocked(t, rank, command, found);
        match command.kind {
            CommandKind::Act => activate::check(t, rank, command, found),
            CommandKind::Pre | CommandKind::PreAll => {
                precharge::check(t, rank, command, found);
                self.idle_precharges += u64::from(rank.targets(command).all(|b| b.open.is_none()));
            }
            CommandKind::Rd | CommandKind::RdA | CommandKind::Wr | CommandKind::WrA => {
                column::check(t, channel, command, found);
                bus::data_bus(t, channel, command, found);
            }
            CommandKind::RfmAb | CommandKind::RfmSb => refresh::check(t, rank, command, found),
            CommandKind::RefAb | CommandKind::RefAb4 | CommandKind::RefPb | CommandKind::RefSb => {
                refresh::check(t, rank, command, found);
                if let Some(retention) = &mut self.retention {
                    retention.refresh(command);
                }
            }
        }
        if let Some(counts) = self.counts.get_mut(command.channel as usize) {
            counts.observe(rank, command, found);
        }
        channel.remember(t, command);
    }

    /// The verdict on a run that ended at `end` (or with the last command, if that is later).
    pub fn finish(mut self, end: Cycle) -> CheckerReport {
        self.verdict(end)
    }

    /// As [`finish`](Self::finish), of a run that goes on.
    pub fn verdict(&mut self, end: Cycle) -> CheckerReport {
        let end = end.max(self.last_cycle);
        let refresh_judged = self.retention.is_some();
        let retention = self.retention.as_mut().map(|r| r.verdict(end)).unwrap_or_default();
        CheckerReport {
            end,
            commands: CommandKind::ALL
                .into_iter()
                .zip(self.commands)
                .filter(|&(_, n)| n > 0)
                .collect(),
            idle_precharges: self.idle_precharges,
            own_timing: self.own.clone(),
            counts: self.findings.counts.clone(),
            violations: self.findings.kept.clone(),
            refresh_judged,
            retention,
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The verdict on a trace.

use super::retention_report::RetentionReport;
use super::{Constraint, Violation};
use fresco_dram::{CommandKind, Cycle};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What the checker found. Lists hold the first findings of their class, counts all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckerReport {
    /// End of the run, in cycles.
    pub end: Cycle,
    /// Commands read, by kind.
    pub commands: BTreeMap<CommandKind, u64>,
    /// PRE and PREA that found all their banks closed: allowed, but useless.
    pub idle_precharges: u64,
    /// Distances that were demanded as the machine has them, and not by the checker's own table ([`super::Required`]).
    pub own_timing: Vec<&'static str>,
    /// Violations by rule.
    pub counts: BTreeMap<Constraint, u64>,
    /// The first violations, in the order of the trace.
    pub violations: Vec<Violation>,
    /// Refresh was judged; false if the machine's policy is to do without.
    pub refresh_judged: bool,
    /// Refresh; all zero if it was not judged.
    pub retention: RetentionReport,
}

impl CheckerReport {
    /// Commands read.
    pub fn commands_total(&self) -> u64 {
        self.commands.values().sum()
    }

    /// Violations of all rules.
    pub fn violations_total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// No violation and every row refreshed in time, where refresh was judged ([`refresh_judged`](Self::refresh_judged)). Warnings do not count.
    pub fn is_clean(&self) -> bool {
        self.counts.is_empty() && self.retention.late_rows == 0 && self.retention.shortfall_banks == 0
    }
}

impl fmt::Display for CheckerReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} commands in {} cycles", self.commands_total(), self.end)?;
        if !self.refresh_judged {
            write!(f, "\nrefresh was not judged, as the machine's policy is \"none\"")?;
        }
        for (constraint, count) in &self.counts {
            write!(f, "\n{count} x {}", constraint.name())?;
        }
        for violation in &self.violations {
            write!(f, "\n  {violation}")?;
        }
        let r = &self.retention;
        if r.late_rows > 0 {
            write!(f, "\n{} rows not refreshed in time", r.late_rows)?;
        }
        for l in &r.late {
            let last = u64::from(l.first_row) + u64::from(l.rows) - 1;
            bank(f, l.channel, l.rank, l.bank_group, l.bank)?;
            write!(f, ", rows {} to {last}: from {} to {}", l.first_row, l.since, l.until)?;
        }
        if r.shortfall_banks > 0 {
            write!(f, "\n{} banks with too few refreshes", r.shortfall_banks)?;
        }
        for s in &r.shortfalls {
            bank(f, s.channel, s.rank, s.bank_group, s.bank)?;
            write!(f, ": {} of {} due", s.done, s.due)?;
        }
        if r.postponements > 0 {
            write!(f, "\nwarning: {} pauses beyond the postponing limit", r.postponements)?;
        }
        for p in &r.postponed {
            bank(f, p.channel, p.rank, p.bank_group, p.bank)?;
            write!(f, ": from {} to {}", p.from, p.to)?;
        }
        if r.repeats > 0 {
            write!(
                f,
                "\nwarning: {} bank refreshes before every bank had its turn",
                r.repeats
            )?;
        }
        for p in &r.repeated {
            bank(f, p.channel, p.rank, p.bank_group, p.bank)?;
            write!(f, ": at {}", p.at)?;
        }
        if !self.own_timing.is_empty() {
            write!(
                f,
                "\njudged by the machine's own values: {}",
                self.own_timing.join(", ")
            )?;
        }
        if self.is_clean() {
            write!(f, "\nno violation")?;
        }
        Ok(())
    }
}

/// The line of a finding about one bank.
fn bank(f: &mut fmt::Formatter<'_>, channel: u32, rank: u32, group: u32, bank: u32) -> fmt::Result {
    write!(f, "\n  channel {channel} rank {rank} group {group} bank {bank}")
}

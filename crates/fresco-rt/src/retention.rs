// SPDX-License-Identifier: MIT OR Apache-2.0
//! Retention of every row, from nothing but the times of the refresh commands of a rank.
//!
//! Independent of every planner. A device counts its all-bank refresh commands and refreshes the next bin of rows at each, so
//! command `k` refreshes bin `k mod bins`, whoever sent it.

use std::fmt;

use serde::Serialize;

use crate::time::Time;
use crate::toplevel::Locks;

/// Distances found between refreshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RetentionReport {
    /// Commands seen.
    pub commands: u64,
    /// Longest time any row waited for its refresh.
    pub longest_row_gap: Time,
    /// Longest time without a command, which devices limit to a number of refresh intervals (DDR3: 9 tREFI).
    pub longest_command_gap: Time,
}

/// A row that waited too long, or commands that do not ascend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetentionViolation {
    /// A bin of rows was last refreshed at `from` and next at `to` (or not until then).
    Expired {
        /// The bin.
        bin: usize,
        /// Its last refresh, or the start.
        from: Time,
        /// Its next refresh, or the end.
        to: Time,
    },
    /// This command begins before the previous one ended.
    Overlapping(Time),
}

impl fmt::Display for RetentionViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RetentionViolation::Expired { bin, from, to } => {
                write!(f, "bin {bin} is refreshed at {from} and not again until {to}")
            }
            RetentionViolation::Overlapping(at) => {
                write!(f, "the command at {at} begins before the previous one ended")
            }
        }
    }
}

impl std::error::Error for RetentionViolation {}

/// What the rank needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionRule {
    /// tRET: no row waits longer.
    pub retention: Time,
    /// Commands that refresh all rows once (8192); 0 counts as 1.
    pub bins: usize,
    /// tRFC: least distance of commands.
    pub trfc: Time,
}

/// Checks the commands of a rank during `[start, end)`, given in time order. Rows count as refreshed at `start`.
pub fn check_retention(
    commands: impl IntoIterator<Item = Time>,
    rule: RetentionRule,
    span: (Time, Time),
) -> Result<RetentionReport, RetentionViolation> {
    check_late_retention(commands.into_iter().map(|at| (at, 0)), rule, span)
}

/// As [`check_retention`], with commands that may be late: each is given with its time and how much later it may come. The last refresh
/// of a row counts as on time, the next as late, whatever became of the others.
pub fn check_late_retention(
    commands: impl IntoIterator<Item = (Time, Time)>,
    rule: RetentionRule,
    (start, end): (Time, Time),
) -> Result<RetentionReport, RetentionViolation> {
    let bins = rule.bins.max(1);
    let mut refreshed = vec![start; bins];
    let mut report = RetentionReport {
        commands: 0,
        longest_row_gap: 0,
        longest_command_gap: 0,
    };
    let mut previous = None;
    let expired = |bin: usize, from: Time, to: Time| RetentionViolation::Expired { bin, from, to };
    for (at, late) in commands.into_iter().take_while(|&(at, _)| at < end) {
        if previous.is_some_and(|previous: Time| at < previous.saturating_add(rule.trfc)) {
            return Err(RetentionViolation::Overlapping(at));
        }
        let bin = (report.commands % bins as u64) as usize;
        let at_last = at.saturating_add(late);
        let gap = at_last.saturating_sub(refreshed[bin]);
        if gap > rule.retention {
            return Err(expired(bin, refreshed[bin], at_last));
        }
        report.longest_row_gap = report.longest_row_gap.max(gap);
        report.longest_command_gap = report
            .longest_command_gap
            .max(at_last.saturating_sub(previous.unwrap_or(start)));
        report.commands += 1;
        refreshed[bin] = at;
        previous = Some(at);
    }
    report.longest_command_gap = report
        .longest_command_gap
        .max(end.saturating_sub(previous.unwrap_or(start)));
    match (0..bins).find(|&bin| end.saturating_sub(refreshed[bin]) > rule.retention) {
        Some(bin) => Err(expired(bin, refreshed[bin], end)),
        None => Ok(report),
    }
}

/// Commands of a color that starts under auto-refresh and goes over to bursts (CRS-9).
///
/// Auto-refresh sends a command every `retention / bins` and stays on until the color's own first burst begins: switching all
/// colors at time 0 would leave color 0 without refresh for up to one and a half retention times (E34).
pub fn commands_from_start(locks: &Locks, color: usize, rule: RetentionRule) -> impl Iterator<Item = Time> + '_ {
    let first_burst = locks.window(color, 0).burst_start;
    let bins = rule.bins.max(1) as u128;
    let auto = (0u128..).map(move |i| (i * u128::from(rule.retention) / bins) as Time);
    let bursts = (0..).flat_map(move |k| {
        let start = locks.window(color, k).burst_start;
        (0..bins as Time).map(move |i| start + i * rule.trfc)
    });
    // One that would still run when the burst begins comes so much earlier: left out, its rows would wait too long.
    let in_time = first_burst.saturating_sub(rule.trfc);
    auto.take_while(move |&at| at < first_burst)
        .map(move |at| at.min(in_time))
        .chain(bursts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::{Burst, COMMANDS, Density, RETENTION};

    const RULE: RetentionRule = RetentionRule {
        retention: RETENTION,
        bins: COMMANDS as usize,
        trfc: 350,
    };

    /// E34: both colors keep retention over the switch, if each keeps auto-refresh until its own first burst.
    #[test]
    fn the_switch_from_auto_refresh_keeps_retention() {
        let locks = Locks::of_two_servers(RETENTION, Burst::Standard.length(Density::Gb8), 2000, 2000).unwrap();
        for color in 0..2 {
            // One retention time of auto-refresh precedes the start, so that rows are not all fresh then.
            let before = (0..COMMANDS).map(|i| i * RETENTION / COMMANDS);
            let commands = before.chain(commands_from_start(&locks, color, RULE).map(|at| at + RETENTION));
            let report = check_retention(commands, RULE, (0, 5 * RETENTION)).unwrap();
            assert!(report.longest_command_gap > RETENTION / 2, "a burst, then silence");
        }
        // Without its own refresh until its first burst, color 0 is refreshed late after an auto-refresh that ended at 0.
        let bursts_only = (0..4).flat_map(|k| (0..COMMANDS).map(move |i| (k * RETENTION + RETENTION / 2) + i * 350));
        let since_the_last_auto_refresh = (0, 4 * RETENTION);
        assert!(check_retention(bursts_only.clone(), RULE, since_the_last_auto_refresh).is_ok());
        let rows_refreshed_before = (0..COMMANDS).map(|i| i * RETENTION / COMMANDS);
        let switched = rows_refreshed_before.chain(bursts_only.map(|at| at + RETENTION));
        assert!(matches!(
            check_retention(switched, RULE, (0, 4 * RETENTION)),
            Err(RetentionViolation::Expired { .. })
        ));
    }

    /// The shorter burst of the text refreshes an eighth of the rows of a rank (E1).
    #[test]
    fn the_published_burst_loses_rows() {
        let bursts = (0..8).flat_map(|k| (0..COMMANDS / 8).map(move |i| k * RETENTION + i * 350));
        assert!(matches!(
            check_retention(bursts, RULE, (0, 8 * RETENTION)),
            Err(RetentionViolation::Expired { .. })
        ));
    }

    #[test]
    fn a_row_may_wait_for_the_retention_time_and_no_longer() {
        let rule = RetentionRule {
            retention: 10,
            bins: 2,
            trfc: 1,
        };
        let report = check_retention([0, 5, 10, 15], rule, (0, 20)).unwrap();
        assert_eq!(
            report,
            RetentionReport {
                commands: 4,
                longest_row_gap: 10,
                longest_command_gap: 5
            }
        );
        let late = RetentionViolation::Expired {
            bin: 0,
            from: 0,
            to: 11,
        };
        assert_eq!(check_retention([0, 5, 11], rule, (0, 15)), Err(late));
        let never = RetentionViolation::Expired {
            bin: 1,
            from: 5,
            to: 16,
        };
        assert_eq!(check_retention([0, 5, 10], rule, (0, 16)), Err(never));
    }

    /// 8192 commands per retention time leave nothing for a late burst. As many more as fit the lateness bring each row's next command so
    /// much forward.
    #[test]
    fn more_commands_make_up_for_late_bursts() {
        let jitter = 7812;
        let bursts = |commands: Time| {
            let of_turn =
                move |k: Time| (0..commands).map(move |i| (k * RETENTION + i * 350, if k == 0 { 0 } else { jitter }));
            (0..4).flat_map(of_turn)
        };
        let check = |commands| check_late_retention(bursts(commands), RULE, (0, 4 * RETENTION));
        assert!(matches!(check(COMMANDS), Err(RetentionViolation::Expired { .. })));
        // 22 x 350 ns are 112 ns too few.
        assert!(check(COMMANDS + 22).is_err());
        let report = check(COMMANDS + 23).unwrap();
        assert_eq!(report.longest_row_gap, RETENTION - 23 * 350 + jitter);
    }

    #[test]
    fn commands_do_not_overlap() {
        assert_eq!(
            check_retention([0, 349], RULE, (0, 1000)),
            Err(RetentionViolation::Overlapping(349))
        );
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that every row is refreshed in time: across the switch from ordinary refresh, and for several retention times on (E34).

use super::report::{CheckReport, Violation, holds};
use super::words;
use crate::plan::{Plan, RefreshPlan, RefreshWindow};
use fresco_machine::RefreshPolicy;
use fresco_rt::Time;
use fresco_rt::retention::{RetentionRule, check_late_retention};

/// Retention times looked at, after one of ordinary refresh. Windows repeat within one, the first is over within one, and a row's
/// refresh comes within one of the last, so that what holds for three holds for ever; one more leaves no question of borders.
const TURNS: Time = 4;

pub(super) fn check(plan: &Plan, report: &mut CheckReport) -> Result<(), Violation> {
    match &plan.refresh {
        RefreshPlan::Controller { policy } => controller(plan, policy, report),
        RefreshPlan::Windows { period_ns, windows } => {
            in_windows(plan, *period_ns, windows, report)?;
            rank_limits(plan, report)
        }
    }
}

/// When ordinary refresh issues command `number`, of so many `commands` in each retention time.
pub(super) fn ordinary(number: Time, retention: Time, commands: Time) -> Time {
    (u128::from(number) * u128::from(retention) / u128::from(commands.max(1))) as Time
}

/// A controller's own policy keeps retention, if a bank's rows fit its turn.
fn controller(plan: &Plan, policy: &str, report: &mut CheckReport) -> Result<(), Violation> {
    let memory = &plan.memory;
    if policy == RefreshPolicy::PerBankSequential.name() {
        let banks = Time::from(memory.ranks) * Time::from(memory.banks_per_rank);
        let frame = memory.retention_ns / banks.max(1);
        let needed = memory
            .trfc_bank_ns
            .map(|trfc| trfc.saturating_mul(memory.bank_commands));
        holds! {
            needed.is_some_and(|needed| needed <= frame), "refresh.policy",
            "all rows of a bank take {}, its turn is {frame} ns", words::nanoseconds(needed)
        }
        report
            .warnings
            .push("one bank after the other is an order that no standard has (COD-1)".to_owned());
    }
    report.facts.push(format!(
        "the controller's own refresh ({policy}) reaches every row in time"
    ));
    Ok(())
}

fn in_windows(plan: &Plan, period: Time, windows: &[RefreshWindow], report: &mut CheckReport) -> Result<(), Violation> {
    let memory = &plan.memory;
    let rule = RetentionRule {
        retention: memory.retention_ns,
        bins: usize::try_from(memory.commands).unwrap_or(usize::MAX),
        trfc: memory.trfc_ns,
    };
    for color in 0..plan.colors.len() {
        let mut own: Vec<&RefreshWindow> = windows.iter().filter(|window| window.color == color).collect();
        own.sort_by_key(|window| window.start_ns);
        let place = format!("refresh.windows of color {color}");
        holds! { !own.is_empty(), place, "there is none: its rows are never refreshed" }
        let first = memory.retention_ns + own[0].start_ns;
        // A refresh that would still run when the window opens comes so much earlier: left out, a row would wait too long.
        let in_time = first.saturating_sub(memory.trfc_ns);
        let before = (0..)
            .map(|number| ordinary(number, memory.retention_ns, memory.commands))
            .take_while(|&at| at < first)
            .map(|at| (at.min(in_time), 0));
        let planned = (0..).flat_map(|turn: Time| {
            own.iter().enumerate().flat_map(move |(number, window)| {
                let start = memory.retention_ns + turn * period + window.start_ns;
                // Until the first window begins, however late, the rank is refreshed as usual.
                let late = if turn == 0 && number == 0 {
                    0
                } else {
                    plan.refresh_jitter_ns
                };
                (0..window.commands).map(move |k| (start + k * memory.trfc_ns, late))
            })
        });
        let end = (TURNS + 1) * memory.retention_ns;
        let found = check_late_retention(before.chain(planned), rule, (0, end)).map_err(|violation| {
            Violation::new(
                &place,
                format!("{violation} (ns, after {} of ordinary refresh)", memory.retention_ns),
            )
        })?;
        report.longest_row_gap_ns = report.longest_row_gap_ns.max(Some(found.longest_row_gap));
        report.longest_command_gap_ns = report.longest_command_gap_ns.max(Some(found.longest_command_gap));
    }
    report.facts.push(format!(
        "every row is refreshed within {} ns, from the switch-on on; the longest wait is {} ns",
        memory.retention_ns,
        report.longest_row_gap_ns.unwrap_or(0)
    ));
    let spare = memory
        .retention_ns
        .saturating_sub(report.longest_row_gap_ns.unwrap_or(0));
    report.warnings.push(match plan.refresh_jitter_ns {
        0 => format!(
            "refreshes are assumed to begin exactly when the plan says; a timer that starts them with more jitter than {spare} ns makes \
             rows wait too long"
        ),
        jitter => format!("refreshes are assumed to begin no more than {jitter} ns late"),
    });
    let gap = report.longest_command_gap_ns.unwrap_or(0);
    if gap > memory.longest_gap_ns {
        report.warnings.push(format!(
            "up to {gap} ns pass between refresh commands of a rank; {} lets a controller postpone up to {} ns, so ask the vendor \
             whether the device stands it",
            memory.standard, memory.longest_gap_ns
        ));
    }
    Ok(())
}

/// Every rank belongs to one color: else nobody refreshes it.
fn rank_limits(plan: &Plan, report: &mut CheckReport) -> Result<(), Violation> {
    for rank in 0..plan.memory.ranks {
        let owners = plan.colors.iter().filter(|color| color.ranks.contains(&rank)).count();
        holds! { owners == 1, "colors", "rank {rank} belongs to {owners} of them; it needs one, or it is not refreshed as planned" }
    }
    report.facts.push("every rank is refreshed with one color".to_owned());
    Ok(())
}

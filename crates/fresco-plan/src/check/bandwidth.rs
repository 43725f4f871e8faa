// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the controllers can serve the budgets of bandwidth in every period, whatever the cores ask for (MG-2, MG-3).

use super::report::{CheckReport, Violation, holds};
use crate::Method;
use crate::plan::{Plan, RefreshPlan};
use fresco_machine::{Guaranteed, Machine, RefreshPolicy};

/// Longest period: a second, and the shortest, 10 µs; in nanoseconds.
const PERIODS: std::ops::RangeInclusive<u64> = 10_000..=1_000_000_000;

pub(super) fn check(plan: &Plan, machine: &Machine, report: &mut CheckReport) -> Result<(), Violation> {
    let Some(bandwidth) = &plan.bandwidth else {
        return Ok(());
    };
    let period = bandwidth.period_ns;
    holds! { PERIODS.contains(&period), "bandwidth.period_ns", "is {period}; budgets are renewed after 10 us to 1 s" }
    holds! { bandwidth.interrupt_cycles <= 1_000_000, "bandwidth.interrupt_cycles", "are {}, more than a million", bandwidth.interrupt_cycles }
    let interrupts = 2 * u128::from(bandwidth.interrupt_cycles) * 1000;
    let room = u128::from(period) * u128::from(machine.core.mhz);
    holds! { interrupts <= room, "bandwidth.interrupt_cycles", "are {}: the timer's interrupt and that of a used-up budget do not fit a period of {period} ns", bandwidth.interrupt_cycles }
    let lines = &bandwidth.lines;
    holds! { lines.len() == plan.cores as usize, "bandwidth.lines", "are of {} cores, the plan has {}", lines.len(), plan.cores }
    let has_tasks = |core: usize| {
        plan.tasks
            .iter()
            .any(|task| task.core.is_none_or(|own| own as usize == core))
    };
    let is_dead = |core: &usize| lines[*core] == 0 && (plan.method != Method::Partition || has_tasks(*core));
    if let Some(core) = (0..lines.len()).find(is_dead) {
        return Err(Violation::new(
            format!("bandwidth.lines[{core}]"),
            "is 0: the core could never go on",
        ));
    }
    let guaranteed = Guaranteed::of(&as_refreshed(plan, machine), bandwidth.count_write_backs);
    holds! { bandwidth.line_bytes == guaranteed.line_bytes, "bandwidth.line_bytes", "are {}, the machine's lines have {}", bandwidth.line_bytes, guaranteed.line_bytes }
    holds! { guaranteed.holds_over <= period.saturating_mul(1000), "bandwidth.period_ns", "is {period}, and refresh in bursts leaves a bank no guaranteed bandwidth over less than {}", fresco_input::spell_duration(guaranteed.holds_over) }
    // Bytes that a controller serves in a period at worst.
    let served = u128::from(guaranteed.bytes_per_s()) * u128::from(period) / 1_000_000_000;
    let node_of_core = &machine.topology.node_of_core;
    for node in 0..machine.memory.organisation.nodes {
        let own = lines.iter().zip(node_of_core).filter(|(_, home)| **home == node);
        let bytes: u128 = own
            .map(|(&lines, _)| u128::from(lines) * u128::from(bandwidth.line_bytes))
            .sum();
        holds! { bytes <= served, "bandwidth.lines", "are {bytes} bytes in a period on controller {node}, which serves {served} at worst" }
    }
    report
        .facts
        .push("every controller can serve the budgets of its cores in every period".to_owned());
    if plan.method != Method::Partition {
        report.warnings.push(
            "execution times are taken as measured under the budgets of bandwidth, stalls included: nothing here can tell"
                .to_owned(),
        );
    }
    Ok(())
}

/// The machine with the plan's refresh. In windows: as if a rank were refreshed as usual, which takes more of a bank's time
/// than windows that nobody meets.
fn as_refreshed(plan: &Plan, machine: &Machine) -> Machine {
    let mut machine = machine.clone();
    let known = |policy: &str| RefreshPolicy::NAMES.into_iter().find(|(name, _)| *name == policy);
    machine.memory.controller.refresh = match &plan.refresh {
        RefreshPlan::Controller { policy } => known(policy).map_or(RefreshPolicy::Burst, |(_, policy)| policy),
        RefreshPlan::Windows { .. } => RefreshPolicy::AllBankIndependent,
    };
    machine
}

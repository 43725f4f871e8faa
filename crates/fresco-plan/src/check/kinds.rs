// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that method, schedule and refresh belong together: what the other checks derive of one rests on the others.

use super::report::{Violation, holds};
use crate::Method;
use crate::plan::{Plan, RefreshPlan, Schedule};
use fresco_machine::RefreshPolicy;
use fresco_rt::Time;

pub(super) fn check(plan: &Plan) -> Result<(), Violation> {
    let colors = plan.colors.len();
    let scheduled = match (plan.method, &plan.schedule) {
        (Method::AutoRefresh, Schedule::Priorities) => colors == 0,
        (Method::Burst, Schedule::Locked { .. }) => colors == 1,
        (Method::Flat, Schedule::Locked { .. })
        | (Method::Crs, Schedule::Servers { .. } | Schedule::Table { .. })
        | (Method::Aligned, Schedule::Slots { .. }) => colors == 2,
        (Method::ColoredRefresh, Schedule::Table { .. }) => colors > 1,
        (Method::Codesign, Schedule::Fair { .. }) | (Method::Partition, Schedule::Priorities) => true,
        _ => false,
    };
    holds! { scheduled, "schedule.kind", "is none that {} has with {colors} colors", plan.method.name() }
    let needed = match plan.method {
        // The proofs count one refresh per interval, of all ranks at once (F1).
        Method::AutoRefresh => Some(RefreshPolicy::AllBankSimultaneous),
        Method::Codesign => Some(RefreshPolicy::PerBankSequential),
        _ => None,
    };
    let is_partition = plan.method == Method::Partition;
    let by_llc = plan.colors.iter().position(|color| color.llc_colors.is_some());
    if let Some(number) = by_llc.filter(|_| !is_partition) {
        return Err(Violation::new(
            format!("colors[{number}].llc_colors"),
            format!("are given, {} heeds none", plan.method.name()),
        ));
    }
    match (&plan.refresh, needed) {
        (RefreshPlan::Controller { .. }, None) if is_partition => {}
        (RefreshPlan::Controller { policy }, Some(needed)) => {
            let known = RefreshPolicy::NAMES.iter().any(|(name, _)| name == policy);
            holds! { known, "refresh.policy", "there is no refresh policy {policy:?}" }
            holds! { policy == needed.name(), "refresh.policy", "is {policy}, {} is for {}", plan.method.name(), needed.name() }
        }
        (RefreshPlan::Windows { .. }, None) if !is_partition => {}
        _ => {
            return Err(Violation::new(
                "refresh.kind",
                format!("is none that {} has", plan.method.name()),
            ));
        }
    }
    if plan.method == Method::Codesign {
        banks_in_turn(plan)?;
    }
    Ok(())
}

/// The controller refreshes bank after bank, then rank after rank (COD-1): the colors are these banks, in this order.
fn banks_in_turn(plan: &Plan) -> Result<(), Violation> {
    let (ranks, banks) = (plan.memory.ranks, plan.memory.banks_per_rank.max(1));
    let all = u64::from(ranks) * u64::from(banks);
    holds! { plan.colors.len() as u64 == all, "colors", "are {}, the controller refreshes {all} banks in turn", plan.colors.len() }
    for (number, color) in (0u32..).zip(&plan.colors) {
        let (rank, bank) = (number / banks, number % banks);
        let own = color.ranks == [rank] && color.bank == Some(bank);
        holds! { own, format!("colors[{number}]"), "is not bank {bank} of rank {rank}, which is refreshed in this turn" }
    }
    if let Schedule::Fair { slice_ns, candidates } = plan.schedule {
        let turn = plan.memory.retention_ns / (plan.colors.len() as Time).max(1);
        holds! { slice_ns == turn, "schedule.slice_ns", "is {slice_ns} ns, a bank's turn takes {turn} ns (COD-10)" }
        holds! { candidates > 0, "schedule.candidates", "are 0; one is taken at least" }
    }
    Ok(())
}

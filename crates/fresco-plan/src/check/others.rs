// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks WCETs that were measured alone: what tasks of other cores cost in memory has to be in them.

use super::report::{CheckReport, Violation, holds};
use crate::plan::Plan;
use fresco_bound::{Held, Together};
use fresco_machine::Machine;

/// Most lines of a job, as in files of tasks.
const MOST_LINES: u64 = 1 << 40;

pub(super) fn check(plan: &Plan, machine: &Machine, report: &mut CheckReport) -> Result<(), Violation> {
    if plan.tasks.iter().all(|task| task.wcet_alone_ns == 0) {
        return Ok(());
    }
    for (number, task) in plan.tasks.iter().enumerate() {
        let place = format!("tasks[{number}] ({})", task.name);
        let (alone, all) = (task.wcet_alone_ns, task.wcet_ns);
        holds! { alone <= all, &place, "takes {alone} ns alone, more than its WCET of {all} ns" }
        let lines = task.reads.max(task.write_backs);
        holds! { lines <= MOST_LINES, &place, "moves {lines} lines, beyond all use" }
    }
    if let Some(why) = Together::unknown(machine, plan.bandwidth.is_some()) {
        return Err(Violation::new(
            "machine",
            format!("{why}: WCETs measured alone say nothing of other cores"),
        ));
    }
    let writes = plan
        .tasks
        .iter()
        .any(|task| task.wcet_alone_ns == 0 || task.write_backs > 0);
    let together = Together::new(machine, plan.cores, writes, held(plan, machine, writes)).map_err(|unbounded| {
        Violation::new(
            "machine",
            format!("WCETs measured alone say nothing of other cores: {unbounded}"),
        )
    })?;
    for (number, task) in plan.tasks.iter().enumerate().filter(|(_, task)| task.wcet_alone_ns > 0) {
        let place = format!("tasks[{number}] ({})", task.name);
        let least = match plan.cores {
            1 => task.wcet_alone_ns,
            _ => {
                let alone_ps = task.wcet_alone_ns.saturating_mul(1000);
                together
                    .job(alone_ps, task.reads, task.write_backs)
                    .longest_ps
                    .div_ceil(1000)
            }
        };
        holds! { task.wcet_ns >= least, place, "has a WCET of {} ns; alone it is {} ns, and beside other cores up to {least} ns", task.wcet_ns, task.wcet_alone_ns }
    }
    report
        .facts
        .push("WCETs measured alone have in them what other cores cost in memory".to_owned());
    report.warnings.push(
        "jobs are assumed to read and write back no more lines than the plan says, whatever others displace, and to take no longer than their reads do"
            .to_owned(),
    );
    Ok(())
}

/// What budgets let the other cores move, if budgets hold for all that is moved.
fn held(plan: &Plan, machine: &Machine, writes: bool) -> Option<Held> {
    let budgets = plan.bandwidth.as_ref()?;
    if writes && !budgets.count_write_backs {
        return None;
    }
    let mut lines: Vec<u64> = budgets.lines.iter().copied().take(plan.cores as usize).collect();
    lines.sort_unstable();
    if lines.len() < plan.cores as usize || lines.first().is_none_or(|least| *least == 0) {
        return None;
    }
    // A miss under way reads a line, and three levels of caches may displace one each.
    let of_miss = if writes { 4 } else { 1 };
    let beside = |lines: &u64| lines.saturating_add(u64::from(machine.core.mshrs) * of_miss);
    Some(Held {
        period_ps: budgets.period_ns.saturating_mul(1000),
        lines_of_others: lines[1..].iter().map(beside).fold(0, u64::saturating_add),
        interrupt_ps: budgets
            .interrupt_cycles
            .saturating_mul(1_000_000)
            .div_ceil(u64::from(machine.core.mhz)),
    })
}

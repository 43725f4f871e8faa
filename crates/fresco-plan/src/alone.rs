// SPDX-License-Identifier: MIT OR Apache-2.0
//! WCETs that were measured alone: what tasks of other cores cost in memory is added before anything is planned.

use crate::refusal::Refusal;
use fresco_bound::{Held, Together};
use fresco_rt::{Task, Time};
use fresco_scenario::TaskSet;

/// The timing of tasks with what other cores cost; as it is where WCETs contain it, or there is one core.
///
/// # Errors
/// Reads that have no bound, with what would bound them; a job that then takes longer than it may.
pub(crate) fn beside_others(set: &TaskSet, timing: Vec<Task>) -> Result<Vec<Task>, Refusal> {
    let Some(alone) = set.options.alone.filter(|_| set.options.cores > 1) else {
        return Ok(timing);
    };
    let together = together(set, alone.writes)?;
    let lines = set
        .tasks
        .iter()
        .filter(|spec| spec.timing.is_some())
        .map(|spec| spec.lines);
    let counted = timing.into_iter().zip(lines).map(|(task, lines)| {
        let lines = lines.ok_or_else(|| Refusal::form(format!("nothing says how many lines a job of {} reads", task.name)))?;
        let longest = together.job(task.wcet.saturating_mul(1000), lines.reads, lines.write_backs).longest_ps;
        let wcet = longest.div_ceil(1000).max(task.wcet);
        if wcet > task.window() {
            return Err(Refusal::load(format!(
                "beside {} other cores a job of {} takes up to {wcet} ns: {} ns alone, and {} reads of up to {} ns each; it has {} ns. Fewer cores, budgets \
                 of bandwidth or a smaller cap of row hits (memory.controller.hit_cap) make that less",
                set.options.cores - 1,
                task.name,
                task.wcet,
                lines.reads,
                together.read_ps().div_ceil(1000),
                task.window()
            )));
        }
        Ok(Task { wcet, ..task })
    });
    counted.collect()
}

fn together(set: &TaskSet, writes: bool) -> Result<Together<'_>, Refusal> {
    let machine = &set.machine;
    if let Some(why) = Together::unknown(machine, set.bandwidth.is_some()) {
        return Err(Refusal::machine(format!(
            "WCETs measured alone say nothing of other cores: {why}; {}",
            why.way_out()
        )));
    }
    let cores = set.options.cores;
    let budgets = set
        .bandwidth
        .as_ref()
        .filter(|budgets| budgets.count_write_backs || !writes);
    let held = budgets.and_then(|budgets| {
        let lines = budgets.lines.get(..cores as usize)?;
        let least = lines.iter().copied().min().filter(|least| *least > 0)?;
        // Who has the smallest budget has most of the others', and each core ends what is under way when its own is used up.
        let under_way = fresco_bound::lines_under_way(machine, writes) * u64::from(cores - 1);
        Some(Held {
            period_ps: budgets.period_ns.saturating_mul(1000),
            lines_of_others: lines.iter().sum::<Time>() - least + under_way,
            interrupt_ps: (budgets.interrupt_cycles * 1_000_000).div_ceil(u64::from(machine.core.mhz)),
        })
    });
    Together::new(machine, cores, writes, held).map_err(|unbounded| {
        Refusal::machine(format!(
            "WCETs measured alone say nothing of other cores: {unbounded}; {}",
            unbounded.way_out()
        ))
    })
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-design: refresh one bank at a time, all its rows, and run tasks meanwhile that have nothing in it (COD-1 to COD-11).
//!
//! It is for batch tasks, in fair shares, and guarantees nothing. A cyclic table with banks as colors would (theory of the
//! cyclic executive), but it needs turns of banks that neither drift nor jitter against the table, which a controller that fits
//! refreshes between requests does not have: a row would wait longer than tRET, or the table last minutes.

use super::draft::{Draft, PlanContext};
use super::words::time;
use crate::colors::of_banks;
use crate::plan::{Color, RefreshPlan, Schedule};
use crate::refusal::Refusal;
use fresco_machine::RefreshPolicy;
use fresco_rt::Time;

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    if !context.tasks.is_empty() {
        return Err(Refusal::form(
            "fair shares guarantee no deadline; codesign is for batch tasks, which have no period",
        ));
    }
    let memory = &context.memory;
    if let Some(bandwidth) = context.set.bandwidth.as_ref()
        && bandwidth.period_ns < memory.retention_ns
    {
        return Err(Refusal::machine(format!(
            "while all rows of a bank are refreshed it has no bandwidth: budgets of {} ns are none, shorter than {} ns",
            bandwidth.period_ns, memory.retention_ns
        )));
    }
    let machine = &context.set.machine.memory;
    RefreshPolicy::PerBankSequential
        .check(&machine.organisation, &machine.timing)
        .map_err(|error| Refusal::machine(format!("no bank can be refreshed after the other: {error}")))?;
    let colors = of_banks(&context.set.machine)?;
    let slice = memory.retention_ns / colors.len() as Time;
    fair(context, colors, slice)
}

fn refresh() -> RefreshPlan {
    RefreshPlan::Controller {
        policy: RefreshPolicy::PerBankSequential.name().to_owned(),
    }
}

/// What the method asks of devices.
const LIMITS: &str = "all rows of one bank before the next: neither DDR3 nor LPDDR specify this order; LPDDR2 fixes the order of the \
                      banks, and where it is free the row counter goes on only after a round of all banks";

/// `need` units over the colors that are not occupied, as evenly as the room in each allows; the room suffices.
fn spread(need: u64, room: &[u64], occupied: &[bool]) -> Vec<u64> {
    let mut units = vec![0; room.len()];
    let mut rest = need;
    while rest > 0 {
        let open: Vec<usize> = (0..room.len())
            .filter(|&c| !occupied[c] && units[c] < room[c])
            .collect();
        debug_assert!(!open.is_empty(), "what the assignment found is room enough");
        if open.is_empty() {
            break;
        }
        let share = (rest / open.len() as u64).max(1);
        for color in open {
            let more = share.min(room[color] - units[color]).min(rest);
            units[color] += more;
            rest -= more;
        }
    }
    units
}

/// Fair slices for batch tasks: the tasks of a core leave banks of each rank free in turn (COD-11).
fn fair(context: &PlanContext<'_>, colors: Vec<Color>, slice: Time) -> Result<Draft, Refusal> {
    let set = context.set;
    let cores = set.options.cores as usize;
    let banks = context.memory.banks_per_rank as usize;
    let mut on_core = vec![Vec::new(); cores];
    for (task, spec) in set.tasks.iter().enumerate() {
        let core = spec.core.map_or(task % cores, |core| core as usize);
        on_core[core].push(task);
    }
    let mut instances = vec![Vec::new(); set.tasks.len()];
    let mut reasons = vec![LIMITS.to_owned()];
    let mut left: Vec<u64> = colors
        .iter()
        .map(|color| color.bytes / context.memory.page_bytes)
        .collect();
    for (core, tasks) in on_core.iter().enumerate().filter(|(_, tasks)| !tasks.is_empty()) {
        let count = tasks.len().min(banks);
        for (number, &task) in tasks.iter().enumerate() {
            // Task n of a core leaves the n-th share of the banks free; with one task alone there is no one to run meanwhile.
            let excluded = |bank: usize| count > 1 && bank * count / banks == number % count;
            let occupied: Vec<bool> = (0..colors.len()).map(|color| excluded(color % banks)).collect();
            let pages = set.tasks[task].memory / context.memory.page_bytes;
            let room: u64 = (0..left.len()).filter(|&c| !occupied[c]).map(|c| left[c]).sum();
            if room < pages {
                return Err(Refusal::load(format!(
                    "task {} needs {pages} pages, and the banks it may use have {room} left",
                    set.tasks[task].name
                )));
            }
            let units = spread(pages, &left, &occupied);
            left.iter_mut().zip(&units).for_each(|(left, units)| *left -= units);
            instances[task] = vec![units.iter().map(|unit| unit * context.memory.page_bytes).collect()];
        }
        reasons.push(match tasks.len() {
            1 => format!("core {core} has one task: it meets the refresh of its banks, no other can run meanwhile"),
            n => format!(
                "core {core}: each of {n} tasks leaves one of {count} shares of the banks of every rank free, in turn"
            ),
        });
    }
    reasons.push(format!(
        "slices of {}, as long as the turn of a bank; no guarantee",
        time(slice)
    ));
    let retention = context.memory.retention_ns;
    if let Some(bandwidth) = &set.bandwidth
        && bandwidth.period_ns.is_multiple_of(retention)
        && on_core.iter().any(|tasks| tasks.len() > 1)
    {
        reasons.push(format!(
            "budgets of {} are renewed at the turn of the same banks each time: where a core uses its budget up at once, only the \
             tasks that leave these banks free ever run; bandwidth.period had better be no multiple of {}",
            time(bandwidth.period_ns),
            time(retention)
        ));
    }
    Ok(Draft {
        high: None,
        instance_of_job: Vec::new(),
        instances,
        cores: (0..set.tasks.len())
            .map(|task| {
                on_core
                    .iter()
                    .position(|tasks| tasks.contains(&task))
                    .map(|core| core as u32)
            })
            .collect(),
        bounds: vec![None; set.tasks.len()],
        copies: vec![None; set.tasks.len()],
        schedule: Schedule::Fair {
            slice_ns: slice,
            candidates: set.options.candidates,
        },
        refresh: refresh(),
        proofs: Vec::new(),
        reasons,
        colors,
    })
}

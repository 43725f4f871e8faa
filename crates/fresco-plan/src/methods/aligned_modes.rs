// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aligned refresh in two modes: the slots are the same in both, the segments of high mode are longer (F29, F37).
//!
//! Tasks have the time of their color whatever the mode; a slot has to hold the other color's segment of high mode.

use super::aligned::{demand, find, reason, refresh, refused, schedule};
use super::criticality::{self, Modes, prove_modes};
use super::draft::{Draft, HighDraft, PlanContext};
use super::grouping::{Split, core_of, instances};
use crate::colors::of_ranks;
use crate::plan::{HighMode, Proof, RefreshPlan};
use crate::refusal::Refusal;
use fresco_rt::aligned::{AlignedError, AlignedPlan, commands_in_frame, frame};
use fresco_rt::supply::{Dedicated, Supply, Tdma};
use fresco_rt::time::divisors;
use fresco_rt::{Progress, Time};

/// Parts of a frame in which the length of a slot is sought.
const STEPS: Time = 256;

pub(super) fn draft(
    context: &PlanContext<'_>,
    hot: &PlanContext<'_>,
    groups: &[Vec<u32>; 2],
    longest: Time,
) -> Result<Draft, Refusal> {
    let (cores, plan) = slots(context, hot, groups, longest)?;
    let low = match refresh(&plan) {
        RefreshPlan::Windows { period_ns, mut windows } => {
            let commands = commands_in_frame(period_ns, demand(context)).map_err(refused)?;
            windows.iter_mut().for_each(|window| window.commands = commands);
            RefreshPlan::Windows { period_ns, windows }
        }
        controller @ RefreshPlan::Controller { .. } => controller,
    };
    let schedule = schedule(context, &cores, &plan);
    let tasks = context.tasks.len();
    let (mut proofs, mut after, mut bounds, mut early) = (Vec::new(), Vec::new(), vec![None; tasks], vec![0; tasks]);
    for (core, split) in cores.iter().enumerate() {
        for (color, slots) in plan
            .supply(core)
            .iter()
            .enumerate()
            .filter(|(color, _)| !split[*color].is_empty())
        {
            let Modes {
                low,
                high,
                virtual_deadlines,
            } = prove(context, &split[color], slots)?;
            for ((&task, &bound), deadline) in split[color].iter().zip(&low.bounds).zip(virtual_deadlines) {
                bounds[task] = Some(bound);
                early[task] = if deadline < context.tasks[task].deadline {
                    deadline
                } else {
                    0
                };
            }
            let proof = |tasks: Vec<usize>, evidence| Proof {
                core: Some(core as u32),
                color: Some(color),
                tasks,
                evidence,
            };
            let own = split[color]
                .iter()
                .copied()
                .filter(|&task| context.set.tasks[task].wcet_high.is_some());
            let own: Vec<usize> = own.collect();
            if !own.is_empty() {
                after.push(proof(own, high));
            }
            proofs.push(proof(split[color].clone(), low.evidence));
        }
    }
    let high = HighDraft {
        mode: HighMode {
            retention_ns: hot.memory.retention_ns,
            settled_ns: settled(hot, &plan),
            schedule: schedule.clone(),
            refresh: refresh(&plan),
            proofs: after,
        },
        virtual_deadlines: early,
    };
    let all: Vec<Vec<usize>> = cores.iter().map(|split| split.concat()).collect();
    Ok(Draft {
        reasons: vec![reason(context, &plan), criticality::reason(context, &high)],
        high: Some(high),
        instance_of_job: Vec::new(),
        colors: of_ranks(&context.set.machine, groups)?,
        instances: instances(context, &cores),
        cores: core_of(&all, tasks),
        bounds,
        copies: vec![None; tasks],
        schedule,
        refresh: low,
        proofs,
    })
}

fn prove(context: &PlanContext<'_>, tasks: &[usize], slots: &impl Supply) -> Result<Modes, Refusal> {
    prove_modes(context, tasks, (slots, slots), "the slot of its color")
}

/// How long after a multiple of the retention time each row has been refreshed by segments of high mode, if they are late: all commands but those of the last
/// frame fill frames.
fn settled(hot: &PlanContext<'_>, plan: &AlignedPlan) -> Time {
    let (all, of_frame) = (hot.memory.commands, plan.commands_per_frame().max(1));
    let whole = all.div_ceil(of_frame) - 1;
    let last = [0, 1]
        .map(|color| plan.commands(color).next().unwrap_or(0))
        .into_iter()
        .max();
    let rest = (all - whole * of_frame) * hot.memory.trfc_ns;
    whole * plan.period() + last.unwrap_or(0) + rest + hot.set.options.refresh_jitter_ns
}

/// Tasks by core and color, and the longest frame whose slots serve them in both modes.
///
/// The division is the one that serves them in low mode beside the refresh of high mode.
///
/// # Errors
/// There is none, or no frame of it serves high mode: that of the longest one tried.
fn slots(
    context: &PlanContext<'_>,
    hot: &PlanContext<'_>,
    groups: &[Vec<u32>; 2],
    longest: Time,
) -> Result<(Split, AlignedPlan), Refusal> {
    let demand = demand(hot);
    let (cores, _) = find(context, groups, demand, longest)?;
    // What a processor does not serve that is theirs alone, no slot does.
    for tasks in cores.iter().flatten().filter(|tasks| !tasks.is_empty()) {
        prove_modes(context, tasks, (&Dedicated, &Dedicated), "a core of their own")?;
    }
    let frames: Vec<Time> = divisors(demand.retention)
        .into_iter()
        .rev()
        .filter(|&period| demand.handler.saturating_mul(2) < period && period <= longest)
        .collect();
    let mut first = None;
    for (number, &period) in frames.iter().enumerate() {
        let at = Progress {
            what: "frames",
            done: number as u64,
            most: frames.len() as u64,
        };
        if context.patience.is_over(at) {
            return Err(Refusal::stopped(AlignedError::Stopped.to_string()));
        }
        let why = std::cell::Cell::new(None);
        let found = frame(cores.len(), period, demand, |core, color| {
            least(context, &cores[core][color], period).map_err(|refusal| {
                why.set(Some(refusal));
                AlignedError::Workload(core, color)
            })
        });
        match found {
            Ok(plan) => return Ok((cores, plan)),
            Err(error) => first = first.or(Some(why.take().unwrap_or_else(|| refused(error)))),
        }
    }
    Err(first.unwrap_or_else(|| refused(AlignedError::Period(0, demand.retention))))
}

/// The least slot, in parts of a frame, that serves tasks in both modes, as the whole frame does: a longer one does, too.
fn least(context: &PlanContext<'_>, tasks: &[usize], period: Time) -> Result<Time, Refusal> {
    if tasks.is_empty() {
        return Ok(0);
    }
    let step = period.div_ceil(STEPS).max(1);
    let length = |steps: Time| (steps * step).min(period);
    let served = |steps: Time| {
        let slot = Tdma::new(period, length(steps)).map_err(|error| Refusal::undecided(error.to_string()))?;
        prove(context, tasks, &slot)
    };
    let (mut short, mut long) = (0, STEPS);
    while long - short > 1 {
        let middle = short + (long - short) / 2;
        match served(middle) {
            Ok(_) => long = middle,
            Err(_) => short = middle,
        }
    }
    Ok(length(long))
}

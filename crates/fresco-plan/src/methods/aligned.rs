// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aligned segmented refresh: in each slot of one color, a segment of the other's refresh (F29).

use super::draft::{Draft, PlanContext};
use super::grouping::{Split, by_core, core_of, given, instances};
use super::prove::prove;
use super::words::{time, utilization};
use super::{aligned_modes, criticality};
use crate::colors::of_ranks;
use crate::plan::{CoreSlots, Proof, RefreshPlan, RefreshWindow, Schedule};
use crate::refusal::Refusal;
use fresco_rt::aligned::{AlignedError, AlignedPlan, RefreshDemand, longest_plan};
use fresco_rt::search::{Sought, assign_aligned, assign_aligned_on};
use fresco_rt::{Task, Time};
use fresco_scenario::BurstLength;

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    context.periodic()?;
    let (options, memory) = (&context.set.options, &context.memory);
    if options.burst != BurstLength::Standard {
        return Err(Refusal::form(
            "aligned refresh sends every command that a rank needs, in segments; burst = \"standard\" is the only length",
        ));
    }
    let groups = context.two_groups()?;
    let demand = demand(context);
    let longest = match options.within_postponing {
        true => options.periods.1.min(memory.longest_gap_ns),
        false => options.periods.1,
    };
    if let Some(hot) = criticality::hot(context)? {
        return aligned_modes::draft(context, &hot, &groups, longest);
    }
    let (cores, plan) = find(context, &groups, demand, longest)?;
    let mut proofs = Vec::new();
    let mut bounds = vec![None; context.tasks.len()];
    for (core, split) in cores.iter().enumerate() {
        for (color, slots) in plan
            .supply(core)
            .iter()
            .enumerate()
            .filter(|(color, _)| !split[*color].is_empty())
        {
            let proved = prove(
                &context.pick(&split[color]),
                options.policy,
                slots,
                "the slot of its color",
            )?;
            for (&task, &bound) in split[color].iter().zip(&proved.bounds) {
                bounds[task] = Some(bound);
            }
            proofs.push(Proof {
                core: Some(core as u32),
                color: Some(color),
                tasks: split[color].clone(),
                evidence: proved.evidence,
            });
        }
    }
    let all: Vec<Vec<usize>> = cores.iter().map(|split| split.concat()).collect();
    Ok(Draft {
        high: None,
        instance_of_job: Vec::new(),
        colors: of_ranks(&context.set.machine, &groups)?,
        instances: instances(context, &cores),
        cores: core_of(&all, context.tasks.len()),
        bounds,
        copies: vec![None; context.tasks.len()],
        schedule: schedule(context, &cores, &plan),
        refresh: refresh(&plan),
        proofs,
        reasons: vec![reason(context, &plan)],
    })
}

/// The slots of each core.
pub(super) fn schedule(context: &PlanContext<'_>, cores: &Split, plan: &AlignedPlan) -> Schedule {
    let slots = cores.iter().zip(plan.borders()).map(|(tasks, &border_ns)| CoreSlots {
        border_ns,
        tasks: tasks.clone(),
    });
    Schedule::Slots {
        period_ns: plan.period(),
        handler_ns: context.set.options.handler_ns,
        cores: slots.collect(),
    }
}

/// What refresh demands of a frame.
pub(super) fn demand(context: &PlanContext<'_>) -> RefreshDemand {
    let (options, memory) = (&context.set.options, &context.memory);
    RefreshDemand {
        retention: memory.retention_ns,
        commands: memory.commands + context.for_jitter(),
        trfc: memory.trfc_ns,
        handler: options.handler_ns,
        jitter: options.refresh_jitter_ns,
        slice: context.slice,
    }
}

/// Tasks by core and color, and the frame.
pub(super) fn find(
    context: &PlanContext<'_>,
    groups: &[Vec<u32>; 2],
    demand: RefreshDemand,
    longest: Time,
) -> Result<(Split, AlignedPlan), Refusal> {
    let options = &context.set.options;
    if let Some(color) = context.given_colors() {
        let split = |tasks: &Vec<usize>| {
            [0, 1].map(|wanted| {
                tasks
                    .iter()
                    .copied()
                    .filter(|&i| color[i] == wanted)
                    .collect::<Vec<_>>()
            })
        };
        let cores: Split = by_core(context).iter().map(split).collect();
        let sets: Vec<[Vec<Task>; 2]> = cores
            .iter()
            .map(|split| [context.pick(&split[0]), context.pick(&split[1])])
            .collect();
        let slices: Vec<[&[Task]; 2]> = sets.iter().map(|[a, b]| [a.as_slice(), b.as_slice()]).collect();
        let plan = longest_plan(&slices, options.policy, demand, Some(longest)).map_err(refused)?;
        return Ok((cores, plan));
    }
    let all: Vec<usize> = (0..context.tasks.len()).collect();
    let need = context.need(&all, groups);
    let (tasks, policy, attempts) = (&context.tasks, options.policy, context.attempts());
    let found = match given(context) {
        Some(_) => assign_aligned_on(
            tasks,
            &by_core(context),
            Some(&need),
            policy,
            demand,
            Some(longest),
            attempts,
        ),
        None => assign_aligned(
            tasks,
            options.cores as usize,
            Some(&need),
            policy,
            demand,
            Some(longest),
            attempts,
        ),
    };
    match found.map_err(refused)? {
        Sought::Found(found) => Ok((found.cores, found.plan)),
        Sought::Nowhere => Err(Refusal::load(none_found(context, demand))),
        Sought::Open(tried) => Err(Refusal::open(tried, none_found(context, demand))),
    }
}

pub(super) fn refused(error: AlignedError) -> Refusal {
    match error {
        AlignedError::Overflow => Refusal::undecided(error.to_string()),
        other => Refusal::load(format!("{other} (times in ns)")),
    }
}

/// The share of time that each slot has to have for the other's refresh, and what the tasks need.
fn none_found(context: &PlanContext<'_>, demand: RefreshDemand) -> String {
    let share = demand.commands as f64 * demand.trfc as f64 / demand.retention as f64;
    let (shortest, longest) = context.set.options.periods;
    format!(
        "no frame from {} to {} works: tasks need {:.4} of {} cores, each color's slot at least {share:.4} of the frame \
         (tRFC / tREFI, for the refresh of the other), and two handlers of {} per frame",
        time(shortest),
        time(longest),
        utilization(&context.tasks),
        context.set.options.cores,
        time(demand.handler)
    )
}

/// A segment per color and frame: color 1 after the handler that opens the frame, color 0 after the last border.
pub(super) fn refresh(plan: &AlignedPlan) -> RefreshPlan {
    let first = |color: usize| plan.commands(color).next().unwrap_or(0);
    let window = |color: usize| RefreshWindow {
        color,
        start_ns: first(color),
        commands: plan.commands_per_frame(),
    };
    RefreshPlan::Windows {
        period_ns: plan.period(),
        windows: vec![window(1), window(0)],
    }
}

pub(super) fn reason(context: &PlanContext<'_>, plan: &AlignedPlan) -> String {
    let slack = plan.slack().iter().copied().min().unwrap_or(0);
    format!(
        "a frame of {}, in which each color gets {} refreshes ({}) while the other runs; the slots end at {} and have {} to spare; \
         the device lets commands be {} apart, here they are up to {}",
        time(plan.period()),
        plan.commands_per_frame(),
        time(plan.segment_length()),
        plan.borders()
            .iter()
            .map(|&border| time(border))
            .collect::<Vec<_>>()
            .join(", "),
        time(slack),
        time(context.memory.longest_gap_ns),
        time(plan.period())
    )
}

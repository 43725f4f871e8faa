// SPDX-License-Identifier: MIT OR Apache-2.0
//! A partition: each task has the banks, cache colors and bandwidth that the scenario gives it. Tasks whose colors are the same
//! share them; any others have no page frame in common.

use super::draft::{Draft, PlanContext};
use crate::plan::{Color, RefreshPlan, Schedule};
use crate::refusal::Refusal;
use fresco_dram::ColorSpace;
use fresco_dram::color::format_list;
use fresco_machine::RefreshPolicy;
use fresco_scenario::PageColors;
use std::collections::BTreeSet;

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    let set = context.set;
    let machine = &set.machine;
    let space = machine
        .colors()
        .map_err(|error| Refusal::machine(format!("machine {} has no colors: {error}", machine.name)))?;
    let mut parts: Vec<&PageColors> = Vec::new();
    let mut part_of = Vec::new();
    for task in &set.tasks {
        let Some(colors) = &task.colors else { continue };
        let known = parts.iter().position(|part| *part == colors);
        part_of.push(known.unwrap_or(parts.len()));
        if known.is_none() {
            parts.push(colors);
        }
    }
    if part_of.len() != set.tasks.len() && !part_of.is_empty() {
        return Err(Refusal::form("some tasks have colors and some have none"));
    }
    apart(context, &space, &parts, &part_of)?;
    let colors: Vec<Color> = parts.iter().map(|part| color(context, &space, part)).collect();
    let instance = |(task, bytes): (usize, u64)| match part_of.get(task) {
        None => Vec::new(),
        Some(&own) => vec![
            (0..colors.len())
                .map(|color| if color == own { bytes } else { 0 })
                .collect(),
        ],
    };
    let tasks = set.tasks.len();
    let refresh = machine.memory.controller.refresh;
    if refresh == RefreshPolicy::None {
        return Err(Refusal::machine(
            "the machine refreshes nothing: no row would keep its data",
        ));
    }
    Ok(Draft {
        high: None,
        instance_of_job: Vec::new(),
        instances: set
            .tasks
            .iter()
            .map(|task| task.memory)
            .enumerate()
            .map(instance)
            .collect(),
        cores: set.tasks.iter().map(|task| task.core).collect(),
        bounds: vec![None; tasks],
        copies: vec![None; tasks],
        schedule: Schedule::Priorities,
        refresh: RefreshPlan::Controller {
            policy: refresh.name().to_owned(),
        },
        proofs: Vec::new(),
        reasons: reasons(&colors),
        colors,
    })
}

fn reasons(colors: &[Color]) -> Vec<String> {
    let isolated = match colors.len() {
        0 => "tasks have no colors: any page frame is anybody's".to_owned(),
        1 => "all tasks share one part of the memory".to_owned(),
        count => format!(
            "{count} parts of the memory have no page frame in common: no two share a bank, or no two share a cache set"
        ),
    };
    let deadlines =
        "deadlines are neither proved nor counted on: simulate the plan, or plan with a method that proves them";
    vec![isolated, deadlines.to_owned()]
}

/// Refuses parts that have a page frame in common, but are not the same.
fn apart(
    context: &PlanContext<'_>,
    space: &ColorSpace,
    parts: &[&PageColors],
    part_of: &[usize],
) -> Result<(), Refusal> {
    let pairs: Vec<BTreeSet<(u32, u32)>> = parts.iter().map(|part| pairs(space, part)).collect();
    for (second, own) in pairs.iter().enumerate() {
        let first = pairs[..second].iter().position(|other| !other.is_disjoint(own));
        let Some(first) = first else { continue };
        let name = |part: usize| {
            let task = part_of.iter().position(|own| *own == part);
            task.map_or("", |task| context.set.tasks[task].name.as_str())
        };
        return Err(Refusal::form(format!(
            "tasks {} and {} have some page frames in common, but not all: give them the same banks and cache colors, or others",
            name(first),
            name(second)
        )));
    }
    Ok(())
}

/// The pairs of bank and LLC color that a part has frames of.
fn pairs(space: &ColorSpace, part: &PageColors) -> BTreeSet<(u32, u32)> {
    let llc: Vec<u32> = part.llc.clone().unwrap_or_else(|| (0..space.llc_colors()).collect());
    space.existing_pairs(&part.banks, &llc).into_iter().collect()
}

fn color(context: &PlanContext<'_>, space: &ColorSpace, part: &PageColors) -> Color {
    let org = &context.set.machine.memory.organisation;
    let of_bank = org.total_bytes() / u64::from(space.bank_colors().max(1));
    // Each bank color has the same share of each LLC color that it exists with: maps are linear.
    let of_pair = |bank: u32| of_bank / (space.llc_colors_of(bank).len() as u64).max(1);
    let ranks: BTreeSet<u32> = part
        .banks
        .iter()
        .flat_map(|&bank| space.banks(bank))
        .map(|bank| bank / org.banks_per_rank() % org.ranks)
        .collect();
    Color {
        ranks: Vec::from_iter(ranks),
        bank: None,
        bank_colors: format_list(&part.banks),
        llc_colors: part.llc.as_deref().map(format_list),
        bytes: pairs(space, part).into_iter().map(|(bank, _)| of_pair(bank)).sum(),
    }
}

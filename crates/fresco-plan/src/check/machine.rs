// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the plan is for this machine, and that the memory it counts on is this machine's.

use super::report::{CheckReport, Violation, holds};
use super::words;
use crate::Method;
use crate::plan::{Plan, RefreshPlan};
use fresco_dram::ColorSpace;
use fresco_dram::color::parse_list;
use fresco_machine::{Machine, RefreshPolicy};
use fresco_scenario::plan::RankMemory;
use std::collections::BTreeMap;

pub(super) fn check(plan: &Plan, machine: &Machine, report: &mut CheckReport) -> Result<(), Violation> {
    let given = &plan.machine;
    holds! { given.name == machine.name, "machine.name", "is {}, the file describes {}", given.name, machine.name }
    holds! {
        given.digest == machine.text_digest, "machine.digest",
        "is {}, that of the machine is {}: the machine's file has changed since the plan was made",
        given.digest, machine.text_digest
    }
    let unasked = plan.method == Method::Partition || machine.memory.timing.management.is_off();
    holds! { unasked, "machine", "has refresh management, which takes its time when no plan knows" }
    let actual = RankMemory::of(machine);
    holds! { plan.memory == actual, "memory", "{}", words::differences(&plan.memory, &actual) }
    holds! { (1..=machine.cores).contains(&plan.cores), "cores", "are {}, the machine has {}", plan.cores, machine.cores }
    report
        .facts
        .push(format!("the machine is {} and its memory as planned for", machine.name));
    colors(plan, machine)?;
    if plan.method == Method::Partition {
        left_alone(plan, machine)?;
    }
    if !plan.colors.is_empty() {
        let colors = plan.colors.len();
        report.facts.push(match plan.method {
            Method::Partition => format!("no page frame is of two of the {colors} colors"),
            _ => format!("every page of the {colors} colors lies in their ranks alone"),
        });
    }
    Ok(())
}

/// A partition leaves refresh as the machine has it, and the machine has some.
fn left_alone(plan: &Plan, machine: &Machine) -> Result<(), Violation> {
    let own = machine.memory.controller.refresh;
    holds! { own != RefreshPolicy::None, "machine", "refreshes nothing" }
    let is_own = matches!(&plan.refresh, RefreshPlan::Controller { policy } if policy == own.name());
    holds! { is_own, "refresh", "is not that of the machine, {}, and a partition changes none", own.name() }
    Ok(())
}

/// Checks that every page of each color lies in its ranks (and bank), that no frame is of two colors, and that each color holds
/// what it says. Looked at bank by bank, and by the cache colors that exist with each.
fn colors(plan: &Plan, machine: &Machine) -> Result<(), Violation> {
    let org = &machine.memory.organisation;
    if plan.colors.is_empty() {
        return Ok(());
    }
    let page_bits = machine.page_bytes.trailing_zeros();
    let by_llc = plan.colors.iter().any(|color| color.llc_colors.is_some());
    let llc = machine
        .llc
        .as_ref()
        .filter(|_| by_llc)
        .map_or_else(Vec::new, |llc| llc.set_functions());
    let space = ColorSpace::new(&machine.memory.map, &llc, page_bits)
        .map_err(|error| Violation::new("colors", format!("the machine has none: {error}")))?;
    let of_bank = org.total_bytes() / u64::from(space.bank_colors()).max(1);
    let mut owner = BTreeMap::new();
    for (number, color) in plan.colors.iter().enumerate() {
        let place = format!("colors[{number}]");
        holds! { !color.ranks.is_empty() && color.ranks.iter().all(|&rank| rank < org.ranks), &place, "names ranks that the machine does not have" }
        let twice = (1..color.ranks.len()).find(|&place| color.ranks[..place].contains(&color.ranks[place]));
        holds! { twice.is_none(), &place, "names a rank twice" }
        let own = list(&color.bank_colors, space.bank_colors(), format!("{place}.bank_colors"))?;
        let wanted = color.llc_colors.as_ref();
        let wanted = wanted
            .map(|text| list(text, space.llc_colors(), format!("{place}.llc_colors")))
            .transpose()?;
        let mut held = 0;
        for bank_color in own {
            let existing: Vec<u32> = (0..space.llc_colors())
                .filter(|&llc| space.pair_exists(bank_color, llc))
                .collect();
            for &llc in existing
                .iter()
                .filter(|llc| wanted.as_ref().is_none_or(|wanted| wanted.contains(llc)))
            {
                let other = owner.insert((bank_color, llc), number);
                holds! { other.is_none(), &place, "has bank color {bank_color}, which another color has too" }
                held += of_bank / existing.len() as u64;
            }
            for bank in space.banks(bank_color) {
                let (rank, in_rank) = (bank / org.banks_per_rank() % org.ranks, bank % org.banks_per_rank());
                let inside = color.ranks.contains(&rank) && color.bank.is_none_or(|bank| bank == in_rank);
                holds! { inside, &place, "has bank color {bank_color}, whose pages lie in rank {rank}, bank {in_rank}" }
            }
        }
        holds! { color.bytes > 0, &place, "holds no bytes" }
        holds! { color.bytes <= held, &place, "holds {} bytes, its bank colors have {held}", color.bytes }
    }
    Ok(())
}

/// A list of colors below `limit`.
fn list(text: &str, limit: u32, place: String) -> Result<Vec<u32>, Violation> {
    parse_list(text, limit, "colors").map_err(|error| Violation::new(place, error.found.clone()))
}

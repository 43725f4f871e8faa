// SPDX-License-Identifier: MIT OR Apache-2.0
//! Is the plan for this machine, and is the memory it counts on this machine's?

use super::report::{Report, Violation, holds};
use crate::plan::Plan;
use fresco_machine::Machine;
use fresco_scenario::plan::RankMemory;

pub(super) fn check(plan: &Plan, machine: &Machine, report: &mut Report) -> Result<(), Violation> {
    let given = &plan.machine;
    holds! { given.name == machine.name, "machine.name", "is {}, the file describes {}", given.name, machine.name }
    holds! {
        given.digest == machine.text_digest, "machine.digest",
        "is {}, that of the machine is {}: the machine's file has changed since the plan was made",
        given.digest, machine.text_digest
    }
    let actual = RankMemory::of(machine);
    holds! { plan.memory == actual, "memory", "is {:?}, the machine has {:?}", plan.memory, actual }
    holds! { (1..=machine.cores).contains(&plan.cores), "cores", "are {}, the machine has {}", plan.cores, machine.cores }
    report
        .facts
        .push(format!("the machine is {} and its memory as planned for", machine.name));
    colors(plan, machine)?;
    if !plan.colors.is_empty() {
        report.facts.push(format!(
            "every page of the {} colors lies in their ranks alone",
            plan.colors.len()
        ));
    }
    Ok(())
}

/// Does every page of each color lie in its ranks (and bank), and does each color hold what it says? Looked at bank by bank.
fn colors(plan: &Plan, machine: &Machine) -> Result<(), Violation> {
    let org = &machine.memory.organisation;
    if plan.colors.is_empty() {
        return Ok(());
    }
    let page_bits = machine.page_bytes.trailing_zeros();
    let space = fresco_dram::ColorSpace::new(&machine.memory.map, &[], page_bits)
        .map_err(|error| Violation::new("colors", format!("the machine has none: {error}")))?;
    let mut owner = vec![None; space.bank_colors() as usize];
    for (number, color) in plan.colors.iter().enumerate() {
        let place = format!("colors[{number}]");
        holds! { !color.ranks.is_empty() && color.ranks.iter().all(|&rank| rank < org.ranks), &place, "names ranks that the machine does not have" }
        let own = fresco_dram::color::parse_list(&color.bank_colors, space.bank_colors(), "bank_colors")
            .map_err(|error| Violation::new(format!("{place}.bank_colors"), error.found.clone()))?;
        let held = org.total_bytes() / u64::from(space.bank_colors()).max(1) * own.len() as u64;
        for bank_color in own {
            holds! { owner[bank_color as usize].is_none(), &place, "has bank color {bank_color}, which another color has too" }
            owner[bank_color as usize] = Some(number);
            for bank in space.banks(bank_color) {
                let (rank, in_rank) = (bank / org.banks_per_rank() % org.ranks, bank % org.banks_per_rank());
                let inside = color.ranks.contains(&rank) && color.bank.is_none_or(|bank| bank == in_rank);
                holds! { inside, &place, "has bank color {bank_color}, whose pages lie in rank {rank}, bank {in_rank}" }
            }
        }
        holds! { color.bytes <= held, &place, "holds {} bytes, its bank colors have {held}", color.bytes }
    }
    Ok(())
}

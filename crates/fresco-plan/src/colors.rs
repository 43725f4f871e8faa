// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors as planning uses them: a set of ranks (or, for the co-design, a bank) and the pages that lie there.

use crate::plan::Color;
use crate::refusal::Refusal;
use fresco_dram::ColorSpace;
use fresco_dram::color::format_list;
use fresco_machine::Machine;

/// The colors whose ranks are given, with the bank colors whose pages lie in them.
///
/// # Errors
/// A page of this machine lies in ranks of several colors: the bits that choose the rank lie inside the page (CON-4).
pub fn of_ranks(machine: &Machine, groups: &[Vec<u32>]) -> Result<Vec<Color>, Refusal> {
    let org = &machine.memory.organisation;
    let group_of = |bank: u32| {
        let rank = bank / org.banks_per_rank() % org.ranks;
        groups.iter().position(|group| group.contains(&rank))
    };
    let banks = split(machine, groups.len(), "rank", group_of)?;
    let bytes_per_rank = org.total_bytes() / u64::from(org.ranks);
    let color = |(ranks, banks): (&Vec<u32>, Vec<u32>)| Color {
        ranks: ranks.clone(),
        bank: None,
        bank_colors: format_list(&banks),
        llc_colors: None,
        bytes: bytes_per_rank * ranks.len() as u64,
    };
    Ok(groups.iter().zip(banks).map(color).collect())
}

/// A color for each bank of each rank, in the order in which they are refreshed: bank after bank, then rank after rank
/// (COD-1). Banks of the same number of all channels count as one.
///
/// # Errors
/// As [`of_ranks`], with the bits that choose rank and bank.
pub fn of_banks(machine: &Machine) -> Result<Vec<Color>, Refusal> {
    let org = &machine.memory.organisation;
    let count = org.banks_per_channel();
    let bank_in_channel = |bank: u32| Some((bank % count) as usize);
    let banks = split(machine, count as usize, "rank and bank", bank_in_channel)?;
    let color = |(number, banks): (u32, Vec<u32>)| Color {
        ranks: vec![number / org.banks_per_rank()],
        bank: Some(number % org.banks_per_rank()),
        bank_colors: format_list(&banks),
        llc_colors: None,
        bytes: org.total_bytes() / u64::from(count),
    };
    Ok((0..).zip(banks).map(color).collect())
}

/// The bank colors of each group; `group_of` tells the group of a bank of the machine.
fn split(
    machine: &Machine,
    groups: usize,
    chosen: &str,
    group_of: impl Fn(u32) -> Option<usize>,
) -> Result<Vec<Vec<u32>>, Refusal> {
    let page_bits = machine.page_bytes.trailing_zeros();
    let space = ColorSpace::new(&machine.memory.map, &[], page_bits)
        .map_err(|error| Refusal::machine(format!("machine {} has no colors: {error}", machine.name)))?;
    let mut colors = vec![Vec::new(); groups];
    for color in 0..space.bank_colors() {
        let mut of_banks = space.banks(color).into_iter().map(&group_of);
        let first = of_banks.next().flatten();
        if of_banks.any(|group| group != first) {
            return Err(Refusal::machine(format!(
                "machine {}: pages of bank color {} ({}) lie in several of the colors; the bits that choose {chosen} \
                 must lie above the page of {} bytes",
                machine.name,
                color,
                space.name(color),
                machine.page_bytes
            )));
        }
        if let Some(group) = first {
            colors[group].push(color);
        }
    }
    Ok(colors)
}

/// The ranks cut into `count` equal runs.
pub fn even_groups(ranks: u32, count: u32) -> Vec<Vec<u32>> {
    let each = ranks / count.max(1);
    (0..count).map(|c| (c * each..(c + 1) * each).collect()).collect()
}

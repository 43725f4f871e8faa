// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the machine's colors to those of another system, by the algebra of the maps: both are parities of address bits.

use crate::subject::{Part, Subject, space};
use fresco_dram::ColorSpace;
use fresco_dram::color::format_list;
use fresco_dram::gf2::{self, low_mask};
use fresco_input::InputError;
use std::collections::BTreeSet;

/// Parts in the colors of a system whose colors are what they are.
#[derive(Debug, Default)]
pub struct Mapped {
    /// Of each part, ascending.
    pub colors: Vec<Vec<u32>>,
    /// Colors of no part, ascending.
    pub free: Vec<u32>,
    /// What these colors do not keep apart.
    pub losses: Vec<String>,
}

/// Pages of one color of the other system.
#[derive(Clone, Debug, Default)]
struct Pages {
    banks: BTreeSet<u32>,
    llc: BTreeSet<u32>,
}

/// The colors of parts where bit `i` of a color is the parity of `functions[i]` of the physical address, which reads no bit inside
/// a page; `whose` is the name of the system.
///
/// Exact: each pair of bank and LLC color that pages have is looked at, with the colors of the other system that meet it. A part has all
/// colors that some page of it has; what other pages of these colors are, it cannot keep out.
///
/// # Errors
/// There are more combinations of colors than are tabulated.
pub fn mapped(subject: &Subject, parts: &[Part], functions: &[u64], whose: &str) -> Result<Mapped, InputError> {
    let own = space(&subject.file, &subject.machine)?;
    let llc = own.llc_functions();
    let joint = gf2::independent(llc.iter().chain(functions).copied());
    let joint = ColorSpace::new(&subject.machine.memory.map, &joint, own.page_bits())
        .map_err(|error| error.into_input(&subject.file, "machine"))?;
    // By color of all functions together: an address has it, and so the color of each.
    let colors: Vec<(u32, u32)> = (0..joint.llc_colors())
        .map(|color| {
            let address = gf2::solve(joint.llc_functions(), 64, u64::from(color)).unwrap_or(0);
            let of = |functions: &[u64]| gf2::apply(functions, address) as u32;
            (of(llc), of(functions))
        })
        .collect();
    let mut pages = vec![Pages::default(); 1 << functions.len()];
    let sets: Vec<_> = parts.iter().map(|part| Member::of(part, &own)).collect();
    let mut found = vec![BTreeSet::new(); parts.len()];
    for bank in 0..joint.bank_colors() {
        for (both, &(llc, color)) in (0..).zip(&colors) {
            if !joint.pair_exists(bank, both) {
                continue;
            }
            let of_color = &mut pages[color as usize];
            of_color.banks.insert(bank);
            of_color.llc.insert(llc);
            for (set, found) in sets.iter().zip(&mut found) {
                if set.has(bank, llc) {
                    found.insert(color);
                }
            }
        }
    }
    let mut mapped = Mapped::default();
    if let Some((part, _)) = parts.iter().zip(&found).find(|(_, colors)| colors.is_empty()) {
        return Err(no_page(subject, part));
    }
    for (part, colors) in parts.iter().zip(&found) {
        mapped.losses.extend(lost(part, colors, &pages, whose));
    }
    mapped.losses.extend(shared(parts, &found, whose));
    let taken: BTreeSet<u32> = found.iter().flatten().copied().collect();
    mapped.free = (0..pages.len() as u32)
        .filter(|color| !taken.contains(color) && !pages[*color as usize].banks.is_empty())
        .collect();
    mapped.colors = found.into_iter().map(|colors| colors.into_iter().collect()).collect();
    Ok(mapped)
}

/// Which colors a part has, for a quick answer.
struct Member {
    banks: Vec<bool>,
    llc: Vec<bool>,
}

impl Member {
    fn of(part: &Part, space: &ColorSpace) -> Self {
        let flags = |numbers: &[u32], all: u32| {
            let mut flags = vec![false; all as usize];
            for &number in numbers {
                if let Some(flag) = flags.get_mut(number as usize) {
                    *flag = true;
                }
            }
            flags
        };
        Self {
            banks: flags(&part.colors.banks, space.bank_colors()),
            llc: flags(&part.colors.llc, space.llc_colors()),
        }
    }

    fn has(&self, bank: u32, llc: u32) -> bool {
        self.banks[bank as usize] && self.llc[llc as usize]
    }
}

/// What a part's colors let in that are not of the part.
fn lost(part: &Part, colors: &BTreeSet<u32>, pages: &[Pages], whose: &str) -> Option<String> {
    let of = |kind: fn(&Pages) -> &BTreeSet<u32>| -> BTreeSet<u32> {
        let sets = colors.iter().map(|&color| kind(&pages[color as usize]));
        sets.flatten().copied().collect()
    };
    let beyond = |own: &[u32], all: BTreeSet<u32>, kind: &str| {
        let list: Vec<u32> = all.iter().copied().collect();
        let is_more = all.iter().any(|color| own.binary_search(color).is_err());
        is_more.then(|| format!("{kind} colors {} instead of {}", format_list(&list), format_list(own)))
    };
    let more: Vec<String> = [
        beyond(&part.colors.banks, of(|pages| &pages.banks), "bank"),
        beyond(&part.colors.llc, of(|pages| &pages.llc), "LLC"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let list: Vec<u32> = colors.iter().copied().collect();
    (!more.is_empty()).then(|| {
        format!(
            "{} has pages of {} with the colors {} of {whose}",
            part.name,
            more.join(" and "),
            format_list(&list)
        )
    })
}

/// Parts that have no page in common, and a color of the other system.
fn shared(parts: &[Part], found: &[BTreeSet<u32>], whose: &str) -> Vec<String> {
    let apart = |a: &[u32], b: &[u32]| a.iter().all(|color| b.binary_search(color).is_err());
    let mut shared = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for (other, colors) in parts.iter().zip(found).skip(number + 1) {
            let are_apart =
                apart(&part.colors.banks, &other.colors.banks) || apart(&part.colors.llc, &other.colors.llc);
            let both: Vec<u32> = found[number].intersection(colors).copied().collect();
            if are_apart && !both.is_empty() {
                shared.push(format!(
                    "{} and {} share the colors {} of {whose}",
                    part.name,
                    other.name,
                    format_list(&both)
                ));
            }
        }
    }
    shared
}

/// Parts in the colors of a system to which the machine's functions are given as masks.
#[derive(Debug)]
pub struct Masked {
    /// Bit `i` of a color is the parity of mask `i`.
    pub functions: Vec<u64>,
    /// Colors of each part, ascending.
    pub colors: Vec<Vec<u32>>,
    /// Nodes of each part, where ranges of addresses decide them; else empty.
    pub nodes: Vec<Vec<u32>>,
    /// The masks read a physical address less an offset of its range, and it matters.
    pub is_shifted: bool,
    /// The masks that are the cache's read the physical address itself, and it matters.
    pub is_cache_shifted: bool,
    /// What is not kept apart.
    pub losses: Vec<String>,
}

/// The masks that tell the parts' colors apart, and their colors by these masks: of the banks, of the cache, or of both, as parts are
/// restricted in them. What banks and cache share is there once.
///
/// # Errors
/// No part is restricted; the machine's colors are no parities of address bits alone, or not the same on all nodes.
pub fn masked(subject: &Subject, parts: &[Part], format: &str) -> Result<Masked, InputError> {
    let space = space(&subject.file, &subject.machine)?;
    let refuse = |found: &str| {
        subject
            .error(format, format!("found {found}"))
            .allowed("bank colors that are parities of address bits, the same on all nodes")
            .help("color the cache alone, or use `fresco run`, which looks at each frame")
    };
    let in_banks = parts
        .iter()
        .any(|part| part.colors.banks.len() < space.bank_colors() as usize);
    let in_llc = parts
        .iter()
        .any(|part| part.colors.llc.len() < space.llc_colors() as usize);
    let domains: Vec<_> = space.parts().collect();
    let by_range = domains.iter().all(|domain| domain.node.is_some());
    let banks: &[u64] = if in_banks { domains[0].functions } else { &[] };
    let llc: &[u64] = if in_llc { space.llc_functions() } else { &[] };
    if in_banks && domains.iter().any(|domain| domain.interleave.is_some()) {
        return Err(refuse(
            "channels that are dealt by granules, which no parity of address bits chooses",
        ));
    }
    if in_banks && domains.iter().any(|domain| domain.functions != banks) {
        return Err(refuse("nodes with functions of their own"));
    }
    let functions = gf2::independent(banks.iter().chain(llc).copied());
    if functions.is_empty() {
        return Err(nothing(subject, format));
    }
    let place = |function: &u64| -> (bool, usize) {
        match banks.iter().position(|bank| bank == function) {
            Some(bit) => (true, bit),
            None => (false, llc.iter().position(|other| other == function).unwrap_or(0)),
        }
    };
    let places: Vec<(bool, usize)> = functions.iter().map(place).collect();
    let color = |bank: u32, llc: u32| -> u32 {
        let domain = domains.iter().rev().find(|domain| domain.first_color <= bank);
        let bank = bank - domain.map_or(0, |domain| domain.first_color);
        let bit = |&(of_bank, bit): &(bool, usize)| if of_bank { bank } else { llc } >> bit & 1;
        (0..)
            .zip(&places)
            .fold(0, |color, (to, place)| color | bit(place) << to)
    };
    let mut masked = Masked {
        is_shifted: is_shifted(subject, &functions),
        is_cache_shifted: is_shifted(subject, llc),
        functions: functions.clone(),
        colors: Vec::new(),
        nodes: Vec::new(),
        losses: Vec::new(),
    };
    for part in parts {
        let member = Member::of(part, &space);
        let pairs = || {
            let all = (0..space.bank_colors()).flat_map(|bank| (0..space.llc_colors()).map(move |llc| (bank, llc)));
            all.filter(|&(bank, llc)| space.pair_exists(bank, llc))
        };
        let own: BTreeSet<(u32, u32)> = pairs()
            .filter(|&(bank, llc)| member.has(bank, llc))
            .map(|(bank, llc)| (space.node_of_color(bank), color(bank, llc)))
            .collect();
        let nodes: BTreeSet<u32> = own.iter().map(|(node, _)| *node).collect();
        let colors: BTreeSet<u32> = own.iter().map(|(_, color)| *color).collect();
        if colors.is_empty() {
            return Err(no_page(subject, part));
        }
        let beyond = pairs().find(|&(bank, llc)| {
            !member.has(bank, llc)
                && (!by_range || nodes.contains(&space.node_of_color(bank)))
                && colors.contains(&color(bank, llc))
        });
        if let Some((bank, llc)) = beyond {
            masked.losses.push(format!(
                "{} has other colors on one node than on another, and gets pages of bank color {bank} and LLC color {llc}, too",
                part.name
            ));
        }
        masked.colors.push(colors.into_iter().collect());
        masked.nodes.push(match by_range {
            true => nodes.into_iter().collect(),
            false => Vec::new(),
        });
    }
    Ok(masked)
}

/// The error of a part of the memory that is empty.
fn no_page(subject: &Subject, part: &Part) -> InputError {
    InputError::new(
        &subject.file,
        format!("found colors of {} that no page has together", part.name),
    )
    .allowed("bank colors and LLC colors that some page has")
    .help("choose others: fresco map colors --machine MACHINE lists the LLC colors of each bank color")
}

/// Whether functions of a physical address and of that less the offset of its range differ.
fn is_shifted(subject: &Subject, functions: &[u64]) -> bool {
    let read = functions.iter().fold(0, |all, function| all | function);
    let regions = subject.machine.memory.map.regions();
    regions
        .iter()
        .any(|region| region.offset != 0 && read & !low_mask(region.offset.trailing_zeros()) != 0)
}

/// The error of a subject without colors.
pub fn nothing(subject: &Subject, format: &str) -> InputError {
    let found = match subject.plan.is_some() {
        true => "found a plan without colors",
        false => "found no colors that keep a task to a part of the memory or the cache",
    };
    subject
        .error(format, found)
        .allowed("a scenario whose tasks have banks or llc, or a plan with colors")
        .help("name banks or llc of tasks, or make a plan first: fresco plan SCENARIO --out plan.json")
}

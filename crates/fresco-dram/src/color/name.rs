// SPDX-License-Identifier: MIT OR Apache-2.0
//! What people call a color.

use super::domain::Domain;
use super::{ColorBit, ColorSpace, format_list};
use crate::map::{Field, xor_text};
use std::collections::BTreeSet;

/// The selecting fields in the order of MAP-1, with their short names.
const NAMES: [(Field, &str); 5] = [
    (Field::Node, "node"),
    (Field::Channel, "ch"),
    (Field::Rank, "rank"),
    (Field::BankGroup, "bg"),
    (Field::Bank, "bank"),
];

impl ColorSpace {
    /// The name of a bank color: `node1 ch0 rank1 bank3`.
    ///
    /// Fields of which there is only one are left out. A field that takes all its values within the color is `*`
    /// (`ch*`), one that takes some is a list in braces (`bank{0,3}`). Where fields vary together, what ties them
    /// follows in brackets (`ch* rank* [channel bit 0 ^ rank bit 0 = 1]`), so that different colors have different
    /// names.
    pub fn name(&self, bank_color: u32) -> String {
        let domain = self.domain(bank_color);
        let banks = self.banks(bank_color);
        let mut parts = Vec::new();
        let mut together = 1;
        for (field, short) in NAMES {
            let count = field_count(self, domain, field);
            let values = field_values(domain, &banks, field, count);
            together *= values.len();
            match (values.as_slice(), count) {
                (_, 1) => {}
                ([only], _) => parts.push(format!("{short}{only}")),
                (all, count) if all.len() == count => parts.push(format!("{short}*")),
                (some, _) => parts.push(format!("{short}{{{}}}", format_list(some))),
            }
        }
        if together != banks.len() {
            let color = bank_color - domain.first;
            let ties: Vec<String> = domain
                .bits()
                .iter()
                .enumerate()
                .filter(|(_, bit)| bit.sum_of.iter().any(|name| name.field != bit.sum_of[0].field))
                .map(|(i, bit)| format!("{} = {}", names(bit), color >> i & 1))
                .collect();
            parts.push(format!("[{}]", ties.join(", ")));
        }
        if parts.is_empty() {
            "bank0".to_owned()
        } else {
            parts.join(" ")
        }
    }

    /// A bank color as values of parity functions over address bits, most significant first: `20=0 13^17=1`.
    /// Where the node is fixed by range it comes first: `node 1 by range, 13=0`. Where granules are dealt over ways, the
    /// way follows if pages choose it, and the bits are those of the address within it: `way 2, within the way 13=0`.
    pub fn describe(&self, bank_color: u32) -> String {
        let domain = self.domain(bank_color);
        let color = bank_color - domain.first;
        let parities: Vec<String> = (0..domain.functions.len())
            .rev()
            .map(|i| format!("{}={}", xor_text(domain.functions[i]), color >> i & 1))
            .collect();
        let parities = parities.join(" ");
        let mut parts = Vec::new();
        parts.extend(domain.node.map(|node| format!("node {node} by range")));
        parts.extend(domain.way(bank_color).map(|way| format!("way {way}")));
        match domain.interleave {
            _ if parities.is_empty() => {}
            Some(_) => parts.push(format!("within the way {parities}")),
            None => parts.push(parities),
        }
        match parts.is_empty() {
            true => "the only color".to_owned(),
            false => parts.join(", "),
        }
    }
}

fn names(bit: &ColorBit) -> String {
    bit.sum_of
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ^ ")
}

/// How many of a field the map tells apart.
fn field_count(space: &ColorSpace, domain: &Domain, field: Field) -> usize {
    if field == Field::Node && domain.node.is_some() {
        return space.domains().len();
    }
    let ways = domain.interleave.filter(|_| field == Field::Channel);
    let functions = domain.selectors.iter().filter(|(name, _)| name.field == field);
    (ways.map_or(1, |interleave| interleave.ways()) << functions.count()) as usize
}

/// The values, of `count`, that a field takes over the banks of a color, ascending.
fn field_values(domain: &Domain, banks: &[u32], field: Field, count: usize) -> Vec<u32> {
    if field == Field::Node && domain.node.is_some() {
        return domain.node.into_iter().collect();
    }
    // A bank number is the values of the selectors, side by side; the ways of the channels stand above their functions.
    let rank = |of: Field| Field::SELECTORS.iter().position(|other| *other == of);
    let below = domain
        .selectors
        .iter()
        .filter(|(name, _)| rank(name.field) < rank(field))
        .count();
    let values: BTreeSet<u32> = banks.iter().map(|bank| (bank >> below) % count as u32).collect();
    values.into_iter().collect()
}

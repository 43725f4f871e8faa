// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole address maps in the formats of other simulators: DRAMSys and Ramulator 1.
//!
//! Both have channels, ranks, bank groups, banks, rows and columns, each bit of them an XOR of address bits, and neither has nodes or
//! ranges of addresses.

use crate::gf2::bits_of;
use crate::map::{AddressMap, Field, Functions};
use std::fmt::{self, Write};

/// Why a map cannot be said in such a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotExpressible {
    /// There are several nodes.
    Nodes,
    /// Functions do not read the physical address as it is.
    Offset,
    /// Channels are no power of two: granules are dealt over so many ways.
    Dealt(u32),
    /// A function of this field, other than a single bit of a column, reads this address bit, which lies within a line.
    WithinLine(Field, u32),
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes => f.write_str("several nodes"),
            Self::Dealt(ways) => write!(f, "granules that are dealt over {ways} ways of channels"),
            Self::Offset => f.write_str("ranges of which an offset is subtracted"),
            Self::WithinLine(field, bit) => write!(f, "a {field} function of address bit {bit}, within a line"),
        }
    }
}

impl std::error::Error for NotExpressible {}

/// Levels from the top, and their names in either format.
const LEVELS: [(Field, &str, &str); 6] = [
    (Field::Channel, "CHANNEL_BIT", "Ch"),
    (Field::Rank, "RANK_BIT", "Ra"),
    (Field::BankGroup, "BANKGROUP_BIT", "Bg"),
    (Field::Bank, "BANK_BIT", "Ba"),
    (Field::Row, "ROW_BIT", "Ro"),
    (Field::Column, "COLUMN_BIT", "Co"),
];

/// The functions of the one region that a map has. (Without nodes all regions have the same.)
fn functions(map: &AddressMap) -> Result<&Functions, NotExpressible> {
    if map.organisation().nodes > 1 {
        return Err(NotExpressible::Nodes);
    }
    if map.organisation().odd_ways() > 1 {
        return Err(NotExpressible::Dealt(map.organisation().odd_ways()));
    }
    match map.regions().iter().all(|region| region.offset == 0) {
        true => Ok(&map.regions()[0].functions),
        false => Err(NotExpressible::Offset),
    }
}

/// The `addressmapping` of DRAMSys 5: for each level its bits, least significant first, each the number of an address bit or a
/// list of those whose XOR it is.
///
/// # Errors
/// [`NotExpressible::Nodes`], [`NotExpressible::Offset`], [`NotExpressible::Dealt`].
pub fn dramsys(map: &AddressMap) -> Result<String, NotExpressible> {
    let functions = functions(map)?;
    let bytes: Vec<String> = (0..map.organisation().bus_bytes.trailing_zeros())
        .map(|bit| bit.to_string())
        .collect();
    let mut levels = vec![("BYTE_BIT", bytes)];
    for (field, name, _) in LEVELS {
        let bits: Vec<String> = functions.get(field).iter().map(|mask| entry(*mask)).collect();
        if !bits.is_empty() {
            levels.push((name, bits));
        }
    }
    let lines: Vec<String> = levels
        .iter()
        .map(|(name, bits)| format!("        \"{name}\": [{}]", bits.join(", ")))
        .collect();
    Ok(format!(
        "{{\n    \"addressmapping\": {{\n{}\n    }}\n}}\n",
        lines.join(",\n")
    ))
}

fn entry(mask: u64) -> String {
    let bits: Vec<String> = bits_of(mask).map(|bit| bit.to_string()).collect();
    match bits.as_slice() {
        [only] => only.clone(),
        _ => format!("[{}]", bits.join(", ")),
    }
}

/// A mapping file of Ramulator 1. Its address bits are counted from the first above a line of `line_bytes`, a power of two, and its
/// columns in lines.
///
/// # Errors
/// All of [`NotExpressible`].
pub fn ramulator(map: &AddressMap, line_bytes: u64) -> Result<String, NotExpressible> {
    let functions = functions(map)?;
    let line_bits = line_bytes.trailing_zeros();
    let mut text = String::new();
    for (field, _, name) in LEVELS {
        let mut number = 0;
        for mask in functions.get(field) {
            let lowest = mask.trailing_zeros();
            if lowest < line_bits {
                match field {
                    // A burst takes all columns of a line.
                    Field::Column if mask.is_power_of_two() => continue,
                    _ => return Err(NotExpressible::WithinLine(field, lowest)),
                }
            }
            let bits: Vec<String> = bits_of(*mask).map(|bit| (bit - line_bits).to_string()).collect();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name} {number} = {}", bits.join(" "));
            number += 1;
        }
    }
    Ok(text)
}

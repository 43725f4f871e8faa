// SPDX-License-Identifier: MIT OR Apache-2.0
//! AMD family 10h (Opteron 6100, Phenom II): node, channel, rank, bank, row and column from the northbridge's registers.
//!
//! Source: BIOS and Kernel Developer's Guide for AMD Family 10h, 31116, sections 2.8.9 and 2.8.10, and functions 1 and 2.
//! FnXrrr below is register rrr of function n. Decoded are DDR3 memories of unganged channels, their ranges (with the hole
//! below 4 GiB), the node by range or interleaved, channels and ranks by range or interleaved, swizzled banks. What is set
//! up in another way is refused, not guessed: ganged channels, DDR2, spare ranks, ranks that differ.

mod controller;
#[cfg(test)]
mod tests;

use super::{Dump, Family, Function, Known};
use controller::{COMPARED, ChipSelect, Controller};
use fresco_dram::{Location, Organisation};
use fresco_input::InputError;
use std::ops::Range;

/// Device of node 0; that of node n is n further.
const FIRST_DEVICE: u8 = 0x18;
/// Identities of functions 1 and 2: vendor 1022, devices 1201 and 1202.
const IDENTITY: [u32; 2] = [0x1201_1022, 0x1202_1022];
/// log2 of the bytes of a transfer: 64 bits.
const BUS_BITS: u32 = 3;
/// Banks of DDR3 devices, as bits.
const BANK_BITS: u32 = 3;

/// The family's row.
pub const KNOWN: Known = Known {
    name: "AMD family 10h",
    shown_by: "functions 00:18.1 and 00:18.2 with the identities 1022:1201 and 1022:1202",
    is_there: Family10h::is_there,
    read: |dump| Ok(Box::new(Family10h::read(dump)?)),
};

/// What is decoded.
const DECODED: &str =
    "DDR3, unganged channels, equal ranks, no spare ranks; nodes by range, or all of them interleaved over one range";

/// A range of addresses that belongs to a node.
#[derive(Clone, Copy, Debug)]
struct NodeRange {
    base: u64,
    /// First address behind it.
    end: u64,
    node: u32,
    /// Address bits from 12 on that are compared (IntlvEn), and with what (IntlvSel); 0 where the range decides.
    compared: u32,
    select: u32,
}

/// The registers of a machine, understood.
#[derive(Clone, Debug)]
pub struct Family10h {
    ranges: Vec<NodeRange>,
    controllers: Vec<Controller>,
    organisation: Organisation,
}

fn function(node: u32, number: u8) -> Function {
    (FIRST_DEVICE + node as u8, number)
}

impl Family10h {
    /// Returns true if the dump is of such a machine.
    pub fn is_there(dump: &Dump) -> bool {
        [1, 2]
            .iter()
            .zip(IDENTITY)
            .all(|(number, identity)| dump.register(function(0, *number), 0) == Ok(identity))
    }

    /// Reads and checks the registers.
    ///
    /// # Errors
    /// A register is missing, or the memory is set up in a way that is not decoded.
    pub fn read(dump: &Dump) -> Result<Self, InputError> {
        let refuse = |found: String| {
            InputError::new(dump.file().to_owned(), found)
                .allowed(DECODED)
                .help("find the map by timing")
        };
        let mut ranges = Vec::new();
        for index in 0..8u16 {
            let register = |offset: u16| dump.register(function(0, 1), offset + 8 * index);
            let (base, limit) = (register(0x40)?, register(0x44)?);
            if base & 3 == 0 {
                continue;
            }
            let (base_high, limit_high) = (register(0x140)?, register(0x144)?);
            let address = |low: u32, high: u32| u64::from(high & 0xff) << 40 | u64::from(low & 0xffff_0000) << 8;
            let range = NodeRange {
                base: address(base, base_high),
                end: address(limit, limit_high) + (1 << 24),
                node: limit & 7,
                compared: base >> 8 & 7,
                select: limit >> 8 & 7,
            };
            if range.end <= range.base {
                return Err(refuse(format!(
                    "found a range that ends before it begins (F1x{:x})",
                    0x40 + 8 * index
                )));
            }
            ranges.push(range);
        }
        let nodes = ranges.iter().map(|range| range.node + 1).max().unwrap_or(0);
        let node_bits = node_bits(&ranges).map_err(&refuse)?;
        let controllers: Vec<Controller> = (0..nodes)
            .map(|node| Controller::read(dump, node, node_bits))
            .collect::<Result<_, _>>()?;
        let Some(first) = controllers.first().and_then(|c| c.channels[0].first()).copied() else {
            return Err(refuse("found no range with memory".to_owned()));
        };
        let ranks = controllers[0].channels[0].len();
        let alike = |channel: &Vec<ChipSelect>| {
            channel.len() == ranks
                && channel
                    .iter()
                    .all(|cs| cs.columns == first.columns && cs.mask == first.mask)
        };
        if !controllers.iter().all(|c| c.channels.iter().all(alike)) {
            return Err(refuse("found ranks or channels that differ".to_owned()));
        }
        // Bits of the address within a rank: compared ones left out.
        let bits = first.own_bits().count_ones();
        let organisation = Organisation {
            nodes,
            channels: 2,
            ranks: ranks as u32,
            bank_groups: 1,
            banks: 1 << BANK_BITS,
            rows: 1 << (bits - BUS_BITS - BANK_BITS - first.columns),
            columns: 1 << first.columns,
            bus_bytes: 1 << BUS_BITS,
        };
        let holes_alike = controllers
            .iter()
            .all(|controller| controller.hole == controllers[0].hole);
        if node_bits > 0 && !holes_alike {
            return Err(refuse("found interleaved nodes whose holes differ (F1xF0)".to_owned()));
        }
        ranges.sort_unstable_by_key(|range| range.base);
        Ok(Self {
            ranges,
            controllers,
            organisation,
        })
    }

    /// The hole below 4 GiB of a node's registers: its first address, if the node has one.
    fn hole(&self, node: u32) -> Option<u64> {
        let hole = self.controllers[node as usize].hole;
        (hole & 1 == 1).then_some(u64::from(hole & 0xff00_0000))
    }
}

/// Address bits that choose the node of interleaved nodes; 0 where ranges do.
fn node_bits(ranges: &[NodeRange]) -> Result<u32, String> {
    let Some(first) = ranges
        .first()
        .filter(|_| ranges.iter().any(|range| range.compared != 0))
    else {
        return Ok(0);
    };
    let alike = |range: &NodeRange| (range.base, range.end, range.compared) == (first.base, first.end, first.compared);
    if !ranges.iter().all(alike) {
        return Err("found interleaved nodes whose ranges differ (F1x40, F1x44)".to_owned());
    }
    if ![1, 3, 7].contains(&first.compared) {
        return Err(format!(
            "found nodes interleaved by the bits {:#b} (F1x40, IntlvEn)",
            first.compared
        ));
    }
    let bits = first.compared.count_ones();
    let mut selects: Vec<u32> = ranges.iter().map(|range| range.select & range.compared).collect();
    selects.sort_unstable();
    match selects.into_iter().eq(0..1 << bits) {
        true => Ok(bits),
        false => Err("found interleaved nodes of which some are missing (F1x44, IntlvSel)".to_owned()),
    }
}

impl Family for Family10h {
    fn organisation(&self) -> Organisation {
        self.organisation
    }

    fn ranges(&self) -> Vec<(Range<u64>, u32)> {
        let mut ranges = Vec::new();
        // Interleaved nodes have one range together.
        let distinct = if self.nodes_by_range() { self.ranges.len() } else { 1 };
        for NodeRange { base, end, node, .. } in self.ranges.iter().take(distinct) {
            match self.hole(*node) {
                // Devices answer between the hole's base and 4 GiB.
                Some(hole) if *base < hole && *end > 1 << 32 => {
                    ranges.push((*base..hole, *node));
                    ranges.push((1 << 32..*end, *node));
                }
                _ => ranges.push((*base..*end, *node)),
            }
        }
        ranges
    }

    fn nodes_by_range(&self) -> bool {
        self.ranges.iter().all(|range| range.compared == 0)
    }

    fn place(&self, address: u64) -> Option<Location> {
        let range = self.ranges.iter().find(|range| {
            let chosen = (address >> 12) as u32 & range.compared == range.select & range.compared;
            chosen && (range.base..range.end).contains(&address)
        })?;
        let controller = &self.controllers[range.node as usize];
        let (channel, within) = controller.channel(address, range.base);
        let selects = &controller.channels[channel as usize];
        let answers = |cs: &&ChipSelect| (within ^ cs.base) & COMPARED & !cs.mask == 0;
        let rank = selects.iter().position(|cs| answers(&cs))?;
        let chip = &selects[rank];
        // The rank's own address: its bits pushed together.
        let own = crate::wide::bits(u128::from(chip.own_bits()))
            .enumerate()
            .fold(0, |own, (place, bit)| own | (within >> bit & 1) << place);
        let part = |from: u32, bits: u32| (own >> from & ((1 << bits) - 1)) as u32;
        let columns = chip.columns;
        let first = BUS_BITS + columns;
        let bank = match controller.swizzled {
            true => part(first, BANK_BITS) ^ part(first + 3, BANK_BITS) ^ part(first + 6, BANK_BITS),
            false => part(first, BANK_BITS),
        };
        Some(Location {
            node: range.node,
            channel,
            rank: rank as u32,
            bank_group: 0,
            bank,
            row: part(first + BANK_BITS, self.organisation.rows.trailing_zeros()),
            column: part(BUS_BITS, columns),
        })
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two channels of a node: which of them has an address, and which of its ranks.

use super::function;
use crate::registers::Dump;
use fresco_input::InputError;

/// Address bits that chip selects compare: 13 to 21 and 27 to 36.
pub(super) const COMPARED: u64 = 0x1f_f83f_e000;

/// Of these, the lower ones: those that interleaved ranks are chosen by.
const RANK_LOW: u64 = 0x3f_e000;

/// A chip select: a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChipSelect {
    /// Address bits 13 to 21 and 27 to 36 that it answers to.
    pub(super) base: u64,
    /// Bits that are its own, and not compared.
    pub(super) mask: u64,
    /// Column bits of its devices.
    pub(super) columns: u32,
}

/// The two channels of a node.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    /// F2x110.
    select: u32,
    /// F2x114.
    select_high: u32,
    /// F1xF0.
    pub(super) hole: u32,
    pub(super) channels: [Vec<ChipSelect>; 2],
    /// F2x94, BankSwizzleMode: bank bits are XORs with bits 3 and 6 above them.
    pub(super) swizzled: bool,
    /// Address bits from 12 on that choose the node.
    node_bits: u32,
}

impl Controller {
    pub(super) fn read(dump: &Dump, node: u32, node_bits: u32) -> Result<Self, InputError> {
        let register = |offset: u16| dump.register(function(node, 2), offset);
        let refuse = |found: &str| {
            InputError::new(dump.file().to_owned(), format!("found {found} on node {node}"))
                .allowed(super::DECODED)
                .help("find the map by timing")
        };
        let select = register(0x110)?;
        if select & 1 << 4 != 0 {
            return Err(refuse("ganged channels (F2x110, DctGangEn)"));
        }
        if node_bits > 0 && select & 1 != 0 {
            return Err(refuse(
                "channels by range below interleaved nodes (F2x110, DctSelHiRngEn; F1x40, IntlvEn)",
            ));
        }
        let mut swizzled = [false; 2];
        let mut channels = [Vec::new(), Vec::new()];
        for (channel, selects) in channels.iter_mut().enumerate() {
            let register = |offset: u16| register(offset + 0x100 * channel as u16);
            let configuration = register(0x94)?;
            if configuration & 1 << 8 == 0 {
                return Err(refuse("memory that is no DDR3 (F2x94, Ddr3Mode)"));
            }
            swizzled[channel] = configuration & 1 << 22 != 0;
            let mapping = register(0x80)?;
            for index in 0..8u16 {
                let base = register(0x40 + 4 * index)?;
                if base & 1 == 0 {
                    continue;
                }
                if base & 2 != 0 {
                    return Err(refuse("a spare rank (F2x40, Spare)"));
                }
                let mask = register(0x60 + 4 * (index / 2))?;
                let mode = mapping >> (4 * (index / 2)) & 15;
                let Some((columns, bits)) = device(mode) else {
                    return Err(refuse("a bank address mapping that is not decoded (F2x80)"));
                };
                let select = ChipSelect {
                    base: compared(base),
                    mask: compared(mask),
                    columns,
                };
                if select.own_bits().count_ones() != bits {
                    return Err(refuse(
                        "a chip select whose mask is not that of its devices (F2x60, F2x80)",
                    ));
                }
                selects.push(select);
            }
        }
        if swizzled[0] != swizzled[1] {
            return Err(refuse("bank swizzling on one channel only (F2x94, BankSwizzleMode)"));
        }
        // Which bits take part where ranks have taken some of them away is not said.
        let interleaved = channels
            .iter()
            .flatten()
            .any(|select| select.own_bits() & RANK_LOW != RANK_LOW);
        if swizzled[0] && interleaved {
            return Err(refuse(
                "bank swizzling with interleaved ranks (F2x94, BankSwizzleMode; F2x60)",
            ));
        }
        Ok(Self {
            select,
            select_high: register(0x114)?,
            hole: dump.register(function(node, 1), 0xf0)?,
            channels,
            swizzled: swizzled[0],
            node_bits,
        })
    }

    /// Channel of an address, and the address within it.
    pub(super) fn channel(&self, address: u64, base: u64) -> (u32, u64) {
        let bit = |n: u32| self.select >> n & 1 == 1;
        let limit = u64::from(self.select & 0xffff_f800) >> 11;
        let high = bit(0) && address >> 27 >= limit;
        let high_channel = self.select >> 1 & 1;
        let hashed = match self.select >> 6 & 3 {
            0 => address >> 6,
            // The bit above those that choose the node.
            1 => address >> (12 + self.node_bits),
            2 => address >> 6 ^ u64::from((address >> 16 & 0x1f).count_ones()),
            _ => address >> 9 ^ u64::from((address >> 16 & 0x1f).count_ones()),
        };
        let channel = match (high, bit(2), bit(0)) {
            (true, _, _) => high_channel,
            (_, true, _) => (hashed & 1) as u32,
            (_, _, true) => high_channel ^ 1,
            _ => 0,
        };
        let hole = (self.hole & 1 == 1 && address >= 1 << 32).then_some(u64::from(self.hole & 0xff80) << 16);
        let subtracted = match (high, hole) {
            (true, Some(hole)) if limit >> 5 == 0 => hole,
            (true, _) => u64::from(self.select_high & 0xffff_fc00) << 16,
            (false, Some(hole)) => hole,
            (false, None) => base,
        };
        let within = address - subtracted.min(address);
        // Interleaved nodes share addresses, and so do interleaved channels: the bits that chose are taken out.
        let without = |address: u64, low: u32, bits: u32| address >> (low + bits) << low | address & ((1 << low) - 1);
        let within = without(within, 12, self.node_bits);
        let within = match (bit(2) && !bit(0), self.select >> 6 & 3) {
            (false, _) => within,
            (true, 1) => without(within, 12, 1),
            (true, 3) => without(within, 9, 1),
            (true, _) => without(within, 6, 1),
        };
        (channel, within)
    }
}

impl ChipSelect {
    /// Bits of an address that are its own: those that no register compares, and those that the mask leaves out.
    pub(super) fn own_bits(&self) -> u64 {
        // Bits above the highest that the mask leaves out are always compared.
        let top = 1u64 << (64 - self.mask.leading_zeros());
        (!COMPARED | self.mask) & (top - 1)
    }
}

/// Bits 28 to 19 and 13 to 5 of a register stand for address bits 36 to 27 and 21 to 13.
fn compared(register: u32) -> u64 {
    u64::from(register & 0x1ff8_3fe0) << 8
}

/// Column bits of the devices of a bank address mapping, and bits of the address of a rank of them (DDR3).
fn device(mode: u32) -> Option<(u32, u32)> {
    Some(match mode {
        1 => (10, 28),
        2 => (10, 29),
        5 => (10, 30),
        7 => (10, 31),
        8 => (11, 31),
        9 => (11, 32),
        10 => (10, 32),
        11 => (11, 33),
        _ => return None,
    })
}

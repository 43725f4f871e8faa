// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a DRAM address, and the parity functions that select them.

use crate::{Location, Organisation};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One part of a DRAM address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Memory node.
    Node,
    /// Channel of a node.
    Channel,
    /// Rank of a channel.
    Rank,
    /// Bank group of a rank.
    BankGroup,
    /// Bank of a bank group.
    Bank,
    /// Row of a bank.
    Row,
    /// Column of a row.
    Column,
}

impl Field {
    /// Every field, in the order of MAP-1: node, channel, rank, bank (group first), row, column.
    pub const ALL: [Self; 7] = [
        Self::Node,
        Self::Channel,
        Self::Rank,
        Self::BankGroup,
        Self::Bank,
        Self::Row,
        Self::Column,
    ];

    /// The field's name in files: `bank_group`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Channel => "channel",
            Self::Rank => "rank",
            Self::BankGroup => "bank_group",
            Self::Bank => "bank",
            Self::Row => "row",
            Self::Column => "column",
        }
    }

    /// The fields that select a bank of the machine, least significant first in the dense numbering of MAP-4:
    /// bank, bank group, rank, channel, node.
    pub const SELECTORS: [Self; 5] = [Self::Bank, Self::BankGroup, Self::Rank, Self::Channel, Self::Node];

    /// How many of this there are, each within its parent.
    pub fn count(self, org: &Organisation) -> u32 {
        match self {
            Self::Node => org.nodes,
            Self::Channel => org.channels,
            Self::Rank => org.ranks,
            Self::BankGroup => org.bank_groups,
            Self::Bank => org.banks,
            Self::Row => org.rows,
            Self::Column => org.columns,
        }
    }

    /// Parity functions that the field takes: log2 of its count, or of the greatest power of two that divides it
    /// (channels).
    pub fn width(self, org: &Organisation) -> u32 {
        self.count(org).trailing_zeros()
    }

    /// The value of the field in a location.
    pub fn of(self, location: &Location) -> u32 {
        match self {
            Self::Node => location.node,
            Self::Channel => location.channel,
            Self::Rank => location.rank,
            Self::BankGroup => location.bank_group,
            Self::Bank => location.bank,
            Self::Row => location.row,
            Self::Column => location.column,
        }
    }

    /// Sets the value of the field in a location.
    pub fn set(self, location: &mut Location, value: u32) {
        let place = match self {
            Self::Node => &mut location.node,
            Self::Channel => &mut location.channel,
            Self::Rank => &mut location.rank,
            Self::BankGroup => &mut location.bank_group,
            Self::Bank => &mut location.bank,
            Self::Row => &mut location.row,
            Self::Column => &mut location.column,
        };
        *place = value;
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Node => "node",
            Self::Channel => "channel",
            Self::Rank => "rank",
            Self::BankGroup => "bank group",
            Self::Bank => "bank",
            Self::Row => "row",
            Self::Column => "column",
        })
    }
}

/// The parity functions of one region, per field.
///
/// Each function is a mask over the bits of (physical address − offset of its region), in bytes; its value is the
/// parity of the masked bits. Within a field the least significant function comes first. In-page interleaving is no
/// special case: it is a function that holds a low bit.
///
/// Where the number of channels is odd × 2^k, granules of `2^granule_bits` bytes are first dealt in turn over the odd
/// part ([`super::ModuloInterleave`]), and all functions read the address within the way: its bits below the granule are
/// those of the address, above stands the granule's number divided by the ways. Channel `way · 2^k + c` is that of the
/// `k` channel functions with value `c`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Functions {
    /// log2 of the bytes of a granule, where the number of channels is no power of two; else `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granule_bits: Option<u32>,
    /// Node; empty where the node is fixed by range.
    pub node: Vec<u64>,
    /// Channel.
    pub channel: Vec<u64>,
    /// Rank.
    pub rank: Vec<u64>,
    /// Bank group.
    pub bank_group: Vec<u64>,
    /// Bank.
    pub bank: Vec<u64>,
    /// Row.
    pub row: Vec<u64>,
    /// Column, in units of the bus width.
    pub column: Vec<u64>,
}

impl Functions {
    /// The functions of one field, least significant first.
    pub fn get(&self, field: Field) -> &[u64] {
        match field {
            Field::Node => &self.node,
            Field::Channel => &self.channel,
            Field::Rank => &self.rank,
            Field::BankGroup => &self.bank_group,
            Field::Bank => &self.bank,
            Field::Row => &self.row,
            Field::Column => &self.column,
        }
    }

    /// The functions of one field, to be filled.
    pub fn get_mut(&mut self, field: Field) -> &mut Vec<u64> {
        match field {
            Field::Node => &mut self.node,
            Field::Channel => &mut self.channel,
            Field::Rank => &mut self.rank,
            Field::BankGroup => &mut self.bank_group,
            Field::Bank => &mut self.bank,
            Field::Row => &mut self.row,
            Field::Column => &mut self.column,
        }
    }

    /// The functions that select a bank, with their names, least significant first (see [`Field::SELECTORS`]).
    pub fn selectors(&self) -> impl Iterator<Item = (FunctionName, u64)> + '_ {
        Field::SELECTORS.into_iter().flat_map(|field| self.named(field))
    }

    /// The functions of one field with their names.
    pub fn named(&self, field: Field) -> impl Iterator<Item = (FunctionName, u64)> + '_ {
        self.get(field)
            .iter()
            .enumerate()
            .map(move |(bit, &mask)| (FunctionName { field, bit: bit as u32 }, mask))
    }
}

/// The name of one parity function: bit `bit` of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionName {
    /// The field.
    pub field: Field,
    /// Which bit of the field's value, 0 the least significant.
    pub bit: u32,
}

impl fmt::Display for FunctionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bit {}", self.field, self.bit)
    }
}

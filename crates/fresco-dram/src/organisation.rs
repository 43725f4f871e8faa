// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many of each thing there are, and the place of one burst.

use serde::{Deserialize, Serialize};

/// The shape of a machine's memory. Every count but that of the channels is a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Organisation {
    /// Memory nodes; one controller each.
    pub nodes: u32,
    /// Channels per node (independent command and data buses; a DDR5 sub-channel is a channel); any number.
    pub channels: u32,
    /// Ranks per channel.
    pub ranks: u32,
    /// Bank groups per rank; 1 where the standard has none.
    pub bank_groups: u32,
    /// Banks per bank group.
    pub banks: u32,
    /// Rows per bank.
    pub rows: u32,
    /// Columns per row; a column is `bus_bytes` wide.
    pub columns: u32,
    /// Width of the data bus of a channel, in bytes.
    pub bus_bytes: u32,
}

impl Organisation {
    /// The odd part of the channels: 3 of 12; 1 where they are a power of two.
    pub fn odd_ways(&self) -> u32 {
        self.channels >> self.channels.trailing_zeros().min(31)
    }

    /// Banks of one rank.
    pub fn banks_per_rank(&self) -> u32 {
        self.bank_groups * self.banks
    }

    /// Banks of one channel.
    pub fn banks_per_channel(&self) -> u32 {
        self.ranks * self.banks_per_rank()
    }

    /// Banks of the whole machine.
    pub fn banks_total(&self) -> u32 {
        self.nodes * self.channels * self.banks_per_channel()
    }

    /// Bytes of one row of one bank, over the whole bus.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.columns) * u64::from(self.bus_bytes)
    }

    /// Bytes of one bank.
    pub fn bank_bytes(&self) -> u64 {
        self.row_bytes() * u64::from(self.rows)
    }

    /// Bytes of the whole machine.
    pub fn total_bytes(&self) -> u64 {
        self.bank_bytes() * u64::from(self.banks_total())
    }
}

/// Where a physical address lies in the DRAM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Memory node.
    pub node: u32,
    /// Channel of the node.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// Bank group of the rank.
    pub bank_group: u32,
    /// Bank of the bank group.
    pub bank: u32,
    /// Row of the bank.
    pub row: u32,
    /// Column of the row, in units of the bus width.
    pub column: u32,
}

impl Location {
    /// Bank index within its channel: `(rank * bank_groups + bank_group) * banks + bank`.
    pub fn bank_in_channel(&self, org: &Organisation) -> u32 {
        (self.rank * org.bank_groups + self.bank_group) * org.banks + self.bank
    }

    /// Bank index within the machine, the dense form of MAP-4 (CON-3):
    /// `((node * channels + channel) * ranks + rank) * banks_per_rank + bank`.
    pub fn bank_in_machine(&self, org: &Organisation) -> u32 {
        (self.node * org.channels + self.channel) * org.banks_per_channel() + self.bank_in_channel(org)
    }
}

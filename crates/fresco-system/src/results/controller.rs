// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one memory controller did during the measured phase.

use super::reads::RowCounts;
use fresco_dram::CommandKind;
use fresco_memory::NodeStats;
use serde::Serialize;

/// One controller: the memory of one node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControllerResult {
    /// Node.
    pub node: u32,
    /// Reads that the DRAM served.
    pub reads: u64,
    /// Writes that the DRAM served.
    pub writes: u64,
    /// Share of the time in which the data buses carried data, 0 to 1, mean of the channels.
    pub bus_utilisation: f64,
    /// Reads waiting per channel, mean over time.
    pub read_queue_mean: f64,
    /// Most reads waiting in one channel.
    pub read_queue_max: u32,
    /// Writes buffered per channel, mean over time.
    pub write_queue_mean: f64,
    /// Most writes buffered in one channel.
    pub write_queue_max: u32,
    /// What requests, reads and writes, found in their banks.
    pub rows: RowCounts,
    /// Row activations.
    pub activations: u64,
    /// Refresh commands, of all granularities.
    pub refreshes: u64,
}

impl ControllerResult {
    pub(crate) fn new(node: u32, stats: &NodeStats) -> Self {
        let sum = |count: fn(&fresco_memory::controller::ChannelStats) -> u64| stats.channels.iter().map(count).sum();
        let refreshes = CommandKind::ALL.into_iter().filter(|kind| kind.is_refresh());
        let commands = |kind| stats.channels.iter().map(|channel| channel.command(kind)).sum::<u64>();
        Self {
            node,
            reads: sum(|channel| channel.reads),
            writes: sum(|channel| channel.writes),
            bus_utilisation: stats.bus_utilisation(),
            read_queue_mean: stats.mean_read_queue(),
            read_queue_max: stats.max_read_queue(),
            write_queue_mean: stats.mean_write_queue(),
            write_queue_max: stats.max_write_queue(),
            rows: RowCounts {
                hits: sum(|channel| channel.row_hits),
                misses: sum(|channel| channel.row_misses),
                conflicts: sum(|channel| channel.row_conflicts),
                forwarded: sum(|channel| channel.forwarded),
            },
            activations: commands(CommandKind::Act),
            refreshes: refreshes.map(commands).sum(),
        }
    }
}

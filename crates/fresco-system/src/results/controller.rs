// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one memory controller did while tasks were measured.

use super::channel::{ChannelResult, EnergyResult};
use super::reads::RowCounts;
use super::spread::{ns, ratio};
use fresco_dram::{CommandKind, Ps};
use fresco_machine::Machine;
use fresco_memory::NodeStats;
use serde::{Deserialize, Serialize};

/// One controller: the memory of one node.
///
/// Its window is that of the run: from the moment at which all measured tasks had warmed up to the end of the last
/// measured phase. The phase of a task is a part of it, and may be a small one: where phases are counted in passes, it
/// begins with the task's next pass. So counts here need not be the sums of those of the tasks, and compare only as
/// rates; and they are of all that the DRAM served, whoever asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControllerResult {
    /// Node.
    pub node: u32,
    /// Length of the window, in nanoseconds.
    pub window_ns: f64,
    /// Reads that the DRAM served, of a line each.
    pub reads: u64,
    /// Writes that the DRAM served, of a line each.
    pub writes: u64,
    /// Lines read and written, in bytes per second of the window.
    pub bandwidth_bytes_per_s: f64,
    /// What the data buses of its channels could carry at most, in bytes per second.
    pub peak_bandwidth_bytes_per_s: f64,
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
    /// Its channels.
    pub channels: Vec<ChannelResult>,
    /// Energy of its devices; `None` where no currents of such devices are known, or single banks are refreshed.
    pub energy: Option<EnergyResult>,
}

impl ControllerResult {
    pub(crate) fn new(node: u32, stats: &NodeStats, machine: &Machine, window: Ps) -> Self {
        let (timing, organisation) = (&machine.memory.timing, &machine.memory.organisation);
        let bus_bytes = f64::from(organisation.bus_bytes);
        let line_bytes = timing.bytes_of_line(organisation) as f64;
        let peak = stats.channels.len() as f64 * bus_bytes * f64::from(timing.clock.rate_mts()) * 1e6;
        let sum = |count: fn(&fresco_memory::controller::ChannelStats) -> u64| stats.channels.iter().map(count).sum();
        let refreshes = CommandKind::ALL.into_iter().filter(|kind| kind.is_refresh());
        let commands = |kind| stats.channels.iter().map(|channel| channel.command(kind)).sum::<u64>();
        let (reads, writes) = (sum(|channel| channel.reads), sum(|channel| channel.writes));
        Self {
            node,
            window_ns: ns(window),
            reads,
            writes,
            bandwidth_bytes_per_s: ratio((reads + writes) as f64 * line_bytes, window as f64 * 1e-12),
            peak_bandwidth_bytes_per_s: peak,
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
            channels: stats
                .channels
                .iter()
                .map(|channel| ChannelResult::new(channel, stats, line_bytes, organisation.ranks, window))
                .collect(),
            energy: EnergyResult::of(stats, machine, window),
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each channel of a controller served, and what all its devices took.

use super::spread::ratio;
use fresco_dram::energy::{self, Activity, Energy};
use fresco_dram::{CommandKind, Ps};
use fresco_machine::Machine;
use fresco_memory::NodeStats;
use fresco_memory::controller::ChannelStats;
use serde::{Deserialize, Serialize};

/// One channel, in the window of its controller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelResult {
    /// Reads that the DRAM served, of a line each.
    pub reads: u64,
    /// Writes that the DRAM served, of a line each.
    pub writes: u64,
    /// Lines read and written, in bytes per second.
    pub bandwidth_bytes_per_s: f64,
    /// Share of the time in which its data bus carried data, 0 to 1.
    pub bus_utilisation: f64,
    /// Time with an open row, mean of the ranks, as a share of the time.
    pub active_share: f64,
}

impl ChannelResult {
    pub(super) fn new(channel: &ChannelStats, node: &NodeStats, line_bytes: f64, ranks: u32, window: Ps) -> Self {
        let cycles = node.cycles as f64;
        let lines = channel.reads + channel.writes;
        Self {
            reads: channel.reads,
            writes: channel.writes,
            bandwidth_bytes_per_s: ratio(lines as f64 * line_bytes, window as f64 * 1e-12),
            bus_utilisation: ratio(channel.data_cycles as f64, cycles),
            active_share: ratio(channel.rank_active_cycles as f64, cycles * f64::from(ranks)),
        }
    }
}

/// Energy of the devices of a controller in its window, by the currents of their data sheets ([`fresco_dram::energy`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyResult {
    /// By what took it, in picojoules.
    #[serde(flatten)]
    pub parts: Energy,
    /// All of it.
    pub total_pj: u64,
    /// Mean power, in watts.
    pub power_w: f64,
    /// Where the currents are from.
    pub source: String,
}

impl EnergyResult {
    /// `None` if there are no currents of such devices, or if banks were refreshed one by one, whose current no data sheet has.
    pub(super) fn of(stats: &NodeStats, machine: &Machine, window: Ps) -> Option<Self> {
        let memory = &machine.memory;
        let (timing, organisation) = (&memory.timing, &memory.organisation);
        let (devices, currents) = energy::devices(timing, organisation, memory.device.density_gbit)?;
        let mut refreshes = CommandKind::ALL
            .into_iter()
            .filter(|kind| kind.is_refresh() || kind.is_management());
        let other =
            |kind: CommandKind| kind != CommandKind::RefAb && stats.channels.iter().any(|c| c.command(kind) > 0);
        if refreshes.any(other) {
            return None;
        }
        let time = u64::from(organisation.ranks) * timing.clock.to_ps(stats.cycles);
        let mut parts = Energy::default();
        for channel in &stats.channels {
            let of_channel = currents.energy(
                devices,
                timing,
                &Activity {
                    activations: channel.command(CommandKind::Act),
                    reads: channel.reads,
                    writes: channel.writes,
                    refreshes: channel.command(CommandKind::RefAb),
                    active: timing.clock.to_ps(channel.rank_active_cycles),
                    time,
                },
            );
            parts = parts.plus(&of_channel);
        }
        let total_pj = parts.total_pj();
        Some(Self {
            parts,
            total_pj,
            power_w: ratio(total_pj as f64, window as f64),
            source: currents.source.clone(),
        })
    }
}

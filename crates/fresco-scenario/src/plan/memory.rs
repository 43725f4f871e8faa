// SPDX-License-Identifier: MIT OR Apache-2.0
//! What planning needs to know of a machine's memory: ranks, retention, the length of a refresh. In nanoseconds.

use fresco_dram::{Cycle, Timing};
use fresco_machine::Machine;
use fresco_rt::Time;
use serde::{Deserialize, Serialize};

/// Picoseconds in a nanosecond.
const PS_PER_NS: u64 = 1000;

/// The memory of a machine, as far as refresh is concerned. Ranks of the same number of all channels count as one:
/// they are refreshed at the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankMemory {
    /// Density of a device, in Gbit.
    pub density_gbit: u32,
    /// Standard and speed grade.
    pub standard: String,
    /// K: ranks of a channel.
    pub ranks: u32,
    /// Banks of a rank.
    pub banks_per_rank: u32,
    /// Bytes in the ranks of one number, over all channels.
    pub rank_bytes: u64,
    /// Page size, in bytes.
    pub page_bytes: u64,
    /// tRET: no row may wait longer; rounded down.
    pub retention_ns: Time,
    /// REFab that refresh all rows of a rank: 8192, or a multiple in the fine-granularity modes.
    pub commands: Time,
    /// tRFC of a REFab; rounded up.
    pub trfc_ns: Time,
    /// tRFC of a REFpb; `None` where there is no such command.
    pub trfc_bank_ns: Option<Time>,
    /// REFpb that refresh all rows of a bank.
    pub bank_commands: Time,
    /// tRP + tRCD: what a refresh costs the row that was open, besides tRFC (E26); rounded up.
    pub reopen_ns: Time,
    /// Longest time between two REFab of a rank that the standard allows: so many may be postponed, and one.
    pub longest_gap_ns: Time,
}

impl RankMemory {
    /// That of a machine.
    pub fn of(machine: &Machine) -> Self {
        let (timing, org) = (&machine.memory.timing, &machine.memory.organisation);
        let up = |cycles: Cycle| timing.clock.to_ps(cycles).div_ceil(PS_PER_NS);
        let down = |cycles: Cycle| timing.clock.to_ps(cycles) / PS_PER_NS;
        Self {
            density_gbit: machine.memory.device.density_gbit,
            standard: timing.standard.clone(),
            ranks: org.ranks,
            banks_per_rank: org.banks_per_rank(),
            rank_bytes: org.total_bytes() / u64::from(org.ranks),
            page_bytes: machine.page_bytes,
            retention_ns: down(timing.refw),
            commands: timing.refreshes,
            trfc_ns: up(timing.rfc_ab),
            trfc_bank_ns: (timing.rfc_pb > 0).then(|| up(timing.rfc_pb)),
            bank_commands: timing.bank_refreshes,
            reopen_ns: up(timing.rp_ab + timing.rcd),
            longest_gap_ns: longest_gap(timing),
        }
    }

    /// δ: all REFab of a rank back to back.
    pub fn burst_ns(&self) -> Time {
        self.commands.saturating_mul(self.trfc_ns)
    }
}

/// (postponable + 1) tREFI, with tREFI as the exact part of the retention time.
fn longest_gap(timing: &Timing) -> Time {
    let retention = u128::from(timing.clock.to_ps(timing.refw)) * u128::from(timing.postponable + 1);
    let gap = retention / u128::from(timing.refreshes.max(1)) / u128::from(PS_PER_NS);
    Time::try_from(gap).unwrap_or(Time::MAX)
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a controller serves at worst: r_min (MG-3).
//!
//! The worst case is that all requests go to one bank, each to another row than the one before. The slides add up
//! precharge, activation, column access and data of one access. A bank does not wait for that: the next precharge may begin
//! before the data come, but two activations lie at least tRC apart, which is longer with many devices. So the bank is
//! taken for the longest of
//!
//! ```text
//! read    max(tRC, tRCD + tRTP + tRP)
//! write   max(tRC, tRCD + CWL + BL/2 + tWR + tRP)
//! ```
//!
//! and a share of what devices ask for besides (refresh management: an RFM for each RAAIMT activations; activation counting: at worst the RFMab
//! of a back-off after as many activations as it has of these), and for nothing while it is refreshed: of each interval between two refreshes of the bank, the refresh itself and one
//! access more are lost, the one that no longer fits before it, with the precharge of the whole rank.
//! What other banks and channels could serve meanwhile is not guaranteed.

use crate::{Machine, RefreshPolicy};
use fresco_dram::{Cycle, Ps, Timing};

/// The guaranteed service of one controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guaranteed {
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Time that a bank is taken by a line, in cycles of the memory clock.
    pub cycles: Cycle,
    /// The same, in picoseconds.
    pub line_ps: Ps,
    /// The slides' sum for the same device, in picoseconds: precharge, activation, read latency and data.
    pub serial_ps: Ps,
    /// Refreshes of a bank follow each other by so many cycles on average; 0 without refresh.
    pub refresh_every: Cycle,
    /// Cycles that each takes.
    pub refresh_takes: Cycle,
    /// The guarantee holds over this time, not over shorter ones: refreshes are bunched. 0 if they are spread.
    pub holds_over: Ps,
}

impl Guaranteed {
    /// Of a machine's controllers, which are alike. `with_writes`: lines may be written as well as read.
    pub fn of(machine: &Machine, with_writes: bool) -> Self {
        let memory = &machine.memory;
        let (timing, refresh) = (&memory.timing, memory.controller.refresh);
        let more_bursts = timing.bursts_of_line(&memory.organisation) - 1;
        let cycles = if with_writes {
            timing
                .read_row_cycle(&memory.organisation)
                .max(write_cycles(timing, more_bursts))
        } else {
            timing.read_row_cycle(&memory.organisation)
        };
        let cycles = cycles + asked_cycles(timing, cycles);
        let (refresh_every, refresh_takes) = refresh.of_bank(timing);
        let serial = timing.rp + timing.rcd + timing.read_data(&memory.organisation);
        Self {
            line_bytes: timing.bytes_of_line(&memory.organisation),
            cycles,
            line_ps: timing.clock.to_ps(cycles),
            serial_ps: timing.clock.to_ps(serial),
            refresh_every,
            refresh_takes,
            holds_over: match refresh {
                RefreshPolicy::None => 0,
                _ if refresh.is_spread() => 0,
                _ => timing.clock.to_ps(timing.refw),
            },
        }
    }

    /// r_min, in bytes per second, rounded down.
    pub fn bytes_per_s(&self) -> u64 {
        let bytes = u128::from(self.line_bytes) * PS_PER_S / u128::from(self.line_ps.max(1));
        let lost = self.refresh_takes + self.cycles;
        let share = match self.refresh_every {
            0 => bytes,
            every => bytes * u128::from(every.saturating_sub(lost)) / u128::from(every),
        };
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    /// What the slides' sum gives, in bytes per second, rounded down: refresh and tRC left aside.
    pub fn serial_bytes_per_s(&self) -> u64 {
        let bytes = u128::from(self.line_bytes) * PS_PER_S / u128::from(self.serial_ps.max(1));
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

/// Picoseconds in a second.
const PS_PER_S: u128 = 1_000_000_000_000;

/// What refresh management and activation counting add to the time of a line, each with the precharge of the rank before it; a back-off with a
/// line more, which no longer fits in front of it.
fn asked_cycles(timing: &Timing, line: Cycle) -> Cycle {
    let asked = &timing.management;
    let rfm = asked.rfm.map_or(0, |rfm| {
        let each = if rfm.same_bank { asked.rfm_sb } else { asked.rfm_ab };
        (timing.rp_ab + each).div_ceil(u64::from(rfm.raaimt.max(1)))
    });
    let back_off = asked.prac.map_or(0, |prac| {
        let level = u64::from(prac.level.max(1));
        (line + timing.rp_ab + level * asked.rfm_ab).div_ceil(level)
    });
    rfm + back_off
}

/// From one activation of a bank to the next with a write of a line between them, which takes so many column commands after its first.
fn write_cycles(timing: &Timing, more_bursts: u64) -> Cycle {
    let written = timing.rcd + more_bursts * timing.ccd_l_wr + timing.cwl + timing.burst() + timing.wr;
    timing.rc.max(written + timing.rp)
}

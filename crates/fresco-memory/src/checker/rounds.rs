// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bank refreshes come in rounds: the standards want every bank (REFpb), or every bank number (REFsb), to have its turn
//! before one is refreshed again, as the devices' row counter moves on with the round (JESD209-4, JESD79-5B).

use super::CommandRecord;
use super::retention_report::Repeat;
use super::state::refpb_step;
use fresco_dram::{CommandKind, Organisation, Timing};

/// What the round that goes on in each rank has had.
#[derive(Clone)]
pub(super) struct Rounds {
    banks_per_group: u32,
    units: [u32; 2],
    /// A bit per bank, pair of banks or bank number, by rank through the channels.
    had: Vec<u64>,
    ranks: u32,
}

impl Rounds {
    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        Self {
            banks_per_group: org.banks,
            units: [refpb_step(org, timing) as u32, org.banks],
            had: vec![0; (org.nodes * org.channels * org.ranks) as usize],
            ranks: org.ranks,
        }
    }

    /// Takes a refresh command; returns it as a repeat if its bank has had its turn in this round. A repeat begins a
    /// round of its own.
    pub fn refresh(&mut self, c: &CommandRecord) -> Option<Repeat> {
        let had = &mut self.had[(c.channel * self.ranks + c.rank) as usize];
        let (unit, units) = match c.kind {
            CommandKind::RefPb => (
                (c.bank_group * self.banks_per_group + c.bank) % self.units[0],
                self.units[0],
            ),
            CommandKind::RefSb => (c.bank, self.units[1]),
            _ => {
                *had = 0;
                return None;
            }
        };
        let bit = 1 << unit;
        let repeat = (*had & bit != 0).then_some(Repeat {
            channel: c.channel,
            rank: c.rank,
            bank_group: c.bank_group,
            bank: c.bank,
            at: c.cycle,
        });
        *had = if repeat.is_some() { bit } else { *had | bit };
        if had.count_ones() == units {
            *had = 0;
        }
        repeat
    }
}

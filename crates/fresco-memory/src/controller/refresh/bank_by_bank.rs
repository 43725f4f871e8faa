// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh of one bank (REFpb) or of one bank of each group (REFsb) at a time, while the others go on: in turn, or the one
//! with the fewest requests first (REF-8, REF-9).

use super::{Load, Refresh, RefreshEngine};
use fresco_dram::{CommandKind, Cycle, NEVER, Organisation, Timing};

/// Which bank is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Each in turn (REF-8).
    InTurn,
    /// Of those not yet refreshed in this round, the one for which the fewest requests wait; the lowest number of
    /// several (REF-9). A round ends when each has had its turn: the standards ask for that.
    FewestRequests,
}

#[derive(Clone, Debug)]
struct Rank {
    /// When its next command is due.
    next: Cycle,
    /// Commands given.
    given: u64,
    /// Units of this round that have had their turn, a bit each (out-of-order only).
    done: u64,
}

/// Bank refreshes, evenly over tREFI, the ranks staggered.
#[derive(Debug)]
pub struct BankByBank {
    kind: CommandKind,
    /// What one command refreshes: a mask of banks for each unit.
    units: Vec<u64>,
    cycles: Cycle,
    order: Order,
    /// Time in which each unit has one command.
    round: Cycle,
    ranks: Vec<Rank>,
}

impl BankByBank {
    /// REFpb to each bank, or pair of banks, in turn.
    ///
    /// # Panics
    /// If the standard has no REFpb: `timing.rfc_pb` is 0. So for the other constructors.
    pub fn in_turn(org: &Organisation, timing: &Timing) -> Self {
        Self::new(org, timing, CommandKind::RefPb, Order::InTurn)
    }

    /// REFpb to the bank with the fewest requests.
    pub fn fewest_requests(org: &Organisation, timing: &Timing) -> Self {
        Self::new(org, timing, CommandKind::RefPb, Order::FewestRequests)
    }

    /// REFsb to each bank number in turn (DDR5).
    pub fn same_bank(org: &Organisation, timing: &Timing) -> Self {
        Self::new(org, timing, CommandKind::RefSb, Order::InTurn)
    }

    fn new(org: &Organisation, timing: &Timing, kind: CommandKind, order: Order) -> Self {
        let (units, cycles): (Vec<u64>, _) = match kind {
            CommandKind::RefSb => {
                let number =
                    |bank| (0..org.bank_groups).fold(0, |mask, group| mask | 1u64 << (group * org.banks + bank));
                ((0..org.banks).map(number).collect(), timing.rfc_sb)
            }
            _ => {
                let units = timing.refpb_units(org);
                let mask = |unit| {
                    (unit..org.banks_per_rank())
                        .step_by(units as usize)
                        .fold(0, |mask, bank| mask | 1 << bank)
                };
                ((0..units).map(mask).collect(), timing.rfc_pb)
            }
        };
        assert!(cycles > 0, "the standard has the command");
        // All rows of all units take `bank_refreshes` rounds, as they take `refreshes` REFab: a round is worth one
        // tREFI, or a part of it.
        let round = timing.refi * timing.refreshes / timing.bank_refreshes;
        let n = u64::from(org.ranks) * units.len() as u64;
        let rank = |r| Rank {
            next: round * (r + 1) / n,
            given: 0,
            done: 0,
        };
        Self {
            kind,
            units,
            cycles,
            order,
            round,
            ranks: (0..u64::from(org.ranks)).map(rank).collect(),
        }
    }

    fn unit(&mut self, rank: usize, load: &Load<'_>) -> usize {
        let n = self.units.len();
        let state = &mut self.ranks[rank];
        match self.order {
            Order::InTurn => (state.given % n as u64) as usize,
            Order::FewestRequests => {
                let left = (0..n).filter(|unit| state.done >> unit & 1 == 0);
                let unit = left.min_by_key(|&unit| load.of_banks(rank as u32, self.units[unit]));
                let unit = unit.expect("a round that is not over");
                state.done |= 1 << unit;
                if state.done.count_ones() as usize == n {
                    state.done = 0;
                }
                unit
            }
        }
    }
}

impl RefreshEngine for BankByBank {
    fn next_due(&self) -> Cycle {
        self.ranks.iter().map(|rank| rank.next).min().unwrap_or(NEVER)
    }

    fn take_due(&mut self, now: Cycle, load: &Load<'_>) -> Option<Refresh> {
        let rank = self.ranks.iter().position(|rank| rank.next <= now)?;
        let unit = self.unit(rank, load);
        let (units, ranks) = (self.units.len() as u128, self.ranks.len() as u128);
        let state = &mut self.ranks[rank];
        state.given += 1;
        // Command k of rank r is due at round * (k * ranks + r + 1) / (units * ranks).
        let steps = u128::from(state.given) * ranks + rank as u128 + 1;
        state.next = (u128::from(self.round) * steps / (units * ranks)) as Cycle;
        Some(Refresh {
            rank: rank as u32,
            kind: self.kind,
            banks: self.units[unit],
            cycles: self.cycles,
        })
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! All rows of one bank before the next bank, then the next rank (COD-1, the co-design paper's algorithm 1): each bank has
//! its turn once in a period and is left alone for the rest.
//!
//! No standard's bank counter works so: it moves on when every bank of the rank has had its turn.

use super::{Load, Refresh, RefreshEngine};
use fresco_dram::{CommandKind, Cycle, Organisation, Timing};

/// The turns of the banks, which repeat: rank 0 bank by bank, then rank 1, and so on. All channels have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankTurns {
    period: Cycle,
    ranks: u32,
    banks: u32,
}

/// One turn of a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankTurn {
    /// Rank of the channel.
    pub rank: u32,
    /// Bank of the rank (`bank_group * banks + bank`).
    pub bank: u32,
    /// First cycle: that of its first command.
    pub start: Cycle,
    /// First cycle of the next turn.
    pub end: Cycle,
}

impl BankTurns {
    /// The turns of a memory. A period is `refreshes` tREFI, a little less than tREFW, so that a command may come late.
    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        Self {
            period: timing.refi * timing.refreshes,
            ranks: org.ranks,
            banks: org.banks_per_rank(),
        }
    }

    /// Cycles in which each bank has one turn.
    pub fn period(&self) -> Cycle {
        self.period
    }

    /// Turns in a period: all banks of all ranks.
    pub fn count(&self) -> u32 {
        self.ranks * self.banks
    }

    /// The turn with this number, counted from the start of time.
    pub fn turn(&self, number: u64) -> BankTurn {
        let count = u64::from(self.count());
        let within = (number % count) as u32;
        BankTurn {
            rank: within / self.banks,
            bank: within % self.banks,
            start: self.start(number),
            end: self.start(number + 1),
        }
    }

    /// The number of the turn that a cycle lies in.
    pub fn number_at(&self, cycle: Cycle) -> u64 {
        // A turn may begin a cycle later than its share of the period, never earlier.
        let near = u128::from(cycle) * u128::from(self.count()) / u128::from(self.period.max(1));
        let near = near as u64;
        if self.start(near) > cycle { near - 1 } else { near }
    }

    fn start(&self, number: u64) -> Cycle {
        (u128::from(number) * u128::from(self.period)).div_ceil(u128::from(self.count())) as Cycle
    }
}

/// REFpb by [`BankTurns`], the commands of a turn evenly spread from its start on.
#[derive(Debug)]
pub struct BankSequential {
    turns: BankTurns,
    /// Commands of a turn.
    commands: u64,
    /// Commands taken.
    given: u64,
    cycles: Cycle,
}

impl BankSequential {
    /// For a memory whose standard has REFpb.
    pub fn new(org: &Organisation, timing: &Timing) -> Self {
        Self {
            turns: BankTurns::new(org, timing),
            commands: timing.bank_refreshes.max(1),
            given: 0,
            cycles: timing.rfc_pb,
        }
    }
}

impl RefreshEngine for BankSequential {
    fn next_due(&self) -> Cycle {
        let turn = self.turns.turn(self.given / self.commands);
        turn.start + self.given % self.commands * (turn.end - turn.start) / self.commands
    }

    fn take_due(&mut self, now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        if self.next_due() > now {
            return None;
        }
        let turn = self.turns.turn(self.given / self.commands);
        self.given += 1;
        Some(Refresh {
            rank: turn.rank,
            kind: CommandKind::RefPb,
            banks: 1 << turn.bank,
            cycles: self.cycles,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_follow_one_another_through_banks_and_ranks() {
        let turns = BankTurns {
            period: 1000,
            ranks: 2,
            banks: 3,
        };
        let starts: Vec<_> = (0..7)
            .map(|n| (turns.turn(n).rank, turns.turn(n).bank, turns.turn(n).start))
            .collect();
        assert_eq!(
            starts,
            [
                (0, 0, 0),
                (0, 1, 167),
                (0, 2, 334),
                (1, 0, 500),
                (1, 1, 667),
                (1, 2, 834),
                (0, 0, 1000)
            ]
        );
        for cycle in 0..5000 {
            let turn = turns.turn(turns.number_at(cycle));
            assert!((turn.start..turn.end).contains(&cycle), "{cycle}: {turn:?}");
        }
    }
}

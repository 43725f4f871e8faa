// SPDX-License-Identifier: MIT OR Apache-2.0
//! The turns of the banks in time, and what of each task lies in the bank of a turn.

use crate::experiment::{Experiment, colors};
use fresco_dram::{Clock, ColorSpace, Organisation, Ps};
use fresco_input::InputError;
use fresco_memory::controller::refresh::{BankTurn, BankTurns};

/// Time slices: the turns of the banks (COD-10).
#[derive(Clone, Copy, Debug)]
pub(super) struct Slices {
    turns: BankTurns,
    clock: Clock,
}

impl Slices {
    pub fn new(experiment: &Experiment) -> Self {
        let memory = &experiment.machine.memory;
        Self {
            turns: BankTurns::new(&memory.organisation, &memory.timing),
            clock: memory.timing.clock,
        }
    }

    /// Turns after which the banks begin anew.
    pub fn count(&self) -> usize {
        self.turns.count() as usize
    }

    /// Which bank of the round the slice of this number is for.
    pub fn bank(&self, slice: u64) -> usize {
        (slice % self.count() as u64) as usize
    }

    /// When a slice ends.
    pub fn end(&self, slice: u64) -> Ps {
        self.clock.to_ps(self.turns.turn(slice).end)
    }
}

/// The bank colors that a turn refreshes: those with the bank of the turn in any channel.
pub(super) fn colors_of_turn(space: &ColorSpace, organisation: &Organisation, turn: &BankTurn) -> Vec<u32> {
    let refreshed = |bank: &u32| {
        let per_rank = organisation.banks_per_rank();
        (bank / per_rank % organisation.ranks, bank % per_rank) == (turn.rank, turn.bank)
    };
    (0..space.bank_colors())
        .filter(|&color| space.banks(color).iter().any(refreshed))
        .collect()
}

/// For each task and each bank of a round, the share of the task's pages there, in millionths (COD-9).
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    /// Bank colors of each turn of a round.
    colors: Vec<Vec<u32>>,
    of: Vec<Vec<u64>>,
}

impl Shares {
    /// From the pages of each task by bank color.
    ///
    /// # Errors
    /// The machine has no colors.
    pub fn new(experiment: &Experiment, pages: &[Vec<(u32, u64)>]) -> Result<Self, InputError> {
        let space = colors::space(&experiment.machine)?;
        let memory = &experiment.machine.memory;
        let turns = BankTurns::new(&memory.organisation, &memory.timing);
        let colors = (0..u64::from(turns.count()))
            .map(|number| colors_of_turn(&space, &memory.organisation, &turns.turn(number)))
            .collect();
        let mut shares = Self {
            colors,
            of: vec![Vec::new(); pages.len()],
        };
        for (task, pages) in pages.iter().enumerate() {
            shares.set(task, pages);
        }
        Ok(shares)
    }

    /// The pages of a task are these now.
    pub fn set(&mut self, task: usize, pages: &[(u32, u64)]) {
        let all: u64 = pages.iter().map(|(_, pages)| pages).sum();
        let share = |colors: &Vec<u32>| {
            let own = pages.iter().filter(|(color, _)| colors.contains(color));
            let here: u64 = own.map(|(_, pages)| pages).sum();
            // Rounded up: 0 means none.
            (here * 1_000_000).div_ceil(all.max(1))
        };
        self.of[task] = self.colors.iter().map(share).collect();
    }

    /// Of one task in one bank.
    pub fn of(&self, task: usize, bank: usize) -> u64 {
        self.of[task][bank]
    }
}

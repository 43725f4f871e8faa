// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that each core has a task for every slice (COD-11).

use super::banks::colors_of_turn;
use crate::experiment::colors;
use fresco_frames::ColorSet;
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_memory::controller::refresh::BankTurns;
use std::fmt;

/// A bank during whose refresh a core has no task to run: none of its tasks leaves it free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untiled {
    /// The core.
    pub core: u32,
    /// Rank of the bank.
    pub rank: u32,
    /// Bank of the rank (`bank_group * banks + bank`).
    pub bank: u32,
    /// The bank colors that lie there.
    pub colors: Vec<u32>,
}

impl fmt::Display for Untiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            core,
            rank,
            bank,
            colors,
        } = self;
        let colors: ColorSet = colors.iter().copied().collect();
        write!(
            f,
            "core {core} has no task that leaves bank {bank} of rank {rank} free (bank colors {colors}): while it is \
             refreshed, every task of the core may meet the refresh"
        )
    }
}

impl std::error::Error for Untiled {}

/// Checks that on each core that has tasks, given as (core, bank colors), the banks that the tasks leave free are all banks
/// together. Finds the first bank, in the order of their turns, that is not.
///
/// # Errors
/// The machine has no colors. The inner error names core and bank.
pub fn check_tiling(machine: &Machine, tasks: &[(u32, ColorSet)]) -> Result<Result<(), Untiled>, InputError> {
    let space = colors::space(machine)?;
    let memory = &machine.memory;
    let turns = BankTurns::new(&memory.organisation, &memory.timing);
    for core in 0..machine.cores {
        let own: Vec<&ColorSet> = tasks
            .iter()
            .filter(|(on, _)| *on == core)
            .map(|(_, banks)| banks)
            .collect();
        if own.is_empty() {
            continue;
        }
        for number in 0..u64::from(turns.count()) {
            let turn = turns.turn(number);
            let colors = colors_of_turn(&space, &memory.organisation, &turn);
            let leaves_free = |banks: &&ColorSet| colors.iter().all(|&color| !banks.contains(color));
            if !own.iter().any(leaves_free) {
                return Ok(Err(Untiled {
                    core,
                    rank: turn.rank,
                    bank: turn.bank,
                    colors,
                }));
            }
        }
    }
    Ok(Ok(()))
}

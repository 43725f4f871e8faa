// SPDX-License-Identifier: MIT OR Apache-2.0
//! The set-ups that the co-design is measured in (COD-14): cores, tasks per core, modules per channel.

use crate::experiment::colors;
use fresco_frames::ColorSet;
use fresco_input::InputError;
use fresco_machine::Machine;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Cores: 2 or 4 in the paper.
    pub cores: u32,
    /// Tasks per core, the consolidation ratio: 2 or 4 in the paper.
    pub tasks_per_core: u32,
    /// Modules per channel, of two ranks each: 1 or 2 in the paper.
    pub dimms: u32,
}

impl Variant {
    /// What the paper varies: consolidation 1:2 and 1:4, two and four cores, one and two modules.
    pub fn all() -> impl Iterator<Item = Self> {
        [2, 4].into_iter().flat_map(|cores| {
            [2, 4].into_iter().flat_map(move |tasks_per_core| {
                [1, 2].into_iter().map(move |dimms| Self {
                    cores,
                    tasks_per_core,
                    dimms,
                })
            })
        })
    }

    /// The changes to the machine `gem5-2core` that make it this one, as `--set` takes them; refresh is sequential (COD-1).
    pub fn overrides(&self) -> Vec<(String, String)> {
        let ranks = 2 * self.dimms;
        let bits: Vec<String> = (16..16 + ranks.ilog2()).map(|bit| bit.to_string()).collect();
        let set = |key: &str, value: String| (key.to_owned(), value);
        vec![
            set("cores", self.cores.to_string()),
            set("memory.organisation.ranks", ranks.to_string()),
            set("memory.map.rank", format!("[{}]", bits.join(", "))),
            set("memory.controller.refresh", "\"per-bank-sequential\"".to_owned()),
        ]
    }

    /// The bank colors of the `number`th task of a core: each leaves its part of the banks of every rank free, so that the
    /// parts tile them (COD-11). Of 8 banks a task has 6 at 1:4 and 4 at 1:2, as in the paper.
    ///
    /// # Errors
    /// The machine has no colors.
    pub fn banks(&self, machine: &Machine, number: u32) -> Result<ColorSet, InputError> {
        let space = colors::space(machine)?;
        let banks_per_rank = machine.memory.organisation.banks_per_rank();
        let part =
            |bank: u32| u64::from(bank % banks_per_rank) * u64::from(self.tasks_per_core) / u64::from(banks_per_rank);
        let left_free = |color: u32| {
            let banks = space.banks(color);
            banks
                .iter()
                .any(|&bank| part(bank) == u64::from(number % self.tasks_per_core))
        };
        Ok((0..space.bank_colors()).filter(|&color| !left_free(color)).collect())
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a bound is made from: the memory, and how many requests may be under way.

use fresco_dram::{Organisation, Timing};
use fresco_machine::{ControllerConfig, Machine};
use serde::{Deserialize, Serialize};

/// The memory of one controller.
#[derive(Clone, Copy, Debug)]
pub struct Dram<'a> {
    /// Timing of the devices.
    pub timing: &'a Timing,
    /// Ranks and banks.
    pub organisation: &'a Organisation,
    /// Policies and queues.
    pub controller: &'a ControllerConfig,
}

impl<'a> Dram<'a> {
    /// That of a machine, whose controllers are alike.
    pub fn of(machine: &'a Machine) -> Self {
        Self {
            timing: &machine.memory.timing,
            organisation: &machine.memory.organisation,
            controller: &machine.memory.controller,
        }
    }
}

/// The most requests that may be under way at once in the channel of a read, itself among them, and where they may be.
///
/// A read is under way from its arrival at the controller to its last data. Who may have so many misses outstanding (miss registers)
/// has so many reads under way at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crowd {
    /// Reads in the channel; at least 1.
    pub reads: u32,
    /// Of these, reads of the rank.
    pub of_rank: u32,
    /// Of these, reads of the bank group.
    pub of_group: u32,
    /// Of these, reads of the bank.
    pub of_bank: u32,
    /// Reads that may be in other ranks of the channel; those that may be there and in the rank count as both.
    pub of_other_ranks: u32,
    /// Ranks of the channel that anybody reads or writes; at least 1.
    pub ranks: u32,
    /// Writes that may wait outside the controller's write buffer; 0 if nobody writes.
    pub waiting_writes: u32,
    /// Requests, reads and writes of all channels, that may be before the read in a [front queue](fresco_machine::Queues::FrontQueue).
    pub front: u32,
}

/// Entries of the write-back buffer of a core that has so many miss registers (docs/model.md, section 4).
pub(crate) fn write_back_entries(mshrs: u32) -> u32 {
    mshrs.max(8)
}

/// Lines that a core with so many miss registers has displaced and no controller has taken, at most: one for each entry, and one that waits for an entry, while which the core
/// stands still.
pub fn displaced_lines(mshrs: u32) -> u32 {
    write_back_entries(mshrs) + 1
}

impl Crowd {
    /// The same numbers, none larger than what contains it.
    pub(crate) fn checked(self) -> Self {
        let reads = self.reads.max(1);
        let of_rank = self.of_rank.clamp(1, reads);
        let of_group = self.of_group.clamp(1, of_rank);
        Self {
            reads,
            of_rank,
            of_group,
            of_bank: self.of_bank.clamp(1, of_group),
            of_other_ranks: self.of_other_ranks.max(reads - of_rank).min(reads - 1),
            ranks: self.ranks.max(1),
            ..self
        }
    }

    /// Returns true if anybody writes.
    pub(crate) fn writes(&self) -> bool {
        self.waiting_writes > 0
    }

    /// Returns true if the read is the only one.
    pub(crate) fn is_alone(&self) -> bool {
        self.reads == 1
    }
}

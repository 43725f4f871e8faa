// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a refresh scheme may know of the requests: how many wait, and where; and how many were served.

use crate::controller::bank::Bank;
use crate::controller::pool::Pool;
use std::collections::VecDeque;

/// The admitted requests of a channel, as its queues hold them now.
#[derive(Clone, Copy)]
pub struct Load<'a> {
    banks: &'a [Bank],
    banks_per_rank: u32,
    bursts: u64,
    /// All requests that have arrived and have not been served …
    pool: &'a Pool,
    /// … and those of them that wait for a place in a queue of the channel.
    backlog: &'a [VecDeque<u32>; 2],
}

impl<'a> Load<'a> {
    pub(in crate::controller) fn new(
        banks: &'a [Bank],
        banks_per_rank: u32,
        bursts: u64,
        pool: &'a Pool,
        backlog: &'a [VecDeque<u32>; 2],
    ) -> Self {
        Self {
            banks,
            banks_per_rank,
            bursts,
            pool,
            backlog,
        }
    }

    /// Requests of the rank in the channel, those included that wait for a place in its queues.
    pub fn of_rank(&self, rank: u32) -> u32 {
        let of_bank = |bank: &Bank| bank.reads.len() + bank.writes.len() + bank.backlog.len() as u32;
        let waits = |i: &&u32| self.pool.get(**i).bank / self.banks_per_rank == rank;
        let waiting = self.backlog.iter().flatten().filter(waits).count() as u32;
        self.of(rank).iter().map(of_bank).sum::<u32>() + waiting
    }

    /// The banks of a rank.
    fn of(&self, rank: u32) -> &[Bank] {
        &self.banks[(rank * self.banks_per_rank) as usize..][..self.banks_per_rank as usize]
    }

    /// Reads and writes that wait for one bank of a rank (`bank_group * banks + bank`).
    pub fn of_bank(&self, rank: u32, bank: u32) -> u32 {
        debug_assert!(bank < self.banks_per_rank, "a bank of the rank");
        let bank = &self.of(rank)[bank as usize];
        bank.reads.len() + bank.writes.len()
    }

    /// Those that wait for any of the banks of a mask (bit `bank_group * banks + bank`).
    pub fn of_banks(&self, rank: u32, mask: u64) -> u32 {
        let set = (0..self.banks_per_rank).filter(|bank| mask >> bank & 1 == 1);
        set.map(|bank| self.of_bank(rank, bank)).sum()
    }

    /// Bursts that the channel's data bus has carried since the start.
    pub fn bursts(&self) -> u64 {
        self.bursts
    }

    /// Returns true if no request waits for the rank.
    pub fn is_idle(&self, rank: u32) -> bool {
        self.of(rank)
            .iter()
            .all(|bank| bank.reads.is_empty() && bank.writes.is_empty())
    }
}

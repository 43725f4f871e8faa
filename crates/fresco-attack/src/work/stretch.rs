// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accesses of one kind, for some time.

use super::means::{Means, log_uniform};
use crate::pick;
use rand::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// In which order lines come after each other. Where there are more lines than caches hold, each access misses; where there are few, those of one set of
/// the last-level cache do if they are more than its ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Line after line of a row, row after row of a bank: hits of the row.
    Rows,
    /// Another row of the same bank each time, in lines that share sets of caches.
    Conflicts,
    /// Another bank each time, and another row: activations (tFAW).
    Banks,
    /// A line of a row of each rank in turn.
    Ranks,
    /// Lines of the same set of the last-level cache, then those of the next set.
    Sets,
    /// Scattered.
    Random,
}

impl Order {
    /// All.
    pub const ALL: [Self; 6] = [
        Self::Rows,
        Self::Conflicts,
        Self::Banks,
        Self::Ranks,
        Self::Sets,
        Self::Random,
    ];
}

/// Accesses to some lines, one after the other and again from the first, for so many accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// In this order.
    pub order: Order,
    /// Lines of so many of its banks; 0 of all.
    pub banks: u32,
    /// From this bank on, counted among its banks and modulo their number.
    pub bank: u32,
    /// So many different lines at most, at least 1.
    pub lines: u32,
    /// From this line of the order on.
    pub first: u32,
    /// Accesses, at least 1; then comes the next stretch.
    pub accesses: u32,
    /// Stores in a hundred.
    pub stores: u32,
    /// Each access needs the value of the load before.
    pub chain: bool,
    /// Instructions without access before each access.
    pub gap: u32,
    /// After so many accesses, at least 1, …
    pub burst: u32,
    /// … so many instructions without access.
    pub pause: u32,
}

impl Stretch {
    /// The longest gap and pause, in instructions.
    pub const MOST_INSTRUCTIONS: u32 = 1_000_000;

    /// One of the plain ways to disturb others.
    pub(crate) fn plain(means: &Means, rng: &mut Pcg64) -> Self {
        let fast = Self {
            order: Order::Random,
            banks: 0,
            bank: 0,
            lines: means.lines,
            first: 0,
            accesses: 100_000,
            stores: 0,
            chain: false,
            gap: 0,
            burst: 1,
            pause: 0,
        };
        let one_bank = Self {
            order: Order::Conflicts,
            banks: 1,
            bank: rng.random_range(0..means.banks.max(1)),
            ..fast
        };
        let flood = if means.may_store { 100 } else { 0 };
        match rng.random_range(0..11) {
            0 | 10 => fast,
            1 => one_bank,
            2 => Self {
                order: Order::Conflicts,
                ..fast
            },
            3 => Self {
                order: Order::Banks,
                ..fast
            },
            4 => Self {
                order: Order::Ranks,
                ..fast
            },
            5 => Self {
                order: Order::Rows,
                ..fast
            },
            // Those of few sets are there again before those are back whom they displaced.
            6 => Self {
                order: Order::Sets,
                lines: (means.ways + 1).saturating_mul(log_uniform(1, 256, rng)),
                first: rng.random_range(0..means.lines.max(1)),
                ..fast
            },
            7 => Self { stores: flood, ..fast },
            8 => Self {
                stores: flood,
                ..one_bank
            },
            _ => Self {
                order: Order::Rows,
                stores: flood,
                ..fast
            },
        }
    }

    pub(crate) fn draw(means: &Means, rng: &mut Pcg64) -> Self {
        let mut stretch = Self::plain(means, rng);
        for _ in 0..rng.random_range(0..6) {
            stretch.mutate(means, rng);
        }
        stretch
    }

    pub(crate) fn mutate(&mut self, means: &Means, rng: &mut Pcg64) {
        match rng.random_range(0..12) {
            0 => self.order = pick(&Order::ALL, rng),
            1 => self.banks = pick(&[0, 1, 1, 2, rng.random_range(0..=means.banks)], rng),
            2 => self.bank = rng.random_range(0..means.banks.max(1)),
            3 | 4 => self.lines = draw_lines(means, rng),
            5 => self.first = rng.random_range(0..means.lines.max(1)),
            6 => self.accesses = log_uniform(1, 200_000, rng),
            7 if means.may_store => self.stores = pick(&[0, 100, 50, rng.random_range(0..=100)], rng),
            8 => self.chain = !self.chain,
            9 => self.gap = pick(&[0, 0, log_uniform(1, 2_000, rng)], rng),
            10 => {
                let several = [means.misses, means.writes, log_uniform(1, 4_096, rng)];
                self.burst = pick(&several, rng).max(1);
            }
            _ => {
                let refresh = rng.random_range(0..=means.refresh.saturating_mul(2));
                self.pause = pick(&[0, refresh, log_uniform(1, 20_000, rng)], rng).min(Self::MOST_INSTRUCTIONS);
            }
        }
    }

    /// Returns what of it nobody can run, and what is allowed, if so.
    pub fn wrong(&self) -> Option<(&'static str, u32, String)> {
        let most = Self::MOST_INSTRUCTIONS;
        let ranges = [
            ("lines", self.lines, 1..=u32::MAX),
            ("accesses", self.accesses, 1..=u32::MAX),
            ("stores", self.stores, 0..=100),
            ("gap", self.gap, 0..=most),
            ("burst", self.burst, 1..=u32::MAX),
            ("pause", self.pause, 0..=most),
        ];
        let wrong = ranges.into_iter().find(|(_, value, range)| !range.contains(value));
        wrong.map(|(name, value, range)| (name, value, format!("{} to {}", range.start(), range.end())))
    }
}

fn draw_lines(means: &Means, rng: &mut Pcg64) -> u32 {
    let of_a_set = means.ways + 1 + rng.random_range(0..=means.ways);
    let of_sets = of_a_set.saturating_mul(log_uniform(1, 64, rng));
    let any = log_uniform(1, means.lines.max(1), rng);
    pick(&[means.lines, of_a_set, of_sets, any], rng).clamp(1, means.lines.max(1))
}

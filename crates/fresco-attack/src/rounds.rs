// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores that send the same series of requests in each round of an attack.

use crate::pick;
use crate::requests::{ROWS, Turn};
use fresco_dram::Cycle;
use rand::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// Which row of its bank a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowOf {
    /// One that nobody asked for lately.
    Other,
    /// That which is open in the bank; if none is and nobody reads there, that which was last.
    Open,
}

/// Requests alike, in each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Series {
    /// Cycles of the round before the first of them.
    pub at: u32,
    /// So many, as soon as the core may send them.
    pub times: u16,
    /// Cycles from one to the next, at least.
    pub apart: u16,
    /// So many of its reads are under way at most.
    pub most: u16,
    /// Of reads of other banks that are older than its last one so many are under way at most.
    pub behind: u16,
    /// Which of the core's banks, counted in a circle, and …
    pub bank: u16,
    /// … how many banks further each next one is.
    pub stride: u16,
    /// Which row.
    pub row: RowOf,
    /// It writes.
    pub write: bool,
}

/// Most series of a core.
const MOST_SERIES: usize = 6;

impl Series {
    /// Any.
    pub fn draw(rng: &mut Pcg64) -> Self {
        Self {
            at: rng.random_range(0..120),
            times: pick(&[1, 2, 4, 16, 64, 1000], rng),
            apart: match rng.random_bool(0.5) {
                true => 0,
                false => rng.random_range(0..400),
            },
            most: pick(&[1, 2, 3, 1000, 1000], rng),
            behind: pick(&[1000, 1000, rng.random_range(0..16)], rng),
            bank: rng.random_range(0..32),
            stride: pick(&[0, 0, 1, 1, 3], rng),
            row: pick(&[RowOf::Other, RowOf::Open], rng),
            write: rng.random_bool(0.3),
        }
    }

    fn mutate(&mut self, rng: &mut Pcg64) {
        let other = Self::draw(rng);
        match rng.random_range(0..13) {
            12 => self.behind = other.behind,
            0 => self.at = other.at,
            1 => self.times = other.times,
            2 => self.apart = other.apart,
            3 => self.most = other.most,
            4 => self.bank = other.bank,
            5 => self.stride = other.stride,
            6 => self.row = other.row,
            7 => self.write = other.write,
            // A little more or less.
            8 => self.times = near(self.times.into(), 3, rng).clamp(1, 1000) as u16,
            9 => self.apart = near(self.apart.into(), 3, rng).min(1000) as u16,
            _ => self.at = near(self.at, 6, rng),
        }
    }

    /// What hurts by itself: rows of all banks, one bank's rows, hits of a row that is open, lines of a row of its own, writes.
    fn plain(rng: &mut Pcg64) -> Vec<Self> {
        let at = pick(&[0, 0, 10, 20, 40], rng);
        let bank = pick(&[0, 0, rng.random_range(0..32)], rng);
        let rows = Self {
            at,
            times: 1000,
            apart: 0,
            most: 1000,
            behind: 1000,
            bank,
            stride: 1,
            row: RowOf::Other,
            write: false,
        };
        let one_bank = Self { stride: 0, ..rows };
        let hits = Self {
            at: at + 1,
            row: RowOf::Open,
            ..one_bank
        };
        let few = pick(&[1, 2, 4, 8], rng);
        match rng.random_range(0..8) {
            0 => vec![Self { times: few, ..rows }],
            1 => vec![Self { times: few, ..one_bank }],
            2 => vec![hits],
            3 => vec![Self {
                most: few.min(2),
                ..hits
            }],
            4 => vec![Self { most: few, ..hits }, one_bank],
            5 => vec![Self {
                write: true,
                ..one_bank
            }],
            6 => vec![
                Self {
                    write: true,
                    ..one_bank
                },
                Self { times: few, ..rows },
            ],
            _ => vec![Self { write: true, ..rows }, hits],
        }
    }

    /// Any plain behavior.
    pub(crate) fn draw_all(rng: &mut Pcg64) -> Vec<Self> {
        match rng.random_bool(0.8) {
            true => Self::plain(rng),
            false => (0..rng.random_range(1..=3)).map(|_| Self::draw(rng)).collect(),
        }
    }

    /// What the victim does: a read of another row once in a round, perhaps after others.
    pub(crate) fn draw_victim(rng: &mut Pcg64) -> Vec<Self> {
        let read = Self {
            at: pick(&[20, 40, 60, 100], rng),
            times: 1,
            apart: 0,
            most: 1000,
            behind: 1000,
            bank: 0,
            stride: 0,
            row: RowOf::Other,
            write: false,
        };
        let hits = Self {
            at: 0,
            times: 1000,
            apart: pick(&[0, 0, rng.random_range(0..400)], rng),
            most: pick(&[1, 2, 2, 1000], rng),
            behind: pick(&[1000, rng.random_range(0..16)], rng),
            row: RowOf::Open,
            ..read
        };
        match rng.random_range(0..6) {
            0 | 1 => vec![read],
            2 => vec![Self { at: 0, ..read }, read],
            3 => vec![Self { times: 1000, ..read }],
            4 => vec![
                Self {
                    times: pick(&[2, 4, 8, 1000], rng),
                    ..read
                },
                hits,
            ],
            _ => [Self::plain(rng), vec![read]].concat(),
        }
    }

    pub(crate) fn mutate_all(all: &mut Vec<Self>, rng: &mut Pcg64) {
        match rng.random_range(0..12) {
            0 if all.len() < MOST_SERIES => all.push(Self::draw(rng)),
            1 if all.len() > 1 => drop(all.remove(rng.random_range(0..all.len()))),
            2 => {
                let one = rng.random_range(0..all.len());
                let other = rng.random_range(0..all.len());
                all.swap(one, other);
            }
            3 if all.len() < MOST_SERIES => all.push(all[rng.random_range(0..all.len())]),
            // All earlier or later.
            4 | 5 => {
                let step = rng.random_range(0..17);
                all.iter_mut()
                    .for_each(|series| series.at = (series.at + step).saturating_sub(8));
            }
            _ => {
                let one = rng.random_range(0..all.len());
                all[one].mutate(rng);
            }
        }
    }
}

/// A number no further from `from` than `step`.
fn near(from: u32, step: u32, rng: &mut Pcg64) -> u32 {
    (from + rng.random_range(0..=2 * step)).saturating_sub(step)
}

/// The row that is open in a bank, or was last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    pub number: u32,
    pub is_open: bool,
}

/// A series that may always go on has this in [`Series::behind`], or more.
const ALWAYS: u16 = 1000;

/// A core in its rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    series: Vec<Going>,
    /// Counts its requests, for other rows and lines.
    fresh: u32,
}

/// How far a series is.
#[derive(Clone, Copy, Debug, Default)]
struct Going {
    /// Requests of this round that are to be sent, not before …
    left: u16,
    next: Cycle,
    /// Its reads under way.
    reading: u16,
    /// The number of its last read.
    last: Option<usize>,
}

impl Rounds {
    /// Sends what the core sends in this cycle, the first of its series first; `rows` are those of the banks.
    pub fn send(&mut self, series: &[Series], round: u32, rows: &[Row], turn: &mut Turn<'_, '_>) {
        let now = turn.now;
        if now.is_multiple_of(Cycle::from(round.max(1))) {
            self.series.resize_with(series.len(), Going::default);
            for (going, one) in self.series.iter_mut().zip(series) {
                (going.left, going.next) = (one.times, now + Cycle::from(one.at));
            }
        }
        for (number, one) in series.iter().enumerate() {
            while let Some((bank, open)) = self.series[number].next(one, rows, turn) {
                let going = &mut self.series[number];
                going.left -= 1;
                going.next = now + Cycle::from(one.apart);
                if !one.write {
                    going.reading += 1;
                    going.last = Some(turn.requests.next());
                }
                self.fresh = self.fresh.wrapping_add(1);
                let row = match one.row {
                    RowOf::Open => open,
                    RowOf::Other => (open + 1 + self.fresh % (ROWS - 1)) % ROWS,
                };
                turn.send(Some(number), one.write, bank, (row, self.fresh % turn.requests.lines()));
            }
        }
    }

    /// A request of a series is over.
    pub fn is_over(&mut self, series: usize, write: bool) {
        self.series[series].reading -= u16::from(!write);
    }
}

impl Going {
    /// The bank of the next request and the row there, if the series may send it now.
    fn next(&self, one: &Series, rows: &[Row], turn: &Turn<'_, '_>) -> Option<(u32, u32)> {
        let may = match one.write {
            true => turn.may_write(),
            false => turn.may_read() && self.reading < one.most.max(1),
        };
        if self.left == 0 || self.next > turn.now || !may {
            return None;
        }
        let step = usize::from(one.times - self.left) * usize::from(one.stride);
        let banks = &turn.limits.banks;
        let bank = banks[(usize::from(one.bank) + step) % banks.len()];
        let row = rows[bank as usize];
        // Which row is about to be opened is not known yet.
        let is_known = one.row == RowOf::Other || row.is_open || !turn.requests.is_read(bank);
        let older = |last| turn.requests.older_elsewhere(last) > usize::from(one.behind);
        let waits = one.behind < ALWAYS && self.last.is_some_and(older);
        (is_known && !waits).then_some((bank, row.number))
    }
}

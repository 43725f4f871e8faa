// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores that send reads and writes as fast as they may, each in a way that hurts others.

use fresco_dram::{Cycle, Location, Organisation, Timing};
use fresco_memory::{Access, Completion, Controller, Request, Sink};
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64;
use std::collections::BTreeMap;

/// What a core asks for next.
#[derive(Clone, Copy, Debug)]
pub enum Habit {
    /// Line after line of a row, in one bank.
    Stream,
    /// Another row each time, in one bank.
    Conflicts,
    /// Another bank each time, another row.
    Activations,
    /// Anything.
    Random,
}

/// A core, and what it may do.
#[derive(Clone, Debug)]
pub struct Core {
    /// Reads under way at most.
    pub reads: u32,
    /// Writes that may wait for the controller at most; 0: it writes nothing.
    pub writes: u32,
    /// Its banks, counted in the channel.
    pub banks: Vec<u32>,
    /// Percent of its requests that are writes.
    pub share: u32,
    /// It sends all reads at once when none is under way.
    pub bunched: bool,
    pub habit: Habit,
    /// Cycles between two requests, at most.
    pub pause: u64,
    /// Writes go to one bank.
    pub one_bank: bool,
}

#[derive(Clone, Debug, Default)]
struct State {
    reading: u32,
    writing: u32,
    bunch: u32,
    next: Cycle,
    at: usize,
    row: u32,
    column: u32,
}

/// What came back.
#[derive(Default)]
struct Back {
    done: BTreeMap<Cycle, Vec<(u16, Access)>>,
    longest: Vec<Cycle>,
    reads: u64,
}

impl Sink for Back {
    fn completed(&mut self, c: &Completion) {
        self.done.entry(c.done).or_default().push((c.source, c.access));
        if c.access == Access::Read {
            self.reads += 1;
            let longest = &mut self.longest[usize::from(c.source)];
            *longest = (*longest).max(c.done - c.arrived);
        }
    }
}

fn place(org: &Organisation, bank: u32, row: u32, column: u32) -> Location {
    let per_rank = org.banks_per_rank();
    let (rank, rest) = (bank / per_rank, bank % per_rank);
    Location {
        rank,
        bank_group: rest / org.banks,
        bank: rest % org.banks,
        row,
        column,
        ..Location::default()
    }
}

/// Longest latency of a read of each core, and how many reads there were. Cores change their habits now and then if it `varies`.
pub fn run(
    controller: &mut Controller,
    org: &Organisation,
    timing: &Timing,
    cores: &[Core],
    cycles: Cycle,
    varies: bool,
    rng: &mut Pcg64,
) -> (Vec<Cycle>, u64) {
    let columns = (timing.bytes_of_line(org) / u64::from(org.bus_bytes)) as u32;
    let lines = org.columns / columns;
    let mut states = vec![State::default(); cores.len()];
    let mut back = Back {
        longest: vec![0; cores.len()],
        ..Back::default()
    };
    let mut id = 0u64;
    let mut cores = cores.to_vec();
    for now in 0..cycles {
        while let Some(entry) = back.done.first_entry()
            && *entry.key() <= now
        {
            for (source, access) in entry.remove() {
                match access {
                    Access::Read => states[usize::from(source)].reading -= 1,
                    Access::Write => states[usize::from(source)].writing -= 1,
                }
            }
        }
        if varies && rng.random_range(0..2000) == 0 {
            let i = rng.random_range(0..cores.len());
            vary(&mut cores[i], rng);
        }
        for (i, (core, state)) in cores.iter().zip(&mut states).enumerate() {
            if state.next > now {
                continue;
            }
            if core.bunched && state.bunch == 0 && state.reading == 0 {
                state.bunch = core.reads;
            }
            let may_read = state.reading < core.reads && (!core.bunched || state.bunch > 0);
            let may_write = state.writing < core.writes;
            let wants_write = core.writes > 0 && rng.random_range(0..100) < core.share;
            let access = match (wants_write, may_read, may_write) {
                (true, _, true) => Access::Write,
                (false, true, _) => Access::Read,
                _ => continue,
            };
            let banks = core.banks.len();
            match core.habit {
                Habit::Stream => {
                    state.column = (state.column + 1) % lines;
                    if state.column == 0 {
                        state.row = rng.random_range(0..64);
                        state.at = rng.random_range(0..banks);
                    }
                }
                Habit::Conflicts => state.row = (state.row + 1) % 64,
                Habit::Activations => {
                    state.at = (state.at + 1) % banks;
                    state.row = (state.row + 1) % 64;
                }
                Habit::Random => {
                    state.at = rng.random_range(0..banks);
                    state.row = rng.random_range(0..3);
                    state.column = rng.random_range(0..lines);
                }
            }
            let at = if access == Access::Write && core.one_bank {
                0
            } else {
                state.at % banks
            };
            let location = place(org, core.banks[at], state.row, state.column * columns);
            let line = ((u64::from(core.banks[at]) * 64 + u64::from(state.row)) * u64::from(lines)
                + u64::from(state.column))
                * 64;
            controller.submit(
                now,
                Request {
                    id,
                    source: i as u16,
                    access,
                    line,
                    location,
                },
            );
            id += 1;
            match access {
                Access::Read => {
                    state.reading += 1;
                    state.bunch = state.bunch.saturating_sub(1);
                }
                Access::Write => state.writing += 1,
            }
            state.next = now
                + 1
                + if core.pause > 0 {
                    rng.random_range(0..core.pause)
                } else {
                    0
                };
        }
        controller.run_until(now, &mut back);
    }
    (back.longest, back.reads)
}

/// Gives the core other habits, within what it may do.
pub fn vary(core: &mut Core, rng: &mut Pcg64) {
    core.habit = *[Habit::Stream, Habit::Conflicts, Habit::Activations, Habit::Random]
        .choose(rng)
        .expect("some");
    core.share = *[0, 10, 50, 90].choose(rng).expect("some");
    core.bunched = rng.random_bool(0.3);
    core.one_bank = rng.random_bool(0.5);
    core.pause = *[0, 0, 4, 40].choose(rng).expect("some");
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! An attack on the model of the controller.

use crate::{Attack, Pattern, Phase};
use fresco_bound::Dram;
use fresco_dram::{Cycle, Location, Organisation};
use fresco_memory::{Access, Command, Completion, Controller, Request, Sink};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a core or device may do in a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Reads under way at most; at least 1 of the victim.
    pub reads: u32,
    /// Writes that may wait for the controller at most; 0: it writes nothing.
    pub writes: u32,
    /// Its banks, counted in the channel; at least one.
    pub banks: Vec<u32>,
}

/// A read, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worst {
    /// From its arrival at the controller to its last data, in cycles.
    pub cycles: Cycle,
    /// When it arrived.
    pub arrived: Cycle,
}

/// What came of an attack.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The longest read of each core.
    pub longest: Vec<Worst>,
    /// Reads of all cores.
    pub reads: u64,
    /// Commands, if they were asked for.
    pub commands: Vec<Command>,
}

/// Rows that are used.
const ROWS: u32 = 64;

#[derive(Clone, Debug, Default)]
struct State {
    reading: u32,
    writing: u32,
    /// Reads of the present bunch that are to be sent.
    bunch: u32,
    /// The last ambush was for the read that the victim sends then.
    ambushed: Cycle,
    next: Cycle,
    bank: usize,
    row: u32,
    column: u32,
}

struct Back {
    /// What is over when: core, and whether it is a write.
    done: BinaryHeap<Reverse<(Cycle, u16, bool)>>,
    played: Played,
    keeps_commands: bool,
}

impl Sink for Back {
    fn completed(&mut self, c: &Completion) {
        self.done.push(Reverse((c.done, c.source, c.access == Access::Write)));
        if c.access == Access::Read {
            self.played.reads += 1;
            let longest = &mut self.played.longest[usize::from(c.source)];
            if c.done - c.arrived > longest.cycles {
                *longest = Worst {
                    cycles: c.done - c.arrived,
                    arrived: c.arrived,
                };
            }
        }
    }

    fn wants_commands(&self) -> bool {
        self.keeps_commands
    }

    fn command(&mut self, command: &Command) {
        self.played.commands.push(*command);
    }
}

/// Plays `attack` for so many cycles on a controller with one channel, empty at the start. `victim` is the core that others ambush. Commands
/// are kept if `keeps_commands`.
///
/// # Panics
/// If the attack has not as many cores as there are limits.
pub fn play(
    dram: &Dram<'_>,
    limits: &[Limits],
    victim: usize,
    attack: &Attack,
    cycles: Cycle,
    keeps_commands: bool,
) -> Played {
    assert_eq!(attack.cores.len(), limits.len());
    let org = dram.organisation;
    let mut controller = Controller::new(dram.controller, org, dram.timing, 0);
    let mut back = Back {
        done: BinaryHeap::new(),
        played: Played {
            longest: vec![Worst::default(); limits.len()],
            ..Played::default()
        },
        keeps_commands,
    };
    let mut cores = Cores {
        states: vec![State::default(); limits.len()],
        rng: Pcg64::seed_from_u64(attack.seed),
        refi: dram.timing.refi.max(1),
        line_columns: (dram.timing.bytes_of_line(org) / u64::from(org.bus_bytes)) as u32,
        org: *org,
        requests: 0,
        dram,
    };
    for now in 0..cycles {
        while let Some(&Reverse((at, core, is_write))) = back.done.peek()
            && at <= now
        {
            back.done.pop();
            let state = &mut cores.states[usize::from(core)];
            *(if is_write {
                &mut state.writing
            } else {
                &mut state.reading
            }) -= 1;
        }
        // The victim's read is the youngest of its cycle.
        let others = (0..limits.len()).filter(|core| *core != victim);
        for core in others.chain([victim]) {
            let phase = phase_at(&attack.cores[core].0, now);
            cores.send(core, &limits[core], phase, victim, now, &mut controller);
        }
        controller.run_until(now, &mut back);
    }
    back.played
}

/// The phase of this cycle.
fn phase_at(phases: &[Phase], now: Cycle) -> &Phase {
    let length: Cycle = phases.iter().map(|phase| Cycle::from(phase.cycles.max(1))).sum();
    let mut left = now % length;
    phases
        .iter()
        .find(|phase| {
            let cycles = Cycle::from(phase.cycles.max(1));
            let is_now = left < cycles;
            left = left.saturating_sub(cycles);
            is_now
        })
        .expect("a time within the phases")
}

struct Cores<'d> {
    states: Vec<State>,
    rng: Pcg64,
    refi: Cycle,
    line_columns: u32,
    org: Organisation,
    requests: u64,
    dram: &'d Dram<'d>,
}

impl Cores<'_> {
    /// Sends what the core sends in this cycle.
    fn send(&mut self, core: usize, limits: &Limits, phase: &Phase, victim: usize, now: Cycle, to: &mut Controller) {
        if self.states[core].next > now {
            return;
        }
        let victims_next = self.states[victim].next;
        let is_aligned = phase
            .after_refresh
            .is_none_or(|after| now % self.refi == Cycle::from(after) % self.refi);
        let state = &mut self.states[core];
        if let (Some(lead), true) = (phase.ambush, core != victim) {
            let is_time = now + Cycle::from(lead) >= victims_next && state.ambushed != victims_next;
            if is_time {
                state.ambushed = victims_next;
                state.bunch = limits.reads - state.reading;
            }
        } else if state.bunch == 0 && is_aligned && (!phase.bunched || state.reading == 0) {
            state.bunch = if phase.bunched { limits.reads } else { 1 };
        }
        let at_once = if phase.bunched || phase.ambush.is_some() {
            limits.reads.max(1)
        } else {
            1
        };
        for _ in 0..at_once {
            let state = &self.states[core];
            let may_read = state.reading < limits.reads && state.bunch > 0;
            let may_write = state.writing < limits.writes;
            let wants_write = limits.writes > 0 && self.rng.random_range(0..100) < u32::from(phase.writes);
            match (wants_write, may_read, may_write) {
                (true, _, true) => self.request(core, Access::Write, limits, phase, now, to),
                (false, true, _) => self.request(core, Access::Read, limits, phase, now, to),
                _ => break,
            }
        }
        let gap = Cycle::from(phase.gap);
        let drawn = if gap > 0 { self.rng.random_range(0..gap) } else { 0 };
        self.states[core].next = now + 1 + drawn;
    }

    fn request(
        &mut self,
        core: usize,
        access: Access,
        limits: &Limits,
        phase: &Phase,
        now: Cycle,
        to: &mut Controller,
    ) {
        let banks = limits.banks.len();
        let lines = self.org.columns / self.line_columns;
        let (state, rng) = (&mut self.states[core], &mut self.rng);
        match phase.pattern {
            Pattern::Stream => {
                state.column = (state.column + 1) % lines;
                if state.column == 0 {
                    state.row = rng.random_range(0..ROWS);
                    state.bank = rng.random_range(0..banks);
                }
            }
            Pattern::Conflicts => state.row = (state.row + 1) % ROWS,
            Pattern::Activations => {
                state.bank += 1;
                state.row = (state.row + 1) % ROWS;
            }
            Pattern::Turns => {
                state.bank += 1;
                state.column = (state.column + u32::from(state.bank % banks == 0)) % lines;
            }
            Pattern::Random => {
                state.bank = rng.random_range(0..banks);
                state.row = rng.random_range(0..3);
                state.column = rng.random_range(0..lines);
            }
        }
        let to_one = access == Access::Write && phase.writes_to_one;
        let bank = limits.banks[if to_one { 0 } else { state.bank % banks }];
        let (row, line) = (state.row, state.column);
        match access {
            Access::Read => {
                state.reading += 1;
                state.bunch = state.bunch.saturating_sub(1);
            }
            Access::Write => state.writing += 1,
        }
        let request = Request {
            id: self.requests,
            source: core as u16,
            access,
            line: ((u64::from(bank) * u64::from(ROWS) + u64::from(row)) * u64::from(lines) + u64::from(line))
                * self.dram.timing.bytes_of_line(&self.org),
            location: place(&self.org, bank, row, line * self.line_columns),
        };
        self.requests += 1;
        to.submit(now, request);
    }
}

fn place(org: &Organisation, bank: u32, row: u32, column: u32) -> Location {
    let (rank, rest) = (bank / org.banks_per_rank(), bank % org.banks_per_rank());
    Location {
        rank,
        bank_group: rest / org.banks,
        bank: rest % org.banks,
        row,
        column,
        ..Location::default()
    }
}

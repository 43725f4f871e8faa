// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores that behave in one way for some time, then in another.

use crate::pick;
use crate::requests::{ROWS, Turn};
use fresco_dram::Cycle;
use rand::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// Which lines a core asks for, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// Line after line of a row, then of another row of any of its banks.
    Stream,
    /// Another row each time, in one bank.
    Conflicts,
    /// Another bank each time, and another row.
    Activations,
    /// Line after line of a row in each of its banks in turn: of both ranks, if it has banks of two.
    Turns,
    /// Any line of three rows of any bank.
    Random,
}

/// A core's behavior for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// For so many cycles.
    pub cycles: u32,
    /// Which lines.
    pub pattern: Pattern,
    /// Of a hundred requests so many are writes, where it may write.
    pub writes: u8,
    /// Writes go to its first bank.
    pub writes_to_one: bool,
    /// Cycles from one request to the next besides one, at most: drawn.
    pub gap: u16,
    /// It sends as many reads as it may at once, when none is under way.
    pub bunched: bool,
    /// It sends a bunch so many cycles before the victim sends its next read, and none else.
    pub ambush: Option<u16>,
    /// It begins a bunch, or the victim sends a read, only so many cycles after each multiple of the interval of refreshes.
    pub after_refresh: Option<u16>,
}

impl Phase {
    /// Any.
    pub fn draw(rng: &mut Pcg64) -> Self {
        use Pattern::{Activations, Conflicts, Random, Stream, Turns};
        let mut phase = Self {
            cycles: pick(&[200, 1_000, 5_000, 50_000], rng),
            pattern: pick(&[Stream, Conflicts, Activations, Turns, Random], rng),
            writes: pick(&[0, 0, 10, 50, 90], rng),
            writes_to_one: rng.random_bool(0.5),
            gap: pick(&[0, 0, 4, 40], rng),
            bunched: rng.random_bool(0.3),
            ambush: None,
            after_refresh: None,
        };
        if rng.random_bool(0.3) {
            phase.ambush = Some(rng.random_range(0..80));
        }
        if rng.random_bool(0.1) {
            phase.after_refresh = Some(rng.random_range(0..2_000));
        }
        phase
    }

    pub(crate) fn mutate(&mut self, rng: &mut Pcg64) {
        let other = Self::draw(rng);
        match rng.random_range(0..9) {
            0 => self.cycles = other.cycles,
            1 => self.pattern = other.pattern,
            2 => self.writes = other.writes,
            3 => self.writes_to_one = other.writes_to_one,
            4 => self.gap = other.gap,
            5 => self.bunched = other.bunched,
            6 => self.ambush = rng.random_bool(0.7).then(|| rng.random_range(0..80)),
            7 => self.after_refresh = rng.random_bool(0.5).then(|| rng.random_range(0..2_000)),
            // A little earlier or later.
            _ => {
                let step = rng.random_range(0..9);
                let moved = |at: u16| (at + step).saturating_sub(4);
                self.ambush = self.ambush.map(moved);
                self.after_refresh = self.after_refresh.map(moved);
            }
        }
    }
}

/// A core in its phases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phased {
    /// Reads of the present bunch that are to be sent.
    bunch: u32,
    /// The last ambush was for the read that the victim sends then.
    ambushed: Cycle,
    /// When it may send the next request.
    pub next: Cycle,
    bank: usize,
    row: u32,
    column: u32,
}

impl Phased {
    /// Sends what the core sends in this cycle; `victims_next` is when the victim may send its next read, `None` of the victim itself.
    pub fn send(&mut self, phases: &[Phase], victims_next: Option<Cycle>, rng: &mut Pcg64, turn: &mut Turn<'_, '_>) {
        let now = turn.now;
        if self.next > now {
            return;
        }
        let phase = phase_at(phases, now);
        let refi = turn.requests.refi();
        let is_aligned = phase
            .after_refresh
            .is_none_or(|after| now % refi == Cycle::from(after) % refi);
        let (limits, reading) = (turn.limits, turn.requests.reads_of(turn.core));
        if let (Some(lead), Some(victims_next)) = (phase.ambush, victims_next) {
            if now + Cycle::from(lead) >= victims_next && self.ambushed != victims_next {
                self.ambushed = victims_next;
                self.bunch = limits.reads - reading;
            }
        } else if self.bunch == 0 && is_aligned && (!phase.bunched || reading == 0) {
            self.bunch = if phase.bunched { limits.reads } else { 1 };
        }
        let at_once = if phase.bunched || phase.ambush.is_some() {
            limits.reads.max(1)
        } else {
            1
        };
        for _ in 0..at_once {
            let may_read = turn.may_read() && self.bunch > 0;
            let wants_write = limits.writes > 0 && rng.random_range(0..100) < u32::from(phase.writes);
            match (wants_write, may_read, turn.may_write()) {
                (true, _, true) => self.request(true, phase, rng, turn),
                (false, true, _) => self.request(false, phase, rng, turn),
                _ => break,
            }
        }
        let gap = Cycle::from(phase.gap);
        let drawn = if gap > 0 { rng.random_range(0..gap) } else { 0 };
        self.next = now + 1 + drawn;
    }

    fn request(&mut self, write: bool, phase: &Phase, rng: &mut Pcg64, turn: &mut Turn<'_, '_>) {
        let (banks, lines) = (turn.limits.banks.len(), turn.requests.lines());
        match phase.pattern {
            Pattern::Stream => {
                self.column = (self.column + 1) % lines;
                if self.column == 0 {
                    self.row = rng.random_range(0..ROWS);
                    self.bank = rng.random_range(0..banks);
                }
            }
            Pattern::Conflicts => self.row = (self.row + 1) % ROWS,
            Pattern::Activations => {
                self.bank += 1;
                self.row = (self.row + 1) % ROWS;
            }
            Pattern::Turns => {
                self.bank += 1;
                self.column = (self.column + u32::from(self.bank.is_multiple_of(banks))) % lines;
            }
            Pattern::Random => {
                self.bank = rng.random_range(0..banks);
                self.row = rng.random_range(0..3);
                self.column = rng.random_range(0..lines);
            }
        }
        let to_one = write && phase.writes_to_one;
        let bank = turn.limits.banks[if to_one { 0 } else { self.bank % banks }];
        if !write {
            self.bunch = self.bunch.saturating_sub(1);
        }
        turn.send(None, write, bank, (self.row, self.column));
    }
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

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each core does in an attack, and how that is changed.

use rand::Rng;
use rand::seq::IndexedRandom;
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

/// Phases, one after the other, again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Habits(pub Vec<Phase>);

/// What all cores do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attack {
    /// By core, in the order of their limits.
    pub cores: Vec<Habits>,
    /// Decides all that is drawn.
    pub seed: u64,
}

/// Most phases of a core.
const MOST_PHASES: usize = 4;

fn pick<T: Copy>(of: &[T], rng: &mut Pcg64) -> T {
    *of.choose(rng).expect("some")
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

    fn mutate(&mut self, rng: &mut Pcg64) {
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

impl Attack {
    /// Any, of so many cores.
    pub fn draw(cores: usize, rng: &mut Pcg64) -> Self {
        let habits = |rng: &mut Pcg64| Habits((0..rng.random_range(1..=2)).map(|_| Phase::draw(rng)).collect());
        Self {
            cores: (0..cores).map(|_| habits(rng)).collect(),
            seed: rng.random(),
        }
    }

    /// The same with a few changes.
    #[must_use]
    pub fn mutated(&self, rng: &mut Pcg64) -> Self {
        let mut attack = self.clone();
        for _ in 0..rng.random_range(1..=3) {
            let core = rng.random_range(0..attack.cores.len());
            let phases = &mut attack.cores[core].0;
            match rng.random_range(0..10) {
                0 if phases.len() < MOST_PHASES => phases.push(Phase::draw(rng)),
                1 if phases.len() > 1 => drop(phases.remove(rng.random_range(0..phases.len()))),
                2 => attack.seed = rng.random(),
                3 => attack.cores[core] = attack.cores[rng.random_range(0..attack.cores.len())].clone(),
                _ => {
                    let phase = rng.random_range(0..phases.len());
                    phases[phase].mutate(rng);
                }
            }
        }
        attack
    }

    /// Cores of one attack and of another.
    #[must_use]
    pub fn crossed(&self, other: &Self, rng: &mut Pcg64) -> Self {
        let cores = self.cores.iter().zip(&other.cores);
        let cores = cores.map(|(a, b)| if rng.random_bool(0.5) { a.clone() } else { b.clone() });
        Self {
            cores: cores.collect(),
            seed: self.seed,
        }
    }
}

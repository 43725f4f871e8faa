// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each core does in an attack, and how that is changed.

use crate::phases::Phase;
use crate::pick;
use crate::rounds::Series;
use rand::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// What a core does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Habits {
    /// Phases, one after the other, again and again.
    Phases(Vec<Phase>),
    /// Series of requests beside each other, in each round anew.
    Rounds(Vec<Series>),
}

/// What all cores do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attack {
    /// By core, in the order of their limits.
    pub cores: Vec<Habits>,
    /// Length of a round, in cycles.
    pub round: u32,
    /// Decides all that is drawn.
    pub seed: u64,
}

/// Most phases of a core.
const MOST_PHASES: usize = 4;

impl Habits {
    fn draw(rng: &mut Pcg64) -> Self {
        Self::Phases((0..rng.random_range(1..=2)).map(|_| Phase::draw(rng)).collect())
    }

    fn mutate(&mut self, rng: &mut Pcg64) {
        match self {
            Self::Rounds(all) => Series::mutate_all(all, rng),
            Self::Phases(phases) => match rng.random_range(0..8) {
                0 if phases.len() < MOST_PHASES => phases.push(Phase::draw(rng)),
                1 if phases.len() > 1 => drop(phases.remove(rng.random_range(0..phases.len()))),
                _ => {
                    let phase = rng.random_range(0..phases.len());
                    phases[phase].mutate(rng);
                }
            },
        }
    }
}

impl Attack {
    /// Any, of so many cores, on the `victim` among them: by phases, or by rounds.
    pub fn draw(cores: usize, victim: usize, rng: &mut Pcg64) -> Self {
        let by_rounds = rng.random_bool(0.7);
        // Alike, or each in its way.
        let together = rng.random_bool(0.6).then(|| Series::draw_all(rng));
        let cores = (0..cores).map(|core| match (by_rounds, &together) {
            (false, _) => Habits::draw(rng),
            (true, _) if core == victim => Habits::Rounds(Series::draw_victim(rng)),
            (true, Some(together)) => Habits::Rounds(together.clone()),
            (true, None) => Habits::Rounds(Series::draw_all(rng)),
        });
        Self {
            cores: cores.collect(),
            round: draw_round(rng),
            seed: rng.random(),
        }
    }

    /// The same with a few changes.
    #[must_use]
    pub fn mutated(&self, rng: &mut Pcg64) -> Self {
        let mut attack = self.clone();
        for _ in 0..rng.random_range(1..=3) {
            let core = rng.random_range(0..attack.cores.len());
            match rng.random_range(0..20) {
                0 => attack.seed = rng.random(),
                1 => attack.round = draw_round(rng),
                2 | 3 => attack.cores[core] = attack.cores[rng.random_range(0..attack.cores.len())].clone(),
                _ => attack.cores[core].mutate(rng),
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
            ..*self
        }
    }
}

/// Short ones repeat an attack in many states of the refresh, long ones let queues run empty in between.
fn draw_round(rng: &mut Pcg64) -> u32 {
    pick(&[400, 1_000, 2_500, 6_000], rng) + rng.random_range(0..200)
}

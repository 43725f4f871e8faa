// SPDX-License-Identifier: MIT OR Apache-2.0
//! From attacks to worse ones.

use crate::evolve::{Kind, Plan, evolve};
use crate::{Attack, Limits, Played, Worst, play};
use fresco_bound::Dram;
use fresco_dram::Cycle;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// How an attack is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// Attacks that are tried.
    pub tries: u64,
    /// Cycles of each.
    pub cycles: Cycle,
    /// The same seed finds the same attack.
    pub seed: u64,
}

/// Who is told how far it is.
pub trait Observer: Sync {
    /// So many attacks more were tried.
    fn tried(&self, attacks: u64);
    /// Returns true if no more are to be tried.
    fn is_stopped(&self) -> bool;
}

/// Nobody is told, and all are tried.
impl Observer for () {
    fn tried(&self, _attacks: u64) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

/// After so many attacks so long a read had been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Attacks tried.
    pub tries: u64,
    /// The longest read, in cycles.
    pub cycles: Cycle,
}

/// The worst attack that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What each core does.
    pub attack: Attack,
    /// The victim's longest read.
    pub worst: Worst,
    /// Attacks tried.
    pub tries: u64,
    /// Reads of all cores in all of them.
    pub reads: u64,
    /// The longest read of any core in any of them, by core, in cycles.
    pub longest: Vec<Cycle>,
    /// How it became longer.
    pub steps: Vec<Step>,
}

/// Attacks of a generation; of these so many live on.
const GENERATION: usize = 32;
const SURVIVORS: usize = 8;

/// Tries attacks on the reads of core `victim`: first drawn ones, then changes and crossings of the worst. `None` if it was stopped before any.
pub fn search(
    dram: &Dram<'_>,
    limits: &[Limits],
    victim: usize,
    how: &Search,
    observer: &dyn Observer,
) -> Option<Found> {
    let kind = OnReads {
        dram,
        limits,
        victim,
        cycles: how.cycles,
    };
    let plan = Plan {
        tries: how.tries,
        generation: GENERATION,
        survivors: SURVIVORS,
    };
    let (mut reads, mut longest) = (0, vec![0; limits.len()]);
    let mut rng = Pcg64::seed_from_u64(how.seed);
    let evolved = evolve(&kind, &plan, &mut rng, observer, |played| {
        reads += played.reads;
        for (longest, worst) in longest.iter_mut().zip(&played.longest) {
            *longest = worst.cycles.max(*longest);
        }
    });
    let Ok(evolved) = evolved;
    let evolved = evolved?;
    Some(Found {
        attack: evolved.attack,
        worst: evolved.played.longest[victim],
        tries: evolved.tries,
        reads,
        longest,
        steps: evolved
            .steps
            .into_iter()
            .map(|(tries, cycles)| Step { tries, cycles })
            .collect(),
    })
}

/// Attacks on reads in a controller.
struct OnReads<'a> {
    dram: &'a Dram<'a>,
    limits: &'a [Limits],
    victim: usize,
    cycles: Cycle,
}

impl Kind for OnReads<'_> {
    type Attack = Attack;
    type Played = Played;
    type Error = Infallible;

    fn draw(&self, rng: &mut Pcg64) -> Attack {
        Attack::draw(self.limits.len(), self.victim, rng)
    }

    fn mutated(&self, attack: &Attack, rng: &mut Pcg64) -> Attack {
        attack.mutated(rng)
    }

    fn crossed(&self, one: &Attack, other: &Attack, rng: &mut Pcg64) -> Attack {
        one.crossed(other, rng)
    }

    fn play(&self, attack: &Attack) -> Result<Option<Played>, Infallible> {
        Ok(Some(play(
            self.dram,
            self.limits,
            self.victim,
            attack,
            self.cycles,
            false,
        )))
    }

    fn badness(&self, played: &Played) -> u64 {
        played.longest[self.victim].cycles
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From attacks to worse ones.

use crate::{Attack, Limits, Worst, play};
use fresco_bound::Dram;
use fresco_dram::Cycle;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

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
    let mut rng = Pcg64::seed_from_u64(how.seed);
    let mut alive: Vec<(Worst, Attack)> = Vec::new();
    let (mut tries, mut reads, mut steps) = (0, 0, Vec::<Step>::new());
    let mut longest = vec![0; limits.len()];
    while tries < how.tries && !observer.is_stopped() {
        let count = GENERATION.min(usize::try_from(how.tries - tries).unwrap_or(GENERATION));
        let attacks: Vec<Attack> = (0..count)
            .map(|_| next(&alive, (limits.len(), victim), &mut rng))
            .collect();
        let played: Vec<_> = attacks
            .par_iter()
            .map(|attack| {
                let played = play(dram, limits, victim, attack, how.cycles, false);
                observer.tried(1);
                played
            })
            .collect();
        for (attack, played) in attacks.into_iter().zip(played) {
            reads += played.reads;
            for (longest, worst) in longest.iter_mut().zip(&played.longest) {
                *longest = worst.cycles.max(*longest);
            }
            alive.push((played.longest[victim], attack));
        }
        tries += count as u64;
        // Of equally bad ones the older.
        alive.sort_by_key(|(worst, _)| std::cmp::Reverse(worst.cycles));
        alive.truncate(SURVIVORS);
        let best = alive[0].0.cycles;
        if steps.last().is_none_or(|step| step.cycles < best) {
            steps.push(Step { tries, cycles: best });
        }
    }
    let (worst, attack) = alive.into_iter().next()?;
    Some(Found {
        attack,
        worst,
        tries,
        reads,
        longest,
        steps,
    })
}

fn next(alive: &[(Worst, Attack)], (cores, victim): (usize, usize), rng: &mut Pcg64) -> Attack {
    // Fresh blood now and then.
    if alive.len() < SURVIVORS || rng.random_bool(0.1) {
        return Attack::draw(cores, victim, rng);
    }
    let (_, one) = &alive[rng.random_range(0..alive.len())];
    let (_, other) = &alive[rng.random_range(0..alive.len())];
    match rng.random_bool(0.3) {
        true => one.crossed(other, rng).mutated(rng),
        false => one.mutated(rng),
    }
}

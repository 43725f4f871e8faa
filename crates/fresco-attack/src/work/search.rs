// SPDX-License-Identifier: MIT OR Apache-2.0
//! From attacks on work to worse ones.

use super::attack::WorkAttack;
use super::means::Means;
use crate::Observer;
use crate::evolve::{Kind, Plan, evolve};
use fresco_dram::Ps;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// How an attack on work is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkSearch {
    /// Attacks that are tried: so many runs.
    pub tries: u64,
    /// The same seed finds the same attack.
    pub seed: u64,
}

/// After so many attacks so long work had been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkStep {
    /// Attacks tried.
    pub tries: u64,
    /// The longest work, in picoseconds.
    pub time_ps: Ps,
}

/// The worst attack that was found.
#[derive(Clone, Debug)]
pub struct WorkFound<P> {
    /// What each core does.
    pub attack: WorkAttack,
    /// What came of it.
    pub played: P,
    /// Attacks tried.
    pub tries: u64,
    /// How it became worse.
    pub steps: Vec<WorkStep>,
}

/// Attacks of a generation; of these so many live on. Runs take longer than attacks on reads, of which more are tried.
const GENERATION: usize = 16;
const SURVIVORS: usize = 6;

/// Runs an attack. Returns how long the work took, in picoseconds, and what else came of it, or `None` if it was given up.
pub type Play<'p, P, E> = dyn Fn(&WorkAttack) -> Result<Option<(Ps, P)>, E> + Sync + 'p;

/// Tries attacks of those who have these means, by `play`. `None` if it was stopped before any.
///
/// # Errors
/// The first of `play`.
pub fn search_work<P: Send, E: Send>(
    means: &Means,
    how: &WorkSearch,
    play: &Play<'_, P, E>,
    observer: &dyn Observer,
) -> Result<Option<WorkFound<P>>, E> {
    let plan = Plan {
        tries: how.tries,
        generation: GENERATION,
        survivors: SURVIVORS,
    };
    let mut rng = Pcg64::seed_from_u64(how.seed);
    let evolved = evolve(&OnWork { means, play }, &plan, &mut rng, observer, |_| ())?;
    Ok(evolved.map(|evolved| WorkFound {
        attack: evolved.attack,
        played: evolved.played.1,
        tries: evolved.tries,
        steps: evolved
            .steps
            .into_iter()
            .map(|(tries, time_ps)| WorkStep { tries, time_ps })
            .collect(),
    }))
}

/// Attacks on work.
struct OnWork<'a, P, E> {
    means: &'a Means,
    play: &'a Play<'a, P, E>,
}

impl<P: Send, E: Send> Kind for OnWork<'_, P, E> {
    type Attack = WorkAttack;
    type Played = (Ps, P);
    type Error = E;

    fn draw(&self, rng: &mut Pcg64) -> WorkAttack {
        WorkAttack::draw(self.means, rng)
    }

    fn mutated(&self, attack: &WorkAttack, rng: &mut Pcg64) -> WorkAttack {
        attack.mutated(self.means, rng)
    }

    fn crossed(&self, one: &WorkAttack, other: &WorkAttack, rng: &mut Pcg64) -> WorkAttack {
        one.crossed(other, rng)
    }

    fn play(&self, attack: &WorkAttack) -> Result<Option<(Ps, P)>, E> {
        (self.play)(attack)
    }

    fn badness(&self, played: &(Ps, P)) -> u64 {
        played.0
    }
}

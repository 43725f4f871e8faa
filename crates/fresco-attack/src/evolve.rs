// SPDX-License-Identifier: MIT OR Apache-2.0
//! From attacks to worse ones, whatever they are: drawn ones first, then changes and crossings of the worst.

use crate::Observer;
use rand::Rng;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::cmp::Reverse;

/// A kind of attacks.
pub(crate) trait Kind: Sync {
    /// One of them.
    type Attack: Clone + Send + Sync;
    /// What came of one.
    type Played: Send;
    /// What may go wrong.
    type Error: Send;

    /// Any.
    fn draw(&self, rng: &mut Pcg64) -> Self::Attack;
    /// The same with a few changes.
    fn mutated(&self, attack: &Self::Attack, rng: &mut Pcg64) -> Self::Attack;
    /// Parts of one and of another.
    fn crossed(&self, one: &Self::Attack, other: &Self::Attack, rng: &mut Pcg64) -> Self::Attack;
    /// Tries one; `None` if that was given up.
    fn play(&self, attack: &Self::Attack) -> Result<Option<Self::Played>, Self::Error>;
    /// How bad it was.
    fn badness(&self, played: &Self::Played) -> u64;
}

/// How many are tried.
pub(crate) struct Plan {
    /// In all.
    pub tries: u64,
    /// At the same time: a generation.
    pub generation: usize,
    /// Of a generation and those that lived on before, so many live on.
    pub survivors: usize,
}

/// The worst that was found.
pub(crate) struct Evolved<K: Kind> {
    pub attack: K::Attack,
    pub played: K::Played,
    pub tries: u64,
    /// After so many tries so bad.
    pub steps: Vec<(u64, u64)>,
}

/// Searches; `each` sees all that was played, in order. `None` if it was stopped before any was.
pub(crate) fn evolve<K: Kind>(
    kind: &K,
    plan: &Plan,
    rng: &mut Pcg64,
    observer: &dyn Observer,
    mut each: impl FnMut(&K::Played),
) -> Result<Option<Evolved<K>>, K::Error> {
    let mut alive: Vec<(K::Played, K::Attack)> = Vec::new();
    let (mut tries, mut steps) = (0, Vec::<(u64, u64)>::new());
    while tries < plan.tries && !observer.is_stopped() {
        let count = plan
            .generation
            .min(usize::try_from(plan.tries - tries).unwrap_or(plan.generation));
        let attacks: Vec<K::Attack> = (0..count).map(|_| next(kind, &alive, plan.survivors, rng)).collect();
        let tried = |attack: &K::Attack| {
            let played = kind.play(attack)?;
            observer.tried(1);
            Ok(played)
        };
        let played: Vec<_> = attacks
            .par_iter()
            .with_max_len(1)
            .map(tried)
            .collect::<Result<_, K::Error>>()?;
        for (attack, played) in attacks.into_iter().zip(played) {
            // Where some are given up the search is stopped.
            let Some(played) = played else { continue };
            tries += 1;
            each(&played);
            alive.push((played, attack));
        }
        // Of equally bad ones the older.
        alive.sort_by_key(|(played, _)| Reverse(kind.badness(played)));
        alive.truncate(plan.survivors);
        let Some((worst, _)) = alive.first() else { continue };
        let worst = kind.badness(worst);
        if steps.last().is_none_or(|(_, before)| *before < worst) {
            steps.push((tries, worst));
        }
    }
    let worst = alive.into_iter().next();
    Ok(worst.map(|(played, attack)| Evolved {
        attack,
        played,
        tries,
        steps,
    }))
}

fn next<K: Kind>(kind: &K, alive: &[(K::Played, K::Attack)], survivors: usize, rng: &mut Pcg64) -> K::Attack {
    // Fresh blood now and then.
    if alive.len() < survivors || rng.random_bool(0.1) {
        return kind.draw(rng);
    }
    let (_, one) = &alive[rng.random_range(0..alive.len())];
    let (_, other) = &alive[rng.random_range(0..alive.len())];
    match rng.random_bool(0.3) {
        true => kind.mutated(&kind.crossed(one, other, rng), rng),
        false => kind.mutated(one, rng),
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What all attackers of a task's work do.

use super::means::Means;
use super::mover::{Mover, Release};
use super::stretch::Stretch;
use rand::Rng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// What each core runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkAttack {
    /// In the order of [`Means::cores`].
    pub cores: Vec<Mover>,
}

impl WorkAttack {
    /// Any: all cores alike, or each in its way.
    pub(crate) fn draw(means: &Means, rng: &mut Pcg64) -> Self {
        let together = rng.random_bool(0.6).then(|| Mover::draw(means, 1, rng));
        let cores = means.cores.iter().map(|core| match &together {
            Some(mover) => mover.clone(),
            None => Mover::draw(means, core.copies.len(), rng),
        });
        Self { cores: cores.collect() }
    }

    /// The same with a few changes.
    pub(crate) fn mutated(&self, means: &Means, rng: &mut Pcg64) -> Self {
        let mut attack = self.clone();
        for _ in 0..rng.random_range(1..=3) {
            let core = rng.random_range(0..attack.cores.len());
            let tasks = means.cores[core].copies.len();
            match rng.random_range(0..10) {
                0 | 1 => {
                    let other = attack.cores[rng.random_range(0..attack.cores.len())].clone();
                    attack.cores[core] = Mover {
                        task: attack.cores[core].task,
                        ..other
                    };
                }
                // All in the same way.
                2 => {
                    attack.cores[core].mutate(means, tasks, rng);
                    let like = attack.cores[core].clone();
                    for mover in &mut attack.cores {
                        *mover = Mover {
                            task: mover.task,
                            ..like.clone()
                        };
                    }
                }
                _ => attack.cores[core].mutate(means, tasks, rng),
            }
        }
        attack
    }

    /// Cores of one attack and of another.
    pub(crate) fn crossed(&self, other: &Self, rng: &mut Pcg64) -> Self {
        let cores = self.cores.iter().zip(&other.cores);
        let cores = cores.map(|(a, b)| if rng.random_bool(0.5) { a.clone() } else { b.clone() });
        Self { cores: cores.collect() }
    }

    /// Returns what of it nobody can run who has these means, if so: where, what was found, and what is allowed.
    pub fn wrong(&self, means: &Means) -> Option<(String, String, String)> {
        if self.cores.len() != means.cores.len() {
            let found = format!("{} cores", self.cores.len());
            return Some(("cores".to_owned(), found, format!("{} cores", means.cores.len())));
        }
        for (number, (mover, core)) in self.cores.iter().zip(&means.cores).enumerate() {
            let wrong = |field: &str, found: String, allowed: String| {
                Some((format!("cores[{number}].{field}"), found, allowed))
            };
            if mover.task >= core.copies.len() {
                let allowed = format!("0 to {}", core.copies.len() - 1);
                return wrong("task", mover.task.to_string(), allowed);
            }
            if mover.wait > Stretch::MOST_INSTRUCTIONS {
                return wrong(
                    "wait",
                    mover.wait.to_string(),
                    format!("0 to {}", Stretch::MOST_INSTRUCTIONS),
                );
            }
            if mover.stretches.is_empty() {
                return wrong("stretches", "none".to_owned(), "one or more".to_owned());
            }
            for (place, stretch) in mover.stretches.iter().enumerate() {
                if let Some((field, value, allowed)) = stretch.wrong() {
                    return wrong(&format!("stretches[{place}].{field}"), value.to_string(), allowed);
                }
                if stretch.stores > 0 && !means.may_store {
                    let allowed = "0: no program of the scenario stores".to_owned();
                    return wrong(
                        &format!("stretches[{place}].stores"),
                        stretch.stores.to_string(),
                        allowed,
                    );
                }
            }
            let Some(release) = &mover.release else { continue };
            if means.periods_ns.is_empty() {
                return wrong(
                    "release",
                    "a period".to_owned(),
                    "null: no task of the scenario has one".to_owned(),
                );
            }
            let (period, offset) = (release.period_ns, release.offset_ns);
            if !Release::PERIODS_NS.contains(&period) || offset > *Release::PERIODS_NS.end() {
                let found = format!("a period of {period} ns and an offset of {offset} ns");
                return wrong(
                    "release",
                    found,
                    "a period of 1 us to a day, an offset up to that".to_owned(),
                );
            }
        }
        None
    }
}

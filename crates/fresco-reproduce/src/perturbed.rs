// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts that were reached once more in other worlds: with other seeds, slower and faster memory, or what platforms had besides.
//!
//! A verdict that rests on a mechanism stands there; one that rests on a value at the border of a band, or on chance, does not.

use crate::study::System;
use crate::{Ask, Means, Observer, Steps, Study, World};
use fresco_input::InputError;
use fresco_report::claims::{Outcome, Verdict};
use serde::Serialize;

/// How the verdicts on a system's claims fare in other worlds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Perturbed {
    /// The other worlds.
    pub worlds: Vec<World>,
    /// Claims of which we find another value in one of them, in the order of the paper; all others have the same there.
    pub moved: Vec<Moved>,
}

/// A claim of which we find other values in other worlds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// Id of the claim.
    pub id: String,
    /// The verdict in the usual world.
    pub outcome: Outcome,
    /// What came of it in each other world.
    pub there: Vec<There>,
}

/// What came of a claim in another world.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct There {
    /// The verdict.
    pub outcome: Outcome,
    /// What we found, all tests in one line; why it cannot be judged.
    pub ours: String,
}

impl Moved {
    /// Returns true if the verdict is the same in all worlds in which there is one.
    pub fn stands(&self) -> bool {
        let mut judged = self.there.iter().filter(|there| there.outcome != Outcome::CannotBeRun);
        judged.all(|there| there.outcome == self.outcome)
    }

    /// Returns true if it cannot be judged in one of them.
    fn is_partial(&self) -> bool {
        self.there.iter().any(|there| there.outcome == Outcome::CannotBeRun)
    }
}

impl Perturbed {
    /// The verdicts on a system's claims, and those that were reached in `others`.
    fn of(system: &System, others: &[(World, System)]) -> Self {
        let mut moved = Vec::new();
        for (index, verdict) in system.verdicts.iter().enumerate() {
            let there: Vec<&Verdict> = others.iter().map(|(_, other)| &other.verdicts[index]).collect();
            let is_judged = verdict.outcome != Outcome::CannotBeRun;
            if is_judged && there.iter().any(|other| other.parts != verdict.parts) {
                moved.push(Moved {
                    id: verdict.id.clone(),
                    outcome: verdict.outcome,
                    there: there.iter().map(|other| There::of(other)).collect(),
                });
            }
        }
        Self {
            worlds: others.iter().map(|(world, _)| *world).collect(),
            moved,
        }
    }

    /// How many of the verdicts that rest on values which change stand in all worlds.
    pub fn stand(&self) -> usize {
        self.moved.iter().filter(|moved| moved.stands()).count()
    }
}

impl There {
    fn of(verdict: &Verdict) -> Self {
        Self {
            outcome: verdict.outcome,
            ours: match verdict.outcome {
                Outcome::CannotBeRun => verdict.explanation.clone(),
                _ => verdict.ours(),
            },
        }
    }
}

impl std::fmt::Display for Perturbed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let worlds = match self.worlds.as_slice() {
            few @ ([] | [_] | [_, _] | [_, _, _]) => few.iter().map(World::to_string).collect::<Vec<_>>().join("; "),
            [first, .., last] => format!("{}, {first} to {last}", self.worlds.len()),
        };
        let (moved, stand) = (self.moved.len(), self.stand());
        if moved == 0 {
            return write!(f, "No verdict is on what differs in other worlds ({worlds}).");
        }
        write!(
            f,
            "Of {moved} verdicts on what differs in other worlds ({worlds}) {stand} stand in all"
        )?;
        let fallen = self.moved.iter().filter(|moved| !moved.stands());
        for (index, moved) in fallen.enumerate() {
            let lead = if index == 0 { "; not " } else { ", " };
            let there: Vec<&str> = moved.there.iter().map(|there| there.outcome.text()).collect();
            write!(f, "{lead}{} ({}; {})", moved.id, moved.outcome.text(), there.join(", "))?;
        }
        let partial = self.moved.iter().filter(|moved| moved.stands() && moved.is_partial());
        let partial: Vec<&str> = partial.map(|moved| moved.id.as_str()).collect();
        if !partial.is_empty() {
            write!(f, "; of these {} cannot be judged in one of them", partial.join(", "))?;
        }
        f.write_str(".")
    }
}

/// Reaches the verdicts of `systems` once more in `other` worlds. Those that are not whole when the observer stops it are left
/// out; returns how many are.
///
/// # Errors
/// As of [`Study::new`] and [`Study::run`].
pub fn perturb(systems: &mut [System], ask: Ask<'_>, other: &[World], means: Means<'_>) -> Result<usize, InputError> {
    let mut others: Vec<(World, Vec<System>)> = Vec::new();
    for &world in other {
        let there = Ask {
            world,
            conditions: false,
            ..ask
        };
        let observer = Elsewhere(world, means.observer);
        let findings = Study::new(there)?.run(Means {
            observer: &observer,
            ..means
        })?;
        if means.observer.is_stopped() {
            break;
        }
        others.push((world, findings.reproduction.systems));
    }
    let whole = others.len();
    for system in systems {
        let same = |(world, there): &mut (World, Vec<System>)| {
            let place = there.iter().position(|other| other.name == system.name)?;
            Some((*world, there.swap_remove(place)))
        };
        let there: Vec<(World, System)> = others.iter_mut().filter_map(same).collect();
        if !there.is_empty() {
            system.perturbed = Some(Perturbed::of(system, &there));
        }
    }
    Ok(whole)
}

/// Tells in which world something runs, and nothing of the verdicts there.
struct Elsewhere<'o>(World, &'o dyn Observer);

impl Observer for Elsewhere<'_> {
    fn begin(&self, what: &str, total: u64) -> Box<dyn Steps> {
        self.1.begin(&format!("{}: {what}", self.0), total)
    }

    fn is_stopped(&self) -> bool {
        self.1.is_stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Stopped, means};
    use crate::{Reproduction, Unobserved};

    fn judged(systems: &[String], world: World) -> Reproduction {
        let ask = Ask {
            systems,
            world,
            ..Ask::default()
        };
        let findings = Study::new(ask).expect("built in").run(means(&Unobserved));
        findings.expect("runs").reproduction
    }

    #[test]
    fn what_follows_from_a_record_is_the_same_in_all_worlds() {
        let systems = ["kernel".to_owned()];
        let ask = Ask {
            systems: &systems,
            ..Ask::default()
        };
        let mut here = judged(&systems, ask.world);
        let whole = perturb(&mut here.systems, ask, &ask.world.others(3), means(&Unobserved)).expect("runs");
        let perturbed = here.systems[0].perturbed.as_ref().expect("three worlds");
        assert_eq!((whole, perturbed.worlds.len(), perturbed.moved.len()), (3, 3, 0));
    }

    #[test]
    fn a_verdict_that_falls_is_named_with_what_it_is_there() {
        let systems = ["kernel".to_owned()];
        let here = judged(&systems, World::default()).systems.remove(0);
        let mut there = judged(&systems, World::default()).systems.remove(0);
        let place = there
            .verdicts
            .iter()
            .position(|verdict| verdict.outcome == Outcome::Holds);
        let fallen = &mut there.verdicts[place.expect("one holds")];
        (fallen.outcome, fallen.parts[0].ours) = (Outcome::Differs, "9.9".to_owned());
        let slow = World::default().others(1)[0];
        let perturbed = Perturbed::of(&here, &[(slow, there)]);
        assert_eq!((perturbed.moved.len(), perturbed.stand()), (1, 0));
        let id = &perturbed.moved[0].id;
        assert_eq!(
            perturbed.to_string(),
            format!(
                "Of 1 verdicts on what differs in other worlds (seed 1001, latencies of 110 %) 0 stand in all; not {id} (holds; differs)."
            )
        );
    }

    #[test]
    fn a_world_that_was_stopped_is_left_out() {
        let systems = ["kernel".to_owned(), "memguard".to_owned()];
        let ask = Ask {
            systems: &systems,
            ..Ask::default()
        };
        let mut here = judged(&systems[..1], ask.world);
        let whole = perturb(&mut here.systems, ask, &ask.world.others(2), means(&Stopped)).expect("stopped");
        assert_eq!((whole, here.systems[0].perturbed.as_ref()), (0, None));
    }
}

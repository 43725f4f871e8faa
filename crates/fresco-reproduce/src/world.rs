// SPDX-License-Identifier: MIT OR Apache-2.0
//! What experiments are made under, besides what they are about: a seed, how fast the cells of the memory are, and how many runs there are.

use crate::experiments::Experiment;
use crate::{platform, quick};
use fresco_input::InputError;
use fresco_machine::Machine;
use serde::Serialize;

/// From seed to seed: repetitions of a run have seeds that follow each other, and no two worlds are to have one in common.
const APART: u32 = 1000;

/// What experiments are made under.
///
/// Theory, machine files, task sets and what times a single access by itself are about the machine as it is, and know no other world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct World {
    /// Seed of page frames and programs, for the first repetition; without it each scenario has its own.
    pub seed: Option<u32>,
    /// Latencies of the memory in percent of those of the machine files, without refresh: `memory.latency_percent`.
    pub latency_percent: u32,
    /// Machines have what their platforms had besides what the papers name: inclusive or exclusive last levels, TLBs, prefetchers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub platform: bool,
    /// How many runs there are, and how long they are.
    #[serde(skip_serializing_if = "Runs::is_usual")]
    pub runs: Runs,
}

/// How many runs there are, and how long they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runs {
    /// As the scenarios have it.
    #[default]
    Usual,
    /// Each run of a scenario is made so often.
    Repeated(u32),
    /// One of each, shorter ones, and none of what takes longest: verdicts are rough ([`judge_roughly`]).
    ///
    /// [`judge_roughly`]: fresco_report::claims::judge_roughly
    Quick,
}

impl Runs {
    /// Serde asks by reference.
    fn is_usual(&self) -> bool {
        *self == Self::Usual
    }
}

impl Default for World {
    fn default() -> Self {
        Self {
            seed: None,
            latency_percent: 100,
            platform: false,
            runs: Runs::Usual,
        }
    }
}

impl World {
    /// `count` others, each with a seed of its own: the first with memory that is slower by a tenth, the second with memory that is
    /// faster by a tenth, the third as this one, and so on.
    pub fn others(self, count: u32) -> Vec<Self> {
        (0..count)
            .map(|index| Self {
                seed: Some(self.seed.unwrap_or(1).wrapping_add(APART * (index + 1))),
                latency_percent: [110, 90, 100][index as usize % 3],
                ..self
            })
            .collect()
    }

    /// Returns true if the experiment is made there: where runs are short some are left out.
    pub(crate) fn makes(self, experiment: &Experiment) -> bool {
        self.runs != Runs::Quick || quick::is_made(experiment)
    }

    /// The seed of what has none of its own.
    pub(crate) fn seed(self) -> u64 {
        self.seed.map_or(1, u64::from)
    }

    /// What it sets in a built-in scenario, as `--set` takes it.
    pub(crate) fn set(self, scenario: &str) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        let latency = match self.latency_percent {
            100 => None,
            percent => Some(format!("memory.latency_percent={percent}")),
        };
        let platform = if self.platform {
            platform::set(scenario)
        } else {
            Vec::new()
        };
        let runs = match self.runs {
            Runs::Usual => Vec::new(),
            Runs::Repeated(times) => vec![format!("repetitions={times}")],
            Runs::Quick => quick::set(scenario),
        };
        seed.into_iter().chain(latency).chain(platform).chain(runs).collect()
    }

    /// The worlds of each seed of what is made with `usual` seeds, if that is more than one.
    pub(crate) fn of_seeds(self, usual: u32) -> impl Iterator<Item = Self> {
        let seeds = match self.runs {
            Runs::Usual => usual,
            Runs::Repeated(times) if usual > 1 => times,
            Runs::Repeated(_) | Runs::Quick => 1,
        };
        let first = self.of_one_run();
        (0..seeds).map(move |number| Self {
            seed: match number {
                0 => self.seed,
                more => Some(self.seed.unwrap_or(1).wrapping_add(more)),
            },
            ..first
        })
    }

    /// The world for what is made once, whether scenarios are repeated or not.
    pub(crate) fn of_one_run(self) -> Self {
        Self {
            runs: match self.runs {
                Runs::Repeated(_) => Runs::Usual,
                runs => runs,
            },
            ..self
        }
    }

    /// The machine as it is in this world.
    ///
    /// # Errors
    /// None in practice: the latencies of built-in machines are far from their limits.
    pub(crate) fn machine(self, mut machine: Machine) -> Result<Machine, InputError> {
        let scaled = machine.memory.scale_latencies(self.latency_percent);
        scaled.map_err(|error| InputError::new(machine.name.clone(), error.to_string()))?;
        Ok(machine)
    }
}

impl std::fmt::Display for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}", self.seed())?;
        match self.latency_percent {
            100 => {}
            percent => write!(f, ", latencies of {percent} %")?,
        }
        match self.platform {
            false => Ok(()),
            true => write!(f, ", caches, TLBs and prefetchers of the platforms"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::ALL;
    use fresco_scenario::builtin;

    #[test]
    fn other_worlds_have_seeds_of_their_own_and_other_memory() {
        let others = World::default().others(4);
        let seeds: Vec<u64> = others.iter().map(|world| world.seed()).collect();
        assert_eq!(seeds, [1001, 2001, 3001, 4001]);
        let percent: Vec<u32> = others.iter().map(|world| world.latency_percent).collect();
        assert_eq!(percent, [110, 90, 100, 110]);
        assert_eq!(others[1].set("palloc-fig4"), ["seed=2001", "memory.latency_percent=90"]);
    }

    #[test]
    fn each_run_of_a_scenario_can_be_repeated() {
        let world = World {
            runs: Runs::Repeated(2),
            ..World::default()
        };
        for name in ALL.iter().filter_map(|one| one.scenario) {
            assert_eq!(builtin(name, &world.set(name)).expect(name).repetitions, 2, "{name}");
        }
        assert_eq!(world.of_one_run(), World::default());
        let seeds = |world: World, usual| {
            world
                .of_seeds(usual)
                .map(|world| (world.seed, world.runs))
                .collect::<Vec<_>>()
        };
        let usual = World {
            seed: Some(2001),
            ..World::default()
        };
        assert_eq!(seeds(usual, 2), [(Some(2001), Runs::Usual), (Some(2002), Runs::Usual)]);
        assert_eq!(seeds(world, 3), [(None, Runs::Usual), (Some(2), Runs::Usual)]);
        assert_eq!(seeds(world, 1), [(None, Runs::Usual)]);
    }

    #[test]
    fn platforms_have_what_papers_do_not_name() {
        let world = World {
            platform: true,
            ..World::default()
        };
        let mut changed = 0;
        for experiment in ALL {
            let Some(name) = experiment.scenario else { continue };
            let machine = |world| {
                let scenario = builtin(name, &experiment.set(world)).expect(name);
                scenario.points[0].setup.machine.clone()
            };
            let (usual, there) = (machine(World::default()), machine(world));
            assert!(usual.core.tlb.is_none(), "{name}");
            assert_eq!(there.core.tlb.is_some(), usual.name != "p4080", "{name}");
            changed += u32::from(there.core.tlb.is_some());
            // PALLOC and MemGuard switched prefetchers off.
            let prefetches = usual.name.starts_with("i7") || usual.name.starts_with("opteron");
            assert_eq!(!there.core.prefetch.is_off(), prefetches, "{name}");
        }
        assert!(changed > 20, "{changed}");
    }

    #[test]
    fn slower_memory_refuses_only_what_it_cannot_guarantee() {
        for slow in World::default().others(2) {
            for experiment in ALL {
                let Some(name) = experiment.scenario else { continue };
                let refused = builtin(name, &experiment.set(slow))
                    .err()
                    .map(|error| error.to_string());
                let is_guarantee = refused
                    .as_ref()
                    .is_some_and(|why| why.contains("found reservations of"));
                let expected = name == "memguard-four" && slow.latency_percent > 100;
                assert_eq!(
                    (refused.is_some(), is_guarantee),
                    (expected, expected),
                    "{name}: {refused:?}"
                );
            }
        }
    }
}

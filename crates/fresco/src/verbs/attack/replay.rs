// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attacks that were written before, played once more: who attacks and what bounds them follows from the scenario, only what they do from the file.

use super::file::File;
use super::{Attacked, Attacks};
use crate::failure::tell;
use fresco_attack::{Attack, Habits, Phase, Played, Target, channel_of, dram, play};
use fresco_input::InputError;
use fresco_scenario::Setup;

/// Attacks as they were played here.
pub struct Replayed {
    pub attacks: Attacks,
    /// One for each.
    pub played: Vec<Played>,
    /// Each longest read is that of the file.
    pub is_as_written: bool,
}

/// The attacks of a file on tasks of this scenario, as they are played here.
///
/// # Errors
/// The file has none; or tasks, controllers, cores or banks are others than the scenario's.
pub fn replayed(file: &File, name: &str, setup: &Setup) -> Result<Replayed, InputError> {
    let kept: Attacks = file.data()?;
    file.check("data.scenario", &kept.scenario.as_str(), &name)?;
    if kept.tasks.is_empty() {
        return Err(file.wrong("data.tasks", "an attack on no task", "one or more"));
    }
    let names: Vec<&str> = kept.tasks.iter().map(|task| task.name.as_str()).collect();
    file.check_each_once(&names)?;
    let (mut tasks, mut all_played, mut is_as_written) = (Vec::new(), Vec::new(), true);
    for (number, kept) in kept.tasks.into_iter().enumerate() {
        let place = |field: &str| format!("data.tasks[{number}].{field}");
        let copy = setup.copies.iter().position(|copy| copy.name == kept.name);
        let target = copy.and_then(|copy| Target::of(setup, copy));
        let target = target.ok_or_else(|| {
            let names: Vec<&str> = setup.copies.iter().map(|copy| copy.name.as_str()).collect();
            file.wrong(
                place("name"),
                format!("no task {:?} in the scenario", kept.name),
                names.join(", "),
            )
        })?;
        file.check(&place("node"), &kept.node, &target.node)?;
        file.check(&place("channel"), &kept.channel, &target.channel)?;
        file.check(&place("attackers"), &kept.attackers, &target.attackers)?;
        file.check(&place("victim"), &kept.victim, &target.victim)?;
        if let Some((field, found, allowed)) = wrong(&kept.attack, target.attackers.len()) {
            return Err(file.wrong(place(&format!("attack.{field}")), found, allowed));
        }
        if !super::CYCLES.contains(&kept.search.cycles) {
            let allowed = format!("{} to {}", super::CYCLES.start(), super::CYCLES.end());
            return Err(file.wrong(place("search.cycles"), kept.search.cycles.to_string(), allowed));
        }
        let organisation = channel_of(setup);
        let limits = target.limits();
        let memory = dram(setup, &organisation);
        let played = play(&memory, &limits, target.victim, &kept.attack, kept.search.cycles, true);
        let worst = played.longest[target.victim];
        if worst != kept.worst {
            is_as_written = false;
            tell(&format!(
                "fresco: {}: its longest read came in cycle {} and took {} when the file was written; here it comes in cycle {} and takes {}: something else \
                 has changed",
                kept.name, kept.worst.arrived, kept.worst.cycles, worst.arrived, worst.cycles
            ));
        }
        tasks.push(Attacked {
            worst,
            attack: kept.attack,
            reads: played.reads,
            ..Attacked::new(target, kept.search)
        });
        all_played.push(played);
    }
    let attacks = Attacks {
        scenario: name.to_owned(),
        tasks,
    };
    Ok(Replayed {
        attacks: attacks.told(setup),
        played: all_played,
        is_as_written,
    })
}

/// What of an attack by so many cores nobody can play, if so: where, what was found, what is allowed.
fn wrong(attack: &Attack, cores: usize) -> Option<(String, String, String)> {
    let told = |field: String, found: String, allowed: &str| Some((field, found, allowed.to_owned()));
    if attack.cores.len() != cores {
        let found = format!("{} cores", attack.cores.len());
        return told("cores".to_owned(), found, &format!("{cores}: one for each attacker"));
    }
    if attack.round == 0 {
        return told("round".to_owned(), "0".to_owned(), "1 or more");
    }
    attack.cores.iter().enumerate().find_map(|(core, habits)| {
        let Habits::Phases(phases) = habits else { return None };
        let place = format!("cores[{core}].phases");
        if phases.is_empty() {
            return told(place, "none".to_owned(), "one or more");
        }
        let of_phase = |(number, phase): (usize, &Phase)| match (phase.cycles, phase.writes) {
            (0, _) => told(format!("{place}[{number}].cycles"), "0".to_owned(), "1 or more"),
            (_, 101..) => told(
                format!("{place}[{number}].writes"),
                phase.writes.to_string(),
                "0 to 100",
            ),
            _ => None,
        };
        phases.iter().enumerate().find_map(of_phase)
    })
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attacks that were written before, played once more: who attacks and what bounds them follows from the scenario, only what they do from the file.

use super::{Attacked, Attacks, SCHEMA};
use crate::failure::tell;
use fresco_attack::{Attack, Habits, Played, Target, channel_of, dram, play};
use fresco_input::{InputError, read_file};
use fresco_scenario::Setup;
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct File {
    schema: String,
    data: Attacks,
}

/// The attacks of a file on tasks of this scenario, as they are played here.
///
/// # Errors
/// The file has none; or tasks, cores or banks are others than the scenario's.
pub fn replayed(path: &Path, name: &str, setup: &Setup) -> Result<(Attacks, Vec<Played>), InputError> {
    let file_name = path.display().to_string();
    let text = read_file(path)?;
    let wrong = |found: String| {
        InputError::new(file_name.clone(), found)
            .allowed(format!("a file that `fresco attack --out` wrote for {name} as it is"))
            .help("search once more")
    };
    let file: File = serde_json::from_str(&text).map_err(|error| wrong(format!("found no attacks: {error}")))?;
    if file.schema != SCHEMA || file.data.scenario != name {
        return Err(wrong(format!("found {} of {}", file.schema, file.data.scenario)));
    }
    if file.data.tasks.is_empty() {
        return Err(wrong("found an attack on no task".to_owned()));
    }
    let (mut tasks, mut all_played) = (Vec::new(), Vec::new());
    for kept in file.data.tasks {
        let copy = setup.copies.iter().position(|copy| copy.name == kept.name);
        let target = copy.and_then(|copy| Target::of(setup, copy));
        let target = target.ok_or_else(|| wrong(format!("found no task {:?} in the scenario", kept.name)))?;
        if target.attackers != kept.attackers {
            return Err(wrong(format!(
                "found other cores, devices, limits or banks around {:?} than the scenario has",
                kept.name
            )));
        }
        if !fits(&kept.attack, target.attackers.len()) || !super::CYCLES.contains(&kept.search.cycles) {
            return Err(wrong(format!(
                "found an attack on {:?} that nobody can play",
                kept.name
            )));
        }
        let organisation = channel_of(setup);
        let limits = target.limits();
        let memory = dram(setup, &organisation);
        let played = play(&memory, &limits, target.victim, &kept.attack, kept.search.cycles, true);
        let worst = played.longest[target.victim];
        if worst != kept.worst {
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
    Ok((attacks.told(setup), all_played))
}

fn fits(attack: &Attack, cores: usize) -> bool {
    let fits = |habits: &Habits| match habits {
        Habits::Phases(phases) => {
            !phases.is_empty() && phases.iter().all(|phase| phase.cycles > 0 && phase.writes <= 100)
        }
        Habits::Rounds(_) => attack.round > 0,
    };
    attack.cores.len() == cores && attack.cores.iter().all(fits)
}

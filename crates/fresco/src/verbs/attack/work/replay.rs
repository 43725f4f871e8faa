// SPDX-License-Identifier: MIT OR Apache-2.0
//! An attack on work that was written before, run once more.

use super::arena::{self, Arena};
use super::{SCHEMA, Seen, WorkAttacked, WorkAttacks, show};
use crate::failure::{Outcome, tell};
use crate::output;
use crate::progress;
use crate::stop::{STOPPED, Stop};
use crate::verbs::attack::file::File;
use crate::verbs::attack::{Args, replay_status};
use fresco_input::InputError;
use fresco_report::Provenance;
use fresco_system::{RunSpec, Scenario, longest_work};
use std::process::ExitCode;

/// Runs the attacks of a file once more, and prints what comes of them.
pub fn replay(args: &Args, file: &File, scenario: &Scenario, provenance: &Provenance) -> Outcome {
    let stop = Stop::after_grace("each run that has begun");
    let specs = scenario.runs();
    let spec = &specs[0];
    let kept: WorkAttacks = file.data()?;
    file.check("data.scenario", &kept.scenario, &scenario.name)?;
    file.check("data.run_seed", &kept.run_seed, &spec.seed)?;
    if kept.tasks.is_empty() {
        return Err(file.wrong("data.tasks", "an attack on no task", "one or more").into());
    }
    let names: Vec<&str> = kept.tasks.iter().map(|task| task.name.as_str()).collect();
    file.check_each_once(&names)?;
    let bar = progress::bar(kept.tasks.len() as u64, &scenario.name);
    let (mut tasks, mut is_as_written) = (Vec::new(), true);
    for (number, kept) in kept.tasks.into_iter().enumerate() {
        if stop.is_asked() {
            break;
        }
        let written_ps = kept.observed_ps;
        let task = replayed(file, (number, kept), spec, &|| stop.is_given_up())?;
        is_as_written &= task.as_ref().is_none_or(|task| task.observed_ps == written_ps);
        tasks.extend(task);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let attacks = WorkAttacks {
        scenario: scenario.name.clone(),
        run_seed: spec.seed,
        tasks,
    };
    output::print(args.json, SCHEMA, provenance, &attacks, || show::tables(&attacks))?;
    if stop.is_asked() {
        tell("fresco: stopped before all attacks were run once more");
        return Ok(ExitCode::from(STOPPED));
    }
    Ok(replay_status(is_as_written, attacks.status()))
}

/// One of them, as it goes here; `None` if it is given up.
fn replayed(
    file: &File,
    (number, kept): (usize, WorkAttacked),
    spec: &RunSpec,
    given_up: &dyn Fn() -> bool,
) -> Result<Option<WorkAttacked>, InputError> {
    let place = |field: &str| format!("data.tasks[{number}].{field}");
    let copies = &spec.point.setup.copies;
    let copy = copies.iter().position(|copy| copy.name == kept.name).ok_or_else(|| {
        let names: Vec<&str> = copies.iter().map(|copy| copy.name.as_str()).collect();
        file.wrong(
            place("name"),
            format!("no task {:?} in the scenario", kept.name),
            names.join(", "),
        )
    })?;
    file.check(&place("core"), &kept.core, &copies[copy].core)?;
    arena::check(spec, copy)?;
    let Some(arena) = Arena::new(spec, copy, given_up)? else {
        return Ok(None);
    };
    file.check(&place("attackers"), &kept.attackers, &arena.attackers())?;
    if let Some((field, found, allowed)) = kept.attack.wrong(&arena.means) {
        return Err(file.wrong(place(&format!("attack.{field}")), found, allowed));
    }
    let own = arena.beside_own(given_up)?;
    let Some(result) = arena.play(&kept.attack, given_up)? else {
        return Ok(None);
    };
    let observed_ps = longest_work(&result);
    if observed_ps != kept.observed_ps {
        tell(&format!(
            "fresco: {}: its work took {} ps when the file was written; here it takes {observed_ps} ps: something else has changed",
            kept.name, kept.observed_ps
        ));
    }
    Ok(Some(WorkAttacked {
        observed_ps,
        own_ps: own.as_ref().map(longest_work),
        worst: Seen::of(&result),
        attack: kept.attack,
        tries: 1,
        ..WorkAttacked::new(&arena, kept.search)
    }))
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that a proof speaks of all tasks that share the time that it counts, and of no others.

use super::report::{Violation, holds};
use crate::plan::{Evidence, Plan, Proof, Schedule};

pub(super) fn check(plan: &Plan, proof: &Proof, place: &str) -> Result<(), Violation> {
    if matches!(proof.evidence, Evidence::Table) {
        // The table counts tasks by their numbers in the plan.
        let all = proof.tasks.iter().copied().eq(0..plan.tasks.len());
        let missing = (0..plan.tasks.len()).find(|task| !proof.tasks.contains(task));
        let words = missing.map_or("names tasks out of order".to_owned(), |task| {
            format!("leaves out {}, which shares the time", plan.tasks[task].name)
        });
        holds! { all, place, "{words}" }
        return Ok(());
    }
    if !plan.migration.is_none() {
        return of_all(plan, proof, place);
    }
    let Some(core) = proof.core else {
        return Err(Violation::new(place, "names no core"));
    };
    // A task without a period runs where no job is ready: it takes no time from any.
    let mut own = with_time(plan, core, proof.color);
    own.retain(|&task| plan.tasks[task].period_ns > 0);
    for (number, task) in plan.tasks.iter().enumerate() {
        let (shares, there) = (own.contains(&number), proof.tasks.contains(&number));
        holds! { !there || task.core == Some(core), place, "{} does not run on core {core}", task.name }
        holds! { !shares || there, place, "leaves out {}, which shares the time", task.name }
        holds! { shares || !there, place, "speaks of {}, which runs in another color's time", task.name }
    }
    Ok(())
}

/// Where jobs migrate, all tasks share all cores: one proof speaks of all of them.
fn of_all(plan: &Plan, proof: &Proof, place: &str) -> Result<(), Violation> {
    holds! { proof.core.is_none(), place, "names a core, and jobs migrate" }
    for (number, task) in plan.tasks.iter().enumerate() {
        holds! { task.period_ns > 0, format!("tasks[{number}] ({})", task.name), "has no period, and no core of its own where jobs migrate" }
        holds! { proof.tasks.contains(&number), place, "leaves out {}, which shares the time", task.name }
    }
    Ok(())
}

/// Numbers of the tasks that run in the time of a core, or of a color on it where colors have times of their own.
fn with_time(plan: &Plan, core: u32, color: Option<usize>) -> Vec<usize> {
    let here = core as usize;
    match (&plan.schedule, color) {
        (Schedule::Servers { cores, .. }, Some(color)) => {
            let servers = cores.get(here).map_or(&[][..], |core| &core.servers);
            let own = servers.iter().filter(|server| server.color == color);
            own.flat_map(|server| server.tasks.iter().copied()).collect()
        }
        (Schedule::Slots { cores, .. }, Some(color)) => {
            let own = cores.get(here).and_then(|core| core.tasks.get(color));
            own.cloned().unwrap_or_default()
        }
        _ => (0..plan.tasks.len())
            .filter(|&task| plan.tasks[task].core == Some(core))
            .collect(),
    }
}

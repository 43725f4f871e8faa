// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flat lock-aware scheduling: no servers, the first ready job whose colour is not locked (F28).

use super::draft::{Draft, Ground};
use super::grouping::{Split, by_core, core_of, instances, take};
use super::locking::{about_burst, locks, planned, windows};
use super::words::{time, utilization};
use crate::colors::of_ranks;
use crate::plan::{Evidence, Proof, Schedule};
use crate::refusal::Refusal;
use fresco_rt::Time;
use fresco_rt::flat::{FlatVerdict, flat_test};
use fresco_rt::search::partition_flat;
use fresco_rt::simulation::SimulationError;
use fresco_rt::toplevel::Locks;

pub(super) fn draft(ground: &Ground<'_>) -> Result<Draft, Refusal> {
    ground.periodic()?;
    let groups = ground.two_groups()?;
    let phases = [ground.memory.retention_ns / 2, 0];
    let locks = locks(ground, &phases)?;
    let mut cores: Split = Vec::new();
    let mut bounds = vec![None; ground.tasks.len()];
    let mut proofs = Vec::new();
    for (core, tasks) in (0u32..).zip(by_core(ground)) {
        let split = split(ground, &tasks, &groups, &cores, &locks)?;
        let (jobs, worst) = run(ground, &split, &locks)?;
        let counted = split.concat();
        counted
            .iter()
            .zip(worst)
            .for_each(|(&i, response)| bounds[i] = response);
        if !counted.is_empty() {
            proofs.push(Proof {
                core: Some(core),
                color: None,
                tasks: counted,
                evidence: Evidence::Run { jobs },
            });
        }
        cores.push(split);
    }
    let all: Vec<Vec<usize>> = cores.iter().map(|split| split.concat()).collect();
    Ok(Draft {
        instance_of_job: Vec::new(),
        colors: of_ranks(&ground.set.machine, &groups)?,
        instances: instances(ground, &cores),
        cores: core_of(&all, ground.tasks.len()),
        bounds,
        copies: vec![None; ground.tasks.len()],
        schedule: Schedule::Locked { locks: planned(&locks) },
        refresh: windows(ground, &phases),
        proofs,
        reasons: vec![
            about_burst(ground),
            "deadlines hold for these phases and for shorter execution times, not for sporadic arrivals; tasks are not protected \
             from each other's overruns"
                .to_owned(),
        ],
    })
}

/// Colours for the tasks of a core: as given, or the first split that the exact test passes.
fn split(
    ground: &Ground<'_>,
    tasks: &[usize],
    groups: &[Vec<u32>; 2],
    others: &Split,
    locks: &Locks,
) -> Result<[Vec<usize>; 2], Refusal> {
    if let Some(color) = ground.given_colors()? {
        return Ok([0, 1].map(|wanted| tasks.iter().copied().filter(|&i| color[i] == wanted).collect()));
    }
    let mut need = ground.need(tasks, groups);
    take(ground, &mut need.capacity, others);
    let options = &ground.set.options;
    let own = ground.pick(tasks);
    let found = partition_flat(&own, Some(&need), options.policy, locks, options.attempts).map_err(refused)?;
    let found = found.ok_or_else(|| {
        Refusal::load(format!(
            "no split into two colours lets every job of {} tasks (utilisation {:.4}) meet its deadline beside locks of {}",
            own.len(),
            utilization(&own),
            time(locks.window_length(0))
        ))
    })?;
    Ok(found.map(|indices| indices.iter().map(|&i| tasks[i]).collect()))
}

/// Jobs done and worst responses in the exact run.
fn run(ground: &Ground<'_>, split: &[Vec<usize>; 2], locks: &Locks) -> Result<(u64, Vec<Option<Time>>), Refusal> {
    let sets = [ground.pick(&split[0]), ground.pick(&split[1])];
    match flat_test(&[&sets[0], &sets[1]], ground.set.options.policy, locks).map_err(refused)? {
        FlatVerdict::Schedulable(outcome) => Ok((outcome.jobs_done, outcome.worst_response)),
        FlatVerdict::Missed(miss) => {
            let name = sets
                .concat()
                .get(miss.task)
                .map_or(String::new(), |task| task.name.clone());
            Err(Refusal::load(format!(
                "job {} of task {name} misses its deadline at {}",
                miss.job,
                time(miss.deadline)
            )))
        }
        FlatVerdict::Undecided => Err(Refusal::undecided("the run does not repeat")),
    }
}

fn refused(error: SimulationError) -> Refusal {
    Refusal::undecided(error.to_string())
}

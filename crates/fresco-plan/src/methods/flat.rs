// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flat lock-aware scheduling: no servers, the first ready job whose color is not locked (F28).

use super::draft::{Draft, PlanContext};
use super::grouping::{Split, by_core, core_of, instances, take};
use super::locking::{about_burst, locks, planned, windows};
use super::repeat;
use super::words::{time, utilization};
use crate::check::RunSize;
use crate::colors::of_ranks;
use crate::limits::MOST_EVENTS;
use crate::plan::{Evidence, Proof, Schedule};
use crate::refusal::Refusal;
use fresco_rt::Time;
use fresco_rt::flat::{FlatVerdict, flat_test_while};
use fresco_rt::search::{Sought, partition_flat};
use fresco_rt::simulation::SimulationError;
use fresco_rt::toplevel::Locks;

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    context.periodic()?;
    context.known_instants()?;
    let groups = context.two_groups()?;
    let retention = context.memory.retention_ns;
    let phases = [retention / 2, 0];
    let locks = locks(context, &phases)?;
    // A lock and an unlock handler of each color interrupt whoever runs.
    let handlers = 2 * phases.len() as Time;
    let interruptions = |window: Time| window.div_ceil(retention).saturating_mul(handlers);
    // Chosen before dispatches are charged: what a job pays depends on who shares its core.
    let on_cores = by_core(context);
    let context = &context.charged_by_dispatch(&on_cores, interruptions)?;
    let schedule = Schedule::Locked { locks: planned(&locks) };
    let size = RunSize::of(&schedule, phases.len(), 0)?;
    for tasks in &on_cores {
        repeat::run(&context.pick(tasks), size, MOST_EVENTS)?;
    }
    let mut cores: Split = Vec::new();
    let mut bounds = vec![None; context.tasks.len()];
    let mut proofs = Vec::new();
    for (core, tasks) in (0u32..).zip(&on_cores) {
        let split = split(context, tasks, &groups, &cores, &locks)?;
        let (jobs, worst) = run(context, &split, &locks, size)?;
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
        high: None,
        instance_of_job: Vec::new(),
        colors: of_ranks(&context.set.machine, &groups)?,
        instances: instances(context, &cores),
        cores: core_of(&all, context.tasks.len()),
        bounds,
        copies: vec![None; context.tasks.len()],
        schedule,
        refresh: windows(context, &phases),
        proofs,
        reasons: vec![
            about_burst(context),
            "deadlines hold for these phases and for shorter execution times, not for sporadic arrivals; tasks are not protected \
             from each other's overruns"
                .to_owned(),
        ],
    })
}

/// Colors for the tasks of a core: as given, or the first split that the exact test passes.
fn split(
    context: &PlanContext<'_>,
    tasks: &[usize],
    groups: &[Vec<u32>; 2],
    others: &Split,
    locks: &Locks,
) -> Result<[Vec<usize>; 2], Refusal> {
    if let Some(color) = context.given_colors() {
        return Ok([0, 1].map(|wanted| tasks.iter().copied().filter(|&i| color[i] == wanted).collect()));
    }
    let mut need = context.need(tasks, groups);
    take(context, &mut need.capacity, others);
    let options = &context.set.options;
    let own = context.pick(tasks);
    let found = partition_flat(&own, Some(&need), options.policy, locks, context.attempts()).map_err(refused)?;
    let why = || {
        format!(
            "no split into two colors lets every job of {} tasks (utilisation {:.4}) meet its deadline beside locks of {}",
            own.len(),
            utilization(&own),
            time(locks.window_length(0))
        )
    };
    let found = match found {
        Sought::Found(found) => found,
        Sought::Nowhere => return Err(Refusal::load(why())),
        Sought::Open(tried) => return Err(Refusal::open(tried, why())),
    };
    Ok(found.map(|indices| indices.iter().map(|&i| tasks[i]).collect()))
}

/// Jobs done and worst responses in the exact run.
fn run(
    context: &PlanContext<'_>,
    split: &[Vec<usize>; 2],
    locks: &Locks,
    size: RunSize,
) -> Result<(u64, Vec<Option<Time>>), Refusal> {
    let sets = [context.pick(&split[0]), context.pick(&split[1])];
    let test = flat_test_while(
        &[&sets[0], &sets[1]],
        context.set.options.policy,
        locks,
        context.patience,
    );
    match test.map_err(refused)? {
        FlatVerdict::Schedulable(outcome) => {
            repeat::fits(&sets.concat(), size, outcome.horizon, MOST_EVENTS)?;
            Ok((outcome.jobs_done, outcome.worst_response))
        }
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

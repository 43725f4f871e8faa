// SPDX-License-Identifier: MIT OR Apache-2.0
//! Burst refresh by software: all ranks at the start of each retention time, and nothing runs until it is over (REF-11).

use super::criticality;
use super::draft::{Draft, PlanContext};
use super::global;
use super::grouping::{core_of, group, proofs};
use super::locking::{about_burst, locks, planned, windows};
use super::prove::{Proved, prove};
use super::repeat;
use super::words::time;
use crate::check::RunSize;
use crate::colors;
use crate::limits::MOST_EVENTS;
use crate::plan::{Evidence, RefreshPlan, Schedule};
use crate::refusal::{Kind, Refusal};
use fresco_rt::flat::{FlatVerdict, flat_test_while};
use fresco_rt::supply::SlotTable;
use fresco_rt::toplevel::Locks;

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    context.periodic()?;
    let locks = locks(context, &[0])?;
    let hot = match criticality::hot(context)? {
        Some(hot) => Some((super::locking::locks(&hot, &[0])?, hot)),
        None => None,
    };
    let modes = |indices: &[usize], high: &Locks| {
        let (low, high) = (left(&locks)?, left(high)?);
        criticality::prove_modes(context, indices, (&low, &high), "a core beside the burst")
    };
    let shares = !context.set.options.migration.is_none();
    let groups = match shares {
        true => Vec::new(),
        false => group(context, |indices| match &hot {
            Some((high, _)) => modes(indices, high).map(|modes| modes.low),
            None => served(context, indices, &locks),
        })?,
    };
    let high = hot.as_ref().map(|(high, hot)| {
        let refresh = windows(hot, &[0]);
        let last = match &refresh {
            RefreshPlan::Windows { windows, .. } => windows.last(),
            RefreshPlan::Controller { .. } => None,
        };
        // A row more than once, if the timer may be late: the first command of each counts.
        let end = last.map_or(0, |last| last.start_ns + last.commands * hot.memory.trfc_ns);
        let settled = end + context.set.options.refresh_jitter_ns;
        let changed = (Schedule::Locked { locks: planned(high) }, refresh);
        let modes = |indices: &[usize]| modes(indices, high);
        criticality::high_mode(
            context,
            &groups,
            Some(0),
            (hot.memory.retention_ns, settled),
            changed,
            modes,
        )
    });
    let high = high.transpose()?;
    let tasks = context.tasks.len();
    let mut reasons = vec![about_burst(context)];
    reasons.extend(high.as_ref().map(|high| criticality::reason(context, high)));
    let (cores, (proofs, bounds)) = match shares {
        false => (core_of(&groups, tasks), proofs(&groups, Some(0), tasks)),
        true => {
            reasons.push(global::about(context));
            let free = left(&locks)?.shortened(context.slice);
            let proved = global::prove(context, Some(0), (&free, 0), "the burst")?;
            (vec![None; tasks], proved)
        }
    };
    let all_ranks: Vec<u32> = (0..context.memory.ranks).collect();
    Ok(Draft {
        high,
        instance_of_job: Vec::new(),
        colors: colors::of_ranks(&context.set.machine, &[all_ranks])?,
        instances: context.set.tasks.iter().map(|task| vec![vec![task.memory]]).collect(),
        cores,
        bounds,
        copies: vec![None; tasks],
        schedule: Schedule::Locked { locks: planned(&locks) },
        refresh: windows(context, &[0]),
        proofs,
        reasons,
    })
}

/// The time that a burst leaves.
fn left(locks: &Locks) -> Result<SlotTable, Refusal> {
    SlotTable::new(locks.retention(), &[(locks.window_length(0), locks.retention())])
        .map_err(|_| Refusal::load("a burst leaves no time".to_owned()))
}

/// Deadlines on what the burst leaves: for sporadic tasks if that works, else for these phases.
fn served(context: &PlanContext<'_>, indices: &[usize], locks: &Locks) -> Result<Proved, Refusal> {
    let (tasks, policy) = (context.pick(indices), context.set.options.policy);
    let window = locks.window_length(0);
    if let Some(task) = tasks.iter().find(|task| task.deadline < window + task.wcet) {
        return Err(Refusal::load(format!(
            "task {} has {} from its deadline of {} for a burst of {}: one that is released with a burst is late",
            task.name,
            time(task.deadline - task.wcet),
            time(task.deadline),
            time(window)
        )))
        .or_else(|refusal| for_phases(context, indices, locks).map_err(|why| both(refusal, &why)));
    }
    match prove(
        &tasks,
        policy,
        &left(locks)?.shortened(context.slice),
        "a core beside the burst",
    ) {
        Ok(proved) => Ok(proved),
        Err(refusal) => for_phases(context, indices, locks).map_err(|why| both(refusal, &why)),
    }
}

/// Why there is no proof for sporadic tasks, and, if it could not even be looked at, why there is none for these phases.
fn both(sporadic: Refusal, phases: &Refusal) -> Refusal {
    match phases.kind {
        Kind::Undecided => Refusal::undecided(format!("{sporadic}; for these phases alone, {phases}")),
        _ => sporadic,
    }
}

fn for_phases(context: &PlanContext<'_>, indices: &[usize], locks: &Locks) -> Result<Proved, Refusal> {
    context.known_instants_without_switches()?;
    let tasks = context.pick(indices);
    let size = RunSize::of(&Schedule::Locked { locks: planned(locks) }, 1, 0)?;
    repeat::run(&tasks, size, MOST_EVENTS)?;
    let verdict = flat_test_while(&[&tasks], context.set.options.policy, locks, context.patience);
    match verdict.map_err(|error| Refusal::undecided(error.to_string()))? {
        FlatVerdict::Schedulable(outcome) => {
            repeat::fits(&tasks, size, outcome.horizon, MOST_EVENTS)?;
            Ok(Proved {
                evidence: Evidence::Run {
                    jobs: outcome.jobs_done,
                },
                bounds: outcome.worst_response.iter().map(|worst| worst.unwrap_or(0)).collect(),
            })
        }
        FlatVerdict::Missed(miss) => Err(Refusal::load(format!(
            "job {} of task {} misses its deadline at {}",
            miss.job,
            tasks[miss.task].name,
            time(miss.deadline)
        ))),
        FlatVerdict::Undecided => Err(Refusal::undecided("the run does not repeat".to_owned())),
    }
}

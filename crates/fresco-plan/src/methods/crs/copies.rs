// SPDX-License-Identifier: MIT OR Apache-2.0
//! Servers with copy tasks (CRS-11): where no partition works, tasks that can wait least get an instance in each color.

use super::super::draft::{Draft, PlanContext};
use super::super::repeat;
use super::{OnCore, refused};
use crate::check::RunSize;
use crate::limits::MOST_EVENTS;
use crate::plan::{Evidence, Proof};
use crate::refusal::Refusal;
use fresco_rt::copies::{CopyError, CopyTask, ServerSearch, waits_for_locks};
use fresco_rt::search::{MemoryNeed, Sought, Space, is_overloaded};
use fresco_rt::task::hyperperiod;
use fresco_rt::time::lcm;

/// Most partitions that are tried for jobs of known instants, and again with copies: each runs the jobs of a turn some twenty times.
pub(super) const OF_KNOWN_JOBS: usize = 300;

/// Most of these without copies if not all can be tried: each takes long where there are many jobs.
pub(super) const OF_MANY_TASKS: usize = 30;

/// Servers with copy tasks (CRS-11): those that can wait least get an instance in each color, as few as it takes; the others are
/// split in every way, while these are few.
pub(super) fn with_copies(
    context: &PlanContext<'_>,
    tasks: &[usize],
    need: &MemoryNeed,
    space: &Space,
) -> Result<Sought<(OnCore, [usize; 2])>, Refusal> {
    let options = &context.set.options;
    let mut impatient = tasks.to_vec();
    impatient.sort_by_key(|&i| (context.tasks[i].deadline - context.tasks[i].wcet, i));
    let most = options.attempts.min(OF_KNOWN_JOBS);
    let mut tried = 0;
    if is_overloaded(&context.pick(tasks), space.locks()) {
        return Ok(Sought::Nowhere);
    }
    let waits = impatient
        .iter()
        .map(|&i| waits_for_locks(&context.tasks[i], options.policy, space));
    let waits = waits.collect::<Result<Vec<_>, _>>().map_err(undecided)?;
    let mut search = ServerSearch::new(options.policy, space);
    for count in 1..=impatient.len() {
        let (shared, others) = impatient.split_at(count);
        let copies: Vec<CopyTask> = shared
            .iter()
            .map(|&i| CopyTask {
                task: context.tasks[i].clone(),
                copy_cost: context.set.copy_time(i).unwrap_or(0),
            })
            .collect();
        for bits in 0..1u64 << others.len().min(20) {
            if tried == most {
                return Ok(Sought::Open(tried));
            }
            tried += 1;
            let side_of = |place: usize| bits.checked_shr(place as u32).unwrap_or(0) & 1;
            // Either workload may have either color; a task that cannot have its color alone cannot have it with others.
            let suits = |turned: u64| {
                let mut of_others = waits[count..].iter().enumerate();
                of_others.all(|(place, waits)| waits[(side_of(place) ^ turned) as usize])
            };
            if !suits(0) && !suits(1) {
                continue;
            }
            let side = |wanted: u64| {
                let of_side = others.iter().enumerate().filter(|(place, _)| side_of(*place) == wanted);
                of_side.map(|(_, &task)| task).collect::<Vec<usize>>()
            };
            let workloads = [side(0), side(1)];
            let used = |color: usize| {
                let all = workloads[color].iter().chain(shared);
                all.map(|&i| u128::from(context.set.tasks[i].memory)).sum::<u128>()
            };
            if (0..2).any(|color| used(color) > u128::from(need.capacity[color])) {
                continue;
            }
            let sets = [context.pick(&workloads[0]), context.pick(&workloads[1])];
            let found = search.servers([&sets[0], &sets[1]], &copies, context.patience);
            if let Some(found) = found.map_err(undecided)? {
                let core = OnCore {
                    workloads: found.order.map(|workload| workloads[workload].clone()),
                    copied: shared.iter().copied().zip(found.instances).collect(),
                    top: found.top,
                };
                return Ok(Sought::Found((core, found.order)));
            }
        }
    }
    Ok(Sought::Nowhere)
}

pub(super) fn undecided(error: CopyError) -> Refusal {
    Refusal::undecided(format!("{error} (times in ns)"))
}

/// Copy tasks: the search has run every job, and the proof is that run; a response is bounded by its deadline.
pub(super) fn prove_with_copies(
    context: &PlanContext<'_>,
    number: u32,
    core: &OnCore,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let counted = [core.workloads.concat(), core.shared()].concat();
    let turn = lcm(
        core.top.repeat().map_err(refused)?,
        hyperperiod(&context.pick(&counted))?,
    )?;
    let mut cycles = core.copied.iter().map(|(_, table)| table.length);
    let repeated = cycles.try_fold(turn, lcm)?;
    let tasks = context.pick(&counted);
    let phase = tasks.iter().map(|task| task.phase).max().unwrap_or(0);
    let size = RunSize::of(&draft.schedule, 2, number as usize)?;
    repeat::fits(
        &tasks,
        size,
        repeated.saturating_mul(2).saturating_add(phase),
        MOST_EVENTS,
    )?;
    counted
        .iter()
        .for_each(|&i| draft.bounds[i] = Some(context.tasks[i].deadline));
    for (task, table) in &core.copied {
        draft.copies[*task] = context.set.copy_time(*task);
        draft.instance_of_job[*task] = table.jobs.iter().map(|job| job.color).collect();
    }
    let names: Vec<&str> = core
        .copied
        .iter()
        .map(|(task, _)| context.tasks[*task].name.as_str())
        .collect();
    draft.reasons.push(format!(
        "core {number}: {} have an instance in each color, and each of their jobs the one that is not locked in its window; deadlines \
         hold for these phases",
        names.join(", ")
    ));
    draft.proofs.push(Proof {
        core: Some(number),
        color: None,
        evidence: Evidence::Run {
            jobs: counted.iter().map(|&i| turn / context.tasks[i].period).sum(),
        },
        tasks: counted,
    });
    Ok(())
}

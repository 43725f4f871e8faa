// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks to cores, where each core is tested alone.

use super::PlanContext;
use super::prove::Proved;
use crate::plan::Proof;
use crate::refusal::Refusal;
use fresco_rt::Time;
use fresco_rt::supply::Ratio;
use std::cmp::Reverse;

/// The tasks of a core, and why their deadlines are met; no proof where there are none.
pub(super) struct Group {
    /// Their numbers, ascending.
    pub tasks: Vec<usize>,
    proved: Option<Proved>,
}

impl AsRef<[usize]> for Group {
    fn as_ref(&self) -> &[usize] {
        &self.tasks
    }
}

/// The tasks of each core: as the file says, or first fit by falling utilisation with the exact test `prove`.
///
/// # Errors
/// The error of the last core, for the first task that fits nowhere.
pub(super) fn group(
    context: &PlanContext<'_>,
    prove: impl Fn(&[usize]) -> Result<Proved, Refusal>,
) -> Result<Vec<Group>, Refusal> {
    let cores = context.set.options.cores as usize;
    if let Some(given) = given(context) {
        let on_core = |core: usize| {
            let tasks: Vec<usize> = (0..given.len()).filter(|&task| given[task] == core).collect();
            let proved = (!tasks.is_empty()).then(|| prove(&tasks)).transpose()?;
            Ok(Group { tasks, proved })
        };
        return (0..cores).map(on_core).collect();
    }
    let none = || Group {
        tasks: Vec::new(),
        proved: None,
    };
    let mut groups: Vec<Group> = std::iter::repeat_with(none).take(cores).collect();
    for task in heaviest_first(context) {
        let mut reason = None;
        let mut placed = false;
        for group in &mut groups {
            let mut tasks = group.tasks.clone();
            tasks.push(task);
            tasks.sort_unstable();
            match prove(&tasks) {
                Ok(proved) => {
                    let proved = Some(proved);
                    *group = Group { tasks, proved };
                    placed = true;
                    break;
                }
                Err(error) => reason = Some(error),
            }
        }
        if let (false, Some(reason)) = (placed, reason) {
            return Err(reason);
        }
    }
    Ok(groups)
}

/// Numbers of the tasks, by falling utilisation.
fn heaviest_first(context: &PlanContext<'_>) -> Vec<usize> {
    let load = |&i: &usize| Ratio::new(context.tasks[i].wcet, context.tasks[i].period);
    let mut order: Vec<usize> = (0..context.tasks.len()).collect();
    order.sort_by_key(|i| (Reverse(load(i)), *i));
    order
}

/// Numbers of the tasks of each core: as given, or heaviest first to the least loaded.
pub(super) fn by_core(context: &PlanContext<'_>) -> Vec<Vec<usize>> {
    let mut cores = vec![Vec::new(); context.set.options.cores as usize];
    match given(context) {
        Some(given) => given
            .into_iter()
            .enumerate()
            .for_each(|(task, core)| cores[core].push(task)),
        None => {
            // Parts per 2^32 of a core, rounded up.
            let load = |&i: &usize| {
                let task = &context.tasks[i];
                (u128::from(task.wcet) << 32).div_ceil(u128::from(task.period))
            };
            for task in heaviest_first(context) {
                let least = cores.iter_mut().min_by_key(|core| core.iter().map(load).sum::<u128>());
                least.expect("there are cores").push(task);
            }
            cores.iter_mut().for_each(|core| core.sort_unstable());
        }
    }
    cores
}

/// The proof of each core that has tasks, and the bound of each response.
pub(super) fn proofs(groups: &[Group], color: Option<usize>, tasks: usize) -> (Vec<Proof>, Vec<Option<Time>>) {
    let mut bounds = vec![None; tasks];
    let mut proofs = Vec::new();
    for (core, group) in (0u32..).zip(groups) {
        let Some(proved) = &group.proved else { continue };
        for (&task, &bound) in group.tasks.iter().zip(&proved.bounds) {
            bounds[task] = Some(bound);
        }
        proofs.push(Proof {
            core: Some(core),
            color,
            tasks: group.tasks.clone(),
            evidence: proved.evidence.clone(),
        });
    }
    (proofs, bounds)
}

/// The core of each task, if the file says so; with one core there is no choice.
pub(super) fn given(context: &PlanContext<'_>) -> Option<Vec<usize>> {
    if context.set.options.cores == 1 {
        return Some(vec![0; context.set.tasks.len()]);
    }
    let cores = context.set.tasks.iter().map(|task| task.core.map(|core| core as usize));
    cores.collect()
}

/// The core of each task, from the groups.
pub(super) fn core_of(groups: &[impl AsRef<[usize]>], tasks: usize) -> Vec<Option<u32>> {
    let mut cores = vec![None; tasks];
    for (core, group) in (0u32..).zip(groups) {
        group.as_ref().iter().for_each(|&task| cores[task] = Some(core));
    }
    cores
}

/// Numbers of the tasks of each core, by color.
pub(super) type Split = Vec<[Vec<usize>; 2]>;

/// One instance for each task, all of it in the color of its list.
pub(super) fn instances(context: &PlanContext<'_>, split: &Split) -> Vec<Vec<Vec<u64>>> {
    let mut instances = vec![Vec::new(); context.tasks.len()];
    for (color, tasks) in split.iter().flat_map(|core| core.iter().enumerate()) {
        for &task in tasks {
            let mut bytes = vec![0; 2];
            bytes[color] = context.set.tasks[task].memory;
            instances[task] = vec![bytes];
        }
    }
    instances
}

/// Takes the memory of tasks that have their color already from what the colors hold.
pub(super) fn take(context: &PlanContext<'_>, capacity: &mut [u64; 2], split: &Split) {
    for core in split {
        for (capacity, tasks) in capacity.iter_mut().zip(core) {
            let used: u64 = tasks.iter().map(|&task| context.set.tasks[task].memory).sum();
            *capacity = capacity.saturating_sub(used);
        }
    }
}

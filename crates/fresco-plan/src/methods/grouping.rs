// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks to cores, where each core is tested alone.

use super::Ground;
use super::prove::Proved;
use crate::plan::Proof;
use crate::refusal::Refusal;
use fresco_rt::Time;
use fresco_rt::supply::Ratio;
use std::cmp::Reverse;

/// Numbers of the tasks of each core: as the file says, or first fit by falling utilisation with the exact test `fits`.
///
/// # Errors
/// The error of the last core, for the first task that fits nowhere.
pub(super) fn group(
    ground: &Ground<'_>,
    fits: impl Fn(&[usize]) -> Result<(), Refusal>,
) -> Result<Vec<Vec<usize>>, Refusal> {
    let cores = ground.set.options.cores as usize;
    let mut groups = vec![Vec::new(); cores];
    if let Some(given) = given(ground) {
        for (task, core) in given.into_iter().enumerate() {
            groups[core].push(task);
        }
        groups.iter().try_for_each(|group| fits(group))?;
        return Ok(groups);
    }
    let load = |&i: &usize| Ratio::new(ground.tasks[i].wcet, ground.tasks[i].period);
    let mut order: Vec<usize> = (0..ground.tasks.len()).collect();
    order.sort_by_key(|i| (Reverse(load(i)), *i));
    for task in order {
        let mut reason = None;
        let mut placed = false;
        for group in &mut groups {
            let mut together = group.clone();
            together.push(task);
            together.sort_unstable();
            match fits(&together) {
                Ok(()) => {
                    *group = together;
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

/// The proof of each core that has tasks, and the bound of each response.
pub(super) fn prove_each(
    ground: &Ground<'_>,
    groups: &[Vec<usize>],
    color: Option<usize>,
    prove: impl Fn(&[usize]) -> Result<Proved, Refusal>,
) -> Result<(Vec<Proof>, Vec<Option<Time>>), Refusal> {
    let mut bounds = vec![None; ground.tasks.len()];
    let mut proofs = Vec::new();
    for (core, tasks) in (0u32..).zip(groups).filter(|(_, tasks)| !tasks.is_empty()) {
        let proved = prove(tasks)?;
        for (&task, &bound) in tasks.iter().zip(&proved.bounds) {
            bounds[task] = Some(bound);
        }
        proofs.push(Proof {
            core: Some(core),
            color,
            tasks: tasks.clone(),
            evidence: proved.evidence,
        });
    }
    Ok((proofs, bounds))
}

/// The core of each task, if the file says so; with one core there is no choice.
pub(super) fn given(ground: &Ground<'_>) -> Option<Vec<usize>> {
    if ground.set.options.cores == 1 {
        return Some(vec![0; ground.set.tasks.len()]);
    }
    let cores = ground.set.tasks.iter().map(|task| task.core.map(|core| core as usize));
    cores.collect()
}

/// The core of each task, from the groups.
pub(super) fn core_of(groups: &[Vec<usize>], tasks: usize) -> Vec<Option<u32>> {
    let mut cores = vec![None; tasks];
    for (core, group) in (0u32..).zip(groups) {
        group.iter().for_each(|&task| cores[task] = Some(core));
    }
    cores
}

/// Numbers of the tasks of each core, by colour.
pub(super) type Split = Vec<[Vec<usize>; 2]>;

/// One instance for each task, all of it in the colour of its list.
pub(super) fn instances(ground: &Ground<'_>, split: &Split) -> Vec<Vec<Vec<u64>>> {
    let mut instances = vec![Vec::new(); ground.tasks.len()];
    for (color, tasks) in split.iter().flat_map(|core| core.iter().enumerate()) {
        for &task in tasks {
            let mut bytes = vec![0; 2];
            bytes[color] = ground.set.tasks[task].memory;
            instances[task] = vec![bytes];
        }
    }
    instances
}

/// Takes the memory of tasks that have their colour already from what the colours hold.
pub(super) fn take(ground: &Ground<'_>, capacity: &mut [u64; 2], split: &Split) {
    for core in split {
        for (capacity, tasks) in capacity.iter_mut().zip(core) {
            let used: u64 = tasks.iter().map(|&task| ground.set.tasks[task].memory).sum();
            *capacity = capacity.saturating_sub(used);
        }
    }
}

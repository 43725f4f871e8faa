// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks to cores: first fit by falling utilisation, with the exact test per core (CR-21).

use std::cmp::Reverse;

use super::cores::Cores;
use super::error::ProblemError;
use super::problem::{Problem, Slicing};
use super::rotation::Rotation;
use crate::supply::Ratio;
use crate::task::Task;

/// A core for each task such that, colors apart, the tasks of every core can be scheduled on it; `None` if first fit finds
/// none. What partition is then possible with colors, [`super::CoAssign`] on [`Cores::Partitioned`] decides for all cores
/// at once, because colors are common to them.
///
/// # Errors
/// Tasks that make no table.
pub fn first_fit(tasks: &[Task], rotation: Rotation, cores: usize) -> Result<Option<Vec<usize>>, ProblemError> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&task| (Reverse(Ratio::new(tasks[task].wcet, tasks[task].period)), task));
    let mut on_core: Vec<Vec<Task>> = vec![Vec::new(); cores.min(tasks.len())];
    let mut core_of = vec![0; tasks.len()];
    for task in order {
        let mut home = None;
        for (core, others) in on_core.iter().enumerate() {
            let together: Vec<Task> = others.iter().chain([&tasks[task]]).cloned().collect();
            let problem = Problem::new(&together, rotation, Cores::ONE, Slicing::Anywhere)?;
            if problem.edf_fill().missing.is_empty() {
                home = Some(core);
                break;
            }
        }
        let Some(core) = home else { return Ok(None) };
        on_core[core].push(tasks[task].clone());
        core_of[task] = core;
    }
    Ok(Some(core_of))
}

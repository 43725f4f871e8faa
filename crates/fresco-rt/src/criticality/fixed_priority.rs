// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fixed priorities: response times over the change of mode by AMC-rtb, with the supply inside the iteration (Baruah, Burns and Davis, Response-time
//! analysis for mixed criticality systems, RTSS 2011, section IV-A).

use super::DualTask;
use crate::fixed_priority::response_bounds;
use crate::policy::Order;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;

/// A task that may be late (its number), and in which mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// In low mode.
    Low(usize),
    /// At the change or after it.
    High(usize),
}

/// Bounds of the responses: in low mode of each task, and whenever the mode changes of each high task.
///
/// A busy interval of the priority of task i lasts in low mode no longer than its bound there, so that if one goes on, the mode has changed by
/// then: low tasks of higher priority have released jobs only until then. All jobs of high tasks in it are counted with their execution of high mode.
///
/// # Errors
/// The first task whose deadline is not sure to be met.
pub fn adaptive_responses(
    tasks: &[DualTask],
    order: Order,
    low: &impl Supply,
    high: &impl Supply,
) -> Result<(Vec<Time>, Vec<Option<Time>>), Late> {
    let plain: Vec<Task> = tasks.iter().map(|task| task.task.clone()).collect();
    let in_low: Vec<Option<Time>> = response_bounds(&plain, order, low);
    let in_low = in_low
        .into_iter()
        .enumerate()
        .map(|(number, bound)| bound.ok_or(Late::Low(number)))
        .collect::<Result<Vec<Time>, Late>>()?;
    let ranking = order.ranking(&plain);
    let mut in_high = vec![None; tasks.len()];
    for (rank, &own) in ranking.iter().enumerate() {
        let Some(wcet) = tasks[own].wcet_high else { continue };
        let before = |end: Time| {
            let of = |&other: &usize| {
                let task = &tasks[other];
                let (reach, wcet) = match task.wcet_high {
                    Some(wcet) => (end, wcet),
                    None => (in_low[own], task.task.wcet),
                };
                u128::from(reach.div_ceil(task.task.period)) * u128::from(wcet)
            };
            ranking[..rank].iter().map(of).sum::<u128>()
        };
        in_high[own] =
            Some(served_by(&tasks[own].task, high, |end| u128::from(wcet) + before(end)).ok_or(Late::High(own))?);
    }
    Ok((in_low, in_high))
}

/// Least fixed point of `end = tbf(demand(end))`, if it is no later than the deadline.
fn served_by(task: &Task, supply: &impl Supply, demand: impl Fn(Time) -> u128) -> Option<Time> {
    let mut end = 1;
    loop {
        let next = supply.tbf(demand(end)).filter(|&next| next <= task.deadline)?;
        if next <= end {
            return Some(end);
        }
        end = next;
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fixed priorities on any supply: response times with the supply inside the iteration (F20, E22).
//!
//! Exact for sporadic tasks with D ≤ p on the class of resources that the supply bound describes.

use crate::certificate::ResponseCertificate;
use crate::demand::rbf;
use crate::policy::Order;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;

/// Least fixed point of `r = tbf(rbf(r))` per task, in the order of the set; `None` where it exceeds the deadline.
pub fn response_bounds(tasks: &[Task], order: Order, supply: &impl Supply) -> Vec<Option<Time>> {
    let ranking = order.ranking(tasks);
    let mut bounds = vec![None; tasks.len()];
    for (rank, &i) in ranking.iter().enumerate() {
        bounds[i] = response_bound(&tasks[i], &ranking[..rank], tasks, supply);
    }
    bounds
}

fn response_bound(own: &Task, higher: &[usize], tasks: &[Task], supply: &impl Supply) -> Option<Time> {
    let mut response = 1;
    loop {
        let next = supply.tbf(rbf(own, higher.iter().map(|&k| &tasks[k]), response))?;
        if next > own.deadline {
            return None;
        }
        if next == response {
            return Some(response);
        }
        debug_assert!(next > response, "the iteration rises to the least fixed point");
        response = next;
    }
}

/// Whether every task is served within its deadline, with the bounds that show it.
pub fn fixed_priority_test(tasks: &[Task], order: Order, supply: &impl Supply) -> Option<ResponseCertificate> {
    let responses = response_bounds(tasks, order, supply)
        .into_iter()
        .collect::<Option<Vec<Time>>>()?;
    Some(ResponseCertificate {
        ranking: order.ranking(tasks),
        responses,
    })
}

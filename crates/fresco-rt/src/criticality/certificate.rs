// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks of certificates of high mode, which share no code with the tests that issue them. Those of low mode are certificates of ordinary tasks.

use super::DualTask;
use crate::certificate::{EdfCertificate, Refuted};
use crate::policy::Order;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::Time;

/// Checks that under EDF the high tasks meet their deadlines after a change of mode, if all meet their virtual deadlines before.
///
/// # Errors
/// The first fact that does not hold.
pub fn check_demand(certificate: &EdfCertificate, tasks: &[DualTask], supply: &impl Supply) -> Result<(), Refuted> {
    if !horizon_holds(certificate.horizon, tasks, supply) {
        return Err(Refuted::Horizon);
    }
    let mut uncovered = certificate.horizon.saturating_add(1);
    for step in &certificate.steps {
        if step.t >= uncovered || step.reached > step.t || bends(tasks, step.t + 1, uncovered) {
            return Err(Refuted::Gap(step.t));
        }
        let demand: u128 = tasks.iter().map(|task| left_to_do(task, step.t)).sum();
        if u128::from(supply.sbf(step.reached)) < demand {
            return Err(Refuted::Short(step.t));
        }
        uncovered = step.reached;
    }
    match bends(tasks, 0, uncovered) {
        true => Err(Refuted::Unfinished(uncovered)),
        false => Ok(()),
    }
}

/// Execution of a task's jobs with deadlines within `t` of the change: the first has its deadline as late as it can, each other one a period earlier, and the
/// earliest was pending at the change.
fn left_to_do(task: &DualTask, t: Time) -> u128 {
    let Some(wcet) = task.wcet_high() else { return 0 };
    let (plain, mut work, mut deadline) = (task.task(), 0, t);
    let to_virtual = plain.deadline - task.virtual_deadline();
    // All jobs but the earliest are released after the change, and are left whole.
    if deadline >= plain.period.saturating_add(to_virtual) {
        let whole = (deadline - to_virtual) / plain.period;
        work += u128::from(whole) * u128::from(wcet);
        deadline -= whole * plain.period;
    }
    if deadline >= to_virtual {
        // It has to be done with its execution of low mode by its virtual deadline.
        let time = deadline - to_virtual;
        work += u128::from(wcet - plain.wcet) + u128::from(plain.wcet.min(time));
    }
    work
}

/// Whether the demand begins or stops to rise at a length in `[from, to)`.
fn bends(tasks: &[DualTask], from: Time, to: Time) -> bool {
    let at = |first: Time, period: Time| match from.checked_sub(first) {
        None => first < to,
        Some(since) => from.saturating_add((period - since % period) % period) < to,
    };
    let high = tasks.iter().filter(|task| task.is_high());
    from < to
        && high.into_iter().any(|task| {
            let first = task.task().deadline - task.virtual_deadline();
            at(first, task.task().period) || at(first + task.task().wcet, task.task().period)
        })
}

/// Whether a line above the demand stays below one below the supply from the horizon on.
fn horizon_holds(horizon: Time, tasks: &[DualTask], supply: &impl Supply) -> bool {
    let rate = supply.rate();
    let delivered = (u128::from(rate.num()) << 64) / u128::from(rate.den());
    let (mut busy, mut lag) = (0_u128, u128::from(supply.sigma()));
    for task in tasks {
        let Some(wcet) = task.wcet_high() else { continue };
        let (plain, period) = (task.task(), u128::from(task.task().period));
        busy += (u128::from(wcet) << 64).div_ceil(period);
        let ahead = period - u128::from(plain.deadline) + u128::from(task.virtual_deadline());
        lag += (u128::from(wcet) * ahead).div_ceil(period);
    }
    let spare = delivered.saturating_sub(busy);
    let gained = u128::from(horizon).checked_mul(spare);
    busy == 0 || (lag >> 64 == 0 && spare > 0 && gained.is_none_or(|gained| gained >= lag << 64))
}

/// Checks that under fixed priorities each high task is served within its bound in `high`, however the mode changes, if each task is served within that
/// of `low` as long as it has not.
///
/// # Errors
/// The first fact that does not hold.
pub fn check_responses(
    tasks: &[DualTask],
    order: Order,
    low: &[Time],
    high: &[Option<Time>],
    supply: &impl Supply,
) -> Result<(), Refuted> {
    if low.len() != tasks.len() || high.len() != tasks.len() {
        return Err(Refuted::Ranking);
    }
    let plain: Vec<Task> = tasks.iter().map(|task| task.task().clone()).collect();
    let rank = order.ranks(&plain);
    for (own, task) in tasks.iter().enumerate() {
        let Some(wcet) = task.wcet_high() else { continue };
        let bound = high[own].filter(|&bound| bound <= task.task().deadline);
        let bound = bound.ok_or(Refuted::Response(own))?;
        // What is there if the interval is `at` long: released before its end, or before the latest change of mode.
        let there = |at: Time| {
            let mut work = u128::from(wcet);
            for (other, task) in tasks.iter().enumerate().filter(|&(other, _)| rank[other] < rank[own]) {
                debug_assert_ne!(other, own, "ranks differ");
                let period = u128::from(task.task().period);
                work += match task.wcet_high() {
                    Some(wcet) => u128::from(at).div_ceil(period) * u128::from(wcet),
                    None => u128::from(low[own]).div_ceil(period) * u128::from(task.task().wcet),
                };
            }
            work
        };
        // Some instant up to the bound at which all of it is done.
        let mut done = 1;
        while u128::from(supply.sbf(done)) < there(done) {
            done = match supply.tbf(there(done)) {
                Some(next) if next <= bound => next,
                _ => return Err(Refuted::Response(own)),
            };
        }
        if done > bound {
            return Err(Refuted::Response(own));
        }
    }
    Ok(())
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Least budgets of a server, in closed form per demand point instead of by trying budgets (F23).

use crate::demand::{blocking, dbf, equally_blocked, last_deadline, rbf, utilization, utilization_q64};
use crate::edf::demand_horizon;
use crate::fixed_priority::fixed_priority_test;
use crate::policy::{Order, Policy};
use crate::supply::{LinearBound, PeriodicResource, Ratio, Supply, Tdma};
use crate::task::Task;
use crate::time::{Overflow, Time};

/// Families of resources with a period and a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Budget anywhere in its period: [`PeriodicResource`].
    Periodic,
    /// The line below it: [`LinearBound`].
    PeriodicLinear,
    /// Budget always at the same place: [`Tdma`].
    Tdma,
}

impl Family {
    /// θ*: least budget whose supply in every interval of length `t` is at least `demand`; `None` if `demand > t`, or `period` is 0.
    ///
    /// For a periodic resource the least over `k ≥ 0` of `max(⌈d/(k+1)⌉, Π − ⌊(t−d)/(k+2)⌋)`, of which the first term falls
    /// with `k` and the second rises, so the crossing is found by bisection.
    pub fn least_budget_at(self, period: Time, t: Time, demand: Time) -> Option<Time> {
        if demand > t || period == 0 {
            return None;
        }
        if demand == 0 {
            return Some(0);
        }
        let budget = match self {
            Family::Periodic => {
                let enough = |k: Time| demand.div_ceil(k.saturating_add(1));
                let early = |k: Time| period.saturating_sub((t - demand) / k.saturating_add(2));
                let crossing = least_where(0, demand, |k| enough(k) <= early(k));
                let at = |k: Time| enough(k).max(early(k));
                crossing
                    .checked_sub(1)
                    .map_or(at(crossing), |before| at(before).min(at(crossing)))
            }
            Family::PeriodicLinear => least_where(1, period, |budget| {
                let line = LinearBound::new(period, budget).expect("a budget within its period");
                line.sbf(t) >= demand
            }),
            Family::Tdma => {
                let (whole, rest) = (t / period, t % period);
                let with_part =
                    (u128::from(demand) + u128::from(period - rest)).div_ceil(u128::from(whole) + 1) as Time;
                if whole == 0 {
                    with_part
                } else {
                    with_part.min(demand.div_ceil(whole))
                }
            }
        };
        debug_assert!(
            1 <= budget && budget <= period,
            "the whole processor supplies t ≥ demand"
        );
        Some(budget)
    }
}

/// Least `k` in `[low, high]` with `holds(k)`, for a predicate that stays true once it is and is true at `high`.
pub(crate) fn least_where(low: Time, high: Time, holds: impl Fn(Time) -> bool) -> Time {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    high
}

/// Least budget in every `period` with which the tasks meet all deadlines; `None` if the whole processor does not suffice
/// or the period is 0; 0 without tasks. Where only a hyperperiod beyond 64 bits could tell whether the least suffices, a little more.
///
/// # Errors
/// [`Overflow`] as [`edf_test`](crate::edf::edf_test).
pub fn least_budget(tasks: &[Task], policy: Policy, family: Family, period: Time) -> Result<Option<Time>, Overflow> {
    if period == 0 {
        return Ok(None);
    }
    if tasks.is_empty() {
        return Ok(Some(0));
    }
    match policy {
        Policy::FixedPriority(order) if !tasks.iter().all(Task::is_plain) => Ok(match family {
            Family::Periodic => least_by_trial(tasks, order, period, |b| PeriodicResource::new(period, b)),
            Family::PeriodicLinear => least_by_trial(tasks, order, period, |b| LinearBound::new(period, b)),
            Family::Tdma => least_by_trial(tasks, order, period, |b| Tdma::new(period, b)),
        }),
        Policy::FixedPriority(order) => Ok(least_fixed_priority(tasks, order, family, period)),
        Policy::Edf => {
            let least = match family {
                Family::Periodic => least_edf(tasks, family, period, |b| PeriodicResource::new(period, b)),
                Family::PeriodicLinear => least_edf(tasks, family, period, |b| LinearBound::new(period, b)),
                Family::Tdma => least_edf(tasks, family, period, |b| Tdma::new(period, b)),
            };
            Ok(least?.budget)
        }
    }
}

/// A least budget under EDF, and the length of time that decides.
pub(crate) struct Least {
    /// As of [`least_budget`].
    pub budget: Option<Time>,
    /// The length in which no less supplies the demand, or in which the demand is too much for a whole processor; `None` if the budget is that of the utilisation.
    pub length: Option<Time>,
}

/// The least slot in every `period`, at least 1, under EDF.
///
/// # Errors
/// As [`least_budget`].
pub(crate) fn least_slot(tasks: &[Task], period: Time) -> Result<Least, Overflow> {
    least_edf(tasks, Family::Tdma, period, |b| Tdma::new(period, b))
}

/// One descending pass over the deadlines that raises the budget wherever it is too small; deadlines already passed stay met,
/// as supply never falls with the budget.
fn least_edf<S: Supply, E: std::fmt::Debug>(
    tasks: &[Task],
    family: Family,
    period: Time,
    resource: impl Fn(Time) -> Result<S, E>,
) -> Result<Least, Overflow> {
    let none = |length| Ok(Least { budget: None, length });
    let Some(mut budget) = least_for_rate(tasks, period) else {
        return none(None);
    };
    let mut length = None;
    let resource = |budget: Time| resource(budget).expect("a budget within its period");
    // A first pass over short intervals: with the budget it gives, the horizon of the full pass is short.
    let reach = tasks
        .iter()
        .map(|task| task.period)
        .max()
        .unwrap_or(1)
        .saturating_add(period)
        .saturating_mul(2);
    for full in [false, true] {
        let limit = if full {
            let mut more = 1;
            loop {
                match demand_horizon(tasks, &resource(budget)) {
                    Ok(horizon) => break horizon.expect("the rate is at least the utilisation"),
                    // A little more, and the hyperperiod need not be known.
                    Err(Overflow) if budget < period => {
                        budget = budget.saturating_add(more).min(period);
                        more *= 2;
                    }
                    Err(overflow) => return Err(overflow),
                }
            }
        } else {
            reach
        };
        let mut next = last_deadline(tasks, limit);
        while let Some(t) = next {
            let demand = dbf(tasks, t) + u128::from(blocking(tasks, t));
            if demand > u128::from(t) {
                return none(Some(t));
            }
            let needed = family
                .least_budget_at(period, t, demand as Time)
                .expect("demand is at most t");
            if needed > budget {
                (budget, length) = (needed, Some(t));
            }
            let reached = resource(budget)
                .tbf(demand)
                .expect("the budget supplies the demand in time");
            next = last_deadline(tasks, reached.max(equally_blocked(tasks, t)) - 1);
        }
    }
    let budget = Some(budget);
    Ok(Least { budget, length })
}

/// Least budget whose rate is not below the utilisation; `None` if the utilisation exceeds 1. Where the hyperperiod exceeds 64 bits
/// the utilisation is known to 2⁻⁶⁴ for each task, and rounded up.
pub(crate) fn least_for_rate(tasks: &[Task], period: Time) -> Option<Time> {
    let (below, above) = utilization_q64(tasks);
    // Split products: the utilisation is at most a few times 2⁶⁴, the period below 2⁶⁴.
    let times = |u: u128, round_up: bool| {
        let low = (u & u128::from(u64::MAX)) * u128::from(period);
        let high = (u >> 64) * u128::from(period);
        high + if round_up { low.div_ceil(1 << 64) } else { low >> 64 }
    };
    let (least, enough) = (times(below, true), times(above, true));
    let budget = if least == enough {
        enough
    } else {
        let exact = |u: Ratio| (u128::from(u.num()) * u128::from(period)).div_ceil(u128::from(u.den()));
        utilization(tasks).map_or(enough, exact)
    };
    match Time::try_from(budget) {
        Ok(budget) if budget < period => Some(budget),
        Ok(budget) if budget == period => {
            let fits = above <= 1 << 64 || utilization(tasks).is_ok_and(|u| u <= Ratio::ONE);
            fits.then_some(budget)
        }
        _ => None,
    }
}

/// The least budget by bisection, for tasks whose demand does not rise at multiples of periods alone: what suffices does so with more.
fn least_by_trial<S: Supply, E: std::fmt::Debug>(
    tasks: &[Task],
    order: Order,
    period: Time,
    resource: impl Fn(Time) -> Result<S, E>,
) -> Option<Time> {
    let suffices = |budget: Time| {
        let supply = resource(budget).expect("a budget within its period");
        fixed_priority_test(tasks, order, &supply).is_some()
    };
    suffices(period).then(|| least_where(1, period, suffices))
}

/// The most any task needs.
fn least_fixed_priority(tasks: &[Task], order: Order, family: Family, period: Time) -> Option<Time> {
    let ranking = order.ranking(tasks);
    let needed = |rank| least_of_rank(tasks, &ranking, rank, family, period);
    (0..ranking.len()).try_fold(0, |budget, rank| Some(needed(rank)?.max(budget)))
}

/// What the task of a rank needs, without jitter and critical sections: the least over the points where its demand is about to rise.
pub(crate) fn least_of_rank(
    tasks: &[Task],
    ranking: &[usize],
    rank: usize,
    family: Family,
    period: Time,
) -> Option<Time> {
    let own = &tasks[ranking[rank]];
    let higher = || ranking[..rank].iter().map(|&k| &tasks[k]);
    let steps = higher().flat_map(|task| (1..=own.deadline / task.period).map(|k| k * task.period));
    let needed = steps.chain([own.deadline]).filter_map(|t| {
        let demand = Time::try_from(rbf(own, higher(), t)).ok()?;
        family.least_budget_at(period, t, demand)
    });
    needed.min()
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! EDF: in low mode jobs of high tasks go by earlier, virtual deadlines, so that time is left for what they take in high mode (Ekberg and Yi, Bounding
//! and shaping the demand of mixed-criticality sporadic tasks, ECRTS 2012).

use super::DualTask;
use crate::certificate::{EdfCertificate, EdfStep};
use crate::edf::{EdfVerdict, edf_test};
use crate::supply::Supply;
use crate::task::Task;
use crate::time::{Overflow, Time};

/// Steps in which a virtual deadline is moved at most.
const STEPS: Time = 256;

/// Execution that high tasks may ask for in an interval of length `t` from the change of mode on, with deadlines in it (section III-C).
///
/// A job that is pending at the change met its virtual deadline but for the change: with r left to that, no more than r of its execution of low
/// mode is left. So a job with its deadline `D − V + r` after the change has done `e − r` at least.
pub fn demand_after_change(tasks: &[DualTask], t: Time) -> u128 {
    let of = |task: &DualTask| {
        let (Some(wcet), Some(since)) = (task.wcet_high, t.checked_sub(task.early())) else {
            return 0;
        };
        let (jobs, left) = (since / task.task.period + 1, since % task.task.period);
        u128::from(jobs) * u128::from(wcet) - u128::from(task.task.wcet.saturating_sub(left))
    };
    tasks.iter().map(of).sum()
}

/// Whether high tasks meet their deadlines after a change of mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterChange {
    /// They do; the certificate shows why ([`super::certificate::check_demand`]).
    Met(EdfCertificate),
    /// In an interval of length `t` from the change on they may demand more than is sure to be supplied.
    Violated {
        /// Length of the interval.
        t: Time,
        /// What they may demand.
        demand: u128,
        /// sbf(t).
        supply: Time,
    },
    /// Their utilisation in high mode is not below the rate of the supply.
    Overloaded,
}

/// Tests `demand_after_change(t) ≤ sbf(t)` for all `t`, if the tasks meet their virtual deadlines in low mode.
///
/// Between two of its bends the demand is level or rises at least as fast as time passes, and a supply rises no faster than that: what holds at the bends,
/// where it begins to rise or stops, holds between them. From the last bend `t` the next one looked at is the last before `tbf` of the demand at `t`.
pub fn after_change(tasks: &[DualTask], supply: &impl Supply) -> AfterChange {
    let Some(horizon) = horizon(tasks, supply) else {
        return AfterChange::Overloaded;
    };
    let mut steps = Vec::new();
    let mut next = last_bend(tasks, horizon);
    while let Some(t) = next {
        let demand = demand_after_change(tasks, t);
        let supplied = supply.sbf(t);
        let (true, Some(reached)) = (demand <= u128::from(supplied), supply.tbf(demand)) else {
            return AfterChange::Violated {
                t,
                demand,
                supply: supplied,
            };
        };
        steps.push(EdfStep { t, reached });
        next = reached.checked_sub(1).and_then(|limit| last_bend(tasks, limit));
    }
    AfterChange::Met(EdfCertificate { horizon, steps })
}

/// Length from which on demand is below supply: `Σ (e'/p)(t + p − D + V) ≤ a t − σ`; `None` if there is none in 64 bits.
fn horizon(tasks: &[DualTask], supply: &impl Supply) -> Option<Time> {
    let high = || tasks.iter().filter_map(|task| Some((task, task.wcet_high?)));
    let busy = |(task, wcet): (&DualTask, Time)| (u128::from(wcet) << 64).div_ceil(u128::from(task.task.period));
    let ahead = |(task, wcet): (&DualTask, Time)| {
        let ahead = u128::from(task.task.period - task.early());
        (u128::from(wcet) * ahead).div_ceil(u128::from(task.task.period))
    };
    let (busy, lag) = (
        high().map(busy).sum::<u128>(),
        high().map(ahead).sum::<u128>() + u128::from(supply.sigma()),
    );
    let spare = supply.rate().q64_floor().checked_sub(busy).filter(|&spare| spare > 0)?;
    if lag >> 64 != 0 {
        return None;
    }
    Time::try_from((lag << 64).div_ceil(spare)).ok()
}

/// Latest length up to `limit` at which the demand begins to rise, or stops.
fn last_bend(tasks: &[DualTask], limit: Time) -> Option<Time> {
    let of = |task: &DualTask, first: Time| {
        let since = limit.checked_sub(first)?;
        Some(limit - since % task.task.period)
    };
    let high = tasks.iter().filter(|task| task.is_high());
    high.flat_map(|task| [of(task, task.early()), of(task, task.early() + task.task.wcet)])
        .flatten()
        .max()
}

/// Why no virtual deadlines were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untunable {
    /// The tasks miss deadlines in low mode, whatever the virtual ones are.
    Low(EdfVerdict),
    /// No deadlines that low mode bears leave enough for high mode; the last ones tried leave this.
    High(AfterChange),
    /// Only a hyperperiod beyond 64 bits could tell of low mode.
    Overflow,
}

impl From<Overflow> for Untunable {
    fn from(_: Overflow) -> Self {
        Untunable::Overflow
    }
}

/// Deadlines, certificates of low and of high mode: virtual deadlines with which both tests hold, sought as Ekberg and Yi do (their Figure 5): from the
/// deadlines on, where the demand of high mode is too large the task is moved that gains the most there, in steps of `D / 256`, until low mode bears no more.
///
/// # Errors
/// None were found. The search is greedy: there may be some all the same.
pub fn virtual_deadlines(
    tasks: &[DualTask],
    low: &impl Supply,
    high: &impl Supply,
) -> Result<(Vec<DualTask>, EdfCertificate, EdfCertificate), Untunable> {
    let mut tuned: Vec<DualTask> = tasks.to_vec();
    for task in &mut tuned {
        task.virtual_deadline = task.task.deadline;
    }
    let mut of_low = match low_mode(&tuned, low)? {
        EdfVerdict::Schedulable(certificate) => certificate,
        refused => return Err(Untunable::Low(refused)),
    };
    let mut movable: Vec<bool> = tuned.iter().map(DualTask::is_high).collect();
    loop {
        let refused = match after_change(&tuned, high) {
            AfterChange::Met(of_high) => return Ok((tuned, of_low, of_high)),
            refused => refused,
        };
        let AfterChange::Violated { t, .. } = refused else {
            return Err(Untunable::High(refused));
        };
        let best = (0..tuned.len())
            .filter(|&number| movable[number])
            .filter_map(|number| moved(&tuned[number], t).map(|(deadline, gain)| (number, deadline, gain)))
            .max_by_key(|&(_, _, gain)| gain);
        let Some((number, deadline, _)) = best else {
            return Err(Untunable::High(refused));
        };
        let before = std::mem::replace(&mut tuned[number].virtual_deadline, deadline);
        match low_mode(&tuned, low)? {
            EdfVerdict::Schedulable(certificate) => of_low = certificate,
            _ => {
                tuned[number].virtual_deadline = before;
                movable[number] = false;
            }
        }
    }
}

fn low_mode(tasks: &[DualTask], supply: &impl Supply) -> Result<EdfVerdict, Overflow> {
    let tasks: Vec<Task> = tasks.iter().map(DualTask::in_low_mode).collect();
    edf_test(&tasks, supply)
}

/// The virtual deadline of a task with which it demands less in an interval of `t`, and how much less per step; `None` if none does.
fn moved(task: &DualTask, t: Time) -> Option<(Time, u128)> {
    let step = (task.task.deadline / STEPS).max(1);
    let since = t.checked_sub(task.early())?;
    // A job whose execution of low mode is all left, as time for it is, begins to demand less when that time is less.
    let slack = (since % task.task.period).saturating_sub(task.task.wcet);
    let move_by = slack.checked_add(step)?;
    let deadline = task.virtual_deadline.saturating_sub(move_by).max(task.task.wcet);
    let changed = DualTask {
        virtual_deadline: deadline,
        ..task.clone()
    };
    let demand = |task: &DualTask| demand_after_change(std::slice::from_ref(task), t);
    let gain = demand(task).saturating_sub(demand(&changed));
    let steps = u128::from((task.virtual_deadline - deadline).div_ceil(step));
    (gain > 0).then(|| (deadline, (gain << 16) / steps.max(1)))
}

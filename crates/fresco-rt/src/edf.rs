// SPDX-License-Identifier: MIT OR Apache-2.0
//! EDF on any supply: the processor-demand test by generalised quick processor-demand analysis (F19).
//!
//! The test is exact for sporadic tasks on the class of resources that the supply bound describes.

use crate::certificate::{EdfCertificate, EdfStep};
use crate::demand::{dbf, last_deadline, longest_deadline, utilization, utilization_q64};
use crate::supply::Supply;
use crate::task::Task;
use crate::time::{Overflow, Time, lcm};

/// Outcome of the EDF test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdfVerdict {
    /// Every deadline is met; the certificate shows why.
    Schedulable(EdfCertificate),
    /// In an interval of length `t` the tasks may demand more than is sure to be supplied.
    Violated {
        /// Length of the interval.
        t: Time,
        /// dbf(t).
        demand: u128,
        /// sbf(t), less than the demand.
        supply: Time,
    },
    /// The utilisation exceeds the rate of the supply.
    Overloaded,
}

impl EdfVerdict {
    /// Whether every deadline is met.
    pub fn is_schedulable(&self) -> bool {
        matches!(self, EdfVerdict::Schedulable(_))
    }
}

/// Tests `dbf(t) ≤ sbf(t)` for all `t`, visiting few of them (F19).
///
/// From the last deadline `t` before [`demand_horizon`], the next one looked at is the last before `x = tbf(dbf(t))`: for
/// `y` in `[x, t]`, `dbf(y) ≤ dbf(t) ≤ sbf(x) ≤ sbf(y)`.
///
/// # Errors
/// [`Overflow`] if the utilisation is so near to the rate that only the hyperperiod can tell, and that exceeds 64 bits.
pub fn edf_test(tasks: &[Task], supply: &impl Supply) -> Result<EdfVerdict, Overflow> {
    let Some(horizon) = demand_horizon(tasks, supply)? else {
        return Ok(EdfVerdict::Overloaded);
    };
    let mut steps = Vec::new();
    let mut next = last_deadline(tasks, horizon);
    while let Some(t) = next {
        let demand = dbf(tasks, t);
        let supplied = supply.sbf(t);
        if demand > u128::from(supplied) {
            return Ok(EdfVerdict::Violated {
                t,
                demand,
                supply: supplied,
            });
        }
        let reached = supply.tbf(demand).expect("sbf(t) reaches the demand");
        debug_assert!(0 < reached && reached <= t);
        steps.push(EdfStep { t, reached });
        next = last_deadline(tasks, reached - 1);
    }
    Ok(EdfVerdict::Schedulable(EdfCertificate { horizon, steps }))
}

/// Length beyond which demand cannot exceed supply for the first time (F19); `None` if the utilisation exceeds the rate.
///
/// U < a: `(Σ U(p − D) + σ)/(a − U)`; U = a: `lcm(H, period) + D_max`, where both bounds repeat; the lesser if both are known.
///
/// # Errors
/// As [`edf_test`].
pub fn demand_horizon(tasks: &[Task], supply: &impl Supply) -> Result<Option<Time>, Overflow> {
    if tasks.is_empty() {
        return Ok(Some(0));
    }
    // What repeats after more than `limit` need not be known.
    let repeating = |limit: Time| {
        let mut periods = tasks.iter().map(|task| task.period);
        let repeat = periods.try_fold(supply.period(), |repeat, period| match repeat > limit {
            true => Ok(repeat),
            false => lcm(repeat, period),
        })?;
        repeat.checked_add(longest_deadline(tasks)).ok_or(Overflow)
    };
    let (below, above) = utilization_q64(tasks);
    let rate = supply.rate().q64_floor();
    if below > rate + 1 {
        return Ok(None);
    }
    if above < rate {
        // Rounded against the tasks everywhere, so the true point is not beyond.
        let slack = |task: &Task| {
            let busy = u128::from(task.wcet) * u128::from(task.period - task.deadline);
            busy.div_ceil(u128::from(task.period))
        };
        let lag = tasks.iter().map(slack).sum::<u128>() + u128::from(supply.sigma());
        let meeting = if lag >> 64 == 0 {
            Time::try_from((lag << 64).div_ceil(rate - above)).ok()
        } else {
            None
        };
        return match (meeting, repeating(meeting.unwrap_or(Time::MAX))) {
            (Some(meeting), Ok(repeat)) => Ok(Some(meeting.min(repeat))),
            (Some(point), Err(_)) | (None, Ok(point)) => Ok(Some(point)),
            (None, Err(overflow)) => Err(overflow),
        };
    }
    if utilization(tasks)? > supply.rate() {
        Ok(None)
    } else {
        repeating(Time::MAX).map(Some)
    }
}

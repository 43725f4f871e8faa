// SPDX-License-Identifier: MIT OR Apache-2.0
//! EDF on any supply: the processor-demand test by generalised quick processor-demand analysis (F19).
//!
//! The test is exact for sporadic tasks on the class of resources that the supply bound describes.

use crate::certificate::{EdfCertificate, EdfStep};
use crate::demand::{
    blocking, dbf, equally_blocked, last_deadline, longest_deadline, settled, utilization, utilization_q64,
};
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
        /// dbf(t), and what blocks at its begin.
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

/// Tests `dbf(t) + b(t) ≤ sbf(t)` for all `t`, visiting few of them (F19); `b` is the [`blocking`].
///
/// From the last deadline `t` before [`demand_horizon`], the next one looked at is the last before `x = tbf(dbf(t) + b(t))`: for
/// `y` in `[x, t]`, `dbf(y) ≤ dbf(t) ≤ sbf(x) - b(t) ≤ sbf(y) - b(t)`, as long as `b(y) = b(t)`: `x` does not pass where that changes.
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
        let demand = dbf(tasks, t) + u128::from(blocking(tasks, t));
        let supplied = supply.sbf(t);
        if demand > u128::from(supplied) {
            return Ok(EdfVerdict::Violated {
                t,
                demand,
                supply: supplied,
            });
        }
        let supplied_by = supply.tbf(demand).expect("sbf(t) reaches the demand");
        let reached = supplied_by.max(equally_blocked(tasks, t));
        debug_assert!(0 < reached && reached <= t);
        steps.push(EdfStep { t, reached });
        next = last_deadline(tasks, reached - 1);
    }
    Ok(EdfVerdict::Schedulable(EdfCertificate { horizon, steps }))
}

/// Length beyond which demand cannot exceed supply for the first time (F19); `None` if the utilisation exceeds the rate.
///
/// U < a: `(Σ U(p + A − D + J) + σ)/(a − U)`; U = a: `lcm(H, period)` after the demand has settled, where both bounds repeat; the lesser if
/// both are known. With critical sections no less than the longest deadline: from there on nothing blocks.
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
        repeat.checked_add(settled(tasks)?).ok_or(Overflow)
    };
    let (below, above) = utilization_q64(tasks);
    let rate = supply.rate().q64_floor();
    if below > rate + 1 {
        return Ok(None);
    }
    if above < rate {
        // Rounded against the tasks everywhere, so the true point is not beyond.
        let slack = |task: &Task| {
            let early = u128::from(task.period - task.window()) + u128::from(task.arrival_jitter);
            let whole = early / u128::from(task.period) * u128::from(task.wcet);
            whole + (early % u128::from(task.period) * u128::from(task.wcet)).div_ceil(u128::from(task.period))
        };
        let lag = tasks.iter().map(slack).sum::<u128>() + u128::from(supply.sigma());
        let meeting = if lag >> 64 == 0 {
            Time::try_from((lag << 64).div_ceil(rate - above)).ok()
        } else {
            None
        };
        let unblocked = match tasks.iter().any(|task| task.critical_section > 0) {
            true => longest_deadline(tasks),
            false => 0,
        };
        let horizon = match (meeting, repeating(meeting.unwrap_or(Time::MAX))) {
            (Some(meeting), Ok(repeat)) => meeting.min(repeat),
            (Some(point), Err(_)) | (None, Ok(point)) => point,
            (None, Err(overflow)) => return Err(overflow),
        };
        return Ok(Some(horizon.max(unblocked)));
    }
    if utilization(tasks)? > supply.rate() {
        Ok(None)
    } else {
        repeating(Time::MAX).map(Some)
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Supply: how much processor time a resource is sure to deliver in any interval of a given length.

mod auto_refresh;
mod dedicated;
mod linear;
mod periodic;
mod rate;
mod slots;
mod tdma;

pub use auto_refresh::AutoRefresh;
pub use dedicated::Dedicated;
pub use linear::LinearBound;
pub use periodic::PeriodicResource;
pub use rate::Ratio;
pub use slots::{SlotError, SlotTable};
pub use tdma::Tdma;

use std::fmt;

use crate::time::Time;

/// Least supply of a resource over all intervals of a length.
///
/// Contract, on which the tests of this crate rely and which `tests/crs_supply.rs` checks for every implementation:
/// `sbf(0) = 0`; `sbf` never falls and grows by at most one per unit of time; `tbf` is its pseudo-inverse;
/// `sbf(t) ≥ rate · t − sigma` for every `t`; and `sbf(t + period) = sbf(t) + rate · period` for every `t` with `sbf(t) > 0`.
pub trait Supply {
    /// sbf(t): time that every interval of length `t` supplies.
    fn sbf(&self, t: Time) -> Time;

    /// tbf(x): least `t` with `sbf(t) ≥ x`; `None` if there is none or it exceeds 64 bits.
    fn tbf(&self, demand: u128) -> Option<Time>;

    /// a: supply per unit of time in the long run, from 0 to 1.
    fn rate(&self) -> Ratio;

    /// σ: the supply lags behind `rate · t` by at most this, rounded up.
    fn sigma(&self) -> Time;

    /// Length after which the bound repeats, raised by `rate · period`; at least 1.
    fn period(&self) -> Time;
}

/// A budget in a period that is no resource: the period is 0 or the budget exceeds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetError {
    /// The period, at least 1.
    pub period: Time,
    /// The budget per period, at most the period.
    pub budget: Time,
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BudgetError { period, budget } = self;
        write!(
            f,
            "a budget of {budget} in a period of {period}; a period is at least 1 and the budget at most the period"
        )
    }
}

impl std::error::Error for BudgetError {}

impl BudgetError {
    /// Passes a pair that is a resource.
    pub(crate) fn check(period: Time, budget: Time) -> Result<(), Self> {
        if period == 0 || budget > period {
            Err(BudgetError { period, budget })
        } else {
            Ok(())
        }
    }
}

/// A wide value as a time, if it fits.
pub(crate) fn narrow(value: u128) -> Option<Time> {
    Time::try_from(value).ok()
}

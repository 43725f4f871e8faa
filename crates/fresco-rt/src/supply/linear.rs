// SPDX-License-Identifier: MIT OR Apache-2.0
//! The linear bound of the periodic resource: lsbf and ltbf of dissertation §5.3.7.

use super::{BudgetError, Ratio, Supply, narrow};
use crate::time::Time;

/// lsbf(t) = (Θ/Π)(t − 2(Π − Θ)), the line under [`PeriodicResource`](super::PeriodicResource).
///
/// Values are rounded down (supply) and up (time), which changes no verdict: demands and deadlines are integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearBound {
    period: Time,
    budget: Time,
}

impl LinearBound {
    /// The bound of Θ = `budget` in every Π = `period`.
    pub fn new(period: Time, budget: Time) -> Result<Self, BudgetError> {
        BudgetError::check(period, budget)?;
        Ok(LinearBound { period, budget })
    }

    /// 2(Π − Θ): longest time without supply.
    fn delay(&self) -> u128 {
        2 * u128::from(self.period - self.budget)
    }
}

impl Supply for LinearBound {
    fn sbf(&self, t: Time) -> Time {
        let supplied = u128::from(self.budget) * u128::from(t).saturating_sub(self.delay());
        narrow(supplied / u128::from(self.period)).expect("at most t")
    }

    fn tbf(&self, demand: u128) -> Option<Time> {
        if demand == 0 {
            return Some(0);
        }
        if self.budget == 0 {
            return None;
        }
        let stretched = demand
            .checked_mul(u128::from(self.period))?
            .div_ceil(u128::from(self.budget));
        narrow(stretched.checked_add(self.delay())?)
    }

    fn rate(&self) -> Ratio {
        Ratio::new(self.budget, self.period).expect("a period is at least 1")
    }

    fn sigma(&self) -> Time {
        // One more than 2 a (Π − Θ) where the supply is rounded down.
        let lag = u128::from(self.budget) * self.delay();
        let rounding = Time::from(self.budget != 0 && self.budget != self.period);
        narrow(lag.div_ceil(u128::from(self.period))).expect("at most half a period") + rounding
    }

    fn period(&self) -> Time {
        self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_touches_the_resource_at_the_end_of_its_gaps() {
        let line = LinearBound::new(10, 4).unwrap();
        let exact = super::super::PeriodicResource::new(10, 4).unwrap();
        for j in 0..5 {
            assert_eq!(line.sbf(12 + 10 * j), exact.sbf(12 + 10 * j));
        }
        assert_eq!(line.tbf(4), Some(22));
        assert_eq!(line.sbf(21), 3);
    }
}

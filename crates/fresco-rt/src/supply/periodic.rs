// SPDX-License-Identifier: MIT OR Apache-2.0
//! The periodic resource model (F17): a budget somewhere in every period.

use super::{BudgetError, Ratio, Supply, narrow};
use crate::time::Time;

/// Periodic resource (Π, Θ): Θ units in every period of Π, placed anywhere inside it (F17; Shin and Lee, RTSS 2003).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodicResource {
    period: Time,
    budget: Time,
}

impl PeriodicResource {
    /// Θ = `budget` in every Π = `period`.
    pub fn new(period: Time, budget: Time) -> Result<Self, BudgetError> {
        BudgetError::check(period, budget)?;
        Ok(PeriodicResource { period, budget })
    }

    /// Π − Θ: half of the longest time without supply.
    fn gap(&self) -> Time {
        self.period - self.budget
    }
}

impl Supply for PeriodicResource {
    fn sbf(&self, t: Time) -> Time {
        let gap = self.gap();
        if t <= gap {
            return 0;
        }
        let (whole, rest) = ((t - gap) / self.period, (t - gap) % self.period);
        whole * self.budget + rest.saturating_sub(gap)
    }

    fn tbf(&self, demand: u128) -> Option<Time> {
        if demand == 0 {
            return Some(0);
        }
        if self.budget == 0 {
            return None;
        }
        let (gap, period, budget) = (u128::from(self.gap()), u128::from(self.period), u128::from(self.budget));
        let whole = demand.div_ceil(budget) - 1;
        narrow(
            whole
                .checked_mul(period)?
                .checked_add(2 * gap + demand - whole * budget)?,
        )
    }

    fn rate(&self) -> Ratio {
        Ratio::new(self.budget, self.period).expect("a period is at least 1")
    }

    fn sigma(&self) -> Time {
        // 2 a (Π − Θ), at most Π / 2.
        let lag = 2 * u128::from(self.budget) * u128::from(self.gap());
        narrow(lag.div_ceil(u128::from(self.period))).expect("at most half a period")
    }

    fn period(&self) -> Time {
        self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_budget_comes_after_two_gaps() {
        let resource = PeriodicResource::new(10, 4).unwrap();
        assert_eq!(
            [0, 6, 12, 13, 16, 22, 23, 26].map(|t| resource.sbf(t)),
            [0, 0, 0, 1, 4, 4, 5, 8]
        );
        assert_eq!(resource.tbf(4), Some(16));
        assert_eq!(resource.tbf(5), Some(23));
        assert_eq!(resource.sigma(), 5);
        assert_eq!(PeriodicResource::new(4, 5), Err(BudgetError { period: 4, budget: 5 }));
        assert_eq!(PeriodicResource::new(4, 0).unwrap().tbf(1), None);
    }
}

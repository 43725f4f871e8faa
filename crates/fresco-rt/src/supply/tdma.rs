// SPDX-License-Identifier: MIT OR Apache-2.0
//! One fixed slot in every period.

use super::{BudgetError, Ratio, Supply, narrow};
use crate::time::Time;

/// TDMA slot: Θ units at the same place of every period of Π, so the gap is Π − Θ once instead of twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tdma {
    period: Time,
    slot: Time,
}

impl Tdma {
    /// A slot of length `slot` in every `period`.
    pub fn new(period: Time, slot: Time) -> Result<Self, BudgetError> {
        BudgetError::check(period, slot)?;
        Ok(Tdma { period, slot })
    }
}

impl Supply for Tdma {
    fn sbf(&self, t: Time) -> Time {
        (t / self.period) * self.slot + (t % self.period).saturating_sub(self.period - self.slot)
    }

    fn tbf(&self, demand: u128) -> Option<Time> {
        if demand == 0 {
            return Some(0);
        }
        if self.slot == 0 {
            return None;
        }
        let slot = u128::from(self.slot);
        let whole = demand.div_ceil(slot) - 1;
        let rest = demand - whole * slot;
        narrow(
            whole
                .checked_mul(u128::from(self.period))?
                .checked_add(u128::from(self.period - self.slot) + rest)?,
        )
    }

    fn rate(&self) -> Ratio {
        Ratio::new(self.slot, self.period).expect("a period is at least 1")
    }

    fn sigma(&self) -> Time {
        // a (Π − Θ), reached just before each slot.
        let lag = u128::from(self.slot) * u128::from(self.period - self.slot);
        narrow(lag.div_ceil(u128::from(self.period))).expect("below the period")
    }

    fn period(&self) -> Time {
        self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slot_ends_each_window() {
        let slot = Tdma::new(10, 4).unwrap();
        assert_eq!([0, 6, 7, 10, 16, 17, 20].map(|t| slot.sbf(t)), [0, 0, 1, 4, 4, 5, 8]);
        assert_eq!([1, 4, 5].map(|x| slot.tbf(x)), [Some(7), Some(10), Some(17)]);
    }
}

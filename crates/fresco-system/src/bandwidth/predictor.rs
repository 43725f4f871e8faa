// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many lines a core will use in the next period (MG-4).

use super::Prediction;

/// The predictor of one core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predictor {
    rule: Prediction,
    expected: u64,
}

impl Predictor {
    /// Before the first period a core is expected to use its reservation.
    pub fn new(rule: Prediction, reserved: u64) -> Self {
        Self {
            rule,
            expected: reserved,
        }
    }

    /// A period is over in which `used` lines were used; returns how many to expect in the next.
    pub fn next(&mut self, used: u64) -> u64 {
        self.expected = match self.rule {
            Prediction::Last => used,
            Prediction::Average => self.expected.midpoint(used) + (self.expected ^ used) % 2,
        };
        self.expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_period_or_a_moving_average() {
        let mut last = Predictor::new(Prediction::Last, 100);
        assert_eq!([last.next(40), last.next(0), last.next(250)], [40, 0, 250]);
        let mut average = Predictor::new(Prediction::Average, 100);
        assert_eq!([average.next(40), average.next(0), average.next(1)], [70, 35, 18]);
        assert_eq!([average.next(18), average.next(17)], [18, 18]);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The budget of one core in the present period, and what is counted of it over periods.

use super::predictor::Predictor;
use super::{Kind, Reservation};
use serde::{Deserialize, Serialize};

/// What became of a core's budgets, in whole periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Periods that are over.
    pub periods: u64,
    /// Lines used.
    pub used: u64,
    /// Periods in which the core was stalled, or would have been, had the others not been exhausted too.
    pub exhausted: u64,
    /// Lines donated.
    pub donated: u64,
    /// Lines of its reservation that it took back.
    pub reclaimed: u64,
    /// Lines that it got beyond its reservation from what was donated or not reserved.
    pub extra: u64,
    /// Lines that it got by weight when all budgets were used up.
    pub shared: u64,
    /// Reservation errors: periods in which it had donated, wanted its reservation back and did not get all of it.
    pub errors: u64,
    /// Lines used beyond the budget, because they were under way when it was used up; the most in a period.
    pub overshoot: u64,
}

impl Counts {
    /// What was counted since `earlier`. The overshoot is that of all periods.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            periods: self.periods - earlier.periods,
            used: self.used - earlier.used,
            exhausted: self.exhausted - earlier.exhausted,
            donated: self.donated - earlier.donated,
            reclaimed: self.reclaimed - earlier.reclaimed,
            extra: self.extra - earlier.extra,
            shared: self.shared - earlier.shared,
            errors: self.errors - earlier.errors,
            overshoot: self.overshoot,
        }
    }
}

/// A core under a manager.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    pub reservation: Reservation,
    predictor: Predictor,
    /// Lines it may use in this period, as far as is known.
    pub given: u64,
    /// Lines it has used in this period.
    pub used: u64,
    /// It has asked for more than there was.
    pub denied: bool,
    /// It waits for the next period, or for the others to be exhausted.
    pub stalled: bool,
    pub counts: Counts,
}

impl Budget {
    pub fn new(reservation: Reservation, predictor: Predictor) -> Self {
        Self {
            reservation,
            predictor,
            given: reservation.lines,
            used: 0,
            denied: false,
            stalled: false,
            counts: Counts::default(),
        }
    }

    /// Nothing is left.
    pub fn is_spent(&self) -> bool {
        self.used >= self.given
    }

    /// Returns true if it donates and reclaims.
    pub fn is_soft(&self) -> bool {
        self.reservation.kind == Kind::Soft
    }

    /// What it has given away and may take back.
    pub fn missing(&self) -> u64 {
        self.reservation.lines.saturating_sub(self.given)
    }

    /// Ends the period, and begins the next; `donates` what it is not expected to need. `unlimited`: it was allowed more
    /// than its budget.
    pub fn renew(&mut self, donates: bool, unlimited: bool) {
        let reserved = self.reservation.lines;
        self.counts.periods += 1;
        self.counts.used += self.used;
        self.counts.exhausted += u64::from(self.denied);
        let short = self.missing() > 0 && self.used < reserved;
        self.counts.errors += u64::from(self.denied && short && !unlimited);
        if !unlimited {
            self.counts.overshoot = self.counts.overshoot.max(self.used.saturating_sub(self.given));
        }
        let expected = self.predictor.next(self.used);
        self.given = if donates { reserved.min(expected) } else { reserved };
        self.counts.donated += reserved - self.given;
        (self.used, self.denied, self.stalled) = (0, false, false);
    }
}

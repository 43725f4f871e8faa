// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reclaim manager: budgets of all cores, and the pool of what is donated.

use super::budget::{Budget, Counts};
use super::predictor::Predictor;
use super::sharing;
use super::{Settings, Share};

/// What a core that has used up its budget does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It has a budget, and goes on.
    GoOn,
    /// It waits for the next period.
    Stall,
    /// It and all cores that wait go on (MG-6, MG-8).
    AllGoOn,
}

/// Budgets of the cores that share a controller. Cores are numbered from 0 in the order of the reservations.
#[derive(Clone, Debug)]
pub struct Manager {
    settings: Settings,
    cores: Vec<Budget>,
    /// Lines of this period that nobody has.
    pool: u64,
    /// Everyone goes on without limit.
    open: bool,
    /// Lines given beyond the total, by weights.
    beyond: u64,
}

impl Manager {
    /// A manager at the beginning of its first period: every core has its reservation.
    ///
    /// # Panics
    /// If more is reserved than there is, or a chunk or weight is 0: settings are checked before.
    pub fn new(settings: Settings) -> Self {
        let cores: Vec<Budget> = settings
            .reservations
            .iter()
            .map(|one| Budget::new(*one, Predictor::new(settings.prediction, one.lines)))
            .collect();
        let reserved: u64 = cores.iter().map(|core| core.given).sum();
        assert!(reserved <= settings.total, "no more is reserved than there is");
        let positive = |one: &super::Reservation| one.weight > 0;
        assert!(settings.chunk > 0 && settings.reservations.iter().all(positive));
        Self {
            pool: if settings.reclaim { settings.total - reserved } else { 0 },
            open: false,
            beyond: 0,
            cores,
            settings,
        }
    }

    /// A period ends and the next begins: budgets are renewed, soft cores donate what they are not expected to need.
    pub fn begin_period(&mut self) {
        for core in &mut self.cores {
            let donates = self.settings.reclaim && core.is_soft();
            core.renew(donates, self.open);
        }
        (self.open, self.beyond) = (false, 0);
        let given: u64 = self.given().iter().sum();
        self.pool = if self.settings.reclaim {
            self.settings.total - given
        } else {
            0
        };
    }

    /// `core` has used `lines`. True if its budget is used up: an interrupt is to ask [`exhausted`](Self::exhausted).
    pub fn used(&mut self, core: usize, lines: u64) -> bool {
        let budget = &mut self.cores[core];
        budget.used += lines;
        budget.is_spent() && !self.open
    }

    /// Decides, at the interrupt of a core whose budget was used up, perhaps some time ago, whether it may go on. A
    /// core that has used nothing may, even if it has no budget: the question comes again once it uses something.
    pub fn exhausted(&mut self, core: usize) -> Decision {
        let budget = &self.cores[core];
        if self.open || budget.used == 0 || !budget.is_spent() || self.reclaim(core) {
            return Decision::GoOn;
        }
        let budget = &mut self.cores[core];
        (budget.denied, budget.stalled) = (true, true);
        // What soft cores have donated and not used is theirs to the end of the period.
        let kept = self.pool > 0 && self.cores.iter().any(Budget::is_soft);
        match self.settings.share {
            _ if kept || !self.cores.iter().all(Budget::is_spent) => return Decision::Stall,
            Share::None => return Decision::Stall,
            Share::BestEffort => self.open = true,
            Share::Weights => self.beyond += sharing::by_weight(&mut self.cores, self.settings.chunk),
        }
        self.cores.iter_mut().for_each(|core| core.stalled = false);
        Decision::AllGoOn
    }

    /// Takes from the pool what a core lacks of its reservation, else a chunk beyond it, until it has a budget again.
    fn reclaim(&mut self, core: usize) -> bool {
        let budget = &mut self.cores[core];
        while budget.is_spent() && budget.is_soft() && self.pool > 0 {
            let (wanted, counted) = match budget.missing() {
                0 => (self.settings.chunk, &mut budget.counts.extra),
                missing => (missing, &mut budget.counts.reclaimed),
            };
            let got = wanted.min(self.pool);
            *counted += got;
            budget.given += got;
            self.pool -= got;
        }
        !budget.is_spent()
    }

    /// Returns true if the core has to wait.
    pub fn is_stalled(&self, core: usize) -> bool {
        self.cores[core].stalled
    }

    /// Budgets of this period so far, by core.
    pub fn given(&self) -> Vec<u64> {
        self.cores.iter().map(|core| core.given).collect()
    }

    /// Lines used in this period so far.
    pub fn used_now(&self, core: usize) -> u64 {
        self.cores[core].used
    }

    /// Lines of this period that nobody has.
    pub fn pool(&self) -> u64 {
        self.pool
    }

    /// Lines of this period given beyond the total, by weights; `None` once everyone goes on without limit.
    pub fn beyond(&self) -> Option<u64> {
        (!self.open).then_some(self.beyond)
    }

    /// What was counted of a core in the periods that are over; lines reclaimed and shared also of the present one.
    pub fn counts(&self, core: usize) -> Counts {
        self.cores[core].counts
    }
}

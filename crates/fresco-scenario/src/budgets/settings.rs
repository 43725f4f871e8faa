// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a manager is told: reservations and rules.

use serde::{Deserialize, Serialize};

/// Whether a reservation is kept in every period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The core keeps its budget whether it needs it or not: it neither donates nor takes what others donate (MG-7).
    Hard,
    /// The core donates what it is not expected to need, and takes back on demand; a wrong expectation may cost it a part
    /// of its reservation (LIM-28).
    #[default]
    Soft,
}

/// Who goes on when all budgets of a period are used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// Nobody before the next period.
    #[default]
    None,
    /// All, without limit to the end of the period (MG-6).
    BestEffort,
    /// All, by further budgets in proportion to their weights (MG-8).
    Weights,
}

/// What one core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Lines in each period.
    pub lines: u64,
    /// Hard or soft.
    pub kind: Kind,
    /// Its part of what is shared by weights; 1 or more.
    pub weight: u32,
}

/// The rules of a manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// By core.
    pub reservations: Vec<Reservation>,
    /// Lines that all cores may have in a period; no less than the sum of their reservations. What is not reserved can
    /// be reclaimed.
    pub total: u64,
    /// Soft cores donate and reclaim (MG-4).
    pub reclaim: bool,
    /// When all budgets are used up.
    pub share: Share,
    /// Lines that a core gets at once beyond its reservation, from what was donated or, times its weight, of what is
    /// shared by weights; 1 or more.
    pub chunk: u64,
    /// How many lines a core is expected to use.
    pub prediction: Prediction,
}

/// How many lines a core is expected to use in the next period (MG-4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prediction {
    /// As many as in the last period: what the slides' example does.
    #[default]
    Last,
    /// The mean of that and of the last prediction, rounded up: older periods weigh half as much each.
    Average,
}

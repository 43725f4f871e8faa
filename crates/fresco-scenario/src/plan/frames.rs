// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose allocator takes pages from the colors of a plan.

use fresco_frames::{Camc, CostModel, FramesConfig, ListsBy, Palloc, Policy, Tintmalloc};
use fresco_machine::Machine;
use serde::{Deserialize, Serialize};

/// An allocator that gives a task no page of another color than the plan's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlannedFrames {
    /// CAMC's color lists.
    #[default]
    Camc,
    /// PALLOC's bins.
    Palloc,
    /// TintMalloc's lists by pair of bank and LLC color (TINT-8).
    Tintmalloc,
}

impl PlannedFrames {
    /// Every allocator with its name in files.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("camc", Self::Camc),
        ("palloc", Self::Palloc),
        ("tintmalloc", Self::Tintmalloc),
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMES
            .into_iter()
            .find(|&(_, frames)| frames == self)
            .expect("every allocator has a name");
        name
    }

    /// Returns true if it is CAMC's, which a plan has if its scenario names none.
    pub fn is_camc(&self) -> bool {
        *self == Self::Camc
    }

    /// The allocator on a machine whose free memory lies in order.
    pub fn config(self, machine: &Machine) -> FramesConfig {
        let (policy, lists) = match self {
            Self::Camc => (Policy::Camc(Camc::default()), ListsBy::Bank),
            Self::Palloc => (Policy::Palloc(Palloc::default()), ListsBy::Bank),
            Self::Tintmalloc => (Policy::Tintmalloc(Tintmalloc::default()), ListsBy::BankAndLlc),
        };
        FramesConfig {
            lists,
            cost: CostModel::at(machine.core.mhz),
            ..FramesConfig::pristine(policy)
        }
    }
}

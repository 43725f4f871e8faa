// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is varied from run to run.

use super::setup;
use fresco_machine::RefreshPolicy;

/// A run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spec {
    /// WL-1 to WL-10.
    pub workload: u32,
    /// Density of a device.
    pub gbit: u32,
    /// A retention time of 32 ms, else 64 ms.
    pub hot: bool,
    pub scheme: Scheme,
    pub banks: Banks,
    pub cores: u32,
    pub tasks_per_core: u32,
    /// Modules of two ranks.
    pub dimms: u32,
}

/// Refresh and scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scheme {
    NoRefresh,
    AllBank,
    PerBank,
    OutOfOrder,
    /// Modes of DDR4: intervals and commands by this divisor.
    Finer(u32),
    /// Whole commands or quarters, by load.
    Adaptive,
    /// One bank after the other, and no task beside it that has pages there. The threshold, `u32::MAX` for all candidates.
    Codesign(u32),
}

/// Where a task has pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Banks {
    /// By the buddy allocator.
    All,
    /// In 6 of 8 banks with four tasks per core, in 4 with two: each task of a core leaves others free.
    Published,
    /// So many of 8, chosen in turn.
    Few(u32),
    /// Its part of all banks, which no other task has.
    Hard,
}

impl Scheme {
    /// All candidates are looked at.
    pub const CODESIGN: Self = Self::Codesign(u32::MAX);

    pub fn policy(self) -> RefreshPolicy {
        match self {
            Self::NoRefresh => RefreshPolicy::None,
            Self::AllBank | Self::Finer(_) => RefreshPolicy::AllBankIndependent,
            Self::PerBank => RefreshPolicy::PerBank,
            Self::OutOfOrder => RefreshPolicy::PerBankOutOfOrder,
            // The machine's memory has no quarters: they come with the modes.
            Self::Adaptive => RefreshPolicy::AllBankIndependent,
            Self::Codesign(_) => RefreshPolicy::PerBankSequential,
        }
    }
}

impl Spec {
    /// All banks, two cores, four tasks on each, one module, 64 ms.
    pub fn usual(workload: u32, gbit: u32, scheme: Scheme) -> Self {
        Self {
            workload,
            gbit,
            hot: false,
            scheme,
            banks: match scheme {
                Scheme::Codesign(_) => Banks::Published,
                _ => Banks::All,
            },
            cores: 2,
            tasks_per_core: 4,
            dimms: 1,
        }
    }

    /// Whether there is time for its refreshes.
    pub fn fits(&self) -> bool {
        setup::machine(self).is_ok()
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data file of a speed grade.

use crate::{Clock, Cycle, Generation, Ps};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A minimum as a standard prints it: the greater of `nck` clocks and `ps` picoseconds, plus `extra_nck` clocks.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Minimum {
    #[serde(default)]
    pub nck: Cycle,
    #[serde(default)]
    pub ps: Ps,
    #[serde(default)]
    pub extra_nck: Cycle,
}

impl Minimum {
    /// In whole clocks, rounded up.
    pub fn cycles(self, clock: Clock) -> Cycle {
        self.nck.max(clock.cycles(self.ps)) + self.extra_nck
    }
}

/// The refresh part of a data file.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefreshData {
    /// tREFI of the 1x mode at normal temperature.
    pub refi_ps: Ps,
    /// Refresh window at normal temperature.
    pub refw_ps: Ps,
    /// REFab commands per window that refresh every row, 1x mode.
    pub commands: u64,
    /// REFab commands that may be postponed, 1x mode.
    pub postponable: u64,
    /// REFpb or REFsb commands per window and bank; 0 without such a command.
    #[serde(default)]
    pub bank_commands: u64,
}

/// A data file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Grade {
    pub name: String,
    pub generation: Generation,
    pub rate_mts: u32,
    pub parameters: BTreeMap<String, Minimum>,
    pub refresh: RefreshData,
}

impl Grade {
    pub fn clock(&self) -> Clock {
        Clock::from_rate(self.rate_mts)
    }
}

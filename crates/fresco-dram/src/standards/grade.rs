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
    /// Data width of the devices whose `parameters` these are, in bits.
    pub width: u32,
    /// Bank groups of these devices; 1 where there are none.
    pub bank_groups: u32,
    pub parameters: BTreeMap<String, Minimum>,
    pub refresh: RefreshData,
    /// Devices of other widths.
    #[serde(default)]
    pub other: Vec<Other>,
}

/// What is otherwise with devices of another width: the size of their pages decides how many rows may be opened, and when.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Other {
    pub width: u32,
    /// As of the others if omitted.
    pub bank_groups: Option<u32>,
    #[serde(default)]
    pub parameters: BTreeMap<String, Minimum>,
}

impl Grade {
    pub fn clock(&self) -> Clock {
        Clock::from_rate(self.rate_mts)
    }

    /// A parameter of devices of this width.
    pub fn parameter(&self, name: &str, width: u32) -> Option<Minimum> {
        let other = self.other.iter().find(|other| other.width == width);
        let own = other.and_then(|other| other.parameters.get(name));
        own.or(self.parameters.get(name)).copied()
    }

    /// Widths that there are data of, ascending, each with the bank groups of such devices.
    pub fn widths(&self) -> Vec<(u32, u32)> {
        let others = self
            .other
            .iter()
            .map(|other| (other.width, other.bank_groups.unwrap_or(self.bank_groups)));
        let mut widths: Vec<(u32, u32)> = others.chain([(self.width, self.bank_groups)]).collect();
        widths.sort_unstable();
        widths
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The data file of a speed grade.

use crate::{Clock, Cycle, Generation, Ps};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Parameters that follow from the size of a row.
const ROW_SIZE: [&str; 3] = ["rrd_s", "rrd_l", "faw"];

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

/// What is otherwise with per-row activation counting.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PracData {
    /// tRFMab and tRFMsb.
    pub rfm_ab_ps: Ps,
    pub rfm_sb_ps: Ps,
    /// tABO_ACT.
    pub window_ps: Ps,
    /// In place of those of the grade; tRC is a sum.
    pub parameters: BTreeMap<String, Minimum>,
}

fn double() -> u32 {
    2
}

/// A data file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Grade {
    pub name: String,
    pub generation: Generation,
    pub rate_mts: u32,
    /// Data transfers per command clock.
    #[serde(default = "double")]
    pub transfers_per_clock: u32,
    /// Bytes of a line, where it may take several bursts; 0 where it is one burst.
    #[serde(default)]
    pub line_bytes: u32,
    /// Clocks from the first of ACT to the one that its distances count from.
    #[serde(default)]
    pub act_delay: Cycle,
    /// REFpb refreshes two banks.
    #[serde(default)]
    pub paired_refresh: bool,
    /// Column commands have a bus of their own.
    #[serde(default)]
    pub column_bus: bool,
    /// Data width of the devices whose `parameters` these are, in bits.
    pub width: u32,
    /// Bytes of a row of these devices: what is opened at once.
    pub page_bytes: u32,
    /// Bank groups of these devices; 1 where there are none.
    pub bank_groups: u32,
    /// Banks of a rank in all, where the grade is of one mode of devices that have others with more or fewer.
    pub banks: Option<u32>,
    pub parameters: BTreeMap<String, Minimum>,
    pub refresh: RefreshData,
    pub prac: Option<PracData>,
    /// Devices of other widths.
    #[serde(default)]
    pub other: Vec<Other>,
}

/// What is otherwise with devices of another width.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Other {
    pub width: u32,
    /// As of the usual devices if omitted, and so are the bank groups.
    pub page_bytes: Option<u32>,
    pub bank_groups: Option<u32>,
    #[serde(default)]
    pub parameters: BTreeMap<String, Minimum>,
}

impl Grade {
    pub fn clock(&self) -> Clock {
        Clock::with_transfers(self.rate_mts, self.transfers_per_clock)
    }

    /// A parameter of devices of this width and with rows of so many bytes: when rows may be opened is a matter of their size (8 Gb of
    /// DDR3 have rows of 2 KB with x8, too), the rest of the width.
    pub fn parameter(&self, name: &str, width: u32, page_bytes: u32) -> Option<Minimum> {
        let other = match ROW_SIZE.contains(&name) {
            true => self.with_rows_of(page_bytes),
            false => self.other.iter().find(|other| other.width == width),
        };
        let own = other.and_then(|other| other.parameters.get(name));
        own.or(self.parameters.get(name)).copied()
    }

    /// The devices whose rows have so many bytes, or the next fewer that there are, or the fewest; `None` for the usual ones.
    fn with_rows_of(&self, page_bytes: u32) -> Option<&Other> {
        let others = self
            .other
            .iter()
            .map(|other| (other.page_bytes.unwrap_or(self.page_bytes), Some(other)));
        let all = || others.clone().chain([(self.page_bytes, None)]);
        let fitting = all()
            .filter(|(bytes, _)| *bytes <= page_bytes)
            .max_by_key(|(bytes, _)| *bytes);
        fitting.or(all().min_by_key(|(bytes, _)| *bytes))?.1
    }

    /// Bytes of a row of devices of this width, as the standard has them most often.
    pub fn page_bytes(&self, width: u32) -> u32 {
        let other = self.other.iter().find(|other| other.width == width);
        other.and_then(|other| other.page_bytes).unwrap_or(self.page_bytes)
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

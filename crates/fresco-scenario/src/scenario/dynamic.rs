// SPDX-License-Identifier: MIT OR Apache-2.0
//! `dynamic` and `interval` of `[policy]`: BPM and BPM+ that divide banks and channels anew while programs run (BPM-6 to 12).

use super::setup::Copy;
use super::sharing::Sharing;
use fresco_dram::{ColorSpace, Ps};
use fresco_frames::dynamic::SCAN_INTERVAL;
use fresco_frames::shares::Divide;
use fresco_input::{InputError, Table};
use fresco_machine::Machine;

/// Banks and channels that are divided anew while tasks run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// Time between two scans, in picoseconds.
    pub interval: Ps,
    /// Bank colors of each channel that is used; `None` for BPM, which leaves channels alone.
    pub channels: Option<Vec<Vec<u32>>>,
    /// Tasks that have shares, by index, ascending. Each has one memory.
    pub members: Vec<usize>,
}

/// From a microsecond to 1000 s.
const INTERVALS: std::ops::RangeInclusive<Ps> = 1_000_000..=1_000_000_000_000_000;

/// Reads the interval between scans; `None` for static shares.
pub(super) fn read(policy: &Table<'_>, sharing: &Sharing) -> Result<Option<Ps>, InputError> {
    if !policy.opt_boolean("dynamic")?.unwrap_or(false) {
        return Ok(None);
    }
    if *sharing == Sharing::Equal(Divide::BanksAndLlc) {
        let error = policy.error_at("dynamic", "found a dynamic division of banks and cache");
        return Err(error
            .allowed("dynamic = true where banks alone are divided: BPM has no rule that divides a cache anew")
            .help("remove llc = true, or dynamic = true"));
    }
    Ok(Some(
        policy.opt_duration("interval", INTERVALS)?.unwrap_or(SCAN_INTERVAL),
    ))
}

/// What is divided on a machine, and among which copies.
pub(super) fn resolve(
    root: &Table<'_>,
    interval: Option<Ps>,
    sharing: &Sharing,
    machine: &Machine,
    space: &ColorSpace,
    copies: &[Copy],
) -> Result<Option<Dynamic>, InputError> {
    let (Some(interval), Some(policy)) = (interval, root.opt_table("policy")?) else {
        return Ok(None);
    };
    let channels = sharing.banks_of_channels(&policy, machine, space)?;
    let members = (0..copies.len()).filter(|&copy| copies[copy].shared).collect();
    Ok(Some(Dynamic {
        interval,
        channels,
        members,
    }))
}

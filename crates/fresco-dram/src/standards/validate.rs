// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the values of a timing agree with each other.

use super::TimingError;
use crate::{Cycle, Timing};

/// No distance of any device is longer: 2^24 cycles are 3 ms at 4800 MT/s. Keeps every sum far from overflow.
const MAX_DISTANCE: Cycle = 1 << 24;
/// No distance that commands to different banks keep is longer: 2000 cycles are 833 ns at 4800 MT/s, twenty times tFAW.
/// The controllers keep these distances, and sums of two of them, in 16 bits.
const MAX_SHARED_DISTANCE: Cycle = 2000;
/// No device splits its rows finer: 32768 refreshes per window in the 4x mode.
const MAX_REFRESHES: u64 = 1 << 16;
/// No refresh window is longer: 2^40 cycles are minutes.
const MAX_WINDOW: Cycle = 1 << 40;

pub(super) fn validate(t: &Timing) -> Result<(), TimingError> {
    for (name, value) in t.values() {
        let (least, most) = match name {
            "refw" => (1, MAX_WINDOW),
            "rtrs" | "rtw_gap" | "refresh_to_act_other" => (0, MAX_SHARED_DISTANCE),
            "cl" | "cwl" | "rrd_s" | "rrd_l" | "faw" | "ccd_s" | "ccd_l" | "ccd_l_wr" | "wtr_s" | "wtr_l" | "ppd" => {
                (1, MAX_SHARED_DISTANCE)
            }
            "rfc_ab4" | "rfc_pb" | "rfc_sb" | "refresh_to_refresh_other" => (0, MAX_DISTANCE),
            "bank_refreshes" => (0, MAX_REFRESHES),
            "postponable" => (0, 64),
            "refreshes" => (1, MAX_REFRESHES),
            "act_slots" | "column_slots" | "pre_slots" => (1, 8),
            "burst_length" => (u64::from(t.clock.transfers()), 64),
            _ => (1, MAX_DISTANCE),
        };
        if !(least..=most).contains(&value) {
            return Err(TimingError::new(name, value.to_string(), format!("{least} to {most}")));
        }
    }
    if !t.burst_length.is_power_of_two() {
        return Err(TimingError::new(
            "burst_length",
            t.burst_length.to_string(),
            "2, 4, 8, 16, 32, 64",
        ));
    }
    at_least("rc", t.rc, "ras + rp", t.ras + t.rp)?;
    at_least("ras", t.ras, "rcd", t.rcd)?;
    at_least("rp_ab", t.rp_ab, "rp", t.rp)?;
    at_least("rrd_l", t.rrd_l, "rrd_s", t.rrd_s)?;
    at_least("faw", t.faw, "rrd_s", t.rrd_s)?;
    let burst = format!("burst_length / {}", t.clock.transfers());
    at_least("ccd_s", t.ccd_s, &burst, t.burst())?;
    at_least("ccd_l", t.ccd_l, "ccd_s", t.ccd_s)?;
    at_least("ccd_l_wr", t.ccd_l_wr, "ccd_l", t.ccd_l)?;
    at_least("wtr_l", t.wtr_l, "wtr_s", t.wtr_s)?;
    if !t.bank_refreshes.is_multiple_of(t.refreshes) && !t.refreshes.is_multiple_of(t.bank_refreshes) {
        let allowed = format!("0, or a multiple or a divisor of refreshes = {}", t.refreshes);
        return Err(TimingError::new(
            "bank_refreshes",
            t.bank_refreshes.to_string(),
            allowed,
        ));
    }
    // Else a write could be due before the read in front of it.
    at_least(
        "cl",
        t.cl,
        &format!("cwl + 1 - {burst} - rtw_gap"),
        (t.cwl + 1).saturating_sub(t.burst() + t.rtw_gap),
    )?;
    at_least("refi", t.refi, "rfc_ab + 1", t.rfc_ab + 1)?;
    at_least("refw", t.refw, "refi * refreshes", t.refi * t.refreshes)
}

fn at_least(name: &str, value: Cycle, bound: &str, least: Cycle) -> Result<(), TimingError> {
    if value < least {
        return Err(TimingError::new(
            name,
            value.to_string(),
            format!("at least {bound} = {least}"),
        ));
    }
    Ok(())
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Energy of DRAM devices from the currents of their data sheets (MET-7, BPM-17), by the method of Micron's technical note
//! TN-41-01: each command takes what its current exceeds that of standby, for as long as it lasts; standby takes the rest.

use crate::{Organisation, Ps, Timing};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Supply currents of one device, in mA.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Currents {
    /// Standard and speed grade, as [`Timing::standard`].
    pub standard: String,
    /// Density of the device, in Gbit.
    pub density_gbit: u32,
    /// Its data pins.
    pub width: u32,
    /// Supply voltage, in mV.
    pub vdd_mv: u32,
    /// One bank activated and precharged, every tRC.
    pub idd0: u32,
    /// Precharge standby.
    pub idd2n: u32,
    /// Active standby.
    pub idd3n: u32,
    /// Read bursts without gaps.
    pub idd4r: u32,
    /// Write bursts without gaps.
    pub idd4w: u32,
    /// Refreshes of all banks, every tRFC.
    pub idd5: u32,
    /// Where the values are from.
    pub source: String,
}

#[derive(Deserialize)]
struct File {
    device: Vec<Currents>,
}

static DEVICES: LazyLock<Vec<Currents>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("standards/currents.toml")).expect("the built-in data file is valid");
    file.device
});

/// What a channel did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Row activations; each is followed by a precharge.
    pub activations: u64,
    /// Read bursts.
    pub reads: u64,
    /// Write bursts.
    pub writes: u64,
    /// Refreshes of all banks of a rank.
    pub refreshes: u64,
    /// Sum over ranks of the time with an open row.
    pub active: Ps,
    /// Sum over ranks of all the time.
    pub time: Ps,
}

/// Energy of all devices of a channel, in picojoules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Energy {
    /// Activations with their precharges.
    pub activate_pj: u64,
    /// Read bursts, without the termination of the bus.
    pub read_pj: u64,
    /// Write bursts, without the termination of the bus.
    pub write_pj: u64,
    /// Refreshes.
    pub refresh_pj: u64,
    /// Standby with an open row, or in refresh.
    pub active_standby_pj: u64,
    /// Standby with all rows closed; power-down is not modelled.
    pub precharge_standby_pj: u64,
}

impl Energy {
    /// The energy of both, part by part.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            activate_pj: self.activate_pj.saturating_add(other.activate_pj),
            read_pj: self.read_pj.saturating_add(other.read_pj),
            write_pj: self.write_pj.saturating_add(other.write_pj),
            refresh_pj: self.refresh_pj.saturating_add(other.refresh_pj),
            active_standby_pj: self.active_standby_pj.saturating_add(other.active_standby_pj),
            precharge_standby_pj: self.precharge_standby_pj.saturating_add(other.precharge_standby_pj),
        }
    }

    /// All parts together.
    pub fn total_pj(&self) -> u64 {
        [
            self.activate_pj,
            self.read_pj,
            self.write_pj,
            self.refresh_pj,
            self.active_standby_pj,
            self.precharge_standby_pj,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }
}

/// The devices of a rank and their currents; `None` where no public values are known: another speed grade or density, or devices of
/// another width, which is that of the bus shared by as many devices as it takes to hold a rank.
pub fn devices(timing: &Timing, organisation: &Organisation, density_gbit: u32) -> Option<(u64, &'static Currents)> {
    let rank_bits = u128::from(organisation.bank_bytes()) * u128::from(organisation.banks_per_rank()) * 8;
    let device_bits = u128::from(density_gbit) << 30;
    if device_bits == 0 || !rank_bits.is_multiple_of(device_bits) {
        return None;
    }
    let devices = u64::try_from(rank_bits / device_bits).ok()?;
    let pins = u64::from(organisation.bus_bytes) * 8;
    let known = |one: &&Currents| {
        one.standard == timing.standard && one.density_gbit == density_gbit && u64::from(one.width) * devices == pins
    };
    DEVICES.iter().find(known).map(|currents| (devices, currents))
}

impl Currents {
    /// The energy of `devices` alike.
    pub fn energy(&self, devices: u64, timing: &Timing, activity: &Activity) -> Energy {
        let ps = |cycles: u64| timing.clock.to_ps(cycles);
        let (ras, rc) = (ps(timing.ras), ps(timing.rc));
        let (burst, rfc) = (ps(timing.burst()), ps(timing.rfc_ab));
        // In refresh, a device takes active standby and what IDD5 exceeds it by.
        let active = activity
            .active
            .saturating_add(activity.refreshes.saturating_mul(rfc))
            .min(activity.time);
        // mA · mV · ps are 10⁻¹⁸ J.
        let pj = |times: u64, charge: i128| {
            let charge = u128::try_from(charge).unwrap_or(0);
            let whole = (charge * u128::from(self.vdd_mv)).saturating_mul(u128::from(times));
            u64::try_from(whole.saturating_mul(u128::from(devices)) / 1_000_000).unwrap_or(u64::MAX)
        };
        let over =
            |current: u32, standby: u32, time: Ps| (i128::from(current) - i128::from(standby)) * i128::from(time);
        let of = |current: u32, time: Ps| i128::from(current) * i128::from(time);
        Energy {
            activate_pj: pj(
                activity.activations,
                of(self.idd0, rc) - of(self.idd3n, ras) - of(self.idd2n, rc.saturating_sub(ras)),
            ),
            read_pj: pj(activity.reads, over(self.idd4r, self.idd3n, burst)),
            write_pj: pj(activity.writes, over(self.idd4w, self.idd3n, burst)),
            refresh_pj: pj(activity.refreshes, over(self.idd5, self.idd3n, rfc)),
            active_standby_pj: pj(1, of(self.idd3n, active)),
            precharge_standby_pj: pj(1, of(self.idd2n, activity.time - active)),
        }
    }
}

#[cfg(test)]
mod tests;

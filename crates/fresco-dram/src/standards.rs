// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timing as data: one file per standard and speed grade (`standards/*.toml`), turned into cycles.
//!
//! # Rounding
//! A data file holds what the standard prints: a time, a number of clocks, or the greater of the two. Minima are
//! rounded up to whole clocks, maxima (tREFI, tREFW) down. JEDEC's rounding algorithms (JESD79-4C: up unless
//! the excess is below 2.6 % of a clock; JESD79-5B: unless it is below 0.3 % of the time) exist because a tCK given in whole picoseconds is
//! itself rounded. [`Clock`] holds the exact period, so plain rounding up is right; a test shows
//! that both give the same clocks for every value of every file.

mod grade;
mod overrides;
mod resolve;
mod scale;
mod validate;

pub use overrides::{TimingError, TimingOverrides};
pub use scale::{LATENCIES, with_latencies_scaled};

use crate::density::{RefreshScope, RefreshTable};
use crate::{Clock, Generation, Prac, Rfm, Timing};
use grade::Grade;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

const FILES: [&str; 25] = [
    include_str!("standards/ddr2-800.toml"),
    include_str!("standards/ddr3-800.toml"),
    include_str!("standards/ddr3-1066.toml"),
    include_str!("standards/ddr3-1333.toml"),
    include_str!("standards/ddr3-1600.toml"),
    include_str!("standards/ddr3-1866.toml"),
    include_str!("standards/ddr3-2133.toml"),
    include_str!("standards/ddr4-2133.toml"),
    include_str!("standards/ddr4-2400.toml"),
    include_str!("standards/ddr4-2666.toml"),
    include_str!("standards/ddr4-2933.toml"),
    include_str!("standards/ddr4-3200.toml"),
    include_str!("standards/ddr5-4800.toml"),
    include_str!("standards/ddr5-5600.toml"),
    include_str!("standards/ddr5-6400.toml"),
    include_str!("standards/lpddr3-1600.toml"),
    include_str!("standards/lpddr3-1866.toml"),
    include_str!("standards/lpddr4-3200.toml"),
    include_str!("standards/lpddr4x-4266.toml"),
    include_str!("standards/lpddr5-6400.toml"),
    include_str!("standards/lpddr5-6400-8b.toml"),
    include_str!("standards/lpddr5x-8533.toml"),
    include_str!("standards/hbm2-2000.toml"),
    include_str!("standards/hbm2e-3200.toml"),
    include_str!("standards/hbm3-6400.toml"),
];

static GRADES: LazyLock<Vec<Grade>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|f| toml::from_str(f).expect("the built-in data files are valid"))
        .collect()
});

/// The fine-granularity refresh mode (REF-7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FineRefresh {
    /// 8192 all-bank refreshes per window.
    #[default]
    X1,
    /// Twice as many, each shorter (DDR4, DDR5).
    X2,
    /// Four times as many (DDR4).
    X4,
}

impl FineRefresh {
    fn factor(self) -> u64 {
        match self {
            Self::X1 => 1,
            Self::X2 => 2,
            Self::X4 => 4,
        }
    }

    fn scope(self) -> RefreshScope {
        match self {
            Self::X1 => RefreshScope::X1,
            Self::X2 => RefreshScope::X2,
            Self::X4 => RefreshScope::X4,
        }
    }
}

/// What decides the timing of a device besides its speed grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Density of a device in Gb (1 to 64); of a channel of the device for LPDDR3 to LPDDR5, of a pseudo-channel for HBM2 and HBM3.
    pub density_gbit: u32,
    /// Data width in bits (4, 8, 16; 32 for LPDDR3 and HBM3, 64 for HBM2), that of a channel or pseudo-channel of the device for LPDDR and HBM; if omitted that of the standard's usual device.
    pub width: Option<u32>,
    /// Bytes of a row of a device; if omitted what devices of this width have most often.
    pub page_bytes: Option<u32>,
    /// Whose tRFC values.
    pub table: RefreshTable,
    /// Fine-granularity mode.
    pub fine: FineRefresh,
    /// Above 85 °C: tREFI and the refresh window are halved (REF-2).
    pub hot: bool,
    /// Refresh management (DDR5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rfm: Option<Rfm>,
    /// Per-row activation counting (DDR5), which has tRP, tRAS, tRC, tRTP and tWR of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prac: Option<Prac>,
}

impl Device {
    /// The usual width, JEDEC's tRFC, 1x refresh, normal temperature.
    pub fn jedec(density_gbit: u32) -> Self {
        Self {
            density_gbit,
            width: None,
            page_bytes: None,
            table: RefreshTable::Jedec,
            fine: FineRefresh::X1,
            hot: false,
            rfm: None,
            prac: None,
        }
    }
}

/// The names of the built-in standards and speed grades.
pub fn names() -> impl Iterator<Item = &'static str> {
    GRADES.iter().map(|g| g.name.as_str())
}

/// Generation of a built-in speed grade.
///
/// # Errors
/// An unknown name; the error lists the known ones.
pub fn generation(name: &str) -> Result<Generation, TimingError> {
    Ok(find(name)?.generation)
}

/// The clock of a built-in speed grade.
///
/// # Errors
/// An unknown name; the error lists the known ones.
pub fn clock(name: &str) -> Result<Clock, TimingError> {
    Ok(find(name)?.clock())
}

/// Data widths of devices whose timing is known, in bits, ascending; each with the bank groups of such a device, 1 where there are none.
///
/// # Errors
/// An unknown name; the error lists the known ones.
pub fn widths(name: &str) -> Result<Vec<(u32, u32)>, TimingError> {
    Ok(find(name)?.widths())
}

/// Banks of a rank, those of all groups, where a grade is of one mode of devices that have others with more or fewer (LPDDR5).
///
/// # Errors
/// An unknown name; the error lists the known ones.
pub fn banks_of_mode(name: &str) -> Result<Option<u32>, TimingError> {
    Ok(find(name)?.banks)
}

/// Timing of a built-in speed grade with devices of `density_gbit` Gb and JEDEC's refresh times.
///
/// # Errors
/// An unknown name or a density outside 1 to 64 Gb.
pub fn timing(name: &str, density_gbit: u32) -> Result<Timing, TimingError> {
    timing_with(name, &Device::jedec(density_gbit), &TimingOverrides::default())
}

/// Timing of a built-in speed grade, with the user's values in place of the standard's.
///
/// A parameter that follows another (tRPab follows tRP, tCCD_L_WR follows tCCD_L) follows the user's value too, unless
/// the standard or the user gives it on its own.
///
/// # Errors
/// An unknown name or parameter, a density, width or refresh mode that does not exist, or values that contradict each other
/// (`rc < ras + rp`).
pub fn timing_with(name: &str, device: &Device, overrides: &TimingOverrides) -> Result<Timing, TimingError> {
    let timing = resolve::resolve(find(name)?, device, overrides)?;
    validate::validate(&timing)?;
    Ok(timing)
}

fn find(name: &str) -> Result<&'static Grade, TimingError> {
    GRADES.iter().find(|g| g.name == name).ok_or_else(|| {
        let known: Vec<&str> = names().collect();
        TimingError::new("standard", format!("unknown standard `{name}`"), known.join(", "))
    })
}

#[cfg(test)]
mod tests;

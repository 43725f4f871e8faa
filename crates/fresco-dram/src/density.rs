// SPDX-License-Identifier: MIT OR Apache-2.0
//! tRFC by density: how long a refresh command keeps its banks busy (REF-2, REF-7, CON-18, CON-20).

use crate::Ps;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// Densities the tables answer for, in Gb per device (per channel for LPDDR3 to LPDDR5, per pseudo-channel for HBM2 and HBM3).
pub const DENSITIES_GBIT: std::ops::RangeInclusive<u32> = 1..=64;

/// A generation of DRAM devices: what decides the commands and the refresh table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generation {
    /// JESD79-2F.
    Ddr2,
    /// JESD79-3F.
    Ddr3,
    /// JESD79-4C.
    Ddr4,
    /// JESD79-5B.
    Ddr5,
    /// JESD209-3C.
    Lpddr3,
    /// JESD209-4.
    Lpddr4,
    /// JESD209-5B; LPDDR5X too.
    Lpddr5,
    /// JESD235C; HBM2E too.
    Hbm2,
    /// JESD238.
    Hbm3,
}

impl Generation {
    /// The name in data and machine files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ddr2 => "ddr2",
            Self::Ddr3 => "ddr3",
            Self::Ddr4 => "ddr4",
            Self::Ddr5 => "ddr5",
            Self::Lpddr3 => "lpddr3",
            Self::Lpddr4 => "lpddr4",
            Self::Lpddr5 => "lpddr5",
            Self::Hbm2 => "hbm2",
            Self::Hbm3 => "hbm3",
        }
    }
}

/// Whose tRFC values to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefreshTable {
    /// The standard of the device.
    #[default]
    Jedec,
    /// Table 4.1 of the colored-refresh dissertation: 1 to 64 Gb, 110 ns to at least 2 us, all-bank only.
    ColoredRefresh,
    /// The refresh co-design paper: 350 ns at 8 Gb, 890 ns at 32 Gb, per-bank refresh in 1/2.5 of the time, and
    /// divisors of 1.35 and 1.63 for the fine-granularity modes (CON-20).
    CoDesign,
}

impl RefreshTable {
    /// The name in machine files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jedec => "jedec",
            Self::ColoredRefresh => "colored-refresh",
            Self::CoDesign => "co-design",
        }
    }
}

/// What one refresh command refreshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefreshScope {
    /// All banks, 1/8192 of the rows (tRFC1, tRFCab).
    #[default]
    X1,
    /// All banks, half as many rows, twice as often (tRFC2).
    X2,
    /// All banks, a quarter of the rows, four times as often (tRFC4).
    X4,
    /// One bank (REFpb, tRFCpb) or one bank of each group (REFsb, tRFCsb).
    Bank,
    /// Not a duration of a command but the distance from REFpb or REFsb to the next one for other banks of the rank
    /// (tpbR2pbR of LPDDR4 and LPDDR5, tRFCsb of DDR5).
    BankGap,
}

impl RefreshScope {
    fn name(self) -> &'static str {
        match self {
            Self::X1 => "1x",
            Self::X2 => "2x",
            Self::X4 => "4x",
            Self::Bank => "bank",
            Self::BankGap => "bank gap",
        }
    }
}

/// Where a tRFC value comes from; a value that nobody has published never passes for one that somebody has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// Printed in the table for this density.
    Tabulated,
    /// Printed in the table as "at least".
    LowerBound,
    /// Between two printed densities, on the straight line.
    Interpolated,
    /// Above the densest printed density, on the straight line through it and half of it; or below the smallest
    /// printed density, whose value is taken (no smaller device of the generation needs longer).
    Extrapolated,
}

/// A refresh time and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trfc {
    /// Duration in picoseconds.
    pub time: Ps,
    /// Published, or by which rule computed.
    pub provenance: Provenance,
}

/// A refresh time that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTrfc {
    /// The density, in Gb, lies outside [`DENSITIES_GBIT`].
    Density(u32),
    /// The table has no such command or mode for the generation.
    Scope(RefreshTable, Generation, RefreshScope),
}

impl fmt::Display for NoTrfc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Density(gbit) => {
                write!(
                    f,
                    "density of {gbit} Gb; {} to {} Gb",
                    DENSITIES_GBIT.start(),
                    DENSITIES_GBIT.end()
                )
            }
            Self::Scope(table, generation, scope) => {
                write!(
                    f,
                    "the {} table has no {} refresh for {}",
                    table.name(),
                    scope.name(),
                    generation.name()
                )
            }
        }
    }
}

impl std::error::Error for NoTrfc {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    density_gbit: Vec<u32>,
    x1: Vec<Ps>,
    #[serde(default)]
    x2: Vec<Ps>,
    #[serde(default)]
    x4: Vec<Ps>,
    #[serde(default)]
    bank: Vec<Ps>,
    #[serde(default)]
    bank_gap: Vec<Ps>,
    lower_bound_from_gbit: Option<u32>,
}

static TABLES: LazyLock<BTreeMap<String, Column>> =
    LazyLock::new(|| toml::from_str(include_str!("standards/trfc.toml")).expect("the built-in tRFC table is valid"));

/// tRFC of a device of `density_gbit` Gb (1 to 64; per channel for LPDDR3 to LPDDR5, per pseudo-channel for HBM2 and HBM3).
///
/// The tables of the papers hold for every generation: they say "DRAM".
///
/// # Errors
/// [`NoTrfc`] if the density is out of range, or the table has no such mode for the generation.
pub fn trfc(
    table: RefreshTable,
    generation: Generation,
    density_gbit: u32,
    scope: RefreshScope,
) -> Result<Trfc, NoTrfc> {
    if !DENSITIES_GBIT.contains(&density_gbit) {
        return Err(NoTrfc::Density(density_gbit));
    }
    let key = match table {
        RefreshTable::Jedec => generation.name(),
        RefreshTable::ColoredRefresh => "colored-refresh",
        RefreshTable::CoDesign => "co-design",
    };
    let column = &TABLES[key];
    let times = match scope {
        RefreshScope::X1 => &column.x1,
        RefreshScope::X2 => &column.x2,
        RefreshScope::X4 => &column.x4,
        RefreshScope::Bank => &column.bank,
        RefreshScope::BankGap => &column.bank_gap,
    };
    if times.is_empty() {
        return Err(NoTrfc::Scope(table, generation, scope));
    }
    let mut trfc = look_up(&column.density_gbit, times, density_gbit);
    if column.lower_bound_from_gbit.is_some_and(|from| density_gbit >= from) {
        trfc.provenance = Provenance::LowerBound;
    }
    Ok(trfc)
}

/// Value at `density` of the curve through the points (`densities`, `times`), by the rules of [`Provenance`].
fn look_up(densities: &[u32], times: &[Ps], density: u32) -> Trfc {
    let last = densities.len() - 1;
    let (time, provenance) = match densities.binary_search(&density) {
        Ok(i) => (times[i], Provenance::Tabulated),
        Err(0) => (times[0], Provenance::Extrapolated),
        Err(i) if i <= last => (
            on_line((densities[i - 1], times[i - 1]), (densities[i], times[i]), density),
            Provenance::Interpolated,
        ),
        Err(_) => {
            // Half the densest, not the neighbour: 24 and 32 Gb DDR5 share one value, but 64 Gb will not.
            let half = densities
                .partition_point(|&d| d <= densities[last] / 2)
                .saturating_sub(1);
            (
                on_line((densities[half], times[half]), (densities[last], times[last]), density),
                Provenance::Extrapolated,
            )
        }
    };
    Trfc { time, provenance }
}

/// The straight line through `a` and `b` at `x`, rounded up. `x` must not lie left of `a`.
fn on_line(a: (u32, Ps), b: (u32, Ps), x: u32) -> Ps {
    let rise = (b.1 - a.1) * Ps::from(x - a.0);
    a.1 + rise.div_ceil(Ps::from(b.0 - a.0))
}

#[cfg(test)]
mod tests;

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device must be given, from the checker's own table.
//!
//! A controller goes by the timing of its machine. A judge that went by it, too, would find nothing where that is wrong: a x16 device with
//! the activation window of x8, a read to precharge of another generation. So this module has the constants once more, from
//! `required.toml`, and works them out by rules of its own. What a machine file sets itself (`[memory.timing]`, `latency_percent`) is the
//! machine's, as is what the table does not have: refresh times of the papers, densities that no standard prints, and the idle cycles
//! between ranks, which JEDEC leaves to the board.

use fresco_dram::density::RefreshTable;
use fresco_dram::standards::{Device, FineRefresh};
use fresco_dram::{Clock, Cycle, Management, Timing};
use fresco_machine::MemoryConfig;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("required.toml")).expect("the checker's table is valid"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    generation: BTreeMap<String, Refresh>,
    grade: BTreeMap<String, Grade>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Grade {
    /// Whose refresh it has.
    generation: String,
    /// MT/s.
    rate: u32,
    /// Transfers in a clock of commands.
    #[serde(default = "double")]
    transfers: u32,
    /// Clocks of ACT before the one that its distances count from.
    #[serde(default)]
    act_delay: Cycle,
    /// REFpb refreshes two banks.
    #[serde(default)]
    pairs: bool,
    /// Column commands have a bus of their own.
    #[serde(default)]
    column_bus: bool,
    clocks: Clocks,
    #[serde(default)]
    rows_512: Clocks,
    #[serde(default)]
    rows_2048: Clocks,
    #[serde(default)]
    x4: Clocks,
    #[serde(default)]
    x16: Clocks,
    /// With per-row activation counting; also `rfm_ab`, `rfm_sb` and `window` of [`Management`].
    #[serde(default)]
    prac: Clocks,
}

type Clocks = BTreeMap<String, Cycle>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refresh {
    interval_ns: u64,
    window_ms: u64,
    postponable: u64,
    /// Bank refreshes that refresh every row of a bank, of the standards that have them.
    #[serde(default)]
    of_bank: u64,
    /// Which banks one of them refreshes: one (REFpb; two in grades with `pairs`), or the same one of each group (REFsb).
    banks: Option<Banks>,
    density_ns: BTreeMap<String, Times>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Banks {
    One,
    Same,
}

fn double() -> u32 {
    2
}

/// Refresh times of a density, in ns; 0 where there is no such command.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Times {
    ab: f64,
    half: f64,
    quarter: f64,
    bank: f64,
    gap: f64,
}

/// What a device must be given, and where that is the machine's own word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// All distances, as the checker demands them.
    pub timing: Timing,
    /// Parameters that are those of the machine, since its file sets them, they follow from such ones, or no table has them; without the
    /// idle cycles between ranks where the file does not set them, which no standard has.
    pub own: Vec<&'static str>,
}

impl Required {
    /// What the devices of a machine must be given.
    pub fn of(memory: &MemoryConfig) -> Self {
        let mut timing = memory.timing.clone();
        let grade = TABLE.grade.get(&timing.standard);
        if let Some(grade) = grade {
            timing.clock = Clock::with_transfers(grade.rate, grade.transfers);
            timing.paired_refresh = grade.pairs;
            timing.act_delay = grade.act_delay;
            timing.column_bus = grade.column_bus;
        }
        let printed = grade.map(|grade| grade.values(&memory.device)).unwrap_or_default();
        let mut own: Vec<&'static str> = Vec::new();
        let mut known: BTreeMap<&str, Cycle> = BTreeMap::new();
        for (name, value) in timing.values_mut() {
            let others = others(name);
            let follows_own = others.iter().any(|other| own.contains(other));
            let required = match printed.get(name) {
                Some(cycles) => Some(*cycles),
                None if others.is_empty() || follows_own => None,
                None => Some(others.iter().map(|other| known[other]).sum()),
            };
            let is_set = memory.own_timing.contains(&name);
            match required {
                Some(cycles) if !is_set => *value = cycles,
                _ if is_set || *value > 0 && name != "rtrs" => own.push(name),
                _ => {}
            }
            known.insert(name, *value);
        }
        if let Some(grade) = grade {
            timing.management = grade.management(&timing, &memory.device);
        }
        Self { timing, own }
    }
}

/// The parameters, all before it in [`Timing::PARAMETERS`], whose sum one is that a standard does not print.
fn others(parameter: &str) -> &'static [&'static str] {
    match parameter {
        "rp_ab" => &["rp"],
        "rc" => &["ras", "rp"],
        "rrd_l" => &["rrd_s"],
        "ccd_l" => &["ccd_s"],
        "ccd_l_wr" => &["ccd_l"],
        "wtr_l" => &["wtr_s"],
        _ => &[],
    }
}

impl Grade {
    /// As a fraction: the rate over the transfers in a clock.
    fn clocks_per_ns(&self) -> (u64, u64) {
        (u64::from(self.rate), 1_000 * u64::from(self.transfers))
    }

    /// All parameters that the table knows for a device.
    fn values(&self, device: &Device) -> BTreeMap<&'static str, Cycle> {
        let width = device.width.unwrap_or(8);
        let rows = match device.page_bytes.unwrap_or(1024) {
            ..1024 => Some(&self.rows_512),
            2048.. => Some(&self.rows_2048),
            _ => None,
        };
        let of_width = match width {
            4 => Some(&self.x4),
            16 => Some(&self.x16),
            _ => None,
        };
        let counting = device.prac.map(|_| &self.prac);
        let clocks = |name: &str| {
            let mut tables = [counting, rows, of_width, Some(&self.clocks)].into_iter().flatten();
            // tRC is the sum of others with counting.
            let any = counting.is_none() || name != "rc";
            any.then(|| tables.find_map(|table| table.get(name)).copied()).flatten()
        };
        let printed = Timing::PARAMETERS.iter().map(|name| (*name, clocks(name)));
        let mut values: BTreeMap<&str, Cycle> = printed.filter_map(|(name, cycles)| Some((name, cycles?))).collect();
        for name in ["ppd", "act_slots", "column_slots", "pre_slots"] {
            values.entry(name).or_insert(1);
        }
        let refresh = &TABLE.generation[&self.generation];
        if device.table == RefreshTable::Jedec {
            refresh.times(
                self.clocks_per_ns(),
                device,
                clocks("act_after_bank_refresh"),
                &mut values,
            );
        }
        let heat = if device.hot { 2 } else { 1 };
        let pieces = match device.fine {
            FineRefresh::X1 => 1,
            FineRefresh::X2 => 2,
            FineRefresh::X4 => 4,
        };
        // Maxima: whole clocks that have begun and are over.
        let (clocks, ns) = self.clocks_per_ns();
        values.insert("refi", refresh.interval_ns * clocks / ns / pieces / heat);
        values.insert("refw", refresh.window_ms * 1_000_000 * clocks / ns / heat);
        values.insert("refreshes", 8192 * pieces);
        values.insert("postponable", refresh.postponable * pieces);
        values
    }
}

impl Grade {
    /// What devices ask for besides refresh, in clocks of the table: an RFM takes as long as a refresh of its banks, but with counting.
    fn management(&self, timing: &Timing, device: &Device) -> Management {
        let asked = device.rfm.is_some() || device.prac.is_some();
        let clocks = |name: &str, without: Cycle| match device.prac {
            Some(_) => self.prac.get(name).copied().unwrap_or(0),
            None if asked => without,
            None => 0,
        };
        Management {
            rfm: device.rfm,
            prac: device.prac,
            rfm_ab: clocks("rfm_ab", timing.rfc_ab),
            rfm_sb: clocks("rfm_sb", timing.rfc_sb),
            window: clocks("window", 0),
        }
    }
}

impl Refresh {
    /// The times of a device with so many clocks in so many ns.
    fn times(
        &self,
        (clocks, of_ns): (u64, u64),
        device: &Device,
        act_after: Option<Cycle>,
        values: &mut BTreeMap<&'static str, Cycle>,
    ) {
        let Some(times) = self.density_ns.get(&device.density_gbit.to_string()) else {
            return;
        };
        // Times are of halves of a ns, so that this is exact.
        let cycles = |ns: f64| ((2.0 * ns) as u64 * clocks).div_ceil(2 * of_ns);
        let whole = match device.fine {
            FineRefresh::X1 => times.ab,
            FineRefresh::X2 => times.half,
            FineRefresh::X4 => times.quarter,
        };
        let quarter = if device.fine == FineRefresh::X1 {
            times.quarter
        } else {
            0.0
        };
        values.insert("rfc_ab", cycles(whole));
        values.insert("rfc_ab4", cycles(quarter));
        let of = |banks| {
            if self.banks == Some(banks) {
                cycles(times.bank)
            } else {
                0
            }
        };
        values.insert("rfc_pb", of(Banks::One));
        values.insert("rfc_sb", of(Banks::Same));
        values.insert("refresh_to_act_other", act_after.unwrap_or(0));
        values.insert("refresh_to_refresh_other", cycles(times.gap));
        values.insert("bank_refreshes", self.of_bank);
    }
}

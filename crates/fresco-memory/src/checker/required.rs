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
use fresco_dram::{Cycle, Timing};
use fresco_machine::MemoryConfig;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static TABLE: LazyLock<BTreeMap<String, Grade>> =
    LazyLock::new(|| toml::from_str(include_str!("required.toml")).expect("the checker's table is valid"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Grade {
    /// MT/s.
    rate: u64,
    clocks: Clocks,
    #[serde(default)]
    rows_512: Clocks,
    #[serde(default)]
    rows_2048: Clocks,
    #[serde(default)]
    x4: Clocks,
    #[serde(default)]
    x16: Clocks,
    refresh: Refresh,
    #[serde(rename = "density_ns")]
    density_ns: BTreeMap<String, Times>,
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
    /// Which banks one of them refreshes: one (REFpb), or the same one of each group (REFsb).
    banks: Option<Banks>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Banks {
    One,
    Same,
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
        let grade = TABLE.get(&timing.standard);
        let printed = grade.map(|grade| grade.values(&memory.device)).unwrap_or_default();
        let mut own: Vec<&'static str> = Vec::new();
        let mut known: BTreeMap<&str, Cycle> = BTreeMap::new();
        for (name, value) in fields(&mut timing) {
            let instead = SAME.iter().find(|(same, _)| grade.is_some() && *same == name);
            let others: &[&str] = match (name, instead) {
                // Where no bin prints it, a sum by definition.
                ("rc", _) => &["ras", "rp"],
                (_, Some((_, other))) => &[other],
                _ => &[],
            };
            let of_others = (!others.is_empty()).then(|| others.iter().map(|other| known[other]).sum());
            let is_set = memory.own_timing.contains(&name);
            match printed.get(name).copied() {
                Some(cycles) if !is_set => *value = cycles,
                None if !is_set && grade.is_some() && !others.iter().any(|other| own.contains(other)) => {
                    match of_others {
                        Some(cycles) => *value = cycles,
                        None if *value > 0 && name != "rtrs" => own.push(name),
                        None => {}
                    }
                }
                _ => own.push(name),
            }
            known.insert(name, *value);
        }
        Self { timing, own }
    }
}

/// Where a standard does not tell the first one apart it is the second one, the machine's own or not.
const SAME: [(&str, &str); 5] = [
    ("rp_ab", "rp"),
    ("rrd_l", "rrd_s"),
    ("ccd_l", "ccd_s"),
    ("ccd_l_wr", "ccd_l"),
    ("wtr_l", "wtr_s"),
];

impl Grade {
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
        let clocks = |name: &str| {
            let mut tables = [rows, of_width, Some(&self.clocks)].into_iter().flatten();
            tables.find_map(|table| table.get(name)).copied()
        };
        let mut values = BTreeMap::new();
        for (parameter, name) in [
            ("burst_length", "burst_length"),
            ("cl", "cl"),
            ("cwl", "cwl"),
            ("rcd", "rcd"),
            ("rp", "rp"),
            ("rp_ab", "rp_ab"),
            ("ras", "ras"),
            ("rc", "rc"),
            ("rrd_s", "rrd"),
            ("rrd_l", "rrd_l"),
            ("faw", "faw"),
            ("ccd_s", "ccd"),
            ("ccd_l", "ccd_l"),
            ("ccd_l_wr", "ccd_l_wr"),
            ("wtr_s", "wtr"),
            ("wtr_l", "wtr_l"),
            ("rtp", "rtp"),
            ("wr", "wr"),
            ("rtw_gap", "rtw_gap"),
        ] {
            values.extend(clocks(name).map(|cycles| (parameter, cycles)));
        }
        for name in ["ppd", "act_slots", "column_slots", "pre_slots"] {
            values.insert(name, clocks(name).unwrap_or(1));
        }
        if device.table == RefreshTable::Jedec {
            self.refresh_times(device, clocks("act_after_bank_refresh"), &mut values);
        }
        let heat = if device.hot { 2 } else { 1 };
        let pieces = match device.fine {
            FineRefresh::X1 => 1,
            FineRefresh::X2 => 2,
            FineRefresh::X4 => 4,
        };
        let refresh = &self.refresh;
        // Maxima: whole clocks that have begun and are over.
        values.insert("refi", refresh.interval_ns * self.rate / 2_000 / pieces / heat);
        values.insert("refw", refresh.window_ms * 1_000_000 * self.rate / 2_000 / heat);
        values.insert("refreshes", 8192 * pieces);
        values.insert("postponable", refresh.postponable * pieces);
        values
    }

    fn refresh_times(&self, device: &Device, act_after: Option<Cycle>, values: &mut BTreeMap<&'static str, Cycle>) {
        let Some(times) = self.density_ns.get(&device.density_gbit.to_string()) else {
            return;
        };
        // Times are of halves of a ns, so that this is exact.
        let cycles = |ns: f64| ((2.0 * ns) as u64 * self.rate).div_ceil(4_000);
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
            if self.refresh.banks == Some(banks) {
                cycles(times.bank)
            } else {
                0
            }
        };
        values.insert("rfc_pb", of(Banks::One));
        values.insert("rfc_sb", of(Banks::Same));
        values.insert("refresh_to_act_other", act_after.unwrap_or(0));
        values.insert("refresh_to_refresh_other", cycles(times.gap));
        values.insert("bank_refreshes", self.refresh.of_bank);
    }
}

/// Every parameter with its name, to be changed.
fn fields(t: &mut Timing) -> [(&'static str, &mut Cycle); Timing::PARAMETERS.len()] {
    [
        ("burst_length", &mut t.burst_length),
        ("cl", &mut t.cl),
        ("cwl", &mut t.cwl),
        ("rcd", &mut t.rcd),
        ("rp", &mut t.rp),
        ("rp_ab", &mut t.rp_ab),
        ("ras", &mut t.ras),
        ("rc", &mut t.rc),
        ("rrd_s", &mut t.rrd_s),
        ("rrd_l", &mut t.rrd_l),
        ("faw", &mut t.faw),
        ("ccd_s", &mut t.ccd_s),
        ("ccd_l", &mut t.ccd_l),
        ("ccd_l_wr", &mut t.ccd_l_wr),
        ("wtr_s", &mut t.wtr_s),
        ("wtr_l", &mut t.wtr_l),
        ("rtp", &mut t.rtp),
        ("wr", &mut t.wr),
        ("rtrs", &mut t.rtrs),
        ("rtw_gap", &mut t.rtw_gap),
        ("ppd", &mut t.ppd),
        ("rfc_ab", &mut t.rfc_ab),
        ("rfc_ab4", &mut t.rfc_ab4),
        ("rfc_pb", &mut t.rfc_pb),
        ("rfc_sb", &mut t.rfc_sb),
        ("refresh_to_act_other", &mut t.refresh_to_act_other),
        ("refresh_to_refresh_other", &mut t.refresh_to_refresh_other),
        ("refi", &mut t.refi),
        ("refw", &mut t.refw),
        ("refreshes", &mut t.refreshes),
        ("bank_refreshes", &mut t.bank_refreshes),
        ("postponable", &mut t.postponable),
        ("act_slots", &mut t.act_slots),
        ("column_slots", &mut t.column_slots),
        ("pre_slots", &mut t.pre_slots),
    ]
}

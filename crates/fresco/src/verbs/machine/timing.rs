// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing parameters of a device: what each is called and means, in cycles and in time.

use fresco_dram::Timing;
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;

/// What a parameter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    /// Cycles of the command clock.
    Cycles,
    /// Transfers of the data bus.
    Transfers,
    /// Refresh commands.
    Commands,
}

use Unit::{Commands, Cycles, Transfers};

/// Key, unit, name in the standards, meaning; in the order of [`Timing::PARAMETERS`].
const MEANINGS: [(&str, Unit, &str, &str); Timing::PARAMETERS.len()] = [
    ("burst_length", Transfers, "BL", "transfers of one burst"),
    ("cl", Cycles, "CL", "RD to its first data"),
    ("cwl", Cycles, "CWL", "WR to its first data"),
    ("rcd", Cycles, "tRCD", "ACT to RD or WR, same bank"),
    ("rp", Cycles, "tRP", "PRE to ACT, same bank"),
    ("rp_ab", Cycles, "tRPab", "PREA to ACT, same rank"),
    ("ras", Cycles, "tRAS", "ACT to PRE, same bank"),
    ("rc", Cycles, "tRC", "ACT to ACT, same bank"),
    ("rrd_s", Cycles, "tRRD_S", "ACT to ACT, other bank group"),
    ("rrd_l", Cycles, "tRRD_L", "ACT to ACT, same bank group"),
    ("faw", Cycles, "tFAW", "window of at most four ACT of a rank"),
    (
        "ccd_s",
        Cycles,
        "tCCD_S",
        "column command to the next, other bank group",
    ),
    ("ccd_l", Cycles, "tCCD_L", "RD to RD, same bank group"),
    ("ccd_l_wr", Cycles, "tCCD_L_WR", "WR to WR, same bank group"),
    ("wtr_s", Cycles, "tWTR_S", "end of write data to RD, other bank group"),
    ("wtr_l", Cycles, "tWTR_L", "end of write data to RD, same bank group"),
    ("rtp", Cycles, "tRTP", "RD to PRE, same bank"),
    ("wr", Cycles, "tWR", "end of write data to PRE, same bank"),
    ("rtrs", Cycles, "tRTRS", "idle data bus between ranks"),
    (
        "rtw_gap",
        Cycles,
        "",
        "idle data bus between a read and a write of a rank",
    ),
    ("ppd", Cycles, "tPPD", "PRE to PRE, same rank"),
    ("rfc_ab", Cycles, "tRFCab", "REFab to ACT or REF"),
    ("rfc_ab4", Cycles, "tRFC4", "REFab4 to ACT or REF; 0: no such command"),
    (
        "rfc_pb",
        Cycles,
        "tRFCpb",
        "REFpb to ACT of its bank; 0: no such command",
    ),
    (
        "rfc_sb",
        Cycles,
        "tRFCsb",
        "REFsb to ACT of its banks; 0: no such command",
    ),
    (
        "refresh_to_act_other",
        Cycles,
        "",
        "REFpb or REFsb to ACT of a bank that is not refreshed",
    ),
    (
        "refresh_to_refresh_other",
        Cycles,
        "",
        "REFpb or REFsb to the next of other banks",
    ),
    ("refi", Cycles, "tREFI", "mean interval of REFab"),
    ("refw", Cycles, "tREFW", "window in which every row is refreshed"),
    ("refreshes", Commands, "", "REFab in a window"),
    (
        "bank_refreshes",
        Commands,
        "",
        "REFpb or REFsb of a bank in a window; 0: no such command",
    ),
    ("postponable", Commands, "", "REFab that may be owed"),
    ("act_slots", Cycles, "", "ACT on the command bus"),
    ("column_slots", Cycles, "", "RD or WR on the command bus"),
    ("pre_slots", Cycles, "", "PRE or a refresh on the command bus"),
];

/// One parameter as JSON shows it.
#[derive(Debug, Serialize)]
pub struct Parameter {
    /// Key under `memory.timing` of a machine file.
    key: &'static str,
    /// Name in the standards; empty where they have none.
    name: &'static str,
    /// What it means.
    meaning: &'static str,
    value: u64,
    unit: Unit,
    /// In nanoseconds, where it is a time.
    ns: Option<f64>,
}

impl Parameter {
    /// All parameters of a device.
    pub fn all(timing: &Timing) -> Vec<Self> {
        let cycle_ns = timing.clock.ns(1);
        timing
            .values()
            .zip(MEANINGS)
            .map(|((key, value), (_, unit, name, meaning))| Self {
                key,
                name,
                meaning,
                value,
                unit,
                ns: (unit == Cycles).then_some(value as f64 * cycle_ns),
            })
            .collect()
    }

    /// One row each.
    pub fn table(standard: &str, all: &[Self]) -> Result<Table, ReportError> {
        let columns = vec![
            Column::text("key"),
            Column::text("name"),
            Column::number("value", "", 0),
            Column::text("unit"),
            Column::number("time", "ns", 2),
            Column::text("meaning"),
        ];
        let mut table = Table::new(format!("Timing of {standard}"), columns);
        for parameter in all {
            let unit = match parameter.unit {
                Cycles => "cycles",
                Transfers => "transfers",
                Commands => "commands",
            };
            table.push(vec![
                parameter.key.into(),
                parameter.name.into(),
                Cell::Count(parameter.value),
                unit.into(),
                parameter.ns.into(),
                parameter.meaning.into(),
            ])?;
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::{MEANINGS, Timing};

    #[test]
    fn every_parameter_has_its_meaning() {
        let keys = MEANINGS.map(|(key, ..)| key);
        assert_eq!(keys, Timing::PARAMETERS);
    }
}

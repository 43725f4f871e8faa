// SPDX-License-Identifier: MIT OR Apache-2.0
//! tRFC, and what follows from it without any schedule.

use super::{failed, ms};
use crate::published;
use fresco_dram::Generation;
use fresco_dram::density::{RefreshScope, RefreshTable, trfc};
use fresco_input::InputError;
use fresco_machine::load_with;
use fresco_plan::RankMemory;
use fresco_report::claims::Row;
use fresco_rt::Time;
use fresco_rt::executive::{burst_fits, candidates, long_task_limit};
use fresco_rt::refresh::{Burst, COMMANDS, Density, RETENTION};
use fresco_rt::supply::Ratio;

/// Rows of a bank of 1 Gb devices (table 4.1: 128 K rows in eight banks).
const ROWS_PER_GBIT: u32 = 16_384;

/// Table 4.1 on the dissertation's machine, rows growing with density, and what it means for bursts and long tasks.
pub fn facts() -> Result<Vec<Row>, InputError> {
    Density::ALL.into_iter().map(facts_at).collect()
}

fn facts_at(density: Density) -> Result<Row, InputError> {
    let gbit = density.gigabits();
    let rows = (ROWS_PER_GBIT * gbit).to_string();
    let set = |key: &str, value: String| (key.to_owned(), value);
    let overrides = [
        set("memory.density", gbit.to_string()),
        set("memory.organisation.rows", rows),
    ];
    let machine = load_with("ss-rtmc", &overrides)?;
    let (memory, organisation) = (RankMemory::of(&machine), machine.memory.organisation);
    let total_rows = f64::from(organisation.rows) * f64::from(organisation.banks_per_rank());
    let (trfc, ranks) = (memory.trfc_ns, memory.ranks as usize);
    let interval = Ratio::new(memory.retention_ns, memory.commands).ok_or_else(|| failed("no refresh command"))?;
    let (trefi, burst) = (interval.to_f64(), memory.burst_ns());
    let text = Burst::AsPublished { ranks: ranks as Time }.length(density);
    let rotations = candidates(memory.retention_ns, ranks);
    let least = rotations
        .iter()
        .rev()
        .find(|rotation| burst_fits(rotation.frame(), burst));
    let long = long_task_limit(1, burst, memory.retention_ns);
    let published =
        published::executive::long_task_limit(1, ranks, trfc, interval).ok_or_else(|| failed("no limit"))?;
    let row = Row::new()
        .label("density", gbit)
        .value("trfc_ns", trfc as f64)
        .value("trefi_ns", trefi)
        .value("retention_ms", ms(memory.retention_ns))
        .value("commands", memory.commands as f64)
        .value("total_rows", total_rows)
        .value("rows_per_command", total_rows / memory.commands as f64)
        .value("overhead_pct", 100.0 * trfc as f64 / trefi)
        .value("bound", 1.0 - trfc as f64 / trefi)
        .value("burst_ms", ms(burst))
        .value("burst_text_ms", ms(text))
        .value("long_bound", long.to_f64())
        .value("long_bound_published", published.to_f64());
    Ok(match least {
        Some(rotation) => row.value("color_frame_ms", ms(rotation.frame())),
        None => row,
    })
}

/// Fine-granularity refresh: JEDEC's times for DDR4, and the co-design paper's.
pub fn modes() -> Result<Vec<Row>, InputError> {
    let sources: [(&str, RefreshTable, &[u32]); 2] = [
        ("jedec", RefreshTable::Jedec, &[8, 16]),
        ("co-design", RefreshTable::CoDesign, &[8, 16, 24, 32]),
    ];
    let scopes = [
        ("1x", RefreshScope::X1, 1),
        ("2x", RefreshScope::X2, 2),
        ("4x", RefreshScope::X4, 4),
    ];
    let mut rows = Vec::new();
    for (source, table, densities) in sources {
        for &density in densities {
            for (mode, scope, times) in scopes {
                let time = trfc(table, Generation::Ddr4, density, scope).map_err(failed)?.time;
                let (trfc, trefi) = (time as f64 / 1000.0, RETENTION as f64 / (COMMANDS * times) as f64);
                let row = Row::new().label("source", source).label("density", density);
                let row = row.label("mode", mode).value("trefi_ns", trefi).value("trfc_ns", trfc);
                let row = row.value("overhead_pct", 100.0 * trfc / trefi);
                rows.push(row.value("expected_wait_ns", trfc * trfc / (2.0 * trefi)));
            }
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_of_8192_commands_need_longer_frames_from_32_gb_on() {
        let rows = facts().expect("rows");
        let of = |value: &str| rows.iter().map(|row| row.values[value]).collect::<Vec<f64>>();
        assert_eq!(of("color_frame_ms"), [8.0, 8.0, 8.0, 8.0, 8.0, 16.0, 32.0], "E2");
        assert_eq!(of("rows_per_command"), [16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0]);
        assert!(
            (of("burst_ms")[1] - 1.31072).abs() < 1e-9 && (of("burst_text_ms")[1] - 0.16384).abs() < 1e-9,
            "E1"
        );
    }

    #[test]
    fn finer_refresh_takes_a_larger_share() {
        let rows = modes().expect("rows");
        for three in rows.chunks(3) {
            let [one, two, four] = [0, 1, 2].map(|mode: usize| three[mode].values["overhead_pct"]);
            assert!(one < two && two < four, "E31");
        }
    }
}

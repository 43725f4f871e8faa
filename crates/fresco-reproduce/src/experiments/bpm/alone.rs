// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine, and one program alone with few banks (BPM-19).

use fresco_frames::dynamic::SCAN_INTERVAL;
use fresco_input::InputError;
use fresco_machine::builtin;
use fresco_report::claims::Row;
use fresco_system::results::ScenarioResult;

/// Banks and memory of the machine.
pub fn facts() -> Result<Vec<Row>, InputError> {
    let organisation = builtin("i7-860")?.memory.organisation;
    let banks = f64::from(organisation.channels * organisation.ranks * organisation.banks_per_rank());
    let memory = (organisation.total_bytes() >> 20) as f64;
    let row = Row::new()
        .value("banks", banks)
        .value("memory_mib", memory)
        .value("bank_mib", memory / banks)
        .value("scan_interval_s", SCAN_INTERVAL as f64 / 1e12);
    Ok(vec![row])
}

/// Speed with these banks, in percent of that with 64.
pub fn banks(result: &ScenarioResult) -> Vec<Row> {
    let rows = result.points.iter().filter_map(|point| {
        let ([program, banks], task) = (point.values.as_slice(), point.tasks.first()?) else {
            return None;
        };
        let slowdown = task.slowdown.map_or(1.0, |slowdown| slowdown.mean);
        let row = Row::new().label("program", program).label("banks", banks);
        Some(
            row.value("speed_pct", 100.0 / slowdown)
                .value("row_hit_pct", 100.0 * task.row_hit_share.mean),
        )
    });
    rows.collect()
}

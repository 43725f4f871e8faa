// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of the budgets of bandwidth of a plan.

use super::Simulated;
use fresco_report::{Column, ReportError, Table};

/// What each core did with its budget; `None` without budgets.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub(super) fn table(simulated: &Simulated) -> Result<Option<Table>, ReportError> {
    let Some(regulation) = &simulated.result.regulation else {
        return Ok(None);
    };
    let columns = vec![
        Column::number("core", "", 0),
        Column::number("reserved", "MB/s", 0),
        Column::number("achieved", "MB/s", 0),
        Column::number("periods", "", 0),
        Column::number("exhausted", "", 0),
        Column::number("stalled", "%", 2),
        Column::number("beyond", "", 0),
    ];
    let period = fresco_input::format_duration(regulation.rules.period_ps);
    let mut table = Table::new(format!("Budgets of bandwidth, periods of {period}"), columns);
    for core in &regulation.cores {
        let (number, core) = (core.core, &core.budget);
        table.push(vec![
            u64::from(number).into(),
            (core.reserved_bytes_per_s as f64 / 1e6).into(),
            (core.achieved_bytes_per_s / 1e6).into(),
            core.counts.periods.into(),
            core.counts.exhausted.into(),
            (100.0 * core.stalled_share).into(),
            core.counts.overshoot.into(),
        ])?;
    }
    Ok(Some(table))
}

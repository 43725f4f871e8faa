// SPDX-License-Identifier: MIT OR Apache-2.0
//! What all tasks of a point amount to, as a table: a row for each point where several tasks run.

use super::sweep::Sweep;
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_system::results::{Spread, Together};

/// What the reader of the table has to know.
pub const NOTE: &str = "All tasks together: weighted speedup is the sum of the shares of their speed that measured tasks keep, harmonic \
    mean that of these shares, maximum slowdown that of the task that suffers most. Row hits are those of reads, each task weighted by \
    its traffic; traffic times their deviation says how much a partition of banks may gain. Unbalance: traffic of the busiest channel \
    over that of the idlest, less 1.";

/// One column: its heading, the factor from the result's unit, its value.
type Quantity = (Column, f64, fn(&Together) -> Option<Spread>);

/// The table of a sweep; `None` if each of its points has but one task.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn of(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    if result.points.iter().all(|point| point.tasks.len() < 2) {
        return Ok(None);
    }
    let mut columns = sweep.columns();
    columns.push(Column::number("tasks", "", 0));
    // A column without any value is left out: that of channels on a machine with one.
    let mut quantities = quantities();
    quantities.retain(|(_, _, value)| result.points.iter().any(|point| value(&point.together).is_some()));
    columns.extend(quantities.iter().map(|(column, _, _)| column.clone()));
    let mut title = format!("{}, all tasks together", result.scenario);
    if result.repetitions > 1 {
        title.push_str(&format!("; means of {} repetitions", result.repetitions));
    }
    let mut table = Table::new(title, columns);
    for point in &result.points {
        let mut cells = sweep.cells(point);
        cells.push(Cell::Count(point.tasks.len() as u64));
        cells.extend(
            quantities
                .iter()
                .map(|(_, factor, value)| match value(&point.together) {
                    Some(spread) => Cell::Number(factor * spread.mean),
                    None => Cell::Missing,
                }),
        );
        table.push(cells)?;
    }
    Ok(Some(table))
}

fn quantities() -> Vec<Quantity> {
    vec![
        (Column::number("weighted speedup", "", 3), 1.0, |one| {
            one.weighted_speedup
        }),
        (Column::number("harmonic mean", "", 3), 1.0, |one| one.harmonic_mean),
        (Column::number("maximum slowdown", "", 2), 1.0, |one| {
            one.maximum_slowdown
        }),
        (Column::number("traffic", "MB/s", 0), 1e-6, |one| {
            Some(one.bandwidth_bytes_per_s)
        }),
        (Column::number("row hits", "%", 1), 100.0, |one| one.row_hit_share),
        (Column::number("deviation", "%", 1), 100.0, |one| {
            one.row_hit_share_stddev
        }),
        (Column::number("traffic × deviation", "MB/s", 0), 1e-6, |one| {
            one.bandwidth_times_stddev
        }),
        (Column::number("unbalance", "", 3), 1.0, |one| one.channel_unbalance),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::short_run;

    #[test]
    fn points_with_co_runners_have_their_figures() {
        let result = short_run("palloc-fig4", &["sweep.corunners=[0, 1]"]);
        let sweep = Sweep::new(&result);
        let table = of(&sweep).expect("a table").expect("some points have two tasks");
        assert_eq!(table.rows().len(), result.points.len());
        assert!(table.to_text(200).contains("all tasks together"));
        let mut compared = 0;
        for point in &result.points {
            let slowdowns = point
                .tasks
                .iter()
                .filter_map(|task| task.slowdown.map(|spread| spread.mean));
            let Some(slowest) = point.together.maximum_slowdown else {
                continue;
            };
            assert!(
                slowdowns.fold(0.0, f64::max) >= slowest.mean - 1e-12,
                "{:?}",
                point.values
            );
            compared += 1;
        }
        assert!(compared > 0, "some points have a baseline");
    }
}

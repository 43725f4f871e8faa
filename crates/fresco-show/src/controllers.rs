// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the memory controllers served, as a table: a row for each controller at each point, beside what its channels
//! could carry.

use super::sweep::Sweep;
use super::table::machines;
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_system::results::{ControllerResult, Spread};

/// What the reader of the table has to know.
pub const NOTE: &str = "Window: controllers count from the moment at which all measured tasks have warmed up to the end of the last \
    measured phase: this is their window. The phase of a task is a part of it, a small one where phases are counted in \
    passes and a task has to wait for its next pass. Reads, writes and traffic are what the DRAM served in the window, \
    for tasks measured and in the background; tasks count a write when the line leaves the last cache, so that their \
    counts run ahead by the lines that wait in write-back buffers.";

/// What the energy is.
pub const ENERGY: &str = "Energy: of all devices of the controller in its window, from the currents of their data sheets: commands by \
    what their current exceeds standby, and standby with a row open or closed. None for devices whose currents are not public, and \
    where single banks are refreshed. Termination of the bus and power-down are left out.";

/// Columns that are left out where no energy is known.
const ENERGY_OF: &str = "energy";
const POWER: &str = "power";

/// One column: its heading, and its value for a controller in a run.
type Quantity = (Column, fn(&ControllerResult) -> Option<f64>);

/// The table of a sweep; means of the repetitions. Controllers that served nothing are left out.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn of(sweep: &Sweep<'_>) -> Result<Table, ReportError> {
    let result = sweep.result;
    let mut columns = sweep.columns();
    columns.push(Column::number("controller", "", 0));
    let runs = || result.points.iter().flat_map(|point| &point.runs);
    let with_energy = runs().any(|run| run.controllers.iter().any(|one| one.energy.is_some()));
    let mut quantities = quantities();
    quantities.retain(|(column, _)| with_energy || ![ENERGY_OF, POWER].contains(&column.name.as_str()));
    columns.extend(quantities.iter().map(|(column, _)| column.clone()));
    let mut title = format!(
        "{}, controllers of {}",
        result.scenario,
        machines(&result.points).join(", ")
    );
    if result.repetitions > 1 {
        title.push_str(&format!("; means of {} repetitions", result.repetitions));
    }
    let mut table = Table::new(title, columns);
    for point in &result.points {
        for number in 0..point.runs.first().map_or(0, |run| run.controllers.len()) {
            let controllers = || point.runs.iter().map(|run| &run.controllers[number]);
            if controllers().all(|one| one.reads + one.writes == 0) {
                continue;
            }
            let mut cells = sweep.cells(point);
            cells.push(Cell::Count(number as u64));
            let mean = |value: fn(&ControllerResult) -> Option<f64>| {
                let values: Option<Vec<f64>> = controllers().map(value).collect();
                values.map_or(Cell::Missing, |values| Cell::Number(Spread::of(values).mean))
            };
            cells.extend(quantities.iter().map(|(_, value)| mean(*value)));
            table.push(cells)?;
        }
    }
    Ok(table)
}

fn quantities() -> Vec<Quantity> {
    vec![
        (Column::number("window", "ms", 3), |one| Some(one.window_ns / 1e6)),
        (Column::number("reads", "", 0), |one| Some(one.reads as f64)),
        (Column::number("writes", "", 0), |one| Some(one.writes as f64)),
        (Column::number("traffic", "MB/s", 0), |one| {
            Some(one.bandwidth_bytes_per_s / 1e6)
        }),
        (Column::number("peak", "MB/s", 0), |one| {
            Some(one.peak_bandwidth_bytes_per_s / 1e6)
        }),
        (Column::number("bus busy", "%", 1), |one| {
            Some(100.0 * one.bus_utilisation)
        }),
        (Column::number(ENERGY_OF, "mJ", 3), |one| {
            one.energy.as_ref().map(|energy| energy.total_pj as f64 / 1e9)
        }),
        (Column::number(POWER, "W", 3), |one| {
            one.energy.as_ref().map(|energy| energy.power_w)
        }),
    ]
}

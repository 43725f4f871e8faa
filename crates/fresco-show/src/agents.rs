// SPDX-License-Identifier: MIT OR Apache-2.0
//! What devices moved beside the tasks, as a table: a row for each at each point.

use super::sweep::Sweep;
use fresco_report::{Cell, Column, ReportError, Table};
use fresco_system::results::{AgentResult, Spread};

/// What the columns are.
pub const NOTE: &str = "Agents: asked: the rate while the device is active; traffic: what it read and wrote in the window of the \
    controllers, pauses and all. Mean, p99, max: its reads, from their sending to the data at the device, and beside them the \
    parts of the mean. Deferred: lines that were sent later than they were due, as the device had as many under way as it may; \
    latest: how much later at most.";

/// One column: its heading, and its value for a device in a run.
type Quantity = (Column, fn(&AgentResult) -> Option<f64>);

/// The table of a sweep, means of the repetitions; `None` where there is no device.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub fn table(sweep: &Sweep<'_>) -> Result<Option<Table>, ReportError> {
    let result = sweep.result;
    if result
        .points
        .iter()
        .flat_map(|point| &point.runs)
        .all(|run| run.agents.is_empty())
    {
        return Ok(None);
    }
    let quantities = quantities();
    let mut columns = sweep.columns();
    columns.extend([
        Column::text("agent"),
        Column::number("node", "", 0),
        Column::text("banks"),
    ]);
    columns.extend(quantities.iter().map(|(column, _)| column.clone()));
    let mut table = Table::new(format!("{}: agents", result.scenario), columns);
    for point in &result.points {
        let Some(first) = point.runs.first() else { continue };
        for (number, agent) in first.agents.iter().enumerate() {
            let mut cells = sweep.cells(point);
            cells.extend([
                agent.name.as_str().into(),
                u64::from(agent.node).into(),
                agent.banks.as_str().into(),
            ]);
            let mean = |value: fn(&AgentResult) -> Option<f64>| {
                let values: Option<Vec<f64>> = point.runs.iter().map(|run| value(&run.agents[number])).collect();
                values.map_or(Cell::Missing, |values| Cell::Number(Spread::of(values).mean))
            };
            cells.extend(quantities.iter().map(|(_, value)| mean(*value)));
            table.push(cells)?;
        }
    }
    Ok(Some(table))
}

fn quantities() -> Vec<Quantity> {
    fn of_reads(agent: &AgentResult, value: f64) -> Option<f64> {
        (agent.reads.count > 0).then_some(value)
    }
    vec![
        (Column::number("asked", "MB/s", 0), |one| {
            one.rate_bytes_per_s.map(|rate| rate as f64 / 1e6)
        }),
        (Column::number("traffic", "MB/s", 0), |one| {
            Some(one.bandwidth_bytes_per_s / 1e6)
        }),
        (Column::number("mean", "ns", 1), |one| {
            of_reads(one, one.reads.latency.mean_ns)
        }),
        (Column::number("p99", "ns", 1), |one| {
            of_reads(one, one.reads.latency.p99_ns)
        }),
        (Column::number("max", "ns", 1), |one| {
            of_reads(one, one.reads.latency.max_ns)
        }),
        (Column::number("bank", "ns", 1), |one| {
            of_reads(one, one.reads.anatomy.bank_ns)
        }),
        (Column::number("bus, rank", "ns", 1), |one| {
            of_reads(one, one.reads.anatomy.bus_ns)
        }),
        (Column::number("refresh", "ns", 1), |one| {
            of_reads(one, one.reads.anatomy.refresh_ns)
        }),
        (Column::number("queue", "ns", 1), |one| {
            of_reads(one, one.reads.anatomy.queue_ns)
        }),
        (Column::number("deferred", "%", 1), |one| {
            let lines = one.reads.count + one.lines_written;
            one.rate_bytes_per_s.filter(|_| lines > 0)?;
            Some(100.0 * (one.lines_deferred as f64 / lines as f64).min(1.0))
        }),
        (Column::number("latest", "us", 2), |one| {
            one.rate_bytes_per_s.map(|_| one.deferred_max_ns / 1e3)
        }),
    ]
}

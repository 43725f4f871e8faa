// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco memory` reports, as JSON and as a table.

use super::watch::Watch;
use crate::latencies::Latencies;
use fresco_dram::{CommandKind, Cycle};
use fresco_machine::Machine;
use fresco_memory::Controller;
use fresco_memory::checker::CheckerReport;
use fresco_memory::controller::ChannelStats;
use fresco_report::{Cell, Column, Table};
use fresco_system::experiment::CheckerVerdict;
use serde::Serialize;

/// Everything `fresco memory` reports: schema `fresco-memory/3`. Cycles are those of the controller's clock, of
/// `clock_ps` each.
#[derive(Debug, Serialize)]
pub(super) struct MemoryReport {
    machine: String,
    standard: String,
    clock_ps: f64,
    outstanding: u32,
    requests: u64,
    /// The trace says how many instructions lie between its accesses, and they were left out: requests followed each other as fast as
    /// `outstanding` let them.
    gaps_left_out: bool,
    cycles: Cycle,
    time_ns: f64,
    bandwidth_gb_per_s: f64,
    bus_utilisation: f64,
    reads: Side,
    writes: Side,
    /// Mean parts of a read's latency; absent without reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_wait: Option<MeanWait>,
    row_hits: u64,
    row_misses: u64,
    row_conflicts: u64,
    forwarded: u64,
    commands: Vec<(&'static str, u64)>,
    /// What the independent checker found; absent if it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    checker: Option<CheckerVerdict>,
}

/// One direction: number of its requests, and how long they took: reads until their data were there, writes until a write buffer took them.
#[derive(Debug, Serialize)]
struct Side {
    count: u64,
    /// Absent without requests.
    #[serde(flatten)]
    took: Option<Took>,
}

#[derive(Debug, Serialize)]
struct Took {
    mean_cycles: f64,
    stddev_cycles: f64,
    p50_cycles: Cycle,
    p99_cycles: Cycle,
    p99_9_cycles: Cycle,
    max_cycles: Cycle,
}

#[derive(Debug, Serialize)]
struct MeanWait {
    queue_cycles: f64,
    bank_cycles: f64,
    bus_cycles: f64,
    refresh_cycles: f64,
    service_cycles: f64,
}

impl Side {
    fn of(latencies: &Latencies) -> Self {
        let count = latencies.count();
        Self {
            count,
            took: (count > 0).then(|| Took {
                mean_cycles: latencies.mean(),
                stddev_cycles: latencies.stddev(),
                p50_cycles: latencies.quantile(500),
                p99_cycles: latencies.quantile(990),
                p99_9_cycles: latencies.quantile(999),
                max_cycles: latencies.max(),
            }),
        }
    }
}

impl MemoryReport {
    pub fn new(
        machine: &Machine,
        (outstanding, gaps_left_out): (u32, bool),
        driven: &fresco_memory::Driven,
        (watch, verdict): (&Watch, Option<&CheckerReport>),
        controllers: &mut [Controller],
    ) -> Self {
        let stats: Vec<ChannelStats> = controllers.iter_mut().flat_map(Controller::stats).collect();
        let sum = |part: fn(&ChannelStats) -> u64| stats.iter().map(part).sum::<u64>();
        let clock = machine.memory.timing.clock;
        let time_ns = clock.ns(driven.end);
        let org = &machine.memory.organisation;
        let line_bytes = machine.memory.timing.bytes_of_line(org);
        let moved = (sum(|s| s.reads) + sum(|s| s.writes)) * line_bytes;
        let reads = watch.reads.count() as f64;
        let wait = &watch.wait;
        Self {
            machine: machine.name.clone(),
            standard: machine.memory.timing.standard.clone(),
            clock_ps: clock.period_ps(),
            outstanding,
            gaps_left_out,
            requests: driven.requests,
            cycles: driven.end,
            time_ns,
            bandwidth_gb_per_s: if driven.end == 0 { 0.0 } else { moved as f64 / time_ns },
            bus_utilisation: if driven.end == 0 {
                0.0
            } else {
                sum(|s| s.data_cycles) as f64 / (driven.end as f64 * stats.len() as f64)
            },
            reads: Side::of(&watch.reads),
            writes: Side::of(&watch.writes),
            read_wait: (watch.reads.count() > 0).then(|| MeanWait {
                queue_cycles: wait.queue as f64 / reads,
                bank_cycles: wait.bank as f64 / reads,
                bus_cycles: wait.bus as f64 / reads,
                refresh_cycles: wait.refresh as f64 / reads,
                service_cycles: wait.service as f64 / reads,
            }),
            row_hits: sum(|s| s.row_hits),
            row_misses: sum(|s| s.row_misses),
            row_conflicts: sum(|s| s.row_conflicts),
            forwarded: sum(|s| s.forwarded),
            commands: CommandKind::ALL
                .iter()
                .map(|&kind| (kind.name(), stats.iter().map(|s| s.command(kind)).sum()))
                .filter(|&(_, count)| count > 0)
                .collect(),
            checker: verdict.map(CheckerVerdict::from),
        }
    }

    pub fn table(&self) -> Result<Table, fresco_report::ReportError> {
        let title = format!("{} ({}), {} requests", self.machine, self.standard, self.requests);
        let mut table = Table::new(
            title,
            vec![
                Column::text("quantity"),
                Column::number("value", "", 3),
                Column::text("unit"),
            ],
        );
        let mut row = |name: &str, value: Cell, unit: &str| table.push(vec![name.into(), value, unit.into()]);
        row("time", Cell::Count(self.cycles), "cycles")?;
        row("time", Cell::Number(self.time_ns / 1000.0), "us")?;
        row("bandwidth", Cell::Number(self.bandwidth_gb_per_s), "GB/s")?;
        row("data bus busy", Cell::Number(100.0 * self.bus_utilisation), "%")?;
        for (name, what, side) in [
            ("read", "latency", &self.reads),
            ("write", "wait for the buffer", &self.writes),
        ] {
            let Some(took) = &side.took else { continue };
            row(&format!("{name}s"), Cell::Count(side.count), "")?;
            for (statistic, value) in [
                ("mean", Cell::Number(took.mean_cycles)),
                ("standard deviation", Cell::Number(took.stddev_cycles)),
                ("median", Cell::Count(took.p50_cycles)),
                ("p99", Cell::Count(took.p99_cycles)),
                ("p99.9", Cell::Count(took.p99_9_cycles)),
                ("maximum", Cell::Count(took.max_cycles)),
            ] {
                row(&format!("{name} {what}, {statistic}"), value, "cycles")?;
            }
        }
        if let Some(parts) = &self.read_wait {
            for (part, value) in [
                ("own service", parts.service_cycles),
                ("bank", parts.bank_cycles),
                ("rank and bus", parts.bus_cycles),
                ("refresh", parts.refresh_cycles),
                ("queue", parts.queue_cycles),
            ] {
                row(&format!("mean read time: {part}"), Cell::Number(value), "cycles")?;
            }
        }
        row("row hits", Cell::Count(self.row_hits), "")?;
        row("row misses", Cell::Count(self.row_misses), "")?;
        row("row conflicts", Cell::Count(self.row_conflicts), "")?;
        if self.forwarded > 0 {
            row("reads served by the write buffer", Cell::Count(self.forwarded), "")?;
        }
        for (name, count) in &self.commands {
            row(&format!("command {name}"), Cell::Count(*count), "")?;
        }
        Ok(table)
    }
}

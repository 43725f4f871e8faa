// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a run: reads, pages and threads of a task, cores, budgets, controllers, refresh, promises.

use crate::metrics as m;
use crate::metrics::{Metric, Subject};
use crate::tables::{Observed, Tables};
use fresco_report::ReportError;
use fresco_system::experiment::{CoreOutcome, JobRecord};
use fresco_system::results::{
    AgentResult, ControllerResult, CoreRegulation, Reads, RefreshMet, RegulationResult, RunResult, ThreadResult,
};

/// A time in picoseconds as nanoseconds.
pub(super) fn ns(ps: u64) -> f64 {
    ps as f64 / 1000.0
}

/// The reads of a task.
pub(super) fn reads(tables: &mut Tables, on: &Observed, name: &str, reads: &Reads) -> Result<(), ReportError> {
    let rows = &reads.rows;
    tables.observe(
        on,
        [
            (m::reads, reads.count as f64),
            (m::remote_reads, reads.remote as f64),
            (m::joined_reads, reads.joined as f64),
            (m::refreshed_reads, reads.refreshed as f64),
            (m::row_hits, rows.hits as f64),
            (m::row_misses, rows.misses as f64),
            (m::row_conflicts, rows.conflicts as f64),
            (m::row_forwarded, rows.forwarded as f64),
        ],
    )?;
    if reads.count == 0 {
        return Ok(());
    }
    let (latency, parts) = (&reads.latency, &reads.anatomy);
    tables.observe(
        on,
        [
            (m::read_latency_mean, latency.mean_ns),
            (m::read_latency_stddev, latency.stddev_ns),
            (m::read_latency_min, latency.min_ns),
            (m::read_latency_p50, latency.p50_ns),
            (m::read_latency_p90, latency.p90_ns),
            (m::read_latency_p99, latency.p99_ns),
            (m::read_latency_p99_9, latency.p99_9_ns),
            (m::read_latency_max, latency.max_ns),
            (m::read_path, parts.path_ns),
            (m::read_remote, parts.remote_ns),
            (m::read_queue, parts.queue_ns),
            (m::read_bank, parts.bank_ns),
            (m::read_bus, parts.bus_ns),
            (m::read_refresh, parts.refresh_ns),
            (m::read_service, parts.service_ns),
            (m::read_joined, parts.joined_ns),
        ],
    )?;
    tables.latencies(name, "read", latency)
}

/// Frames of a task by bank color.
pub(super) fn pages(tables: &mut Tables, task: &str, by_bank: &[(u32, u64)]) -> Result<(), ReportError> {
    by_bank.iter().try_for_each(|(bank, pages)| {
        let on = Observed {
            task: task.into(),
            ..Observed::other(Subject::Bank, bank)
        };
        tables.observe(&on, [(m::pages, *pages as f64)])
    })
}

/// How many jobs of a task met a refresh, and how long the reads of one waited at most.
pub(super) fn met_refresh(tables: &mut Tables, on: &Observed, jobs: &[JobRecord]) -> Result<(), ReportError> {
    let met = jobs.iter().filter(|job| job.met_refresh_reads > 0);
    let longest = jobs.iter().map(|job| job.refresh_wait_ps).max().unwrap_or(0);
    tables.observe(
        on,
        [
            (m::jobs_met_refresh, met.count() as f64),
            (m::met_refresh_job_wait_max, ns(longest)),
        ],
    )
}

/// What a thread waited for.
pub(super) fn thread(tables: &mut Tables, on: &Observed, thread: Option<&ThreadResult>) -> Result<(), ReportError> {
    let Some(thread) = thread else { return Ok(()) };
    tables.observe(
        on,
        [
            (m::idle_time, ns(thread.idle_ps)),
            (m::serial_wait_time, ns(thread.serial_wait_ps)),
            (m::busy_time, ns(thread.busy_ps)),
            (m::parallel_sections, thread.sections as f64),
        ],
    )
}

/// A device that is no core.
pub(super) fn agent(tables: &mut Tables, agent: &AgentResult) -> Result<(), ReportError> {
    let on = Observed::other(Subject::Agent, &agent.name);
    if let Some(rate) = agent.rate_bytes_per_s {
        tables.observe(&on, [(m::rate_asked, rate as f64)])?;
    }
    tables.observe(
        &on,
        [
            (m::bandwidth, agent.bandwidth_bytes_per_s),
            (m::writes, agent.lines_written as f64),
            (m::lines_deferred, agent.lines_deferred as f64),
            (m::deferred_max, agent.deferred_max_ns),
            (m::met_refresh_reads, agent.refreshed_reads as f64),
            (m::met_refresh_read_wait, agent.refreshed_wait_ns),
            (m::met_refresh_read_wait_max, agent.refreshed_wait_max_ns),
        ],
    )?;
    reads(tables, &on, &agent.name, &agent.reads)
}

/// Controllers and their channels.
pub(super) fn controllers(tables: &mut Tables, all: &[ControllerResult]) -> Result<(), ReportError> {
    let mut number = 0;
    for one in all {
        let (on, rows) = (Observed::other(Subject::Controller, one.node), &one.rows);
        let values: [(Metric, f64); 16] = [
            (m::window, one.window_ns),
            (m::reads, one.reads as f64),
            (m::writes, one.writes as f64),
            (m::bandwidth, one.bandwidth_bytes_per_s),
            (m::peak_bandwidth, one.peak_bandwidth_bytes_per_s),
            (m::bus_utilization, one.bus_utilisation),
            (m::read_queue_mean, one.read_queue_mean),
            (m::read_queue_max, one.read_queue_max.into()),
            (m::write_queue_mean, one.write_queue_mean),
            (m::write_queue_max, one.write_queue_max.into()),
            (m::row_hits, rows.hits as f64),
            (m::row_misses, rows.misses as f64),
            (m::row_conflicts, rows.conflicts as f64),
            (m::row_forwarded, rows.forwarded as f64),
            (m::activations, one.activations as f64),
            (m::refreshes, one.refreshes as f64),
        ];
        tables.observe(&on, values)?;
        if let Some(energy) = &one.energy {
            let parts = &energy.parts;
            let values = [
                (m::energy_activate, parts.activate_pj as f64),
                (m::energy_read, parts.read_pj as f64),
                (m::energy_write, parts.write_pj as f64),
                (m::energy_refresh, parts.refresh_pj as f64),
                (m::energy_active_standby, parts.active_standby_pj as f64),
                (m::energy_precharge_standby, parts.precharge_standby_pj as f64),
                (m::energy, energy.total_pj as f64),
                (m::power, energy.power_w),
            ];
            tables.observe(&on, values)?;
        }
        for channel in &one.channels {
            let values = [
                (m::reads, channel.reads as f64),
                (m::writes, channel.writes as f64),
                (m::bandwidth, channel.bandwidth_bytes_per_s),
                (m::bus_utilization, channel.bus_utilisation),
                (m::active_share, channel.active_share),
            ];
            tables.observe(&Observed::other(Subject::Channel, number), values)?;
            number += 1;
        }
    }
    Ok(())
}

/// The budget of a core, and its periods.
pub(super) fn budget(
    tables: &mut Tables,
    core: u32,
    rules: &RegulationResult,
    budget: &CoreRegulation,
) -> Result<(), ReportError> {
    let counts = &budget.counts;
    tables.observe(
        &Observed::other(Subject::Core, core),
        [
            (m::budget_reserved, budget.reserved_bytes_per_s as f64),
            (m::budget_guaranteed, budget.guaranteed_bytes_per_s),
            (m::budget_achieved, budget.achieved_bytes_per_s),
            (m::budget_periods, counts.periods as f64),
            (m::budget_lines_used, counts.used as f64),
            (m::budget_exhausted, counts.exhausted as f64),
            (m::budget_donated, counts.donated as f64),
            (m::budget_reclaimed, counts.reclaimed as f64),
            (m::budget_extra, counts.extra as f64),
            (m::budget_shared, counts.shared as f64),
            (m::budget_errors, counts.errors as f64),
            (m::budget_overshoot, counts.overshoot as f64),
            (m::stalled_time, budget.stalled_ns),
        ],
    )?;
    let lines = budget.lines_by_period.iter();
    for (number, (lines, (middle, rate))) in lines.zip(budget.series(rules)).enumerate() {
        tables.period(core, number, middle.saturating_sub(rules.period_ps / 2), *lines, rate)?;
    }
    Ok(())
}

/// What a core did in a run to a horizon.
pub(super) fn core(tables: &mut Tables, core: &CoreOutcome) -> Result<(), ReportError> {
    tables.observe(
        &Observed::other(Subject::Core, core.core),
        [
            (m::task_time, ns(core.run_ps)),
            (m::handler_time, ns(core.handler_ps)),
            (m::idle_time, ns(core.idle_ps)),
            (m::busy_time, ns(core.executing_ps)),
            (m::context_switches, core.context_switches as f64),
            (m::preemptions, core.preemptions as f64),
            (m::handlers_missed, core.handlers_missed as f64),
            (m::drain_time_max, ns(core.longest_drain_ps)),
            (m::lines_cleaned, core.lines_cleaned as f64),
            (m::writes_into_windows, core.writes_into_windows as f64),
        ],
    )
}

/// The refresh of ranks, and how well channels kept the windows of a plan.
pub(super) fn refresh(tables: &mut Tables, run: &RunResult) -> Result<(), ReportError> {
    for rank in &run.ranks {
        let on = Observed::other(Subject::Rank, format!("{}.{}", rank.channel, rank.rank));
        let gap = ns(rank.longest_gap_ps);
        tables.observe(&on, [(m::refreshes, rank.commands as f64), (m::refresh_gap_max, gap)])?;
    }
    for (number, kept) in run.windows.iter().enumerate() {
        let values = [
            (m::refresh_windows, kept.windows as f64),
            (m::refresh_windows_late, kept.late as f64),
            (m::refresh_window_delay, ns(kept.late_ps)),
            (m::refresh_window_delay_max, ns(kept.latest_ps)),
        ];
        tables.observe(&Observed::other(Subject::Channel, number), values)?;
    }
    Ok(())
}

/// Promises of a plan, and what the checker of DRAM commands found.
pub(super) fn verdicts(tables: &mut Tables, on: &Observed, run: &RunResult) -> Result<(), ReportError> {
    for promise in &run.promises {
        let on = Observed::other(Subject::Promise, &promise.what);
        tables.observe(&on, [(m::kept, f64::from(u8::from(promise.kept)))])?;
    }
    let Some(checker) = &run.checker else { return Ok(()) };
    let values = [
        (m::commands_checked, checker.commands as f64),
        (m::violations, checker.violations as f64),
        (m::late_rows, checker.late_rows as f64),
    ];
    tables.observe(on, values)
}

/// Accesses of a task that met a refresh.
pub(super) fn met(tables: &mut Tables, on: &Observed, met: &RefreshMet) -> Result<(), ReportError> {
    let planned = &met.planned;
    tables.observe(
        on,
        [
            (m::met_refresh_reads, planned.reads as f64),
            (m::met_refresh_read_wait, ns(planned.read_wait_ps)),
            (m::met_refresh_read_wait_max, ns(planned.longest_read_wait_ps)),
            (m::met_refresh_writes, planned.writes as f64),
            (m::met_refresh_at_start, met.at_start.accesses() as f64),
        ],
    )
}

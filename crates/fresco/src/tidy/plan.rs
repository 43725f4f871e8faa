// SPDX-License-Identifier: MIT OR Apache-2.0
//! The run of a plan as tables.

use super::metrics as m;
use super::metrics::Subject;
use super::shared::{self, ns};
use super::tables::{Identity, Observed, Tables};
use super::timeline;
use fresco_report::ReportError;
use fresco_system::multitask::{CoreOutcome, MultitaskResult, Spread, TaskOutcome};
use fresco_system::planned::Simulated;

/// Everything that the run of a plan measured.
///
/// # Errors
/// None in practice: rows have the columns of their table.
pub fn of(simulated: &Simulated) -> Result<Tables, ReportError> {
    let result = &simulated.result;
    let mut tables = Tables::new([]);
    tables.begin(&Identity {
        scenario: &simulated.name,
        machine: &result.machine,
        method: Some(simulated.method.name()),
        point: 0,
        axes: Vec::new(),
        repetition: 0,
        seed: result.seed,
    });
    let horizon_ps = result.horizon_ns.saturating_mul(1000);
    for task in &result.tasks {
        add_task(&mut tables, task)?;
        shared::met_refresh(&mut tables, &Observed::task(&task.name), &task.jobs)?;
        tables.jobs(&task.name, task.core, &task.jobs, horizon_ps)?;
    }
    result.cores.iter().try_for_each(|core| add_core(&mut tables, core))?;
    if let Some(regulation) = &result.regulation {
        for core in &regulation.cores {
            shared::budget(&mut tables, core.core, &regulation.rules, &core.budget)?;
        }
    }
    shared::controllers(&mut tables, &result.controllers)?;
    add_refresh(&mut tables, result)?;
    for promise in &simulated.promises {
        let on = Observed::other(Subject::Promise, &promise.what);
        tables.observe(&on, [(m::kept, f64::from(u8::from(promise.kept)))])?;
    }
    let on = Observed::other(Subject::Run, &simulated.name);
    tables.observe(&on, [(m::measured_time, result.horizon_ns as f64)])?;
    if let Some(checker) = &result.checker {
        let values = [
            (m::commands_checked, checker.commands as f64),
            (m::violations, checker.violations as f64),
            (m::late_rows, checker.late_rows as f64),
        ];
        tables.observe(&on, values)?;
    }
    let names: Vec<&str> = result.tasks.iter().map(|task| task.name.as_str()).collect();
    timeline::spans(&mut tables, &result.timeline, &names)?;
    Ok(tables)
}

fn add_task(tables: &mut Tables, task: &TaskOutcome) -> Result<(), ReportError> {
    let (on, met) = (Observed::task(&task.name), &task.met_refresh);
    tables.observe(
        &on,
        [
            (m::run_time, ns(task.executing_ps)),
            (m::instructions, task.instructions as f64),
            (m::operations, task.operations as f64),
            (m::passes, task.passes as f64),
            (m::write_backs, task.write_backs as f64),
            (m::page_faults, task.page_faults.count as f64),
            (m::recolored_pages, task.pages_moved as f64),
            (m::jobs, task.released as f64),
            (m::jobs_completed, task.completed as f64),
            (m::deadline_misses, task.misses as f64),
            (m::copies, task.copies as f64),
            (m::copied_bytes, task.copied_bytes as f64),
            (m::met_refresh_reads, met.reads as f64),
            (m::met_refresh_read_wait, ns(met.read_wait_ps)),
            (m::met_refresh_read_wait_max, ns(met.longest_read_wait_ps)),
            (m::met_refresh_writes, met.writes as f64),
            (m::met_refresh_at_start, task.met_refresh_at_start.accesses() as f64),
        ],
    )?;
    let times = [
        (&task.response, [m::response_min, m::response_mean, m::response_max]),
        (&task.execution, [m::execution_min, m::execution_mean, m::execution_max]),
    ];
    for (spread, metrics) in times {
        if let Some(Spread {
            min_ps,
            mean_ps,
            max_ps,
        }) = spread
        {
            tables.observe(&on, metrics.into_iter().zip([ns(*min_ps), ns(*mean_ps), ns(*max_ps)]))?;
        }
    }
    shared::reads(tables, &on, &task.name, &task.reads)?;
    shared::pages(tables, &task.name, &task.pages_by_bank)?;
    shared::thread(tables, &on, task.thread.as_ref())
}

fn add_core(tables: &mut Tables, core: &CoreOutcome) -> Result<(), ReportError> {
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

fn add_refresh(tables: &mut Tables, result: &MultitaskResult) -> Result<(), ReportError> {
    for rank in &result.ranks {
        let on = Observed::other(Subject::Rank, format!("{}.{}", rank.channel, rank.rank));
        let gap = ns(rank.longest_gap_ps);
        tables.observe(&on, [(m::refreshes, rank.commands as f64), (m::refresh_gap_max, gap)])?;
    }
    for (number, kept) in result.windows.iter().enumerate() {
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

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs of scenarios as tables.

use crate::metrics as m;
use crate::metrics::Subject;
use crate::parts::{self, ns};
use crate::tables::{Identity, Observed, Tables};
use crate::timeline;
use fresco_report::ReportError;
use fresco_scenario::plan::Method;
use fresco_system::results::{JobsResult, LevelReads, PointResult, RunResult, ScenarioResult, TaskResult};

/// Everything that the runs of these scenarios measured.
///
/// # Errors
/// None in practice: rows have the columns of their table.
pub fn of(results: &[ScenarioResult]) -> Result<Tables, ReportError> {
    let mut tables = Tables::new(results.iter().flat_map(|result| &result.axes));
    for result in results {
        for point in &result.points {
            let base = point.baseline.and_then(|number| result.points.get(number));
            for (number, run) in point.runs.iter().enumerate() {
                let names = result.axes.iter().map(|axis| axis.name.as_str());
                tables.begin(&Identity {
                    scenario: &result.scenario,
                    machine: &point.machine,
                    method: result.method.map(Method::name),
                    point: run.point,
                    axes: names.zip(point.values.iter().map(String::as_str)).collect(),
                    repetition: run.repetition,
                    seed: run.seed,
                });
                let base = base.and_then(|base: &PointResult| base.runs.get(number));
                add(&mut tables, &result.scenario, run, base)?;
            }
        }
    }
    Ok(tables)
}

fn add(tables: &mut Tables, scenario: &str, run: &RunResult, base: Option<&RunResult>) -> Result<(), ReportError> {
    for (number, task) in run.tasks.iter().enumerate() {
        let on = Observed::task(&task.name);
        add_task(tables, &on, task)?;
        if let Some(slowdown) = base.and_then(|base| run.slowdown(number, base)) {
            tables.observe(&on, [(m::slowdown, slowdown)])?;
        }
        if let Some(jobs) = &task.jobs {
            add_jobs(tables, &on, task, jobs, run.to_ps)?;
        }
        // Tasks that share a core share its budget.
        let is_first = run.tasks[..number].iter().all(|other| other.core != task.core);
        if let (Some(rules), Some(budget), true) = (&run.regulation, &task.regulation, is_first) {
            parts::budget(tables, task.core, rules, budget)?;
        }
    }
    if run.tasks.iter().any(|task| task.met_refresh.is_some()) {
        run.cores.iter().try_for_each(|core| parts::core(tables, core))?;
    }
    run.agents.iter().try_for_each(|agent| parts::agent(tables, agent))?;
    parts::controllers(tables, &run.controllers)?;
    parts::refresh(tables, run)?;
    let on = Observed::other(Subject::Run, scenario);
    tables.observe(&on, [(m::measured_time, ns(run.to_ps.saturating_sub(run.from_ps)))])?;
    parts::verdicts(tables, &on, run)?;
    if let Some(recorded) = &run.timeline {
        let names: Vec<&str> = run.tasks.iter().map(|task| task.name.as_str()).collect();
        timeline::spans(tables, recorded, &names)?;
    }
    Ok(())
}

fn add_task(tables: &mut Tables, on: &Observed, task: &TaskResult) -> Result<(), ReportError> {
    let (pages, caches) = (&task.pages, &task.caches);
    tables.observe(
        on,
        [
            (m::run_time, ns(task.run_time_ps)),
            (m::instructions, task.instructions as f64),
            (m::operations, task.operations as f64),
            (m::instructions_per_cycle, task.instructions_per_cycle),
            (m::access_time, task.access_time_ns),
            (m::passes, task.passes as f64),
            (m::bandwidth, task.bandwidth_bytes_per_s),
            (m::write_backs, task.write_backs as f64),
            (m::page_faults, pages.faults as f64),
            (m::page_faults_measured, pages.faults_measured as f64),
            (m::page_fault_time, pages.fault_ns),
            (m::allocation_time, pages.allocation_ns),
            (m::allocation_time_max, pages.allocation_max_ns),
            (m::remote_pages, pages.remote as f64),
            (m::spilled_pages, pages.spilled as f64),
            (m::recolored_pages, pages.recolored as f64),
        ],
    )?;
    if task.fetches > 0 {
        tables.observe(on, [(m::fetches, task.fetches as f64)])?;
    }
    if let Some(times) = &task.pass_time_ns {
        tables.observe(on, [(m::pass_time_mean, times.mean), (m::pass_time_max, times.max)])?;
    }
    for (hits, misses, level) in [
        (m::l1_hits, m::l1_misses, &caches.l1),
        (m::l1i_hits, m::l1i_misses, &caches.l1i),
        (m::l2_hits, m::l2_misses, &caches.l2),
        (m::llc_hits, m::llc_misses, &caches.llc),
    ] {
        if let Some(level) = level {
            tables.observe(on, [(hits, level.hits as f64), (misses, level.misses as f64)])?;
        }
    }
    if let Some(llc) = &caches.llc {
        let others = llc.evictions_by_others as f64;
        tables.observe(
            on,
            [
                (m::llc_evictions, llc.evictions as f64),
                (m::llc_evictions_by_others, others),
            ],
        )?;
    }
    if let Some(invalidated) = caches.invalidated {
        tables.observe(on, [(m::llc_invalidated, invalidated as f64)])?;
    }
    if let Some(prefetch) = &caches.prefetch {
        let counts = [
            (m::prefetches_issued, prefetch.issued),
            (m::prefetches_from_memory, prefetch.from_memory),
            (m::prefetches_useful, prefetch.useful),
            (m::prefetches_late, prefetch.late),
            (m::prefetches_useless, prefetch.useless),
            (m::prefetches_dropped, prefetch.dropped),
        ];
        tables.observe(on, counts.map(|(metric, count)| (metric, count as f64)))?;
    }
    if let Some(tlb) = &task.tlb {
        let reads = |of: fn(&LevelReads) -> u64| tlb.reads.iter().map(|level| of(level) as f64).sum::<f64>();
        let values = [
            (m::tlb_lookups, tlb.lookups as f64),
            (m::tlb_misses, tlb.misses as f64),
            (m::page_walks, tlb.walks as f64),
            (m::page_walk_time, tlb.walk_ns),
            (m::page_walk_wait, tlb.wait_ns),
            (m::table_reads_private, reads(|level| level.private)),
            (m::table_reads_llc, reads(|level| level.llc)),
            (m::table_reads_memory, reads(|level| level.memory)),
            (m::page_tables, tlb.tables.count as f64),
        ];
        tables.observe(on, values)?;
    }
    if let Some(coherence) = &caches.coherence {
        let counts = [
            (m::coherence_transfers, coherence.transfers),
            (m::coherence_upgrades, coherence.upgrades),
            (m::coherence_invalidations, coherence.invalidations),
            (m::coherence_write_backs, coherence.write_backs),
        ];
        tables.observe(on, counts.map(|(metric, count)| (metric, count as f64)))?;
    }
    if let Some(blocked) = &caches.blocked {
        tables.observe(
            on,
            [
                (m::llc_blocked_reads, blocked.reads as f64),
                (m::llc_blocked_time, blocked.time_ps as f64 / 1000.0),
            ],
        )?;
    }
    if let Some(met) = &task.met_refresh {
        parts::met(tables, on, met)?;
    }
    if !task.memories.is_empty() {
        let bytes = task.copied_bytes as f64;
        tables.observe(on, [(m::copies, task.copies as f64), (m::copied_bytes, bytes)])?;
    }
    parts::reads(tables, on, &task.name, &task.reads)?;
    parts::pages(tables, &task.name, &pages.by_bank)?;
    parts::thread(tables, on, task.thread.as_ref())
}

fn add_jobs(
    tables: &mut Tables,
    on: &Observed,
    task: &TaskResult,
    jobs: &JobsResult,
    horizon_ps: u64,
) -> Result<(), ReportError> {
    tables.observe(
        on,
        [
            (m::jobs, jobs.released as f64),
            (m::jobs_completed, jobs.completed as f64),
            (m::deadline_misses, jobs.misses as f64),
        ],
    )?;
    parts::met_refresh(tables, on, &jobs.jobs)?;
    if jobs.completed > 0 {
        let (response, execution) = (&jobs.response, &jobs.execution);
        let values = [
            (m::response_min, response.min_ns),
            (m::response_mean, response.mean_ns),
            (m::response_p99, response.p99_ns),
            (m::response_max, response.max_ns),
            (m::response_jitter, jobs.response_jitter_ns),
            (m::start_jitter, jobs.start_jitter_ns),
            (m::execution_min, execution.min_ns),
            (m::execution_mean, execution.mean_ns),
            (m::execution_max, execution.max_ns),
        ];
        tables.observe(on, values)?;
    }
    tables.latencies(&task.name, "response", &jobs.response)?;
    tables.latencies(&task.name, "execution", &jobs.execution)?;
    tables.jobs(&task.name, task.core, &jobs.jobs, horizon_ps)
}

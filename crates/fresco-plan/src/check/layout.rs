// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the parts of a plan fit each other: tasks, cores, colors, windows.

use super::report::{CheckReport, Violation, holds};
use super::words;
use crate::Method;
use crate::plan::{LockTimes, Plan, RefreshPlan, Schedule};

/// Longest period of a schedule: a thousand seconds.
const MOST_NS: u64 = 1_000_000_000_000;

pub(super) fn check(plan: &Plan, report: &mut CheckReport) -> Result<(), Violation> {
    holds! { !plan.tasks.is_empty(), "tasks", "there is none" }
    let migrates = !plan.migration.is_none();
    let stops_together = matches!(plan.method, Method::AutoRefresh | Method::Burst);
    holds! { !migrates || stops_together, "migration", "is global, and {} has a schedule for each core", plan.method.name() }
    holds! { !migrates || plan.bandwidth.is_none(), "migration", "is global, and budgets of bandwidth are of cores" }
    let fair = matches!(plan.schedule, Schedule::Fair { .. });
    // A table has a slot for each job, and none for a task without jobs.
    let takes_batch = !matches!(plan.schedule, Schedule::Table { .. });
    for (number, task) in plan.tasks.iter().enumerate() {
        let place = format!("tasks[{number}] ({})", task.name);
        let twice = plan.tasks[..number].iter().any(|other| other.name == task.name);
        holds! { !twice, &place, "there is another task of this name" }
        let times = [task.phase_ns, task.period_ns, task.wcet_ns, task.deadline_ns];
        if !takes_batch || times != [0; 4] {
            let Some(timing) = task.timing() else {
                return Err(Violation::new(
                    place,
                    "its times make no task: 1 ≤ wcet, wcet + jitter ≤ deadline ≤ period, critical section ≤ wcet and least distance ≤ \
                     period are needed",
                ));
            };
            holds! { timing.period <= MOST_NS && timing.phase <= MOST_NS, &place, "its times exceed 1000 s" }
            let low = task.low_deadline_ns();
            holds! {
                low <= timing.deadline, &place,
                "its virtual deadline of {low} ns is beyond its deadline of {} ns", timing.deadline
            }
            let bound = task.response_bound_ns.unwrap_or(timing.deadline);
            holds! { bound <= timing.deadline, &place, "its response bound of {bound} ns is beyond its deadline of {} ns", timing.deadline }
        }
        holds! { task.copy_ns.is_none_or(|copy| copy <= MOST_NS), &place, "its copies exceed 1000 s" }
        holds! { task.memory_bytes > 0, &place, "has no memory" }
        holds! { task.core.is_none_or(|core| core < plan.cores), &place, "is bound to a core that the plan does not have" }
        let by_table = matches!(plan.schedule, Schedule::Table { .. });
        holds! { by_table || migrates || task.core.is_some(), &place, "is bound to no core; only a table chooses one for each job" }
        holds! { !migrates || task.core.is_none(), &place, "is bound to a core in a plan whose jobs migrate" }
        let colors = plan.colors.len();
        let fits = task.instances.iter().all(|bytes| bytes.len() == colors);
        holds! { fits && (colors == 0) == task.instances.is_empty(), &place, "its instances do not list bytes for each of {colors} colors" }
        let listed = matches!(plan.schedule, Schedule::Servers { .. }) && !task.instance_of_job.is_empty();
        holds! { by_table || listed || task.instances.len() <= 1, &place, "has {} instances, and nothing says which a job uses", task.instances.len() }
        holds! { listed || task.instance_of_job.is_empty(), &place, "lists instances by job, which this schedule does not heed" }
        let apart = by_table || fair || (0..task.instances.len()).all(|instance| task.colors_of(instance).len() <= 1);
        holds! { apart, &place, "has memory in {}; a color is locked without regard to the others", words::colors(&task.colors_of(0)) }
        let copied = task.instances.len() <= 1 || task.global_bytes == 0 || task.copy_ns.is_some_and(|copy| copy > 0);
        holds! { copied, &place, "hands {} bytes from job to job and has several instances, but no time to copy", task.global_bytes }
    }
    check_refresh(plan)?;
    match &plan.schedule {
        Schedule::Priorities | Schedule::Fair { .. } => {}
        Schedule::Locked { locks } => check_locks(plan, locks)?,
        Schedule::Servers { locks, cores } => {
            check_locks(plan, locks)?;
            holds! { cores.len() == plan.cores as usize, "schedule.cores", "are {}, the plan has {}", cores.len(), plan.cores }
            for (core, on_core) in cores.iter().enumerate() {
                for (number, server) in on_core.servers.iter().enumerate() {
                    let place = format!("schedule.cores[{core}].servers");
                    let sane = (1..=MOST_NS).contains(&server.period_ns) && server.budget_ns <= server.period_ns;
                    holds! { sane, &place, "a budget of {} ns in {} ns is none", server.budget_ns, server.period_ns }
                    holds! { server.color < plan.colors.len(), &place, "serves a color that does not exist" }
                    let twice = on_core.servers[..number]
                        .iter()
                        .any(|other| other.color == server.color);
                    holds! { !twice, &place, "serves color {} twice", server.color }
                }
            }
            let lists = cores.iter().enumerate().flat_map(|(core, on_core)| {
                on_core
                    .servers
                    .iter()
                    .map(move |server| (core, server.color, &server.tasks))
            });
            check_lists(plan, lists)?;
        }
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => {
            holds! { (1..=MOST_NS).contains(period_ns), "schedule.period_ns", "is {period_ns} ns; it is from 1 to {MOST_NS} ns (1000 s)" }
            holds! { plan.colors.len() == 2, "colors", "are {}; slots are for two", plan.colors.len() }
            holds! { cores.len() == plan.cores as usize, "schedule.cores", "are {}, the plan has {}", cores.len(), plan.cores }
            for (core, slots) in cores.iter().enumerate() {
                let ordered =
                    *handler_ns <= slots.border_ns && slots.border_ns.saturating_add(*handler_ns) <= *period_ns;
                holds! { ordered, format!("schedule.cores[{core}]"), "the border at {} ns leaves no room for two handlers in {period_ns} ns", slots.border_ns }
            }
            let lists = cores.iter().enumerate().flat_map(|(core, slots)| {
                slots
                    .tasks
                    .iter()
                    .enumerate()
                    .map(move |(color, tasks)| (core, color, tasks))
            });
            check_lists(plan, lists)?;
        }
        Schedule::Table { table, lock_ns } => super::table::check(plan, table, *lock_ns)?,
    }
    report
        .facts
        .push("tasks, cores, colors and windows fit each other".to_owned());
    Ok(())
}

fn check_locks(plan: &Plan, locks: &LockTimes) -> Result<(), Violation> {
    let place = "schedule.locks";
    let colors = plan.colors.len();
    holds! { (1..=MOST_NS).contains(&locks.period_ns), place, "a period of {} ns is none", locks.period_ns }
    let complete = locks.phase_ns.len() == colors && locks.burst_ns.len() == colors;
    holds! { complete, place, "there are {} phases and {} bursts for {colors} colors", locks.phase_ns.len(), locks.burst_ns.len() }
    let mut windows = Vec::new();
    for (color, (&phase, &burst)) in locks.phase_ns.iter().zip(&locks.burst_ns).enumerate() {
        let parts = [phase, locks.lock_ns, burst, locks.unlock_ns].map(u128::from);
        let end = parts.iter().sum::<u128>();
        holds! { end <= u128::from(locks.period_ns), place, "the window of color {color} ends at {end} ns, after the period" }
        windows.push((u128::from(phase), end, color));
    }
    windows.sort_unstable();
    for pair in windows.windows(2) {
        holds! { pair[0].1 <= pair[1].0, place, "the windows of colors {} and {} overlap", pair[0].2, pair[1].2 }
    }
    Ok(())
}

/// Each task stands in a list of its core for each of its instances, that of the color of the instance's memory.
fn check_lists<'p>(plan: &Plan, lists: impl Iterator<Item = (usize, usize, &'p Vec<usize>)>) -> Result<(), Violation> {
    let mut seen = vec![Vec::new(); plan.tasks.len()];
    for (core, color, tasks) in lists {
        for &task in tasks {
            let Some(planned) = plan.tasks.get(task) else {
                return Err(Violation::new("schedule.cores", format!("there is no task {task}")));
            };
            let place = format!("tasks[{task}] ({})", planned.name);
            holds! { !seen[task].contains(&color), &place, "runs in two places" }
            holds! { planned.core == Some(core as u32), &place, "runs on core {core}, is bound to {}", words::named("core", planned.core) }
            seen[task].push(color);
        }
    }
    for (task, (planned, mut colors)) in plan.tasks.iter().zip(seen).enumerate() {
        let place = format!("tasks[{task}] ({})", planned.name);
        holds! { !colors.is_empty(), &place, "runs nowhere" }
        colors.sort_unstable();
        let mut own: Vec<usize> = (0..planned.instances.len())
            .flat_map(|i| planned.colors_of(i))
            .collect();
        own.sort_unstable();
        holds! { own == colors, &place, "runs with {}, has memory in {}", words::colors(&colors), words::colors(&own) }
        let alone = planned.instances.len() == 1 && planned.instance_of_job.is_empty();
        let shared = planned.instances.len() > 1 && !planned.instance_of_job.is_empty();
        holds! { alone || shared, &place, "has {} instances, and {} jobs that say which is theirs", planned.instances.len(), planned.instance_of_job.len() }
        let known = planned
            .instance_of_job
            .iter()
            .all(|&instance| instance < planned.instances.len());
        holds! { known && planned.instance_of_job.len() <= MOST_JOBS, &place, "names instances that it does not have" }
    }
    Ok(())
}

/// Longest list of instances by job.
const MOST_JOBS: usize = 1 << 20;

fn check_refresh(plan: &Plan) -> Result<(), Violation> {
    let by_itself = matches!(plan.schedule, Schedule::Priorities | Schedule::Fair { .. });
    let RefreshPlan::Windows { period_ns, windows } = &plan.refresh else {
        holds! { by_itself, "refresh", "is left to the controller, but the schedule hides it in windows" }
        return Ok(());
    };
    holds! { !by_itself, "refresh", "has windows, but the schedule does not keep off them" }
    let place = "refresh.windows";
    let retention = plan.memory.retention_ns;
    holds! { (1..=retention).contains(period_ns), "refresh.period_ns", "is {period_ns} ns; windows repeat within the retention time, {retention} ns" }
    holds! { plan.refresh_jitter_ns <= *period_ns, "refresh_jitter_ns", "is {} ns, more than the period of the windows", plan.refresh_jitter_ns }
    holds! { !windows.is_empty(), place, "are none: rows are never refreshed" }
    for (number, window) in windows.iter().enumerate() {
        let place = format!("{place}[{number}]");
        holds! { window.color < plan.colors.len(), &place, "refreshes a color that does not exist" }
        holds! { window.commands >= 1 && window.start_ns < *period_ns, &place, "is empty, or starts after the period" }
        let busy = u128::from(window.commands) * u128::from(plan.memory.trfc_ns);
        holds! { busy <= u128::from(*period_ns), &place, "takes {busy} ns, more than the period" }
    }
    Ok(())
}

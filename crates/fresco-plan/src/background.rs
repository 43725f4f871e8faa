// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks without a period beside periodic ones: they run where no job is ready, in the time of their color, and nothing is promised
//! to them. Since every job goes before them, no proof changes.

use crate::plan::{Plan, PlannedTask, Schedule};
use crate::refusal::Refusal;
use fresco_scenario::{TaskSet, TaskSpec};

/// The periodic tasks of a set, and the others; `None` if all tasks are of one kind.
pub(crate) fn divide(set: &TaskSet) -> Option<(TaskSet, Vec<TaskSpec>)> {
    let (periodic, others): (Vec<TaskSpec>, Vec<TaskSpec>) =
        set.tasks.iter().cloned().partition(|task| task.timing.is_some());
    let is_mixed = !periodic.is_empty() && !others.is_empty();
    let periodic = TaskSet {
        tasks: periodic,
        ..set.clone()
    };
    is_mixed.then_some((periodic, others))
}

/// Puts tasks without a period behind those of a plan: each on its core, or on one with the fewest of them, and in its color, or in
/// the one with most room that has time on this core. Threads of one program have the same color.
///
/// # Errors
/// The schedule is a table, or the memory does not suffice.
pub(crate) fn add(plan: &mut Plan, others: &[TaskSpec]) -> Result<(), Refusal> {
    if let (false, Some(task)) = (plan.migration.is_none(), others.first()) {
        return Err(Refusal::form(format!(
            "not applicable: task {} has no period, and no core is its own where jobs migrate; give it a period, or remove plan.migration",
            task.name
        )));
    }
    if let (Schedule::Table { .. }, Some(task)) = (&plan.schedule, others.first()) {
        return Err(Refusal::form(format!(
            "task {} has no period, and a table has a slot for each job and none for a task without jobs",
            task.name
        )));
    }
    let before = plan.tasks.len();
    for spec in others {
        let number = plan.tasks.len();
        let team = first_thread(others, spec).map(|first| before + first);
        let core = spec.core.unwrap_or_else(|| emptiest(plan));
        let with = team.and_then(|first| plan.tasks.get(first)?.colors_of(0).first().copied());
        let color = match plan.colors.is_empty() {
            true => None,
            false => Some(color(plan, spec, core, with)?),
        };
        let high = plan.high.as_mut().map(|high| &mut high.schedule);
        for schedule in [Some(&mut plan.schedule), high].into_iter().flatten() {
            if let Some(list) = color.and_then(|color| list_of(schedule, core, color)) {
                list.push(number);
            }
        }
        let bytes = |color: usize| {
            (0..plan.colors.len())
                .map(|one| if one == color { spec.memory } else { 0 })
                .collect()
        };
        plan.tasks.push(PlannedTask {
            name: spec.name.clone(),
            phase_ns: 0,
            period_ns: 0,
            wcet_ns: 0,
            wcet_alone_ns: 0,
            reads: 0,
            write_backs: 0,
            deadline_ns: 0,
            arrival_jitter_ns: 0,
            min_distance_ns: 0,
            jitter_ns: 0,
            critical_section_ns: 0,
            cache_reload_ns: 0,
            wcet_high_ns: 0,
            virtual_deadline_ns: 0,
            memory_bytes: spec.memory,
            global_bytes: 0,
            core: Some(core),
            instances: color.map(bytes).into_iter().collect(),
            instance_of_job: Vec::new(),
            response_bound_ns: None,
            copy_ns: None,
            work: spec.work.clone(),
            stalls: spec.stalls,
            pages: spec.pages,
            team,
            command: spec.command.clone(),
        });
    }
    let names: Vec<&str> = others.iter().map(|task| task.name.as_str()).collect();
    plan.reasons.push(format!(
        "without a period, and so where no job is ready, and without a promise: {}",
        names.join(", ")
    ));
    Ok(())
}

/// The number of the first thread of the program that a task is a thread of, among these; `None` if it is none.
pub(crate) fn first_thread(tasks: &[TaskSpec], task: &TaskSpec) -> Option<usize> {
    task.team
        .and_then(|_| tasks.iter().position(|other| other.team == task.team))
}

/// The core with the fewest tasks without a period.
fn emptiest(plan: &Plan) -> u32 {
    let count = |core: &u32| {
        let tasks = plan.tasks.iter().filter(|task| task.period_ns == 0);
        tasks.filter(|task| task.core == Some(*core)).count()
    };
    (0..plan.cores).min_by_key(count).unwrap_or(0)
}

/// The color of a task: its own, that of the first thread, or of those with room the one with most time to spare on the core.
fn color(plan: &Plan, spec: &TaskSpec, core: u32, with: Option<usize>) -> Result<usize, Refusal> {
    let room = |color: usize| {
        let of_task = |task: &PlannedTask| task.instances.iter().map(|bytes| bytes[color]).sum::<u64>();
        plan.colors[color]
            .bytes
            .saturating_sub(plan.tasks.iter().map(of_task).sum::<u64>())
    };
    let given = with.or(spec.color);
    let able =
        (0..plan.colors.len()).filter(|&color| given.is_none_or(|given| given == color) && room(color) >= spec.memory);
    // Of equal ones the first.
    let most = able.rev().max_by_key(|&color| (spare(plan, core, color), room(color)));
    most.ok_or_else(|| {
        let left: Vec<String> = (0..plan.colors.len())
            .map(|color| format!("color {color} has {}", room(color)))
            .collect();
        let wanted = given.map_or(String::new(), |color| format!(" in color {color}"));
        Refusal::load(format!(
            "{} needs {} bytes{wanted}, and of what the tasks before it leave {}",
            spec.name,
            spec.memory,
            left.join(", ")
        ))
    })
}

/// Time that a schedule gives a color on a core and its tasks do not need, in parts of 2^32.
fn spare(plan: &Plan, core: u32, color: usize) -> u64 {
    let share =
        |part: u64, whole: u64| u64::try_from((u128::from(part) << 32) / u128::from(whole.max(1))).unwrap_or(u64::MAX);
    let given = match &plan.schedule {
        Schedule::Servers { cores, .. } => {
            let mut servers = cores.get(core as usize).into_iter().flat_map(|core| &core.servers);
            let own = servers.find(|server| server.color == color);
            own.map_or(0, |server| share(server.budget_ns, server.period_ns))
        }
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => {
            let border = cores.get(core as usize).map_or(0, |core| core.border_ns);
            let slot = if color == 0 {
                border
            } else {
                period_ns.saturating_sub(border)
            };
            share(slot.saturating_sub(*handler_ns), *period_ns)
        }
        _ => 1 << 32,
    };
    let own = plan
        .tasks
        .iter()
        .filter(|task| task.core == Some(core) && task.colors_of(0).contains(&color));
    own.fold(given, |left, task| {
        left.saturating_sub(share(task.wcet_ns, task.period_ns))
    })
}

/// The list in which a schedule names the tasks of a core and color; `None` if it keeps none.
fn list_of(schedule: &mut Schedule, core: u32, color: usize) -> Option<&mut Vec<usize>> {
    match schedule {
        Schedule::Servers { cores, .. } => {
            let servers = &mut cores.get_mut(core as usize)?.servers;
            servers
                .iter_mut()
                .find(|server| server.color == color)
                .map(|server| &mut server.tasks)
        }
        Schedule::Slots { cores, .. } => cores.get_mut(core as usize)?.tasks.get_mut(color),
        _ => None,
    }
}

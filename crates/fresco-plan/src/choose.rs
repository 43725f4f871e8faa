// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a task set to a plan: by the method asked for, or by the best that there is.

use crate::Method;
use crate::background;
use crate::methods::{Draft, PlanContext, draft};
use crate::plan::{Plan, PlannedBandwidth, PlannedTask, RefreshPlan};
use crate::refusal::{Kind, Refusal};
use crate::watch::Watch;
use fresco_scenario::{TaskSet, TaskSpec};

/// Methods in the order in which they are tried if none is asked for. Aligned refresh comes first: its slots never move, its proof
/// holds for sporadic tasks, and it accepts what no other does (F29). Methods that hide refresh come before those that do not.
const PREFERENCE: [Method; 6] = [
    Method::Aligned,
    Method::Crs,
    Method::ColoredRefresh,
    Method::Flat,
    Method::AutoRefresh,
    Method::Burst,
];

/// Plans a task set.
///
/// # Errors
/// Why there is no plan: by the method asked for, or by each of them.
///
/// # Examples
///
/// ```
/// use fresco_plan::{Method, TaskSet, plan};
///
/// let text = r#"
///     machine = "ss-rtmc"
///     [[task]]
///     name = "control"
///     period = "8 ms"
///     wcet = "2 ms"
///     memory = "64 KiB"
/// "#;
/// let set = TaskSet::parse("one.toml", text, "".as_ref(), &[])?;
/// let found = plan(&set)?;
/// assert_eq!(found.method, Method::Aligned);
/// // No response is longer than this, which is proved to be at most the deadline.
/// assert!(found.tasks[0].response_bound_ns.is_some_and(|bound| bound <= 8_000_000));
///
/// // A set that cannot be scheduled has no plan, and the refusal says why: execution times are those without refresh.
/// let full = TaskSet::parse("one.toml", text, "".as_ref(), &["task.0.wcet=8 ms".into()])?;
/// assert!(plan(&full).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(set: &TaskSet) -> Result<Plan, Refusal> {
    plan_watched(set, Watch::default())
}

/// As [`plan()`], while someone waits. If none is asked for, each method may take an equal part of the time that those before it have left; what is left of all
/// goes to those whose part was over.
///
/// # Errors
/// As [`plan()`]; of kind [`Stopped`](Kind::Stopped) or [`Open`](Kind::Open) if the method asked for is not decided, or one of all, and none has a plan.
pub fn plan_watched(set: &TaskSet, watch: Watch<'_>) -> Result<Plan, Refusal> {
    let partition = set.options.method == Some(Method::Partition);
    match background::divide(set).filter(|_| !partition) {
        Some((periodic, others)) => before(&periodic, &others, watch),
        None => before(set, &[], watch),
    }
}

/// Plans tasks of one kind, or a partition, and puts `others` behind them.
fn before(set: &TaskSet, others: &[TaskSpec], watch: Watch<'_>) -> Result<Plan, Refusal> {
    let context = PlanContext::new(set)?;
    let by_method = |method, left| {
        let attempt = watch
            .share(left)
            .attempt(method, context.memory.density_gbit, |patience| {
                draft(method, &context.clone().while_patient(patience))
            });
        let mut plan = complete(&context, method, attempt?);
        if !others.is_empty() {
            background::add(&mut plan, others)?;
        }
        Ok(plan)
    };
    if let Some(method) = set.options.method {
        return by_method(method, 1);
    }
    let methods: &[Method] = if context.tasks.is_empty() {
        &[Method::Codesign]
    } else {
        &PREFERENCE
    };
    let mut passed_over: Vec<Refusal> = Vec::new();
    let mut found = None;
    for (number, &method) in methods.iter().enumerate() {
        match by_method(method, methods.len() - number) {
            Ok(plan) => {
                found = Some(plan);
                break;
            }
            Err(refusal) => passed_over.push(refusal),
        }
    }
    // What the time was over for may have what the others have left of it.
    while watch.has_time_left() {
        let open = (0..passed_over.len()).filter(|&number| passed_over[number].kind == Kind::Stopped);
        let open: Vec<usize> = open.collect();
        if open.is_empty() {
            break;
        }
        for (tried, &number) in open.iter().enumerate() {
            match by_method(methods[number], open.len() - tried) {
                Ok(plan) => {
                    found = Some(plan);
                    passed_over.truncate(number);
                    break;
                }
                Err(refusal) => passed_over[number] = refusal,
            }
        }
    }
    let passed_over: Vec<(Method, Refusal)> = methods.iter().copied().zip(passed_over).collect();
    if let Some(mut plan) = found {
        let not = |(method, refusal): &(Method, Refusal)| format!("not {}: {refusal}", method.name());
        plan.reasons.splice(0..0, passed_over.iter().map(not));
        return Ok(plan);
    }
    let each: Vec<String> = passed_over
        .iter()
        .map(|(method, refusal)| format!("{}: {refusal}", method.name()))
        .collect();
    let of_kind = |kind: Kind| passed_over.iter().find(|(_, refusal)| refusal.kind == kind);
    let stopped = of_kind(Kind::Stopped).or_else(|| of_kind(Kind::Open));
    let kind = stopped.map_or(passed_over[0].1.kind, |(_, refusal)| refusal.kind);
    let found = match stopped {
        Some(_) => "no method has a plan so far",
        None => "no method has a plan",
    };
    Err(Refusal {
        kind,
        reason: format!("{found}. {}", each.join(". ")),
    })
}

/// What a plan has to say of its budgets of bandwidth.
fn under_budgets(method: Method, bandwidth: &PlannedBandwidth) -> String {
    let counted = match method {
        Method::Partition => "",
        _ => "execution times are those under budgets of bandwidth, stalls included: ",
    };
    let cores = (0..bandwidth.lines.len()).map(|core| fresco_input::format_bandwidth(bandwidth.bytes_per_s(core)));
    format!(
        "{counted}cores have {} each {}",
        cores.collect::<Vec<_>>().join(", "),
        fresco_input::format_duration(bandwidth.period_ns * 1000)
    )
}

fn complete(context: &PlanContext<'_>, method: Method, draft: Draft) -> Plan {
    let set = context.set;
    let mut reasons = draft.reasons;
    reasons.extend(set.bandwidth.as_ref().map(|budgets| under_budgets(method, budgets)));
    let refresh_jitter_ns = match draft.refresh {
        RefreshPlan::Windows { .. } => set.options.refresh_jitter_ns,
        RefreshPlan::Controller { .. } => 0,
    };
    reasons.extend(context.about_jitter().filter(|_| refresh_jitter_ns > 0));
    let (high, virtual_deadlines) = match draft.high {
        Some(high) => (Some(high.mode), high.virtual_deadlines),
        None => (None, Vec::new()),
    };
    reasons.extend(
        context
            .about_switches(&draft.schedule)
            .filter(|_| !draft.proofs.is_empty()),
    );
    let heeds_colors = matches!(method, Method::Aligned | Method::Crs | Method::Flat);
    if !heeds_colors
        && context
            .set
            .tasks
            .iter()
            .any(|task| task.timing.is_some() && task.color.is_some())
    {
        reasons.push(format!(
            "the colors that tasks name are not heeded: {} does not put tasks into one of two colors",
            method.name()
        ));
    }
    let is_alone = set.options.alone.is_some();
    if is_alone {
        let others = set.options.cores - 1;
        reasons.push(format!(
            "WCETs were measured alone; what {others} other cores cost in memory is added: each read of a job takes the longest that it can among theirs"
        ));
    }
    let tasks = set.tasks.iter().enumerate().map(|(number, spec)| {
        let timing = spec.timing.as_ref();
        PlannedTask {
            name: spec.name.clone(),
            phase_ns: timing.map_or(0, |task| task.phase),
            period_ns: timing.map_or(0, |task| task.period),
            wcet_ns: timing.map_or(0, |task| context.wcets.get(number).copied().unwrap_or(task.wcet)),
            wcet_alone_ns: timing.filter(|_| is_alone).map_or(0, |task| task.wcet),
            reads: spec.lines.filter(|_| is_alone).map_or(0, |lines| lines.reads),
            write_backs: spec.lines.filter(|_| is_alone).map_or(0, |lines| lines.write_backs),
            deadline_ns: timing.map_or(0, |task| task.deadline),
            arrival_jitter_ns: timing.map_or(0, |task| task.arrival_jitter),
            min_distance_ns: timing.map_or(0, |task| task.min_distance),
            jitter_ns: timing.map_or(0, |task| task.release_jitter),
            critical_section_ns: timing.map_or(0, |task| task.critical_section),
            cache_reload_ns: timing.map_or(0, |task| task.cache_reload),
            wcet_high_ns: spec.wcet_high.filter(|_| high.is_some()).unwrap_or(0),
            virtual_deadline_ns: virtual_deadlines.get(number).copied().unwrap_or(0),
            memory_bytes: spec.memory,
            global_bytes: spec.global,
            core: draft.cores[number],
            instances: draft.instances[number].clone(),
            instance_of_job: draft.instance_of_job.get(number).cloned().unwrap_or_default(),
            response_bound_ns: draft.bounds[number],
            copy_ns: draft.copies[number],
            work: spec.work.clone(),
            stalls: spec.stalls,
            pages: spec.pages,
            team: background::first_thread(&set.tasks, spec),
            command: spec.command.clone(),
        }
    });
    let tasks: Vec<PlannedTask> = tasks.collect();
    let mut plan = Plan {
        name: set.name.clone(),
        machine: set.machine_given.clone(),
        memory: context.memory.clone(),
        method,
        policy: set.options.policy,
        migration: set.options.migration,
        cores: set.options.cores,
        colors: draft.colors,
        tasks,
        schedule: draft.schedule,
        refresh: draft.refresh,
        bandwidth: set.bandwidth.clone(),
        frames: set.frames,
        page_tables: set.page_tables,
        refresh_jitter_ns,
        context_switch_ns: set.options.context_switch_ns,
        high,
        proofs: draft.proofs,
        reasons,
    };
    plan.reasons.extend(plan.about_reopening());
    plan
}

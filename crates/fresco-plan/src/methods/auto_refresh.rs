// SPDX-License-Identifier: MIT OR Apache-2.0
//! Auto-refresh: all ranks at the same time, every tREFI; each refresh may stall whoever runs (F1, CRS-21).

use super::criticality;
use super::draft::{Draft, PlanContext};
use super::global;
use super::grouping::{core_of, group, proofs};
use super::prove::prove;
use super::words::counted;
use crate::plan::{Proof, RefreshPlan, Schedule};
use crate::refusal::Refusal;
use fresco_machine::RefreshPolicy;
use fresco_rt::Time;
use fresco_rt::supply::AutoRefresh;

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    context.periodic()?;
    let memory = &context.memory;
    let policy = context.set.options.policy;
    // Rows of all tasks of a core are closed, whichever of them runs: each opens its own again.
    let stall = |indices: &[usize]| {
        let specs = indices.iter().map(|&task| &context.set.tasks[task]);
        memory.stall_ns(specs.map(|spec| (spec.memory, &spec.work)))
    };
    let supply = |retention_ns: Time, stall: Time| {
        AutoRefresh::new(retention_ns, memory.commands, stall)
            .map_err(|error| Refusal::machine(format!("{error}: each refresh costs {stall} ns (E35)")))
    };
    if !context.set.options.migration.is_none() {
        return shared(context, stall, |stall| supply(memory.retention_ns, stall));
    }
    let whose = |stall: Time| format!("a core under auto-refresh, each refresh of which costs {stall} ns,");
    let hot = criticality::hot(context)?;
    let modes = |indices: &[usize], hot: &PlanContext<'_>| {
        let stall = stall(indices);
        let (low, high) = (
            supply(memory.retention_ns, stall)?,
            supply(hot.memory.retention_ns, stall)?,
        );
        criticality::prove_modes(context, indices, (&low, &high), &whose(stall))
    };
    let groups = group(context, |indices| match &hot {
        Some(hot) => modes(indices, hot).map(|modes| modes.low),
        None => {
            let stall = stall(indices);
            let supply = supply(memory.retention_ns, stall)?;
            prove(&context.pick(indices), policy, &supply, &whose(stall))
        }
    })?;
    let high = hot.as_ref().map(|hot| {
        let retention = hot.memory.retention_ns;
        let changed = (Schedule::Priorities, controller());
        criticality::high_mode(context, &groups, None, (retention, retention), changed, |indices| {
            modes(indices, hot)
        })
    });
    let high = high.transpose()?;
    let most = groups.iter().map(|group| stall(&group.tasks)).max().unwrap_or(0);
    let tasks = context.tasks.len();
    let (proofs, bounds) = proofs(&groups, None, tasks);
    let of_modes = high.as_ref().map(|high| criticality::reason(context, high));
    let reasons = std::iter::once(about(context, most, "its core's tasks")).chain(of_modes);
    Ok(Draft {
        high,
        ..parts(tasks, core_of(&groups, tasks), (proofs, bounds), reasons.collect())
    })
}

fn controller() -> RefreshPlan {
    RefreshPlan::Controller {
        policy: RefreshPolicy::AllBankSimultaneous.name().to_owned(),
    }
}

/// Cores that tasks share. Rows that a refresh closed before a job was ready may be opened again meanwhile.
fn shared(
    context: &PlanContext<'_>,
    stall: impl Fn(&[usize]) -> Time,
    refreshed: impl Fn(Time) -> Result<AutoRefresh, Refusal>,
) -> Result<Draft, Refusal> {
    let tasks = context.tasks.len();
    let all: Vec<usize> = (0..tasks).collect();
    let most = stall(&all);
    let rows = most - stall(&[]);
    let whose = format!("auto-refresh, each refresh of which costs {most} ns,");
    let proved = global::prove(context, None, (&refreshed(most)?, rows), &whose)?;
    let reasons = vec![about(context, most, "all tasks"), global::about(context)];
    Ok(parts(tasks, vec![None; tasks], proved, reasons))
}

/// What the plan says of a refresh.
fn about(context: &PlanContext<'_>, most: Time, whose: &str) -> String {
    let memory = &context.memory;
    format!(
        "each of {} refreshes per retention time may take {most} ns from a task: tRFC {} ns, and begun accesses, rows to close \
         and the rows that {whose} had open to be opened again (E35); all ranks are refreshed at the same time, or tasks \
         with memory in {} could meet {} per interval",
        memory.commands,
        memory.trfc_ns,
        counted(memory.ranks, "rank", "ranks"),
        counted(memory.ranks, "refresh", "refreshes")
    )
}

/// The parts of the plan: the controller refreshes all ranks at once.
fn parts(
    tasks: usize,
    cores: Vec<Option<u32>>,
    (proofs, bounds): (Vec<Proof>, Vec<Option<Time>>),
    reasons: Vec<String>,
) -> Draft {
    Draft {
        high: None,
        instance_of_job: Vec::new(),
        colors: Vec::new(),
        instances: vec![Vec::new(); tasks],
        cores,
        bounds,
        copies: vec![None; tasks],
        schedule: Schedule::Priorities,
        refresh: controller(),
        proofs,
        reasons,
    }
}

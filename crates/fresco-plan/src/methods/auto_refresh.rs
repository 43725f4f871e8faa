// SPDX-License-Identifier: MIT OR Apache-2.0
//! Auto-refresh: all ranks at the same time, every tREFI; each refresh may stall whoever runs (F1, CRS-21).

use super::criticality;
use super::draft::{Draft, PlanContext};
use super::grouping::{core_of, group, proofs};
use super::prove::prove;
use super::words::counted;
use crate::plan::{RefreshPlan, Schedule};
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
    let refresh = RefreshPlan::Controller {
        policy: RefreshPolicy::AllBankSimultaneous.name().to_owned(),
    };
    let high = hot.as_ref().map(|hot| {
        let retention = hot.memory.retention_ns;
        let changed = (Schedule::Priorities, refresh.clone());
        criticality::high_mode(context, &groups, None, (retention, retention), changed, |indices| {
            modes(indices, hot)
        })
    });
    let high = high.transpose()?;
    let most = groups.iter().map(|group| stall(&group.tasks)).max().unwrap_or(0);
    let tasks = context.tasks.len();
    let (proofs, bounds) = proofs(&groups, None, tasks);
    let of_modes = high.as_ref().map(|high| criticality::reason(context, high));
    Ok(Draft {
        high,
        instance_of_job: Vec::new(),
        colors: Vec::new(),
        instances: vec![Vec::new(); tasks],
        cores: core_of(&groups, tasks),
        bounds,
        copies: vec![None; tasks],
        schedule: Schedule::Priorities,
        refresh,
        proofs,
        reasons: [format!(
            "each of {} refreshes per retention time may take {most} ns from a task: tRFC {} ns, and begun accesses, rows to close \
             and the rows that its core's tasks had open to be opened again (E35); all ranks are refreshed at the same time, or tasks \
             with memory in {} could meet {} per interval",
            memory.commands,
            memory.trfc_ns,
            counted(memory.ranks, "rank", "ranks"),
            counted(memory.ranks, "refresh", "refreshes")
        )]
        .into_iter()
        .chain(of_modes)
        .collect(),
    })
}

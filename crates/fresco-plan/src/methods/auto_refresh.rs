// SPDX-License-Identifier: MIT OR Apache-2.0
//! Auto-refresh: all ranks at the same time, every tREFI; each refresh may stall whoever runs (F1, CRS-21).

use super::draft::{Draft, PlanContext};
use super::grouping::{core_of, group, proofs};
use super::prove::prove;
use crate::plan::{RefreshPlan, Schedule};
use crate::refusal::Refusal;
use fresco_machine::RefreshPolicy;
use fresco_rt::Time;
use fresco_rt::supply::AutoRefresh;

/// A refresh stalls for tRFC, and for closing and opening the row that was in use (E26).
fn stall(memory: &crate::RankMemory) -> Time {
    memory.trfc_ns + memory.reopen_ns
}

pub(super) fn draft(context: &PlanContext<'_>) -> Result<Draft, Refusal> {
    context.periodic()?;
    let memory = &context.memory;
    let supply = AutoRefresh::new(memory.retention_ns, memory.commands, stall(memory))
        .map_err(|error| Refusal::machine(error.to_string()))?;
    let policy = context.set.options.policy;
    let whose = "a core under auto-refresh";
    let groups = group(context, |indices| prove(&context.pick(indices), policy, &supply, whose))?;
    let tasks = context.tasks.len();
    let (proofs, bounds) = proofs(&groups, None, tasks);
    Ok(Draft {
        instance_of_job: Vec::new(),
        colors: Vec::new(),
        instances: vec![Vec::new(); tasks],
        cores: core_of(&groups, tasks),
        bounds,
        copies: vec![None; tasks],
        schedule: Schedule::Priorities,
        refresh: RefreshPlan::Controller {
            policy: RefreshPolicy::AllBankSimultaneous.name().to_owned(),
        },
        proofs,
        reasons: vec![format!(
            "each of {} refreshes per retention time may stall a task for {} ns (tRFC {} ns, tRP + tRCD {} ns); all ranks are \
             refreshed at the same time, or tasks with memory in {} ranks could meet {} refreshes per interval",
            memory.commands,
            stall(memory),
            memory.trfc_ns,
            memory.reopen_ns,
            memory.ranks,
            memory.ranks
        )],
    })
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks the proof of a plan whose jobs migrate: on cores that refresh stops together (F38, F39).

use super::charges;
use super::report::{Violation, holds};
use super::runs::open;
use super::words;
use crate::plan::{Evidence, Plan, PlannedTask, Proof, Schedule};
use fresco_rt::global::Platform;
use fresco_rt::global::certificate::check_density;
use fresco_rt::policy::Policy;
use fresco_rt::supply::{AutoRefresh, SlotTable, Supply};
use fresco_rt::{Task, Time};

/// The response that the proof grants each of `tasks`.
pub(super) fn check(plan: &Plan, proof: &Proof, tasks: &[Task], place: &str) -> Result<Vec<Time>, Violation> {
    let waiting = tasks.iter().find(|task| task.critical_section > 0);
    holds! { waiting.is_none(), place, "counts no critical sections of jobs that migrate, and {} has one", waiting.map_or("", |task| &task.name) }
    match &plan.schedule {
        Schedule::Priorities => {
            let memory = &plan.memory;
            let of = |tasks: &[PlannedTask]| memory.stall_ns(tasks.iter().map(|task| (task.memory_bytes, &task.work)));
            let (stall, without_rows) = (of(&plan.tasks), of(&[]));
            let supply = AutoRefresh::new(memory.retention_ns, memory.commands, stall)
                .map_err(|error| Violation::new("memory", error.to_string()))?;
            certified(plan, proof, tasks, (&supply, stall - without_rows), place)
        }
        Schedule::Locked { locks } if locks.phase_ns.len() == 1 => {
            let spans = open(locks, locks.period_ns).into_iter().next().unwrap_or_default();
            let spans = charges::left_of(plan, spans);
            let supply = SlotTable::new(locks.period_ns, &spans)
                .map_err(|error| Violation::new(place, format!("rests on slots that are none: {error}")))?;
            certified(plan, proof, tasks, (&supply, 0), place)
        }
        _ => Err(Violation::new(
            "migration",
            "is global, and the schedule does not stop all cores together",
        )),
    }
}

fn certified(
    plan: &Plan,
    proof: &Proof,
    tasks: &[Task],
    (supply, backlog): (&impl Supply, Time),
    place: &str,
) -> Result<Vec<Time>, Violation> {
    let platform = Platform {
        cores: plan.cores,
        supply,
        backlog,
    };
    let refuted = |fact| words::refuted(place, tasks, fact);
    match &proof.evidence {
        Evidence::GlobalResponses(certificate) => {
            certificate.check(tasks, plan.policy, &platform).map_err(refuted)?;
            Ok(certificate.responses.clone())
        }
        Evidence::GlobalDensity => {
            holds! { plan.policy == Policy::Edf, place, "counts densities, which say nothing of fixed priorities" }
            check_density(tasks, &platform).map_err(refuted)?;
            Ok(tasks.iter().map(|task| task.deadline).collect())
        }
        _ => Err(Violation::new(
            place,
            "is for tasks with cores of their own, and jobs migrate",
        )),
    }
}

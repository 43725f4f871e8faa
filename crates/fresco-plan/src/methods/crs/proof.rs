// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the tasks of two servers meet their deadlines.

use super::super::draft::{Draft, PlanContext};
use super::super::prove::{Proved, prove};
use super::super::repeat;
use super::super::words::time;
use super::copies::prove_with_copies;
use super::{OnCore, refused};
use crate::check::RunSize;
use crate::limits::MOST_EVENTS;
use crate::plan::{Evidence, Proof};
use crate::refusal::Refusal;
use fresco_rt::simulation::{Dispatch, Simulation};
use fresco_rt::toplevel::server_tables;
use fresco_rt::{Task, Time};

/// Deadlines by the slot tables of both servers (T3), else by a run with these phases.
pub(super) fn prove_core(
    context: &PlanContext<'_>,
    number: u32,
    core: &OnCore,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let policy = context.set.options.policy;
    if !core.copied.is_empty() {
        return prove_with_copies(context, number, core, draft);
    }
    let (tables, idle) = server_tables(&core.top).map_err(refused)?;
    let sets = [context.pick(&core.workloads[0]), context.pick(&core.workloads[1])];
    let mut parts: Vec<(usize, Proved)> = Vec::new();
    let mut failure = None;
    for color in (0..2).filter(|&color| !sets[color].is_empty()) {
        let server = core.top.servers()[color];
        let whose = format!(
            "server {} ({} in {})",
            color,
            time(server.budget()),
            time(server.period())
        );
        match prove(
            &sets[color],
            policy,
            &tables[color].slots.shortened(context.slice),
            &whose,
        ) {
            Ok(proved) => parts.push((color, proved)),
            Err(refusal) => failure = failure.or(Some(refusal)),
        }
    }
    let servers = core
        .top
        .servers()
        .map(|s| format!("{} in {}", time(s.budget()), time(s.period())));
    draft.reasons.push(format!(
        "core {number}: server 0 has {}, server 1 {}; in every {} the core idles for {}, and ends locks with {} and {} unhidden",
        servers[0],
        servers[1],
        time(core.top.repeat().map_err(refused)?),
        time(idle),
        time(tables[0].unhidden),
        time(tables[1].unhidden)
    ));
    if let Some(refusal) = failure {
        context.known_instants_without_switches().map_err(|_| refusal.clone())?;
        let size = RunSize::of(&draft.schedule, sets.len(), number as usize)?;
        let (jobs, worst) = run(core, &sets, context, size).map_err(|_| refusal.clone())?;
        draft.reasons.push(format!(
            "core {number}: deadlines hold for these phases only; for sporadic arrivals, {refusal}"
        ));
        let counted = core.workloads.concat();
        counted
            .iter()
            .zip(worst)
            .for_each(|(&i, response)| draft.bounds[i] = response);
        let evidence = Evidence::Run { jobs };
        draft.proofs.push(Proof {
            core: Some(number),
            color: None,
            tasks: counted,
            evidence,
        });
        return Ok(());
    }
    for (color, proved) in parts {
        let tasks = core.workloads[color].clone();
        tasks
            .iter()
            .zip(&proved.bounds)
            .for_each(|(&i, &bound)| draft.bounds[i] = Some(bound));
        draft.proofs.push(Proof {
            core: Some(number),
            color: Some(color),
            tasks,
            evidence: proved.evidence,
        });
    }
    Ok(())
}

/// Jobs done and worst responses of an exact run; the error is a miss, or no repetition.
fn run(
    core: &OnCore,
    sets: &[Vec<Task>; 2],
    context: &PlanContext<'_>,
    size: RunSize,
) -> Result<(u64, Vec<Option<Time>>), ()> {
    repeat::run(&sets.concat(), size, MOST_EVENTS).map_err(|_| ())?;
    let dispatch = Dispatch::Idling(core.top.servers().to_vec());
    let workloads = vec![sets[0].as_slice(), sets[1].as_slice()];
    let simulation = Simulation::new(workloads, context.set.options.policy, dispatch, Some(core.top.locks()));
    let outcome = simulation
        .and_then(|simulation| simulation.while_patient(context.patience).run_exact())
        .map_err(|_| ())?;
    match outcome.misses == 0 && outcome.converged {
        true => Ok((outcome.jobs_done, outcome.worst_response)),
        false => Err(()),
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores that tasks share, `plan.migration = "global"`: where refresh takes all cores at once.

use super::PlanContext;
use super::words::time;
use crate::Method;
use crate::plan::{Evidence, Proof};
use crate::refusal::Refusal;
use fresco_rt::Time;
use fresco_rt::global::responses::response_bounds;
use fresco_rt::global::{Platform, density, longest_response};
use fresco_rt::policy::Policy;
use fresco_rt::supply::Supply;

/// Refuses methods that give each core a schedule of its own, and tasks that no proof for shared cores covers.
pub(super) fn applicable(method: Method, context: &PlanContext<'_>) -> Result<(), Refusal> {
    if context.set.options.migration.is_none() {
        return Ok(());
    }
    let why = match method {
        Method::AutoRefresh | Method::Burst => None,
        Method::Aligned | Method::Flat => Some(
            "tasks of one color stop while those of another run, and the proof for jobs that migrate has cores stop together",
        ),
        Method::Crs => Some("each core has servers of its own"),
        Method::ColoredRefresh => Some("its table says on which core each job runs"),
        Method::Codesign => Some("each core has shares of its own"),
        Method::Partition => Some("a partition decides nothing about who runs when"),
    };
    if let Some(why) = why {
        return Err(Refusal::form(format!(
            "not applicable: {why}; with plan.migration = \"global\" there are auto-refresh and burst"
        )));
    }
    if super::criticality::hot(context)?.is_some() {
        return Err(Refusal::form(
            "not applicable: no proof for jobs that migrate covers two criticality levels; remove plan.migration or criticality",
        ));
    }
    match context.tasks.iter().find(|task| task.critical_section > 0) {
        Some(task) => Err(Refusal::form(format!(
            "not applicable: task {} has a critical section, and how long jobs of other cores wait for it no proof for jobs that migrate counts; \
             remove plan.migration or critical_section",
            task.name
        ))),
        None => Ok(()),
    }
}

/// The proof for all tasks, and the bound of each response, on cores that the supply stops together.
///
/// # Errors
/// The task for which no bound is found. `whose` names the supply.
pub(super) fn prove(
    context: &PlanContext<'_>,
    color: Option<usize>,
    (supply, backlog): (&impl Supply, Time),
    whose: &str,
) -> Result<(Vec<Proof>, Vec<Option<Time>>), Refusal> {
    let (tasks, options) = (&context.tasks, &context.set.options);
    let platform = Platform {
        cores: options.cores,
        supply,
        backlog,
    };
    let (evidence, bounds) = match response_bounds(tasks, options.policy, &platform) {
        Ok(certificate) => {
            let bounds = certificate.responses.clone();
            (Evidence::GlobalResponses(certificate), bounds)
        }
        Err(_) if options.policy == Policy::Edf && density::accepts(tasks, &platform) => {
            let deadlines = tasks.iter().map(|task| task.deadline).collect();
            (Evidence::GlobalDensity, deadlines)
        }
        Err(late) => {
            let task = &tasks[late];
            let limit = longest_response(task);
            let what = match limit < task.deadline {
                true => format!("{} from an arrival to the earliest next", time(limit)),
                false => format!("its deadline of {}", time(limit)),
            };
            return Err(Refusal::load(format!(
                "no bound of the response of task {} within {what} is found on {} cores that tasks share, with what {whose} leaves; tasks of \
                 cores of their own may have a plan: remove plan.migration",
                task.name, options.cores
            )));
        }
    };
    let proof = Proof {
        core: None,
        color,
        tasks: (0..tasks.len()).collect(),
        evidence,
    };
    Ok((vec![proof], bounds.into_iter().map(Some).collect()))
}

/// What a plan says of jobs that migrate.
pub(super) fn about(context: &PlanContext<'_>) -> String {
    format!(
        "jobs run on any of {} cores, those that go first at each instant, and one that was preempted may go on elsewhere: cache_reload contains \
         caches that are cold there",
        context.set.options.cores
    )
}

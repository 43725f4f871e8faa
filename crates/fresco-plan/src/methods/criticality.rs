// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two criticality levels: the tests of low and of high mode, whose refresh and schedule begin at a multiple of the retention time (F37).

use super::draft::{HighDraft, PlanContext};
use super::grouping::Group;
use super::prove::{Proved, prove};
use super::words::{counted, time};
use crate::Method;
use crate::plan::{Evidence, HighMode, Proof, RefreshPlan, Schedule};
use crate::refusal::Refusal;
use fresco_rt::certificate::ResponseCertificate;
use fresco_rt::criticality::{AfterChange, DualTask, Late, Untunable, adaptive_responses, virtual_deadlines};
use fresco_rt::policy::Policy;
use fresco_rt::supply::Supply;
use fresco_rt::switches::SliceCost;
use fresco_rt::{Task, Time};
use fresco_scenario::plan::RankMemory;

/// Refuses criticality where no proof counts it.
///
/// # Errors
/// The method, or what tasks have besides.
pub(super) fn allowed(method: Method, context: &PlanContext<'_>) -> Result<(), Refusal> {
    let Some(high) = context.set.tasks.iter().find(|task| task.wcet_high.is_some()) else {
        return match context.set.options.high_retention_ns {
            None => Ok(()),
            Some(_) => Err(Refusal::form(
                "plan.high_retention is for tasks of high criticality, and there is none; add criticality = \"high\" to those that high mode serves",
            )),
        };
    };
    let not = |why: String| {
        Err(Refusal::form(format!(
            "not applicable: {} is of high criticality, and {why}",
            high.name
        )))
    };
    match method {
        Method::Aligned | Method::AutoRefresh | Method::Burst => {}
        Method::Crs => {
            return not("crs divides the time of a core by what tasks need in one mode; aligned, auto-refresh and burst count two".to_owned());
        }
        Method::ColoredRefresh | Method::Flat | Method::Codesign | Method::Partition => {
            return not(format!(
                "{} has no proof for jobs that take longer than known; aligned, auto-refresh and burst count two modes",
                method.name()
            ));
        }
    }
    if context.slice != SliceCost::default() {
        return not("no proof of two modes counts switches and reloads: give WCETs that contain them, and no plan.context_switch or cache_reload".to_owned());
    }
    if context.set.options.alone.is_some() {
        return not("what other cores cost is added to WCETs of low mode alone: give WCETs that contain it, and no plan.wcet_is".to_owned());
    }
    match context.tasks.iter().find(|task| !task.is_plain()) {
        Some(task) => not(format!(
            "no proof of two modes counts the jitter or the critical section of {}",
            task.name
        )),
        None => Ok(()),
    }
}

/// What high mode starts from: a memory whose rows are refreshed as often as a hot device asks; `None` if no task is of high criticality.
///
/// # Errors
/// The retention time is no multiple of that.
pub(super) fn hot<'a>(context: &PlanContext<'a>) -> Result<Option<PlanContext<'a>>, Refusal> {
    if context.set.tasks.iter().all(|task| task.wcet_high.is_none()) {
        return Ok(None);
    }
    let all = context.memory.retention_ns;
    let retention_ns = context.set.options.high_retention_ns.unwrap_or(all).min(all);
    if !all.is_multiple_of(retention_ns) {
        return Err(Refusal::form(format!(
            "the retention time of {} is no multiple of that of high mode, {}, at one of which the mode changes",
            time(all),
            time(retention_ns)
        )));
    }
    Ok(Some(PlanContext {
        memory: RankMemory {
            retention_ns,
            ..context.memory.clone()
        },
        ..context.clone()
    }))
}

/// The tasks `indices` with their criticality.
fn dual(context: &PlanContext<'_>, indices: &[usize]) -> Result<Vec<DualTask>, Refusal> {
    let of = |&number: &usize| {
        let (task, spec) = (context.tasks[number].clone(), &context.set.tasks[number]);
        let found = match (spec.wcet_high, &spec.timing) {
            // A set whose execution times are scaled has all of them scaled.
            (Some(high), Some(given)) => {
                let scaled = (u128::from(high) * u128::from(task.wcet)).div_ceil(u128::from(given.wcet.max(1)));
                DualTask::high(task, Time::try_from(scaled).unwrap_or(Time::MAX))
            }
            _ => DualTask::low(task),
        };
        found.map_err(|error| Refusal::load(format!("{error} (times in ns)")))
    };
    indices.iter().map(of).collect()
}

/// What shows that some tasks are served in both modes.
pub(super) struct Modes {
    /// In low mode. Bounds of high tasks hold in both.
    pub low: Proved,
    /// Of tasks of high criticality, in high mode.
    pub high: Evidence,
    /// Of each task.
    pub virtual_deadlines: Vec<Time>,
}

/// Tests tasks in both modes; the supply of high mode has to be free only where that of low mode is.
///
/// # Errors
/// The mode, and the interval or the task that is not served in it.
pub(super) fn prove_modes(
    context: &PlanContext<'_>,
    indices: &[usize],
    (low, high): (&impl Supply, &impl Supply),
    whose: &str,
) -> Result<Modes, Refusal> {
    let (tasks, policy) = (dual(context, indices)?, context.set.options.policy);
    let plain: Vec<Task> = tasks.iter().map(|task| task.task().clone()).collect();
    let deadline = |number: usize| plain[number].deadline;
    match policy {
        Policy::Edf => {
            let (tuned, of_low, of_high) =
                virtual_deadlines(&tasks, low, high).map_err(|why| untunable(why, &plain, low, whose))?;
            Ok(Modes {
                low: Proved {
                    evidence: Evidence::Demand(of_low),
                    bounds: (0..plain.len()).map(deadline).collect(),
                },
                high: Evidence::Demand(of_high),
                virtual_deadlines: tuned.iter().map(DualTask::virtual_deadline).collect(),
            })
        }
        Policy::FixedPriority(order) => match adaptive_responses(&tasks, order, low, high) {
            Ok((in_low, in_high)) => {
                let own: Vec<Task> = plain
                    .iter()
                    .zip(&tasks)
                    .filter(|(_, task)| task.is_high())
                    .map(|(task, _)| task.clone())
                    .collect();
                let bounds = in_low
                    .iter()
                    .zip(&in_high)
                    .map(|(low, high)| high.unwrap_or(*low))
                    .collect();
                Ok(Modes {
                    low: Proved {
                        evidence: Evidence::Responses(ResponseCertificate {
                            ranking: order.ranking(&plain),
                            responses: in_low,
                        }),
                        bounds,
                    },
                    high: Evidence::Responses(ResponseCertificate {
                        ranking: order.ranking(&own),
                        responses: in_high.into_iter().flatten().collect(),
                    }),
                    virtual_deadlines: (0..plain.len()).map(deadline).collect(),
                })
            }
            Err(Late::Low(_)) => Err(prove(&plain, policy, low, whose)
                .err()
                .unwrap_or_else(|| Refusal::load("low mode is too full"))),
            Err(Late::High(number)) => Err(Refusal::load(format!(
                "in high mode task {} may not end within its deadline of {} with what {whose} gives and tasks of higher priority leave, those \
                 of low criticality until the mode changes included",
                plain[number].name,
                time(deadline(number))
            ))),
        },
    }
}

/// Why no virtual deadlines serve both modes.
fn untunable(why: Untunable, tasks: &[Task], low: &impl Supply, whose: &str) -> Refusal {
    let in_low = |_| prove(tasks, Policy::Edf, low, whose).err();
    match why {
        Untunable::Low(verdict) => in_low(verdict).unwrap_or_else(|| Refusal::load("low mode is too full")),
        Untunable::High(AfterChange::Violated { t, demand, supply }) => Refusal::load(format!(
            "in an interval of {} after the mode changes tasks of high criticality may need {}, and {whose} is sure to give {}; low mode bears no \
             earlier virtual deadlines, of those that were tried",
            time(t),
            time(Time::try_from(demand).unwrap_or(Time::MAX)),
            time(supply)
        )),
        Untunable::High(_) => Refusal::load(format!(
            "in high mode tasks of high criticality need as much time as {whose} gives, or more; the test of two modes needs some to spare"
        )),
        Untunable::Overflow => Refusal::undecided(fresco_rt::Overflow.to_string()),
    }
}

/// High mode of a plan, with the proof of each group that has tasks of high criticality.
///
/// # Errors
/// As `prove`, which all groups have passed.
pub(super) fn high_mode(
    context: &PlanContext<'_>,
    groups: &[Group],
    color: Option<usize>,
    (retention_ns, settled_ns): (Time, Time),
    (schedule, refresh): (Schedule, RefreshPlan),
    prove: impl Fn(&[usize]) -> Result<Modes, Refusal>,
) -> Result<HighDraft, Refusal> {
    let mut proofs = Vec::new();
    let mut early = vec![0; context.tasks.len()];
    for (core, group) in (0u32..).zip(groups).filter(|(_, group)| !group.tasks.is_empty()) {
        let modes = prove(&group.tasks)?;
        for (&task, deadline) in group.tasks.iter().zip(modes.virtual_deadlines) {
            early[task] = if deadline < context.tasks[task].deadline {
                deadline
            } else {
                0
            };
        }
        let is_high = |task: &usize| context.set.tasks[*task].wcet_high.is_some();
        let tasks: Vec<usize> = group.tasks.iter().copied().filter(is_high).collect();
        if !tasks.is_empty() {
            proofs.push(Proof {
                core: Some(core),
                color,
                tasks,
                evidence: modes.high,
            });
        }
    }
    Ok(HighDraft {
        mode: HighMode {
            retention_ns,
            settled_ns,
            schedule,
            refresh,
            proofs,
        },
        virtual_deadlines: early,
    })
}

/// What a plan says of its modes.
pub(super) fn reason(context: &PlanContext<'_>, high: &HighDraft) -> String {
    let all = context.set.tasks.len();
    let kept = context.set.tasks.iter().filter(|task| task.wcet_high.is_some()).count();
    let (retention, every) = (high.mode.retention_ns, context.memory.retention_ns);
    let refresh = match retention == every {
        true => "refresh stays as it is".to_owned(),
        false => format!(
            "rows are refreshed every {} from the next multiple of {} on, all of them within {} of it",
            time(retention),
            time(every),
            time(high.mode.settled_ns)
        ),
    };
    format!(
        "when a job of high criticality takes longer than in low mode, or the device becomes hot, {} of {} go on and the others are dropped at once; {refresh}",
        kept,
        counted(all as u32, "task", "tasks"),
    )
}

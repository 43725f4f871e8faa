// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tasks and a supply to a certificate, or to the demand that is not met.

use super::words::time;
use crate::plan::Evidence;
use crate::refusal::Refusal;
use fresco_rt::edf::{EdfVerdict, edf_test};
use fresco_rt::fixed_priority::{fixed_priority_test, response_bounds};
use fresco_rt::policy::Policy;
use fresco_rt::supply::Supply;
use fresco_rt::{Task, Time};

/// Deadlines that are met: why, and a bound of each response.
pub(super) struct Proved {
    pub evidence: Evidence,
    pub bounds: Vec<Time>,
}

/// Tests tasks on a supply (F19, F20); under EDF the bound of a response is its deadline.
///
/// # Errors
/// The interval whose demand is not supplied, or the task that is not served in time. `whose` names the supply.
pub(super) fn prove(tasks: &[Task], policy: Policy, supply: &impl Supply, whose: &str) -> Result<Proved, Refusal> {
    match policy {
        Policy::Edf => match edf_test(tasks, supply)? {
            EdfVerdict::Schedulable(certificate) => Ok(Proved {
                evidence: Evidence::Demand(certificate),
                bounds: tasks.iter().map(|task| task.deadline).collect(),
            }),
            EdfVerdict::Violated {
                t,
                demand,
                supply: sure,
            } => {
                let demand = Time::try_from(demand).unwrap_or(Time::MAX);
                let names: Vec<&str> = tasks
                    .iter()
                    .filter(|task| task.deadline <= t)
                    .map(|task| task.name.as_str())
                    .collect();
                Err(Refusal::load(format!(
                    "in an interval of {} the tasks {} may need {}, and {whose} is sure to give {}",
                    time(t),
                    names.join(", "),
                    time(demand),
                    time(sure)
                )))
            }
            EdfVerdict::Overloaded => {
                let needed: f64 = super::words::utilization(tasks);
                Err(Refusal::load(format!(
                    "the tasks need {needed:.4} of a core, and {whose} gives {:.4}",
                    supply.rate().to_f64()
                )))
            }
        },
        Policy::FixedPriority(order) => match fixed_priority_test(tasks, order, supply) {
            Some(certificate) => Ok(Proved {
                bounds: certificate.responses.clone(),
                evidence: Evidence::Responses(certificate),
            }),
            None => {
                let bounds = response_bounds(tasks, order, supply);
                let late = tasks
                    .iter()
                    .zip(bounds)
                    .find(|(_, bound)| bound.is_none())
                    .map(|(task, _)| task);
                let (name, deadline) = late.map_or(("", 0), |task| (task.name.as_str(), task.deadline));
                Err(Refusal::load(format!(
                    "task {name} may not end within its deadline of {} with what {whose} gives and tasks of higher priority leave",
                    time(deadline)
                )))
            }
        },
    }
}

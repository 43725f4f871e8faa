// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a task set can be pushed under a method: longer execution times, denser devices, hotter memory.

use crate::Method;
use crate::methods::{PlanContext, draft};
use crate::refusal::Refusal;
use fresco_rt::sensitivity::largest_wcet_scale;
use fresco_rt::{Task, Time};
use fresco_scenario::TaskSet;
use fresco_scenario::plan::RankMemory;
use serde::Serialize;

/// Greatest scale of execution times that is looked for, in parts per thousand.
const MOST_SCALE: u32 = 100_000;
/// Retention times that are tried, in ms: 64 up to 85 °C, 32 above, and further down as rows leak faster still (REF-2).
pub const RETENTIONS_MS: [Time; 9] = [64, 48, 32, 24, 16, 12, 8, 6, 4];

/// What one method stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sensitivity {
    /// The method.
    pub method: Method,
    /// Why there is no plan as things are; `None` if there is one.
    pub refusal: Option<String>,
    /// Greatest factor for all execution times with which there is still a plan, in parts per thousand; `None` if there is none
    /// even for the shortest.
    pub wcet_scale_permille: Option<u32>,
    /// Densities with a plan, of those asked for, in Gbit: each is tried, for a longer burst may work where a shorter does not
    /// (E32).
    pub densities_gbit: Vec<u32>,
    /// Retention times with a plan, of [`RETENTIONS_MS`].
    pub retentions_ms: Vec<Time>,
}

/// Pushes a task set under one method.
///
/// # Errors
/// No task has a period. Those without one are not looked at: they run behind the others.
pub fn sensitivity(set: &TaskSet, method: Method, densities: &[u32]) -> Result<Sensitivity, Refusal> {
    let divided = crate::background::divide(set);
    let set = divided.as_ref().map_or(set, |(periodic, _)| periodic);
    let context = PlanContext::new(set);
    context.periodic()?;
    let memory = &context.memory;
    let now = verdict(set, method, memory.clone(), context.tasks.clone());
    let scaled = |tasks: &[Task]| verdict(set, method, memory.clone(), tasks.to_vec()).is_ok();
    let denser = |gbit: &u32| {
        let at = set.at_density(*gbit);
        at.is_ok_and(|at| verdict(&at, method, RankMemory::of(&at.machine), context.tasks.clone()).is_ok())
    };
    let hotter = |ms: &Time| {
        let retention_ns = ms * 1_000_000;
        let gap = u128::from(memory.longest_gap_ns) * u128::from(retention_ns) / u128::from(memory.retention_ns.max(1));
        let memory = RankMemory {
            retention_ns,
            longest_gap_ns: gap as Time,
            ..memory.clone()
        };
        verdict(set, method, memory, context.tasks.clone()).is_ok()
    };
    Ok(Sensitivity {
        method,
        refusal: now.err().map(|refusal| refusal.reason),
        wcet_scale_permille: largest_wcet_scale(&context.tasks, MOST_SCALE, scaled),
        densities_gbit: densities.iter().copied().filter(denser).collect(),
        retentions_ms: RETENTIONS_MS.into_iter().filter(hotter).collect(),
    })
}

fn verdict(set: &TaskSet, method: Method, memory: RankMemory, tasks: Vec<Task>) -> Result<(), Refusal> {
    draft(method, &PlanContext { set, memory, tasks }).map(|_| ())
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tasks, memory and a refresh burst to an executive: which color frame, and as few copy tasks as possible.

mod copies;
mod refusal;

pub use refusal::NoPlan;

use super::co_assign::Assignment;
use super::cores::Cores;
use super::fusion::NoFusion;
use super::problem::{Problem, Slicing};
use super::rotation::Rotation;
use super::rules::{burst_fits, candidates};
use super::search::Effort;
use crate::patience::Patience;
use crate::task::Task;
use crate::time::Time;
use copies::{Attempt, fewest_instances};

/// What an executive is wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The tasks.
    pub tasks: &'a [Task],
    /// Memory of one instance of each task, in units.
    pub memory: &'a [u64],
    /// Units that a rank holds.
    pub rank_capacity: u64,
    /// K: number of ranks.
    pub ranks: usize,
    /// R: retention period.
    pub retention: Time,
    /// δ + e_rl + e_ru: how long a color's refresh takes, overheads included.
    pub burst: Time,
    /// True if a color is out of bounds for its whole frame, false if only during the burst (F9).
    pub whole_frames: bool,
    /// The cores.
    pub cores: Cores,
    /// As in [`super::CoAssign`].
    pub copy_cost: &'a [Option<Time>],
    /// Most instances a task may have; 1 forbids copy tasks.
    pub most_instances: usize,
    /// Most no-goods of one search, as [`super::DEFAULT_BUDGET`].
    pub budget: u64,
}

/// An executive that hides all refresh.
#[derive(Clone, Debug)]
pub struct ExecutivePlan {
    /// Jobs and cells under the color frame chosen.
    pub problem: Problem,
    /// Instances of each task.
    pub instances: Vec<usize>,
    /// Colors and placement.
    pub assignment: Assignment,
    /// Work of all searches together.
    pub effort: Effort,
}

/// Plans with as few instances as it finds, and among those with as many colors as possible: more colors leave more
/// choice and lock less memory at a time.
///
/// Exact about copies at all: without a plan, no assignment of at most the allowed instances to every task exists in any
/// color frame that holds the burst. The number of copies is locally least: the search finds no plan with any single one
/// left out.
///
/// # Errors
/// Why there is no plan, for each color frame.
pub fn plan(request: &Request) -> Result<ExecutivePlan, NoPlan> {
    plan_while(request, Patience::ENDLESS)
}

/// As [`plan()`], as long as the patience lasts.
///
/// # Errors
/// As [`plan()`]; [`NoPlan::Stopped`].
pub fn plan_while(request: &Request, patience: Patience<'_>) -> Result<ExecutivePlan, NoPlan> {
    let rotations = candidates(request.retention, request.ranks);
    let longest = rotations.first().map_or(0, Rotation::frame);
    let burst = request.burst.max(1);
    let (mut effort, mut best) = (Effort::default(), None::<ExecutivePlan>);
    let (mut reasons, mut gave_up) = (Vec::new(), Vec::new());
    for rotation in rotations
        .iter()
        .rev()
        .filter(|rotation| burst_fits(rotation.frame(), burst))
    {
        let blocked = if request.whole_frames { rotation.frame() } else { burst };
        let rotation =
            Rotation::bursts(request.retention, rotation.colors(), blocked).expect("a burst within its frame");
        let problem = Problem::new(request.tasks, rotation, request.cores.clone(), Slicing::Anywhere)?;
        let total = |instances: &[usize]| instances.iter().sum::<usize>();
        let below = best.as_ref().map_or(usize::MAX, |best| total(&best.instances));
        match fewest_instances(request, &problem, below, patience, &mut effort)? {
            Attempt::Found(instances, assignment) => {
                let found = total(&instances);
                if found < below {
                    best = Some(ExecutivePlan {
                        problem,
                        instances,
                        assignment: *assignment,
                        effort,
                    });
                }
                if found == request.tasks.len() {
                    break;
                }
            }
            Attempt::NoFewer => {}
            Attempt::Impossible(reason) => reasons.push((rotation.colors(), reason)),
            Attempt::GaveUp => gave_up.push(rotation.colors()),
        }
    }
    match best {
        Some(plan) => Ok(ExecutivePlan { effort, ..plan }),
        None if !gave_up.is_empty() => Err(NoPlan::OutOfBudget(gave_up)),
        None if !reasons.is_empty() => Err(NoPlan::NoColors(reasons)),
        None => Err(NoPlan::NoFrames(NoFusion::BurstTooLong { burst, longest })),
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From tasks, memory and a refresh burst to an executive: which colour frame, and as few copy tasks as possible.

use std::fmt;

use super::bottleneck::Bottleneck;
use super::co_assign::{Answer, Assignment, CoAssign, DEFAULT_BUDGET, NoAssignment};
use super::cores::Cores;
use super::error::ProblemError;
use super::fusion::NoFusion;
use super::problem::{Problem, Slicing};
use super::rotation::Rotation;
use super::rules::{burst_fits, candidates};
use super::search::Effort;
use crate::task::Task;
use crate::time::Time;

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
    /// δ + e_rl + e_ru: how long a colour's refresh takes, overheads included.
    pub burst: Time,
    /// True if a colour is out of bounds for its whole frame, false if only during the burst (F9).
    pub whole_frames: bool,
    /// The cores.
    pub cores: Cores,
    /// As in [`CoAssign`].
    pub copy_cost: &'a [Option<Time>],
    /// Most instances a task may have; 1 forbids copy tasks.
    pub most_instances: usize,
}

/// An executive that hides all refresh.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Jobs and cells under the colour frame chosen.
    pub problem: Problem,
    /// Instances of each task.
    pub instances: Vec<usize>,
    /// Colours and placement.
    pub assignment: Assignment,
    /// Work of all searches together.
    pub effort: Effort,
}

/// Why there is no executive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// No colour frame, no schedule, or no table, with or without colours.
    NoFrames(NoFusion),
    /// For every colour frame (by number of colours), why no assignment of colours exists.
    NoColors(Vec<(usize, NoAssignment)>),
    /// Some search gave up; numbers of colours for which it did.
    OutOfBudget(Vec<usize>),
}

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPlan::NoFrames(reason) => reason.fmt(f),
            NoPlan::NoColors(reasons) => {
                for (number, (colors, reason)) in reasons.iter().enumerate() {
                    let semicolon = if number == 0 { "" } else { "; " };
                    write!(f, "{semicolon}with {colors} colours, {reason}")?;
                }
                Ok(())
            }
            NoPlan::OutOfBudget(colors) => write!(f, "the search gave up with {colors:?} colours, without a verdict"),
        }
    }
}

impl std::error::Error for NoPlan {}

impl From<ProblemError> for NoPlan {
    fn from(error: ProblemError) -> Self {
        NoPlan::NoFrames(NoFusion::Problem(error))
    }
}

impl From<Bottleneck> for NoPlan {
    fn from(bottleneck: Bottleneck) -> Self {
        NoPlan::NoFrames(NoFusion::Unschedulable(bottleneck))
    }
}

/// Plans with as few instances as it finds, and among those with as many colours as possible: more colours leave more
/// choice and lock less memory at a time.
///
/// Exact about copies at all: without a plan, no assignment of at most the allowed instances to every task exists in any
/// colour frame that holds the burst. The number of copies is locally least: no single one can be left out.
///
/// # Errors
/// Why there is no plan, for each colour frame.
pub fn plan(request: &Request) -> Result<Plan, NoPlan> {
    let rotations = candidates(request.retention, request.ranks);
    let longest = rotations.first().map_or(0, Rotation::frame);
    let burst = request.burst.max(1);
    let (mut effort, mut best) = (Effort::default(), None::<Plan>);
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
        problem.place(|_, _| false)?;
        match fewest_instances(request, &problem, &mut effort)? {
            Attempt::Found(instances, assignment) => {
                let total = |instances: &[usize]| instances.iter().sum::<usize>();
                if best
                    .as_ref()
                    .is_none_or(|best| total(&instances) < total(&best.instances))
                {
                    best = Some(Plan {
                        problem,
                        instances,
                        assignment: *assignment,
                        effort,
                    });
                }
                if best
                    .as_ref()
                    .is_some_and(|best| total(&best.instances) == request.tasks.len())
                {
                    break;
                }
            }
            Attempt::Impossible(reason) => reasons.push((rotation.colors(), reason)),
            Attempt::GaveUp => gave_up.push(rotation.colors()),
        }
    }
    match best {
        Some(plan) => Ok(Plan { effort, ..plan }),
        None if !gave_up.is_empty() => Err(NoPlan::OutOfBudget(gave_up)),
        None if !reasons.is_empty() => Err(NoPlan::NoColors(reasons)),
        None => Err(NoPlan::NoFrames(NoFusion::BurstTooLong { burst, longest })),
    }
}

enum Attempt {
    Found(Vec<usize>, Box<Assignment>),
    Impossible(NoAssignment),
    GaveUp,
}

/// Copies for tasks without any avoidable colour first, then for all, then fewer again, longest periods first: tasks with
/// long windows profit least from a second instance.
fn fewest_instances(request: &Request, problem: &Problem, effort: &mut Effort) -> Result<Attempt, NoPlan> {
    let colors = problem.rotation().colors();
    let mut ask = |instances: &[usize]| -> Result<Answer, NoPlan> {
        let question = CoAssign {
            problem,
            memory: request.memory.to_vec(),
            capacity: vec![request.rank_capacity.saturating_mul((request.ranks / colors) as u64); colors],
            instances: instances.to_vec(),
            copy_cost: request.copy_cost.to_vec(),
            budget: DEFAULT_BUDGET,
        };
        let (answer, work) = question.solve()?;
        effort.nodes += work.nodes;
        effort.no_goods += work.no_goods;
        Ok(answer)
    };
    let count = request.tasks.len();
    let most = request.most_instances.clamp(1, colors);
    let one = vec![1; count];
    let reason = match ask(&one)? {
        Answer::Found(found) => return Ok(Attempt::Found(one, found)),
        Answer::Impossible(reason) => Some(reason),
        Answer::Unknown => None,
    };
    if most == 1 {
        return Ok(reason.map_or(Attempt::GaveUp, Attempt::Impossible));
    }
    let needy: Vec<usize> = match &reason {
        Some(NoAssignment::Excluded { without_color, .. }) => (0..count)
            .map(|task| 1 + usize::from(without_color.contains(&request.tasks[task].name)))
            .collect(),
        _ => one.clone(),
    };
    let attempts = [needy]
        .into_iter()
        .chain((2..=most).map(|instances| vec![instances; count]));
    let mut last = reason.map_or(Attempt::GaveUp, Attempt::Impossible);
    for instances in attempts.filter(|instances| *instances != one) {
        let mut used = one.clone();
        match ask(&instances)? {
            Answer::Found(mut found) => {
                for (job, &instance) in problem.jobs().iter().zip(&found.instance_of_job) {
                    used[job.task] = used[job.task].max(instance + 1);
                }
                let mut instances = used;
                let mut order: Vec<usize> = (0..count).collect();
                order.sort_by_key(|&task| std::cmp::Reverse(request.tasks[task].period));
                for task in order {
                    while instances[task] > 1 {
                        instances[task] -= 1;
                        match ask(&instances)? {
                            Answer::Found(fewer) => found = fewer,
                            _ => {
                                instances[task] += 1;
                                break;
                            }
                        }
                    }
                }
                return Ok(Attempt::Found(instances, found));
            }
            Answer::Impossible(reason) => last = Attempt::Impossible(reason),
            Answer::Unknown => last = Attempt::GaveUp,
        }
    }
    Ok(last)
}

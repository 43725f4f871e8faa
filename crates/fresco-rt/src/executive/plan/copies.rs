// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many instances of each task: as few as possible (CR-11).

use super::super::co_assign::{Answer, Assignment, CoAssign, JobsAlone, NoAssignment, Reasons};
use super::super::problem::Problem;
use super::super::search::Effort;
use super::{NoPlan, Request};
use crate::patience::Patience;

/// How the search for one color frame ended.
pub(super) enum Attempt {
    Found(Vec<usize>, Box<Assignment>),
    Impossible(NoAssignment),
    GaveUp,
    /// Whatever there is has as many instances as another color frame needs, or more.
    NoFewer,
}

/// Copies for tasks without any avoidable color first, then for all, then fewer again, longest periods first: tasks with
/// long windows profit least from a second instance. Only fewer than `below` in all are of use.
pub(super) fn fewest_instances(
    request: &Request,
    problem: &Problem,
    below: usize,
    patience: Patience<'_>,
    effort: &mut Effort,
) -> Result<Attempt, NoPlan> {
    let colors = problem.rotation().colors();
    let mut alone = JobsAlone::new(problem)?;
    let mut ask = |instances: &[usize], budget: u64, reasons: Reasons| -> Result<Answer, NoPlan> {
        let question = CoAssign {
            problem,
            memory: request.memory.to_vec(),
            capacity: vec![request.rank_capacity.saturating_mul((request.ranks / colors) as u64); colors],
            instances: instances.to_vec(),
            copy_cost: request.copy_cost.to_vec(),
            budget,
        };
        let (answer, work) = question
            .solve_while(&mut alone, patience, reasons)?
            .ok_or(NoPlan::Stopped)?;
        effort.nodes += work.nodes;
        effort.no_goods += work.no_goods;
        Ok(answer)
    };
    let count = request.tasks.len();
    let most = request.most_instances.clamp(1, colors);
    let one = vec![1; count];
    // With copies allowed, why it does not work without is told by nobody.
    let reasons = if most == 1 { Reasons::Told } else { Reasons::TasksAlone };
    let reason = match ask(&one, request.budget, reasons)? {
        Answer::Found(found) => return Ok(Attempt::Found(one, found)),
        Answer::Impossible(reason) => Some(reason),
        Answer::Unknown => None,
    };
    if most == 1 {
        return Ok(reason.map_or(Attempt::GaveUp, Attempt::Impossible));
    }
    // No color suits these as long as they have one instance, whatever the others have.
    let mut needy = one.clone();
    if let Some(NoAssignment::NoAvoidableColor(tasks)) = &reason {
        tasks.iter().for_each(|task| needy[task.task] = 2);
    }
    if needy.iter().sum::<usize>() >= below {
        return Ok(Attempt::NoFewer);
    }
    let attempts = [needy.clone()]
        .into_iter()
        .chain((2..=most).map(|instances| vec![instances; count]));
    let mut last = reason.map_or(Attempt::GaveUp, Attempt::Impossible);
    for instances in attempts.filter(|instances| *instances != one) {
        let mut used = one.clone();
        match ask(&instances, request.budget, Reasons::Told)? {
            Answer::Found(mut found) => {
                for (job, &instance) in problem.jobs().iter().zip(&found.instance_of_job) {
                    used[job.task] = used[job.task].max(instance + 1);
                }
                let mut instances = used;
                let mut order: Vec<usize> = (0..count).collect();
                order.sort_by_key(|&task| std::cmp::Reverse(request.tasks[task].period));
                for task in order {
                    while instances[task] > needy[task] {
                        instances[task] -= 1;
                        // A proof that one fewer will not do is worth less than the first solution.
                        match ask(&instances, request.budget / 16, Reasons::TasksAlone)? {
                            Answer::Found(fewer) => found = fewer,
                            _ => {
                                instances[task] += 1;
                                break;
                            }
                        }
                    }
                }
                for (task, &count) in instances.iter().enumerate() {
                    found.colors[task].truncate(count);
                    found.memory[task].truncate(count);
                }
                return Ok(Attempt::Found(instances, found));
            }
            Answer::Impossible(reason) => last = Attempt::Impossible(reason),
            Answer::Unknown => last = Attempt::GaveUp,
        }
    }
    Ok(last)
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Antipodal copies (F11): two instances in colors half a rotation apart, so that no window meets both.
//!
//! Colors then no longer restrict where jobs run, and this proves the corrected form of the schedulability theorem
//! (T2', CR-13): what is feasible preemptively, copies included, has a colored executive.

mod refusal;

pub use refusal::NotAntipodal;

use super::co_assign::Assignment;
use super::error::ProblemError;
use super::jobs::Job;
use super::problem::Problem;
use crate::time::{Overflow, Time};

/// Two instances of every task that has memory, in opposite colors, and a placement that colors do not restrict.
///
/// `memory[i]` is the need of one instance, `capacity[c]` what a color holds; pairs of colors are filled largest task
/// first, most room first. `copy_cost[i]` as in [`super::CoAssign`]: independent jobs (`None`) take either instance; dependent
/// ones switch in the first window that lies between the two bursts, which makes exactly two copies per retention period.
/// There both colors are idle for the whole window, so that the copy is safe wherever it runs (F10).
///
/// # Errors
/// The first condition that fails. Fails, unlike the co-assignment, also where only the memory is packed badly.
pub fn antipodal(
    problem: &Problem,
    memory: &[u64],
    capacity: &[u64],
    copy_cost: &[Option<Time>],
) -> Result<Assignment, NotAntipodal> {
    let rotation = problem.rotation();
    let colors = rotation.colors();
    let lists = [("memory", memory.len()), ("copy cost", copy_cost.len())];
    for (what, found) in lists {
        let needed = problem.tasks().len();
        if found != needed {
            return Err(NotAntipodal::Problem(ProblemError::WrongCount { what, found, needed }));
        }
    }
    if capacity.len() != colors {
        let (what, found) = ("capacity", capacity.len());
        return Err(NotAntipodal::Problem(ProblemError::WrongCount {
            what,
            found,
            needed: colors,
        }));
    }
    if !colors.is_multiple_of(2) {
        return Err(NotAntipodal::OddColors(colors));
    }
    // Bursts of opposite colors start R/2 apart.
    let limit = (rotation.retention() / 2).saturating_sub(rotation.blocked());
    for (task, cost) in problem.tasks().iter().zip(copy_cost) {
        let name = || task.name.clone();
        if task.deadline > limit {
            return Err(NotAntipodal::WindowTooLong {
                task: name(),
                deadline: task.deadline,
                limit,
            });
        }
        let reach = task.period.saturating_add(task.deadline);
        if cost.is_some() && reach > limit {
            return Err(NotAntipodal::NoTimeToSwitch {
                task: name(),
                reach,
                limit,
            });
        }
    }
    let pairs = opposite_colors(problem, memory, capacity)?;
    let mut instance_of_job = vec![0; problem.jobs().len()];
    let mut copying = vec![0; problem.jobs().len()];
    for (task, &color) in pairs.iter().enumerate() {
        let jobs = problem.jobs_of_task(task);
        let opposite = (color + colors / 2) % colors;
        let Some(cost) = copy_cost[task] else {
            for job in jobs {
                instance_of_job[job] = usize::from(meets(problem, &problem.jobs()[job], color));
            }
            continue;
        };
        // Twice around: the state at the end of the first turn is that at the start of the table.
        let mut instance = 0;
        for job in jobs.clone().chain(jobs) {
            let window = &problem.jobs()[job];
            let next = if meets(problem, window, color) {
                1
            } else if meets(problem, window, opposite) {
                0
            } else {
                usize::from(color_comes_next(problem, window, color, opposite))
            };
            copying[job] = if next == instance { 0 } else { cost };
            (instance, instance_of_job[job]) = (next, next);
        }
    }
    let placement = place_with_copies(problem, &copying)?;
    let colors_of = |task: usize| {
        let owned = |color: usize| if memory[task] > 0 { vec![color] } else { Vec::new() };
        vec![owned(pairs[task]), owned((pairs[task] + colors / 2) % colors)]
    };
    let units_of = |task: usize| {
        let units = |color: usize| (0..colors).map(|c| if c == color { memory[task] } else { 0 }).collect();
        vec![units(pairs[task]), units((pairs[task] + colors / 2) % colors)]
    };
    let tasks = 0..problem.tasks().len();
    Ok(Assignment {
        colors: tasks.clone().map(colors_of).collect(),
        memory: tasks.map(units_of).collect(),
        instance_of_job,
        copying,
        copy_cost: copy_cost.to_vec(),
        placement,
    })
}

/// Returns true if the window of the job overlaps a time when the color is blocked.
fn meets(problem: &Problem, job: &Job, color: usize) -> bool {
    until_burst(problem, job.release, color) < job.deadline || during_burst(problem, job.release, color)
}

/// Time from `time` to the next start of a burst of the color.
fn until_burst(problem: &Problem, time: Time, color: usize) -> Time {
    let rotation = problem.rotation();
    let start = color as Time * rotation.frame();
    (start + rotation.retention() - time % rotation.retention()) % rotation.retention()
}

fn during_burst(problem: &Problem, time: Time, color: usize) -> bool {
    problem.rotation().blocked_at(time) == Some(color)
}

/// Returns true if a burst of `color` comes before one of `opposite` after the job's release.
fn color_comes_next(problem: &Problem, job: &Job, color: usize, opposite: usize) -> bool {
    until_burst(problem, job.release, color) < until_burst(problem, job.release, opposite)
}

/// A first color for each task, below half the number of colors: largest memory first, into the pair with most room.
fn opposite_colors(problem: &Problem, memory: &[u64], capacity: &[u64]) -> Result<Vec<usize>, NotAntipodal> {
    let half = capacity.len() / 2;
    let mut room: Vec<u64> = (0..half)
        .map(|color| capacity[color].min(capacity[color + half]))
        .collect();
    let mut order: Vec<usize> = (0..memory.len()).collect();
    order.sort_by_key(|&task| std::cmp::Reverse(memory[task]));
    let mut pairs = vec![0; memory.len()];
    for task in order {
        let color = (0..half)
            .max_by_key(|&color| (room[color], std::cmp::Reverse(color)))
            .expect("at least two colors");
        let no_room = || NotAntipodal::NoRoom {
            task: problem.tasks()[task].name.clone(),
            needed: memory[task],
        };
        room[color] = room[color].checked_sub(memory[task]).ok_or_else(no_room)?;
        pairs[task] = color;
    }
    Ok(pairs)
}

fn place_with_copies(problem: &Problem, copying: &[Time]) -> Result<super::placement::Placement, NotAntipodal> {
    let total = copying.iter().map(|&cost| u128::from(cost)).sum::<u128>() + u128::from(problem.demand());
    Time::try_from(total).map_err(|_| NotAntipodal::Problem(ProblemError::Overflow(Overflow)))?;
    let mut network = problem.network();
    copying
        .iter()
        .enumerate()
        .for_each(|(job, &cost)| network.raise_supply(job, cost));
    if network.solve() {
        Ok(problem.placement(&network))
    } else {
        Err(NotAntipodal::Unschedulable(problem.bottleneck(&mut network)))
    }
}

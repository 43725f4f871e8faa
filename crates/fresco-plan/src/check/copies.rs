// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that every copy between instances is safe: while one is made, neither color may be refreshed (F10).

use super::report::{CheckReport, Violation, holds};
use super::spans::{first_common, union};
use crate::plan::{LockTimes, Plan, Schedule};
use fresco_rt::Time;

/// A copy under a budget waits for it: at its start, then each time that it has used the budget up, and so does the job after it.
pub(super) fn check_budgets(plan: &Plan) -> Result<(), Violation> {
    let Some(bandwidth) = &plan.bandwidth else {
        return Ok(());
    };
    let least = bandwidth
        .lines
        .iter()
        .copied()
        .filter(|lines| *lines > 0)
        .min()
        .unwrap_or(1);
    for (number, task) in plan
        .tasks
        .iter()
        .enumerate()
        .filter(|(_, task)| task.instances.len() > 1)
    {
        let (Some(copy), bytes) = (task.copy_ns, u128::from(task.global_bytes)) else {
            continue;
        };
        // Each line is fetched where it was and where it goes, and each of these may push a dirty one out.
        let moved =
            bytes.div_ceil(u128::from(bandwidth.line_bytes.max(1))) * if bandwidth.count_write_backs { 4 } else { 2 };
        let waits = (moved / u128::from(least) + 2) * u128::from(bandwidth.period_ns);
        let place = format!("tasks[{number}] ({}).copy_ns", task.name);
        holds! { bytes == 0 || u128::from(copy) > waits, &place, "is {copy}; a copy of {bytes} bytes may wait {waits} ns for a budget of {least} lines" }
    }
    Ok(())
}

/// Looks at every job that copies, for as long as jobs and locks take to repeat.
pub(super) fn check(plan: &Plan, report: &mut CheckReport) -> Result<(), Violation> {
    let Schedule::Servers { locks, .. } = &plan.schedule else {
        return Ok(());
    };
    let copied = plan
        .tasks
        .iter()
        .enumerate()
        .filter(|(_, task)| task.instance_of_job.len() > 1);
    let mut copies = 0;
    for (number, task) in copied {
        let place = format!("tasks[{number}] ({}).instance_of_job", task.name);
        let cycle = task.instance_of_job.len() as u64;
        let repeats = (task.period_ns.saturating_mul(cycle)).is_multiple_of(locks.period_ns);
        holds! { repeats, &place, "lists {cycle} jobs, which do not last for whole retention times" }
        for job in 0..cycle {
            let (own, before) = (
                task.instance_of_job[job as usize],
                task.instance_of_job[((job + cycle - 1) % cycle) as usize],
            );
            if own == before {
                continue;
            }
            copies += 1;
            let release = task.phase_ns.saturating_add(job.saturating_mul(task.period_ns)) % locks.period_ns;
            let window = [(release, release.saturating_add(task.deadline_ns))];
            for color in [own, before].into_iter().flat_map(|instance| task.colors_of(instance)) {
                let met = first_common(&window, &locked(locks, color, window[0].1));
                holds! { met.is_none() || task.global_bytes == 0, &place, "job {job} copies in a window in which color {color} is locked" }
            }
        }
    }
    if copies > 0 {
        report.facts.push(format!(
            "{copies} copies between instances are made while neither color is locked"
        ));
    }
    Ok(())
}

/// When a color is locked, up to `end`.
fn locked(locks: &LockTimes, color: usize, end: Time) -> Vec<(Time, Time)> {
    let (Some(&phase), Some(&burst)) = (locks.phase_ns.get(color), locks.burst_ns.get(color)) else {
        return Vec::new();
    };
    let length = locks.lock_ns + burst + locks.unlock_ns;
    let turns = 0..=end / locks.period_ns;
    union(
        turns
            .map(|turn| turn * locks.period_ns + phase)
            .map(|start| (start, start + length))
            .collect(),
    )
}

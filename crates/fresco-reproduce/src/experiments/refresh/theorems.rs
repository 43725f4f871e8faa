// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two theorems of Colored Refresh, tried out (CR-8, CR-13, E7).

use super::{MS, RANKS, failed, task};
use fresco_input::InputError;
use fresco_rt::executive::{Answer, CoAssign, Cores, Problem, Rotation, Slicing, candidates};
use fresco_rt::generate::{Deadlines, Periods, Phases, Recipe, Shares};
use fresco_rt::refresh::{Density, RETENTION, padded, refresh_interval};
use fresco_rt::time::lcm;
use fresco_rt::{Task, Time};

/// Sets that theorem 2 is tried on.
const SETS: u32 = 200;
/// Periods of their tasks, in milliseconds: the table repeats after 640 ms at the latest.
const PERIODS_MS: [Time; 7] = [10, 16, 20, 32, 40, 64, 80];

/// Of frames of 1 to 5 ms, counted from 0 on, those in which (10, 9.5) ms does not fit.
pub(super) fn theorem_1_failures() -> Result<u32, InputError> {
    let task = [task("t", 10 * MS, 19 * MS / 2)?];
    let mut failures = 0;
    for frame in (1..=5).map(|frame| frame * MS) {
        let length = lcm(task[0].period, frame).map_err(failed)?;
        let rotation = Rotation::frames(length, (length / frame) as usize).map_err(failed)?;
        let problem = Problem::new(&task, rotation, Cores::ONE, Slicing::Frames(frame)).map_err(failed)?;
        failures += u32::from(problem.place(|_, _| false).is_err());
    }
    Ok(failures)
}

/// Case 2a of the second theorem's proof promises (12, 11) ms a frame from 8 to 12 ms. Returns true if all frames that the
/// rules leave fail.
pub(super) fn theorem_2_case_2a() -> Result<bool, InputError> {
    let task = [task("t", 12 * MS, 11 * MS)?];
    let rotations = candidates(RETENTION, RANKS).into_iter();
    for rotation in rotations.filter(|rotation| (8 * MS..=12 * MS).contains(&rotation.frame())) {
        let problem = Problem::new(&task, rotation, Cores::ONE, Slicing::Frames(rotation.frame())).map_err(failed)?;
        if problem.place(|_, _| false).is_ok() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What random sets say about theorem 2.
pub(super) struct Theorem2 {
    /// Sets that can be scheduled under automatic refresh.
    pub(super) sets: u32,
    /// Those of them that cannot be scheduled with two instances of each task and no refresh met.
    pub(super) failures: u32,
}

/// Random sets that are feasible with execution times padded at 8 Gb (F15), each with the co-assignment of two instances in
/// frames of one rank. Sets for which the search gives up are drawn again.
pub(super) fn theorem_2(seed: u64) -> Result<Theorem2, InputError> {
    let rotation = Rotation::frames(RETENTION, RANKS).map_err(failed)?;
    let recipe = Recipe {
        tasks: 4,
        shares: Shares::UUniFast,
        bounds: (20_000, 900_000),
        periods: Periods::List(PERIODS_MS.map(|period| period * MS).to_vec()),
        deadlines: Deadlines::Implicit,
        phases: Phases::Zero,
        seed,
    };
    let mut found = Theorem2 { sets: 0, failures: 0 };
    for index in 0.. {
        if found.sets == SETS {
            break;
        }
        // From 40 % to 94 %: what is left has to hold the padding.
        let utilization = 400_000 + 30_000 * (index % 19) as u32;
        let set = recipe.set(utilization, index).map_err(failed)?;
        let Some(padded) = set.iter().map(with_refresh).collect::<Option<Vec<Task>>>() else {
            continue;
        };
        let layout = |tasks: &[Task]| Problem::new(tasks, rotation, Cores::ONE, Slicing::Anywhere).map_err(failed);
        if layout(&padded)?.place(|_, _| false).is_err() {
            continue;
        }
        let problem = layout(&set)?;
        match CoAssign::instances(&problem, 2).solve().map_err(failed)?.0 {
            Answer::Found(_) => {}
            Answer::Impossible(_) => found.failures += 1,
            Answer::Unknown => continue,
        }
        found.sets += 1;
    }
    Ok(found)
}

/// The task with the refreshes that it may meet at 8 Gb; `None` if it then misses its deadline.
fn with_refresh(task: &Task) -> Option<Task> {
    let wcet = padded(task.wcet, Density::Gb8.trfc(), refresh_interval(RETENTION))?;
    Task::new(&task.name, task.phase, task.period, wcet, task.deadline).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counterexamples_hold() {
        assert_eq!(theorem_1_failures().expect("small"), 2, "frames of 3 and 4 ms");
        assert!(theorem_2_case_2a().expect("small"));
    }
}

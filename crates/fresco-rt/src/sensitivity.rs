// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a schedule that works can be pushed, for any acceptance test.

use crate::refresh::Density;
use crate::task::Task;
use crate::time::Time;

/// The scale that changes nothing.
const AS_THEY_ARE: u32 = 1000;

/// Greatest scale of all execution times, in parts per thousand and at most `most`, that `accepts` passes; `None` if it passes
/// none. Scaled times are rounded up; a scale at which a time exceeds its deadline is not passed.
///
/// `accepts` must not gain by longer execution times: every sound test of this crate is sustainable in them (F27), so the scale is
/// bisected.
pub fn largest_wcet_scale(tasks: &[Task], most: u32, accepts: impl Fn(&[Task]) -> bool) -> Option<u32> {
    largest_known_wcet_scale(tasks, most, None, |tasks| Some(accepts(tasks))).0
}

/// As [`largest_wcet_scale`], where `accepts` may leave it open: such a scale counts as not passed, and the second result is then
/// false, as a greater scale may be passed. What is known of the tasks as they are, `now`, is not asked again: on which side of it the scale lies.
pub fn largest_known_wcet_scale(
    tasks: &[Task],
    most: u32,
    now: Option<bool>,
    mut accepts: impl FnMut(&[Task]) -> Option<bool>,
) -> (Option<u32>, bool) {
    let mut is_exact = true;
    let mut passes = |scale: u32| {
        let verdict = match scaled(tasks, scale) {
            Some(tasks) => accepts(&tasks),
            None => Some(false),
        };
        is_exact &= verdict.is_some();
        verdict == Some(true)
    };
    let (mut good, mut bad) = (1, most.saturating_add(1));
    match now {
        Some(true) => good = AS_THEY_ARE.min(most),
        Some(false) => bad = bad.min(AS_THEY_ARE),
        None => {}
    }
    if now != Some(true) && !passes(good) {
        return (None, is_exact);
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if passes(middle) { good = middle } else { bad = middle }
    }
    (Some(good), is_exact)
}

/// The tasks with execution times scaled by `scale` / 1000, rounded up and at least 1; `None` if one exceeds its deadline.
fn scaled(tasks: &[Task], scale: u32) -> Option<Vec<Task>> {
    tasks
        .iter()
        .map(|task| {
            let wcet = (u128::from(task.wcet) * u128::from(scale)).div_ceil(1000).max(1);
            let wcet = Time::try_from(wcet).ok()?;
            let task = Task { wcet, ..task.clone() };
            (wcet <= task.window()).then_some(task)
        })
        .collect()
}

/// Densities that `accepts` passes. Every one is tried: with a longer burst a schedule may work again (E32), so that
/// acceptance at one density says nothing about a lower one.
pub fn accepted_densities(accepts: impl Fn(Density) -> bool) -> Vec<Density> {
    Density::ALL.into_iter().filter(|&density| accepts(density)).collect()
}

/// Highest density that `accepts` passes.
pub fn highest_density(accepts: impl Fn(Density) -> bool) -> Option<Density> {
    Density::ALL.into_iter().rev().find(|&density| accepts(density))
}

/// Times of a list (bursts, retention times, costs of handlers) that `accepts` passes, each tried for the same reason.
pub fn accepted_times(times: &[Time], accepts: impl Fn(Time) -> bool) -> Vec<Time> {
    times.iter().copied().filter(|&time| accepts(time)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edf::edf_test;
    use crate::supply::Dedicated;

    #[test]
    fn a_half_loaded_processor_takes_twice_the_work() {
        let tasks = [(10, 2), (20, 6)].map(|(p, e)| Task::new("t", 0, p, e, p).unwrap());
        let accepts = |tasks: &[Task]| edf_test(tasks, &Dedicated).unwrap().is_schedulable();
        assert_eq!(largest_wcet_scale(&tasks, 5000, accepts), Some(2000));
        assert_eq!(largest_wcet_scale(&tasks, 1500, accepts), Some(1500));
        assert_eq!(largest_wcet_scale(&tasks, 5000, |_| false), None);
    }

    #[test]
    fn a_scale_that_is_left_open_is_no_refusal() {
        let tasks = [Task::new("t", 0, 20, 4, 20).unwrap()];
        // Open from 3000 on, refused from 4000 on.
        let accepts = |tasks: &[Task]| (tasks[0].wcet <= 12 || tasks[0].wcet > 16).then(|| tasks[0].wcet <= 12);
        assert_eq!(
            largest_known_wcet_scale(&tasks, 100_000, None, accepts),
            (Some(3000), false)
        );
        assert_eq!(
            largest_known_wcet_scale(&tasks, 2000, None, accepts),
            (Some(2000), true)
        );
        assert_eq!(largest_known_wcet_scale(&tasks, 2000, None, |_| None), (None, false));
    }

    /// What is known of the tasks as they are spares half of the scales or more, and changes no result.
    #[test]
    fn what_is_known_is_not_asked_again() {
        for most_wcet in [1, 3, 4, 5, 9, 20] {
            let tasks = [Task::new("t", 0, 20, 4, 20).unwrap()];
            let asked = |now: Option<bool>| {
                let mut scales = Vec::new();
                let found = largest_known_wcet_scale(&tasks, 100_000, now, |tasks| {
                    scales.push(tasks[0].wcet);
                    Some(tasks[0].wcet <= most_wcet)
                });
                (found, scales)
            };
            let (found, all) = asked(None);
            let (same, fewer) = asked(Some(most_wcet >= 4));
            assert_eq!(found, same, "{most_wcet}");
            assert!(fewer.len() < all.len(), "{most_wcet}: {} of {}", fewer.len(), all.len());
            match most_wcet {
                4.. => assert!(fewer.iter().all(|&wcet| wcet >= 4)),
                _ => assert!(fewer.iter().all(|&wcet| wcet <= 4)),
            }
        }
        assert_eq!(
            largest_known_wcet_scale(&[], 500, Some(true), |_| Some(true)),
            (Some(500), true)
        );
    }

    #[test]
    fn densities_are_scanned() {
        let odd = |density: Density| density != Density::Gb4 && density <= Density::Gb16;
        assert_eq!(highest_density(odd), Some(Density::Gb16));
        assert_eq!(
            accepted_densities(odd),
            [Density::Gb1, Density::Gb2, Density::Gb8, Density::Gb16]
        );
        assert_eq!(accepted_times(&[1, 2, 3], |burst| burst != 2), [1, 3]);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! When jobs of periodic tasks arrive and are ready: at the period, or as late as their jitters allow, drawn for each job.

use fresco_dram::Ps;
use fresco_rt::Task;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A job's arrival, from which its deadline counts, and when it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    pub arrived: Ps,
    pub ready: Ps,
}

impl Arrival {
    /// That of a job of which nothing is known but when it comes.
    pub fn at(at: Ps) -> Self {
        Self { arrived: at, ready: at }
    }

    /// That of a task's job `number`, after that of the job before. Jitters are uniform in whole nanoseconds; the same `seed` draws the same.
    pub fn of(task: &Task, number: u64, seed: u64, before: Option<Self>) -> Self {
        let nominal = task.phase + number * task.period;
        if (task.arrival_jitter, task.release_jitter) == (0, 0) {
            return Self::at(nominal * 1000);
        }
        let rng = &mut Pcg64::seed_from_u64(seed.wrapping_add(number));
        let arrived = (nominal + rng.random_range(0..=task.arrival_jitter)) * 1000;
        let late = rng.random_range(0..=task.release_jitter) * 1000;
        // Arrivals keep their order and their distance, and jobs are ready in that order.
        let arrived = before.map_or(arrived, |job| arrived.max(job.arrived + task.min_distance * 1000));
        let ready = before.map_or(arrived + late, |job| (arrived + late).max(job.ready));
        Self { arrived, ready }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is drawn keeps to the task: each job in its jitter, no two too close, none ready before it arrives or after a later one.
    #[test]
    fn arrivals_keep_to_their_event_model() {
        let task = Task::new("t", 5, 100, 10, 90).unwrap();
        let task = task.arriving(250, 20).unwrap().ready_late(40).unwrap();
        let (mut before, mut burst) = (None::<Arrival>, false);
        let mut arrivals = Vec::new();
        for number in 0..2000 {
            let job = Arrival::of(&task, number, 7, before);
            let nominal = (5 + 100 * number) * 1000;
            assert!((nominal..=nominal + 250_000).contains(&job.arrived));
            assert!((job.arrived..=job.arrived + 40_000).contains(&job.ready));
            if let Some(before) = before {
                assert!(job.arrived >= before.arrived + 20_000 && job.ready >= before.ready);
                burst |= job.arrived - before.arrived < 30_000;
            }
            before = Some(job);
            arrivals.push(job.arrived);
        }
        assert!(burst);
        for (first, &at) in arrivals.iter().enumerate() {
            for (jobs, &later) in (1..).zip(&arrivals[first + 1..(first + 8).min(2000)]) {
                assert!(u128::from(later - at) >= task.spread(jobs) * 1000);
            }
        }
    }

    #[test]
    fn without_jitter_jobs_come_at_the_period() {
        let task = Task::new("t", 5, 100, 10, 90).unwrap();
        assert_eq!(Arrival::of(&task, 3, 1, None), Arrival::at(305_000));
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jobs of a periodic task: released at multiples of a period, whatever became of the job before (BEN-5).

use super::native::Native;
use crate::stop::Stop;
use serde::Serialize;
use std::time::{Duration, Instant};

/// A job, its times since the release of the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    /// Release, in nanoseconds.
    pub release_ns: u64,
    /// When it began.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
}

/// The jobs of a task, and what they amount to.
#[derive(Clone, Debug, Serialize)]
pub struct Jobs {
    /// Distance of releases, in nanoseconds.
    pub period_ns: u64,
    /// Deadline after the release.
    pub deadline_ns: u64,
    /// Jobs that were released.
    pub released: u64,
    /// Those that ended after their deadline, or not at all.
    pub misses: u64,
    /// Largest less smallest response time.
    pub response_jitter_ns: u64,
    /// Largest less smallest time from release to start.
    pub start_jitter_ns: u64,
    /// Each that ended.
    pub jobs: Vec<Job>,
}

impl Jobs {
    /// Of all jobs that ended; so many were released.
    pub fn new(period_ns: u64, deadline_ns: u64, released: u64, jobs: Vec<Job>) -> Self {
        let spread = |values: &dyn Fn(&Job) -> u64| {
            let all = || jobs.iter().map(values);
            all().max().unwrap_or(0) - all().min().unwrap_or(0)
        };
        let in_time = jobs.iter().filter(|job| job.response_ns() <= deadline_ns).count() as u64;
        Self {
            period_ns,
            deadline_ns,
            released,
            misses: released.saturating_sub(in_time),
            response_jitter_ns: spread(&Job::response_ns),
            start_jitter_ns: spread(&|job| job.start_ns - job.release_ns),
            jobs,
        }
    }

    /// Runs jobs on this machine: one pass each, after one that is not counted. Ctrl-C ends them after the job at hand.
    pub fn run(native: &mut Native, count: u64, period: Duration, deadline: Duration, stop: &Stop) -> Self {
        native.pass();
        let first = Instant::now() + period;
        let since = |at: Instant| at.saturating_duration_since(first).as_nanos() as u64;
        let mut jobs = Vec::with_capacity(count as usize);
        for number in 0..count {
            if stop.is_asked() && !jobs.is_empty() {
                break;
            }
            let release = Duration::from_nanos(period.as_nanos() as u64 * number);
            // A job that is late is released all the same: it begins as soon as the one before has ended.
            while let Some(left) = (first + release).checked_duration_since(Instant::now()) {
                if left.is_zero() {
                    break;
                }
                std::thread::sleep(left);
            }
            let start = Instant::now();
            native.pass();
            jobs.push(Job {
                release_ns: release.as_nanos() as u64,
                start_ns: since(start),
                end_ns: since(Instant::now()),
            });
        }
        let released = jobs.len() as u64;
        Self::new(period.as_nanos() as u64, deadline.as_nanos() as u64, released, jobs)
    }
}

impl Job {
    /// From release to end.
    pub fn response_ns(&self) -> u64 {
        self.end_ns - self.release_ns
    }
}

#[cfg(test)]
mod tests {
    use super::super::pattern::AccessPattern;
    use super::*;

    #[test]
    fn misses_and_jitter_of_a_worked_example() {
        let job = |release_ns, start_ns, end_ns| Job {
            release_ns,
            start_ns,
            end_ns,
        };
        let jobs = vec![job(0, 1, 5), job(10, 13, 19), job(20, 20, 24)];
        let found = Jobs::new(10, 8, 4, jobs);
        // The second took 9, and the fourth never ended.
        assert_eq!((found.released, found.misses), (4, 2));
        assert_eq!((found.response_jitter_ns, found.start_jitter_ns), (9 - 4, 3));
    }

    #[test]
    fn jobs_are_released_on_time_and_late_ones_are_not_put_off() {
        let pattern = AccessPattern::record("bandwidth", "access = 'read'\nbytes = '1 MiB'", 1).expect("a pattern");
        let found = Jobs::run(
            &mut Native::new(&pattern),
            20,
            Duration::from_micros(500),
            Duration::from_micros(1),
            &Stop::never(),
        );
        assert_eq!((found.released, found.jobs.len()), (20, 20));
        for (number, job) in (0u64..).zip(&found.jobs) {
            assert_eq!(job.release_ns, 500_000 * number);
            assert!(job.release_ns <= job.start_ns && job.start_ns < job.end_ns, "{job:?}");
        }
        assert!(found.jobs.windows(2).all(|two| two[0].end_ns <= two[1].start_ns));
        // A megabyte in a microsecond: nobody can.
        assert_eq!(found.misses, 20);
    }
}

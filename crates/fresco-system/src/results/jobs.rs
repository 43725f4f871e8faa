// SPDX-License-Identifier: MIT OR Apache-2.0
//! The jobs of a periodic task: response times, jitter, deadlines missed (MET-2, BEN-5, BEN-6).

use super::distribution::Distribution;
use super::reads::Latency;
use super::spread::{ns, ratio};
use super::task::is_none;
use crate::experiment::JobRecord;
use fresco_dram::Ps;
use serde::{Deserialize, Serialize};

/// What the jobs of a task did that were released after the warm-up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobsResult {
    /// Distance of releases, in nanoseconds.
    pub period_ns: u64,
    /// Relative deadline, in nanoseconds.
    pub deadline_ns: u64,
    /// Jobs whose deadline lies within the run, without those abandoned before it.
    pub released: u64,
    /// Jobs abandoned before their deadlines, because a change of mode dropped the task.
    #[serde(default, skip_serializing_if = "is_none")]
    pub abandoned: u64,
    /// Those that ended within the run.
    pub completed: u64,
    /// Those that ended after their deadline, or not at all.
    pub misses: u64,
    /// `misses / released`.
    pub miss_rate: f64,
    /// From release to end, of those that ended.
    pub response: Latency,
    /// Largest less smallest response time, in nanoseconds.
    pub response_jitter_ns: f64,
    /// Largest less smallest time from release to start, in nanoseconds.
    pub start_jitter_ns: f64,
    /// How long they had the core, waiting for memory included: the largest is the measured WCET.
    pub execution: Latency,
    /// Every job, those of the warm-up too.
    pub jobs: Vec<JobRecord>,
    #[serde(skip)]
    pub(crate) responses: Distribution,
}

impl JobsResult {
    /// Of all jobs of a task, in a run that ended at `horizon`. Those released before `warm` are not counted.
    pub(crate) fn new(task: &fresco_rt::Task, jobs: Vec<JobRecord>, warm: Ps, horizon: Ps) -> Self {
        let counted = |job: &&JobRecord| {
            let is_due = job.deadline_ps.is_some_and(|deadline| deadline <= horizon);
            job.release_ps >= warm && is_due && !job.is_abandoned()
        };
        let (mut responses, mut execution) = (Distribution::default(), Distribution::default());
        let mut starts: Option<(Ps, Ps)> = None;
        let (mut released, mut misses) = (0, 0);
        for job in jobs.iter().filter(counted) {
            released += 1;
            misses += u64::from(job.is_missed(horizon));
            if let Some(start) = job.start_ps {
                let wait = start - job.release_ps;
                let (least, most) = starts.unwrap_or((wait, wait));
                starts = Some((least.min(wait), most.max(wait)));
            }
            if let Some(response) = job.response_ps() {
                responses.record(response);
                execution.record(job.execution_ps);
            }
        }
        let response = responses.latency();
        Self {
            period_ns: task.period,
            deadline_ns: task.deadline,
            released,
            abandoned: jobs.iter().filter(|job| job.is_abandoned()).count() as u64,
            completed: responses.count(),
            misses,
            miss_rate: ratio(misses as f64, released as f64),
            response_jitter_ns: response.max_ns - response.min_ns,
            response,
            start_jitter_ns: starts.map_or(0.0, |(least, most)| ns(most - least)),
            execution: execution.latency(),
            jobs,
            responses,
        }
    }
}

/// The jobs of a task over all repetitions of a point.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JobsSummary {
    /// Jobs whose deadline lies within their run.
    pub released: u64,
    /// Those that ended after their deadline, or not at all.
    pub misses: u64,
    /// `misses / released`.
    pub miss_rate: f64,
    /// Response times of all of them together.
    pub response: Latency,
}

impl JobsSummary {
    /// Of the same task in all repetitions; `None` if it has no period.
    pub(crate) fn of<'r>(runs: impl Iterator<Item = Option<&'r JobsResult>>) -> Option<Self> {
        let runs: Vec<&JobsResult> = runs.collect::<Option<_>>()?;
        let mut responses = Distribution::default();
        runs.iter().for_each(|run| responses.add(&run.responses));
        let [released, misses] = [|run: &&JobsResult| run.released, |run: &&JobsResult| run.misses]
            .map(|count| runs.iter().map(count).sum::<u64>());
        Some(Self {
            released,
            misses,
            miss_rate: ratio(misses as f64, released as f64),
            response: responses.latency(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(number: u64, start: Ps, end: Option<Ps>) -> JobRecord {
        let release = number * 20_000;
        JobRecord {
            job: number,
            instance: 0,
            release_ps: release,
            start_ps: Some(release + start),
            end_ps: end.map(|end| release + end),
            deadline_ps: Some(release + 13_000),
            abandoned_ps: None,
            execution_ps: 5_000,
            preemptions: 0,
            copied_bytes: 0,
            reads: 0,
            in_memory_ps: 0,
            in_memory_min_ps: 0,
            chain: 0,
            may_be_read: Default::default(),
            met_refresh_reads: 0,
            refresh_wait_ps: 0,
        }
    }

    #[test]
    fn jobs_after_the_warm_up_whose_deadline_lies_within_the_run() {
        let task = fresco_rt::Task::new("hrt", 0, 20, 13, 13).expect("a task");
        let jobs = vec![
            job(0, 9_000, Some(19_000)),
            job(1, 0, Some(12_000)),
            job(2, 1_000, Some(14_000)),
            job(3, 3_000, None),
            job(4, 0, Some(10_000)),
            job(5, 0, None),
        ];
        let result = JobsResult::new(&task, jobs, 20_000, 100_000);
        assert_eq!((result.released, result.completed, result.misses), (4, 3, 2));
        assert_eq!(result.miss_rate, 0.5);
        assert_eq!((result.response.min_ns, result.response.max_ns), (10.0, 14.0));
        assert_eq!((result.response_jitter_ns, result.start_jitter_ns), (4.0, 3.0));
        let summary = JobsSummary::of([Some(&result), Some(&result)].into_iter()).expect("periodic");
        assert_eq!((summary.released, summary.misses, summary.miss_rate), (8, 4, 0.5));
        assert!(JobsSummary::of([Some(&result), None].into_iter()).is_none());
    }
}

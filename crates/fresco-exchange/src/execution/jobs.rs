// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recorded jobs of tasks that share slots, against the plan's.

use super::judge::Spread;
use super::members::Member;
use super::records::Record;
use super::slots::SlotTable;
use fresco_rt::Time;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a thread of a task did from its becoming ready until it slept. Times are those of CLOCK_MONOTONIC in ns; `None` for what has not
/// happened.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Job {
    /// Number of the arrival.
    pub job: u64,
    /// The processor that it ran last on.
    pub cpu: u32,
    /// The task.
    pub task: String,
    /// The thread.
    pub thread: u32,
    /// By the plan.
    pub arrived_ns: Time,
    /// It waited from then on.
    pub ready_ns: Time,
    /// By the plan.
    pub deadline_ns: Time,
    /// It ran first.
    pub started_ns: Option<Time>,
    /// It slept; `None` if it had not come to that when recording ended.
    pub ended_ns: Option<Time>,
    /// For how long it ran.
    pub ran_ns: Time,
    /// The thread ended with it.
    pub exits: bool,
    /// The thread is the pager of `fresco run`.
    pub pager: bool,
}

/// What has become of the jobs of a task. What several threads did for the same arrival is one job: the pager's part as far as it began before
/// the others were done. What ends a program is none: of the last arrival what threads did that ended then, if that was no later
/// than a period after the deadline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JobJudgement {
    /// The task.
    pub task: String,
    /// Jobs that ended, or were due before recording ended.
    pub jobs: u64,
    /// That ended after their deadline, or not at all.
    pub missed: u64,
    /// That ran for longer than the plan's execution time.
    pub overran: u64,
    /// That began while one waited that goes first, for longer than the bound.
    pub out_of_turn: u64,
    /// The longest that a job ran, in ns.
    pub longest_ns: Time,
    /// From becoming ready until it ran.
    pub start: Spread,
    /// From the arrival until the job's end.
    pub response: Spread,
    /// There are jobs, and none is missed, overrun or out of turn.
    pub holds: bool,
}

/// All that was recorded of a job.
#[derive(Clone, Copy, Debug)]
struct Whole {
    ended: Option<Time>,
    ran: Time,
}

/// Judges jobs. Those that arrived within `after_ns` after the first slot of the records are left out, unless they went on for more than a period
/// and a deadline after that, and those that are due after the last one and have not ended. One of them may begin before another that goes first if that was ready less than `late_ns` before.
///
/// Returns, too, how many jobs are not of the plan: of no task of it, or with other times.
pub fn judge_jobs(
    table: &SlotTable,
    records: &[Record],
    jobs: &[Job],
    late_ns: Time,
    after_ns: Time,
) -> (Vec<JobJudgement>, u64) {
    let members: BTreeMap<&str, &Member> = table
        .members
        .iter()
        .map(|member| (member.task.as_str(), member))
        .collect();
    let begin = records.iter().map(|record| record.begin_ns).min().unwrap_or(0);
    let begin = begin.saturating_add(after_ns);
    let end = records.iter().map(|record| record.end_ns).max().unwrap_or(0);
    let is_planned = |job: &&Job| {
        let member = members.get(job.task.as_str());
        member.is_some_and(|member| member.times(job.job) == (job.arrived_ns, job.deadline_ns))
    };
    let not_planned = jobs.iter().filter(|job| !is_planned(job)).count() as u64;
    let judged: Vec<&Job> = jobs
        .iter()
        .filter(is_planned)
        .filter(|job| {
            let is_late = members.get(job.task.as_str()).is_some_and(|member| {
                let grace = member.period_ns.saturating_add(member.deadline_ns);
                job.ended_ns.unwrap_or(end) > begin.saturating_add(grace)
            });
            (job.arrived_ns >= begin || is_late) && (job.ended_ns.is_some() || job.deadline_ns < end)
        })
        .collect();
    let turns = out_of_turn(table, &members, &judged, late_ns);
    let of_task = |member: &Member| {
        let all = || judged.iter().filter(|job| job.task == member.task);
        let last = all().map(|job| job.job).max();
        // Whoever is a period late was not made so by the end of its program.
        let is_end = move |job: &Job| {
            let is_overdue = job
                .ended_ns
                .is_none_or(|ended| ended > job.deadline_ns.saturating_add(member.period_ns));
            job.exits && Some(job.job) == last && !is_overdue
        };
        let own = || all().filter(move |job| !is_end(job));
        let mut wholes: BTreeMap<u64, Whole> = BTreeMap::new();
        for job in own().filter(|job| !job.pager) {
            let whole = wholes.entry(job.job).or_insert(Whole { ended: Some(0), ran: 0 });
            whole.ended = whole.ended.zip(job.ended_ns).map(|(one, other)| one.max(other));
            whole.ran = whole.ran.saturating_add(job.ran_ns);
        }
        for job in own().filter(|job| job.pager) {
            let part = wholes.get_mut(&job.job).filter(|whole| {
                job.started_ns
                    .is_some_and(|started| whole.ended.is_none_or(|ended| started < ended))
            });
            if let Some(whole) = part {
                whole.ran = whole.ran.saturating_add(job.ran_ns);
            }
        }
        let count =
            |is: &dyn Fn(u64, &Whole) -> bool| wholes.iter().filter(|(job, whole)| is(**job, whole)).count() as u64;
        let missed = count(&|job, whole| whole.ended.is_none_or(|ended| ended > member.times(job).1));
        let overran = count(&|_, whole| whole.ran > member.wcet_ns);
        let out_of_turn = own()
            .filter(|job| !job.pager && turns.contains(&(job.thread, job.ready_ns)))
            .count() as u64;
        let starts = own()
            .filter(|job| !job.pager)
            .filter_map(|job| Some(job.started_ns?.saturating_sub(job.ready_ns)));
        let responses = wholes
            .iter()
            .filter_map(|(job, whole)| Some(whole.ended?.saturating_sub(member.times(*job).0)));
        JobJudgement {
            task: member.task.clone(),
            jobs: wholes.len() as u64,
            missed,
            overran,
            out_of_turn,
            longest_ns: wholes.values().map(|whole| whole.ran).max().unwrap_or(0),
            start: Spread::of(starts.collect()),
            response: Spread::of(responses.collect()),
            holds: !wholes.is_empty() && missed + overran + out_of_turn == 0,
        }
    };
    (table.members.iter().map(of_task).collect(), not_planned)
}

/// A job, and its place in the queue.
type Placed<'a> = (&'a Job, (Time, u32));

/// The order of what happens at the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Ends,
    Begins,
    Waits,
}

/// Jobs, by thread and the time when they were ready, that began while another one of the same slots and color waited or had been stopped that
/// goes first.
fn out_of_turn(
    table: &SlotTable,
    members: &BTreeMap<&str, &Member>,
    jobs: &[&Job],
    late_ns: Time,
) -> BTreeSet<(u32, Time)> {
    let mut found = BTreeSet::new();
    let mut shared: BTreeMap<(&str, u32), Vec<Placed<'_>>> = BTreeMap::new();
    for job in jobs {
        if let Some(member) = members.get(job.task.as_str()) {
            let place = member.place(table.order, job.job);
            shared
                .entry((&member.slots, member.color))
                .or_default()
                .push((job, place));
        }
    }
    for own in shared.values() {
        let mut events: Vec<(Time, What, usize)> = Vec::new();
        for (number, (job, _)) in own.iter().enumerate() {
            // One that has missed its deadline gives way.
            let ended = job.ended_ns.unwrap_or(Time::MAX).min(job.deadline_ns);
            let waits = job.ready_ns.saturating_add(late_ns);
            if waits < ended {
                events.extend([(waits, What::Waits, number), (ended, What::Ends, number)]);
            }
            events.extend(job.started_ns.map(|started| (started, What::Begins, number)));
        }
        events.sort_unstable();
        let mut pending: BTreeSet<((Time, u32), usize)> = BTreeSet::new();
        for (_, what, number) in events {
            let (job, place) = own[number];
            match what {
                What::Waits => _ = pending.insert((place, number)),
                What::Ends => _ = pending.remove(&(place, number)),
                What::Begins => {
                    if pending.first().is_some_and(|(first, _)| *first < place) {
                        found.insert((job.thread, job.ready_ns));
                    }
                }
            }
        }
    }
    found
}

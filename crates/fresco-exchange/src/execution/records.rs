// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco-scheduler table --records` writes: a line of JSON for each slot that has ended, and for each job of tasks that share slots.

use super::jobs::Job;
use fresco_input::InputError;
use fresco_rt::Time;
use serde::Deserialize;

/// A slot that has ended. Times are those of CLOCK_MONOTONIC in ns; `None` for what has not happened.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Record {
    /// The turn of the table.
    pub frame: u64,
    /// The processor.
    pub cpu: u32,
    /// The task, or the name of slots that tasks share; `None` of time that has no slot.
    pub task: Option<String>,
    /// As planned.
    pub begin_ns: Time,
    /// As planned.
    pub end_ns: Time,
    /// When the task ran first. It may be after the end, where the processor was late to turn to the next slot.
    pub started_ns: Option<Time>,
    /// When it ran last.
    pub stopped_ns: Option<Time>,
    /// For how long it ran. It is counted from the slot's begin on where a task goes on from one slot into its next one, and
    /// `started_ns` is then somewhat later: when the processor turned to that.
    pub ran_ns: Time,
    /// It was ready when the slot began.
    pub ready: bool,
    /// It was stopped at the slot's end.
    pub cut: bool,
    /// It was stopped at the end of the last slot of a job, as the table had it.
    pub overran: bool,
    /// It waited, and did not run.
    pub missed: bool,
    /// Slots and gaps right before this one that the processor never turned to.
    pub skipped: u32,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// The records of slots.
    pub records: Vec<Record>,
    /// Those of jobs.
    pub jobs: Vec<Job>,
    /// What was left out at the end, as in a file of a program that was killed: where and what, in a line.
    pub left_out: Option<String>,
}

const ALLOWED: &str =
    "lines of JSON as `fresco run PLAN --records FILE` and `fresco-scheduler table --records FILE` write them";
const HELP: &str = "name the file that one of these has written";
const AS_WRITTEN: &str = "name the file as it was written: the scheduler writes no such line";

/// What a line is of.
#[derive(Deserialize)]
struct Kind {
    /// A record of a job has its number.
    #[serde(default)]
    job: Option<serde::de::IgnoredAny>,
}

/// Reads records. A last line that was not written to its end and blank lines behind the last one are left out.
///
/// # Errors
/// There are none; a line that is none, or that cannot be true.
pub fn parse_records(file: &str, text: &str) -> Result<Records, InputError> {
    let written = text.trim_end();
    let last = written.lines().count();
    let blank = text[written.len()..].lines().count() > 1;
    let mut left_out = blank.then(|| format!("{file}: blank lines at the end are left out"));
    let (mut records, mut jobs) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(written.lines()) {
        let refused = |found: String| {
            InputError::new(file, found)
                .at_line(u32::try_from(number).unwrap_or(u32::MAX))
                .allowed(ALLOWED)
                .help(HELP)
        };
        if serde_json::from_str::<Kind>(line).is_ok_and(|kind| kind.job.is_some()) {
            match serde_json::from_str::<Job>(line) {
                Ok(job) => match job_contradiction(&job) {
                    None => jobs.push(job),
                    Some((found, allowed)) => return Err(refused(found).allowed(allowed).help(AS_WRITTEN)),
                },
                Err(error) => return Err(refused(format!("found no record of a job: {}", said(&error)))),
            }
            continue;
        }
        match serde_json::from_str::<Record>(line) {
            Ok(record) => match contradiction(&record) {
                None => records.push(record),
                Some((found, allowed)) => return Err(refused(found).allowed(allowed).help(AS_WRITTEN)),
            },
            Err(error) if error.is_eof() && number == last && !records.is_empty() => {
                left_out = Some(format!("{file}:{number}: the last line is incomplete, and left out"));
            }
            Err(_) if line.trim().is_empty() => return Err(refused("found a blank line between records".to_owned())),
            Err(error) => return Err(refused(format!("found no record of a slot: {}", said(&error)))),
        }
    }
    if records.is_empty() {
        return Err(InputError::new(file, "found no record in it")
            .allowed("a line for each slot that has ended")
            .help("name a file of records of tasks that ran for a while; `fresco run` writes none before the first slot has ended"));
    }
    Ok(Records {
        records,
        jobs,
        left_out,
    })
}

/// What is wrong with a line: its number is told by who names the file.
fn said(error: &serde_json::Error) -> String {
    let (text, place) = (
        error.to_string(),
        format!(" at line {} column {}", error.line(), error.column()),
    );
    let text = text.strip_suffix(&place).unwrap_or(&text);
    match error.is_data() {
        true => text.to_owned(),
        false => format!("{text}, at character {}", error.column()),
    }
}

/// What cannot be true of a record as the scheduler writes it, and what can.
fn contradiction(record: &Record) -> Option<(String, &'static str)> {
    let Record {
        begin_ns,
        end_ns,
        started_ns,
        stopped_ns,
        ran_ns,
        ..
    } = *record;
    if end_ns <= begin_ns {
        return Some((
            format!("found end_ns {end_ns}, which is not after begin_ns {begin_ns}"),
            "a slot that ends after its begin",
        ));
    }
    if record.task.is_none() && (started_ns.is_some() || record.ready || record.missed) {
        return Some((
            "found a task that ran or waited where \"task\" is null".to_owned(),
            "null of time that has no slot, in which no task of the table runs or waits",
        ));
    }
    if record.overran && !record.cut {
        return Some((
            "found overran without cut".to_owned(),
            "overran of a task that was cut at the end of its slot",
        ));
    }
    let Some(started) = started_ns else {
        let found = [
            (stopped_ns.is_some(), "stopped_ns"),
            (ran_ns > 0, "ran_ns above 0"),
            (record.cut, "cut"),
        ];
        let (_, found) = found.into_iter().find(|(is_found, _)| *is_found)?;
        return Some((
            format!("found {found} of a task that has not run, as started_ns is null"),
            "stopped_ns null, ran_ns 0 and no cut of a task that has not run",
        ));
    };
    if record.missed {
        return Some((
            format!("found missed of a task that ran from started_ns {started} on"),
            "missed of a task that waited and has not run",
        ));
    }
    let Some(stopped) = stopped_ns else {
        return Some((
            format!("found no stopped_ns of a task that ran from started_ns {started} on"),
            "when it ran last: a record is written when the task has stopped",
        ));
    };
    // One that began after the end, and goes on in the next slot, has the end as its stop.
    if stopped < started.min(end_ns) {
        return Some((
            format!("found stopped_ns {stopped} before started_ns {started}"),
            "a stop that is not before the start",
        ));
    }
    if record.cut && stopped < end_ns {
        return Some((
            format!("found cut of a task that stopped at {stopped}, before end_ns {end_ns}"),
            "cut of a task that was still running at the end of its slot",
        ));
    }
    let most = stopped - begin_ns.min(started).min(stopped);
    (ran_ns > most).then(|| {
        (
            format!("found ran_ns {ran_ns}, though from begin_ns to stopped_ns there are {most} ns"),
            "no longer than from the slot's begin to the task's stop",
        )
    })
}

/// What of a job cannot be, and what can.
fn job_contradiction(job: &Job) -> Option<(String, &'static str)> {
    let Job {
        arrived_ns,
        ready_ns,
        deadline_ns,
        started_ns,
        ended_ns,
        ran_ns,
        ..
    } = *job;
    let started = started_ns.unwrap_or(ready_ns);
    // A program may be ready before its phase.
    let is_early = arrived_ns > ready_ns && job.job > 0;
    if is_early || started < ready_ns || ended_ns.is_some_and(|ended| ended < started) {
        return Some((
            format!(
                "found a job that arrived at {arrived_ns}, was ready at {ready_ns}, started at {started} and ended at {}",
                ended_ns.unwrap_or(started)
            ),
            "an arrival, a job that is ready, a start and an end, in this order",
        ));
    }
    if deadline_ns < arrived_ns {
        return Some((
            format!("found deadline_ns {deadline_ns} before arrived_ns {arrived_ns}"),
            "a deadline that is not before the arrival",
        ));
    }
    let has_run = started_ns.is_some();
    let most = match (has_run, ended_ns) {
        (false, _) => 0,
        (true, None) => Time::MAX,
        (true, Some(ended)) => ended - started,
    };
    (ran_ns > most).then(|| {
        (
            format!("found ran_ns {ran_ns} of a job that had {most} ns from its start to its end"),
            "no longer than from the job's start to its end",
        )
    })
}

// SPDX-License-Identifier: GPL-2.0-only
//! What has become of the jobs of tasks that share slots.

use crate::table::Table;
use serde::Serialize;

/// `struct job` of jobs.h, of a thread. Times are CLOCK_MONOTONIC in ns, 0 for what has not happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// Of the arrivals of its task.
    pub number: u64,
    /// It waits from then on.
    pub ready: u64,
    /// Ran first.
    pub started: u64,
    /// Sleeps.
    pub ended: u64,
    /// How long it ran.
    pub ran: u64,
    /// Number of the task, and the CPU that it ran last on.
    pub task: u32,
    pub cpu: u32,
    pub thread: u32,
    /// What is true of it.
    pub flags: u32,
}

/// As jobs.h has them.
const EXITS: u32 = 1;
const PAGER: u32 = 2;

impl Job {
    /// Its size in the ring.
    pub const BYTES: usize = 64;

    /// Of the bytes that the kernel wrote; `None` if they are too few.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<{ Self::BYTES }>()?;
        let long = |n: usize| u64::from_ne_bytes(std::array::from_fn(|i| bytes[n * 8 + i]));
        let short = |n: usize| u32::from_ne_bytes(std::array::from_fn(|i| bytes[n * 4 + i]));
        Some(Self {
            number: long(0),
            ready: long(1),
            started: long(2),
            ended: long(3),
            ran: long(4),
            task: short(12),
            cpu: short(13),
            thread: short(14),
            flags: short(15),
        })
    }
}

/// A job as a line of JSON.
#[derive(Serialize)]
pub struct JobLine<'t> {
    job: u64,
    cpu: u32,
    task: &'t str,
    thread: u32,
    arrived_ns: u64,
    ready_ns: u64,
    deadline_ns: u64,
    started_ns: Option<u64>,
    ended_ns: Option<u64>,
    ran_ns: u64,
    exits: bool,
    pager: bool,
}

impl<'t> JobLine<'t> {
    /// Of a job of a table; `None` if it is of none of its tasks.
    pub fn of(job: &Job, table: &'t Table) -> Option<Self> {
        let (task, member) = table.tasks.iter().zip(&table.members).nth(job.task as usize)?;
        let (arrived_ns, deadline_ns) = member.times(job.number);
        let time = |at: u64| (at > 0).then_some(at);
        Some(Self {
            job: job.number,
            cpu: job.cpu,
            task: &task.name,
            thread: job.thread,
            arrived_ns,
            ready_ns: job.ready,
            deadline_ns,
            started_ns: time(job.started),
            ended_ns: time(job.ended),
            ran_ns: job.ran,
            exits: job.flags & EXITS != 0,
            pager: job.flags & PAGER != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_the_kernel() {
        let mut bytes: Vec<u8> = (1u64..=6).flat_map(u64::to_ne_bytes).collect();
        bytes.extend((0u32..=3).flat_map(u32::to_ne_bytes));
        let text = "format = \"fresco-table/1\"\nframe_ns = 100000\norder = \"rank\"\ntask = [{ name = \"a\", slots = \"s\", rank = 0, \
            period_ns = 10, deadline_ns = 9, phase_ns = 5 }]\nslot = [{ core = 0, start_ns = 0, length_ns = 20000, task = \"s\" }]";
        let table = crate::table::parse(text, "t").expect("a table");
        let job = Job::read(&bytes).expect("a job");
        assert_eq!((job.task, job.cpu, job.thread), (0, 1, 2));
        let line = serde_json::to_string(&JobLine::of(&job, &table)).expect("JSON");
        let wanted = "{\"job\":1,\"cpu\":1,\"task\":\"a\",\"thread\":2,\"arrived_ns\":15,\"ready_ns\":2,\"deadline_ns\":24,\
            \"started_ns\":3,\"ended_ns\":4,\"ran_ns\":5,\"exits\":true,\"pager\":true}";
        assert_eq!(line, wanted);
        assert_eq!(Job::read(&bytes[1..]), None);
        assert!(JobLine::of(&Job { task: 1, ..job }, &table).is_none());
    }
}

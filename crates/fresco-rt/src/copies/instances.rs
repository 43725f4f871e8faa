// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which instance each job of a copy task uses: a table over the least common multiple of its period and the retention time.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::task::Task;
use crate::time::{Overflow, Time, lcm};
use crate::toplevel::Locks;

/// What one job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Color of the instance it uses, hence its server.
    pub color: usize,
    /// Whether it first copies the data from the other instance.
    pub copies: bool,
}

/// Instances of all jobs of a turn, from job 0 on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceTable {
    /// The turn: least common multiple of the period and the retention time.
    pub length: Time,
    /// By job.
    pub jobs: Vec<Instance>,
}

impl InstanceTable {
    /// The instance of job `k` of all.
    pub fn of_job(&self, k: u64) -> Instance {
        self.jobs[(k % self.jobs.len() as u64) as usize]
    }

    /// Copies in a turn.
    pub fn switches(&self) -> usize {
        self.jobs.iter().filter(|job| job.copies).count()
    }
}

/// Which of the jobs that may copy does: it decides which server has more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Switch {
    /// The first after the last job that needs the old instance.
    Earliest,
    /// The last before the first job that needs the new instance.
    Latest,
}

/// Why there is no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoInstances {
    /// The locks are of so many colors, not two.
    Colors(usize),
    /// In the window of this job both colors are locked for a while; holds its number and the window.
    BothLocked(u64, Time, Time),
    /// Between these jobs, which need different instances, none has a window in which no color is locked.
    NoSwitch(u64, u64),
    /// A job that copies needs this long, more than its deadline; holds both.
    CopyTooLong(Time, Time),
    /// The table is beyond 64 bits or has more than [`MAX_JOBS`] jobs.
    TooLong,
}

/// Longest table, in jobs.
pub const MAX_JOBS: Time = 1 << 20;

impl fmt::Display for NoInstances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoInstances::Colors(found) => write!(f, "there are locks of {found} colors; copies have two"),
            NoInstances::BothLocked(job, from, to) => write!(
                f,
                "both colors are locked between the release of job {job} at {from} and its deadline at {to}"
            ),
            NoInstances::NoSwitch(from, to) => write!(
                f,
                "jobs {from} and {to} need different instances, and no job between them can copy: in each window a color is \
                 locked"
            ),
            NoInstances::CopyTooLong(need, deadline) => {
                write!(f, "a job that copies needs {need}, beyond its deadline of {deadline}")
            }
            NoInstances::TooLong => write!(
                f,
                "the table has more than {MAX_JOBS} jobs: choose a period that shares more factors with the retention time"
            ),
        }
    }
}

impl std::error::Error for NoInstances {}

impl From<Overflow> for NoInstances {
    fn from(_: Overflow) -> Self {
        NoInstances::TooLong
    }
}

/// Shortest time between lock windows: tRET/2 − B for the two servers' locks (F11); `None` without locks.
pub fn least_gap(locks: &Locks) -> Option<Time> {
    let mut windows: Vec<(Time, Time)> = (0..locks.colors().len())
        .map(|color| locks.window(color, 0))
        .map(|window| (window.start, window.end))
        .collect();
    windows.sort_unstable();
    let next = windows.iter().skip(1).map(|window| window.0);
    let again = windows.first().map(|window| window.0 + locks.retention());
    let ends = windows.iter().map(|window| window.1);
    ends.zip(next.chain(again)).map(|(end, start)| start - end).min()
}

/// Whether `p + D` is within the shortest gap between locks (F11): then every gap holds the whole window of a job, whatever its
/// phase, and there are at most two copies in a retention time.
pub fn switches_twice(task: &Task, locks: &Locks) -> bool {
    let needed = task.period.saturating_add(task.deadline);
    least_gap(locks).is_none_or(|gap| needed <= gap)
}

/// Chooses instances with the fewest copies; a task that meets no lock at all stays in color `home`.
///
/// # Errors
/// Why no table has a conflict-free instance for each job and a safe place for each copy.
pub fn assign_instances(
    task: &Task,
    copy_cost: Time,
    locks: &Locks,
    home: usize,
    switch: Switch,
) -> Result<InstanceTable, NoInstances> {
    if locks.colors().len() != 2 {
        return Err(NoInstances::Colors(locks.colors().len()));
    }
    let length = lcm(task.period, locks.retention())?;
    let count = length / task.period;
    if count > MAX_JOBS {
        return Err(NoInstances::TooLong);
    }
    // The color each job needs, if one is locked in its window.
    let needed = (0..count).map(|k| needed_color(task, locks, k));
    let needed = needed.collect::<Result<Vec<Option<usize>>, NoInstances>>()?;
    let bound: Vec<usize> = (0..needed.len()).filter(|&k| needed[k].is_some()).collect();
    let mut jobs = vec![
        Instance {
            color: home.min(1),
            copies: false
        };
        needed.len()
    ];
    for (i, &from) in bound.iter().enumerate() {
        let to = bound.get(i + 1).copied().unwrap_or(bound[0] + jobs.len());
        let (old, new) = (needed[from].unwrap_or(0), needed[to % jobs.len()].unwrap_or(0));
        let at = match switch {
            _ if old == new => to,
            _ if from + 1 == to => return Err(NoInstances::NoSwitch(from as u64, to as u64 % count)),
            Switch::Earliest => from + 1,
            Switch::Latest => to - 1,
        };
        for k in from..to {
            let turn = jobs.len();
            jobs[k % turn] = Instance {
                color: if k < at { old } else { new },
                copies: k == at,
            };
        }
    }
    let switching = task.wcet.saturating_add(copy_cost);
    if switching > task.deadline && jobs.iter().any(|job| job.copies) {
        return Err(NoInstances::CopyTooLong(switching, task.deadline));
    }
    Ok(InstanceTable { length, jobs })
}

/// The color that is not locked in the window of a job; `None` if none is.
fn needed_color(task: &Task, locks: &Locks, k: u64) -> Result<Option<usize>, NoInstances> {
    let release = task
        .phase
        .checked_add(k.checked_mul(task.period).ok_or(Overflow)?)
        .ok_or(Overflow)?;
    let end = release.checked_add(task.deadline).ok_or(Overflow)?;
    match [0, 1].map(|color| meets_lock(locks, color, release, end)) {
        [false, false] => Ok(None),
        [true, false] => Ok(Some(1)),
        [false, true] => Ok(Some(0)),
        [true, true] => Err(NoInstances::BothLocked(k, release, end)),
    }
}

/// Whether `color` is locked at some instant of `[from, to)`. Locks go on from the first one in both directions of time.
fn meets_lock(locks: &Locks, color: usize, from: Time, to: Time) -> bool {
    let (retention, length) = (locks.retention(), locks.window_length(color));
    // Since the window began that is the last to begin by `from`.
    let since = (from % retention + retention - locks.colors()[color].phase) % retention;
    length > 0 && (since < length || to - from > retention - since)
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two servers with copy tasks, tested by running their jobs in their slots: exact for known phases.

use std::fmt;

use super::CopyTask;
use super::instances::{InstanceTable, NoInstances, Switch, assign_instances};
use crate::listed::{JobList, ListError, Served, ranks};
use crate::policy::Policy;
use crate::supply::{SlotTable, Supply};
use crate::task::{Task, hyperperiod};
use crate::time::{Overflow, Time, lcm, lcm_all};
use crate::toplevel::{Locks, TopLevel, TopLevelError, server_tables};

/// What the test finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyVerdict {
    /// Every job of both servers meets its deadline; holds the instances of each copy task.
    Schedulable(Vec<InstanceTable>),
    /// A job misses in this server; holds the server, the name of the task and the number of the job in a turn.
    Missed(usize, String, u64),
    /// A copy task (by name) has no table of instances.
    NoInstances(String, NoInstances),
    /// Neither a miss nor turns that repeat.
    Undecided,
}

/// Why two servers cannot be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyError {
    /// The servers have no table.
    TopLevel(TopLevelError),
    /// The jobs are too many to list.
    List(ListError),
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CopyError::TopLevel(error) => error.fmt(f),
            CopyError::List(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CopyError {}

impl From<TopLevelError> for CopyError {
    fn from(error: TopLevelError) -> Self {
        CopyError::TopLevel(error)
    }
}

impl From<ListError> for CopyError {
    fn from(error: ListError) -> Self {
        CopyError::List(error)
    }
}

impl From<Overflow> for CopyError {
    fn from(error: Overflow) -> Self {
        CopyError::List(error.into())
    }
}

/// Tests idling servers; `workloads[c]` runs in server `c`, the jobs of `shared` in the server that their table says.
///
/// The jobs of each server are an explicit list, run in its slots (F26) turn after turn. Exact for the phases given, and
/// sustainable in execution times (F27); it says nothing about other phases or sporadic arrivals.
///
/// # Errors
/// [`TopLevel::repeat`]; more jobs than are listed.
pub fn copies_test(
    top: &TopLevel,
    workloads: [&[Task]; 2],
    shared: &[CopyTask],
    policy: Policy,
    switch: Switch,
) -> Result<CopyVerdict, CopyError> {
    let (tables, _) = server_tables(top)?;
    let instances = match instances(shared, top.locks(), switch) {
        Ok(instances) => instances,
        Err((name, why)) => return Ok(CopyVerdict::NoInstances(name, why)),
    };
    for color in 0..2 {
        let server = ServerJobs::new(color, workloads[color], shared, &instances);
        match server.serve(&tables[color].slots, policy)? {
            Served::Met(_) => {}
            Served::Missed { job, .. } => {
                let (name, index) = server.name(&tables[color].slots, job)?;
                return Ok(CopyVerdict::Missed(color, name, index));
            }
            Served::Unsettled => return Ok(CopyVerdict::Undecided),
        }
    }
    Ok(CopyVerdict::Schedulable(instances))
}

/// Instances of each copy task; or the one that has none.
pub(super) fn instances(
    shared: &[CopyTask],
    locks: &Locks,
    switch: Switch,
) -> Result<Vec<InstanceTable>, (String, NoInstances)> {
    let tables = shared.iter().map(|copy| {
        let table = assign_instances(&copy.task, copy.copy_cost, locks, 0, switch);
        table.map_err(|why| (copy.task.name.clone(), why))
    });
    tables.collect()
}

/// The jobs of a server, to be run in many tables.
pub(super) struct ListedJobs {
    list: JobList,
    by_release: Vec<usize>,
    ranks: Option<Vec<usize>>,
    /// Execution of all jobs in a turn.
    demand: u128,
}

impl ListedJobs {
    /// No budget in every `period` below this delivers as much as the jobs need.
    pub(super) fn share(&self, period: Time) -> Time {
        let share = (self.demand * u128::from(period)).div_ceil(u128::from(self.list.length()));
        Time::try_from(share).unwrap_or(Time::MAX).min(period)
    }

    /// Whether every job meets its deadline in the slots.
    pub(super) fn are_served(&self, slots: &SlotTable) -> Result<bool, CopyError> {
        Ok(self.first_miss(slots, Time::MAX)?.is_none())
    }

    /// The deadline of a job that misses, and 0 where there is more to do than time; a run up to `until` finds those up to there alone.
    pub(super) fn first_miss(&self, slots: &SlotTable, until: Time) -> Result<Option<Time>, CopyError> {
        let supply = u128::from(slots.total()) * u128::from(self.list.length() / slots.period());
        if self.demand > supply {
            return Ok(Some(0));
        }
        let ranks = self.ranks.as_deref();
        Ok(match self.list.serve_until(slots, ranks, &self.by_release, until)? {
            None | Some(Served::Met(_)) => None,
            Some(Served::Missed { deadline, .. }) => Some(deadline),
            Some(Served::Unsettled) => Some(0),
        })
    }
}

/// What runs in one server: its tasks, and those jobs of the copy tasks that use its color.
pub(super) struct ServerJobs<'a> {
    color: usize,
    shared: &'a [CopyTask],
    instances: &'a [InstanceTable],
    tasks: Vec<Task>,
}

impl<'a> ServerJobs<'a> {
    pub(super) fn new(
        color: usize,
        own: &[Task],
        shared: &'a [CopyTask],
        instances: &'a [InstanceTable],
    ) -> ServerJobs<'a> {
        let copies = shared.iter().map(|copy| copy.task.clone());
        ServerJobs {
            color,
            shared,
            instances,
            tasks: own.iter().cloned().chain(copies).collect(),
        }
    }

    /// The jobs of one turn of everything.
    fn list(&self, slots: &SlotTable) -> Result<JobList, CopyError> {
        let turn = lcm_all(self.instances.iter().map(|table| table.length))?;
        let turn = lcm(lcm(hyperperiod(&self.tasks)?, turn)?, slots.period())?;
        let mut list = JobList::new(turn)?;
        let own = self.tasks.len() - self.shared.len();
        for (number, task) in self.tasks.iter().enumerate() {
            match number.checked_sub(own) {
                None => list.add(number, task, |_| Some(task.wcet))?,
                Some(shared) => {
                    let (table, cost) = (&self.instances[shared], self.shared[shared].copy_cost);
                    list.add(number, task, |k| {
                        let instance = table.of_job(k);
                        let demand: Time = task.wcet + if instance.copies { cost } else { 0 };
                        (instance.color == self.color).then_some(demand)
                    })?;
                }
            }
        }
        Ok(list)
    }

    /// Runs the jobs in the slots of a server.
    fn serve(&self, slots: &SlotTable, policy: Policy) -> Result<Served, CopyError> {
        let ranks = ranks(policy, &self.tasks);
        Ok(self.list(slots)?.serve(slots, ranks.as_deref())?)
    }

    /// The jobs for tables as long as that of these slots, listed and ordered once.
    pub(super) fn listed(&self, slots: &SlotTable, policy: Policy) -> Result<ListedJobs, CopyError> {
        let list = self.list(slots)?;
        Ok(ListedJobs {
            by_release: list.by_release(),
            ranks: ranks(policy, &self.tasks),
            demand: list.jobs().iter().map(|job| u128::from(job.demand)).sum(),
            list,
        })
    }

    /// Name of a job's task, and its number.
    fn name(&self, slots: &SlotTable, job: usize) -> Result<(String, u64), CopyError> {
        let job = self.list(slots)?.jobs()[job];
        Ok((self.tasks[job.task].name.clone(), job.index))
    }
}

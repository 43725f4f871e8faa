// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two servers with copy tasks, tested by running their jobs in their slots: exact for known phases.

use std::cell::{OnceCell, RefCell};
use std::fmt;

use super::CopyTask;
use super::instances::{InstanceTable, NoInstances, Switch, assign_instances};
use super::windows::Window;
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
fn instances(shared: &[CopyTask], locks: &Locks, switch: Switch) -> Result<Vec<InstanceTable>, (String, NoInstances)> {
    let tables = shared.iter().map(|copy| {
        let table = assign_instances(&copy.task, copy.copy_cost, locks, 0, switch);
        table.map_err(|why| (copy.task.name.clone(), why))
    });
    tables.collect()
}

/// Retention times at the begin of which the jobs are listed at once: most tables that do not serve them fail there.
const EARLY: Time = 2;

/// The jobs of a server, to be run in many tables.
pub(super) struct ListedJobs<'a> {
    jobs: ServerJobs<'a>,
    /// The first jobs, and their order: up to `reach`, tables that do not serve them do not serve all.
    early: (Vec<usize>, JobList),
    reach: Time,
    /// All jobs, once they are asked for.
    whole: OnceCell<(Vec<usize>, JobList)>,
    ranks: Option<Vec<usize>>,
    length: Time,
    /// Execution of all jobs in a turn.
    demand: u128,
    /// That of the jobs of some windows.
    known: RefCell<Vec<(Window, u128)>>,
}

/// A job that misses its deadline.
pub(super) struct Miss {
    /// The deadline; 0 where there is more to do than time.
    pub deadline: Time,
    /// The slots in it are too few for the jobs that are released and due there; `None` if none is found.
    pub window: Option<Window>,
}

impl Miss {
    /// There is more to do than time.
    pub const AT_ONCE: Self = Miss {
        deadline: 0,
        window: None,
    };
}

impl ListedJobs<'_> {
    /// Execution of all jobs in every `length`, rounded up.
    pub(super) fn demand_per(&self, length: Time) -> u128 {
        (self.demand * u128::from(length)).div_ceil(u128::from(self.length))
    }

    /// Whether every job meets its deadline in the slots.
    pub(super) fn are_served(&self, slots: &SlotTable) -> Result<bool, CopyError> {
        Ok(self.first_miss(slots, Time::MAX)?.is_none())
    }

    /// A job that misses its deadline in the slots; a run up to `until` finds those up to there alone.
    pub(super) fn first_miss(&self, slots: &SlotTable, until: Time) -> Result<Option<Miss>, CopyError> {
        let supply = u128::from(slots.total()) * u128::from(self.length / slots.period());
        if self.demand > supply {
            return Ok(Some(Miss::AT_ONCE));
        }
        let (order, list) = match until <= self.reach {
            true => &self.early,
            false => self.whole()?,
        };
        Ok(match list.first_miss(slots, self.ranks.as_deref(), order, until)? {
            None | Some(Served::Met(_)) => None,
            Some(Served::Missed { deadline, .. }) => Some(Miss {
                deadline,
                window: list
                    .overfull(slots, order, deadline)
                    .map(|from| Window { from, to: deadline }),
            }),
            Some(Served::Unsettled) => Some(Miss::AT_ONCE),
        })
    }

    /// Execution of jobs that are released and due in a window.
    pub(super) fn demand_within(&self, window: Window) -> u128 {
        let mut known = self.known.borrow_mut();
        if let Some((_, demand)) = known.iter().find(|(known, _)| *known == window) {
            return *demand;
        }
        let demand = self.jobs.demand_within(window, self.length);
        known.push((window, demand));
        demand
    }

    fn whole(&self) -> Result<&(Vec<usize>, JobList), CopyError> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let list = self.jobs.list_first(self.length, Time::MAX)?;
        Ok(self.whole.get_or_init(|| (list.by_release(), list)))
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

    /// One turn of everything.
    fn turn(&self, slots: &SlotTable) -> Result<Time, CopyError> {
        let turn = lcm_all(self.instances.iter().map(|table| table.length))?;
        Ok(lcm(lcm(hyperperiod(&self.tasks)?, turn)?, slots.period())?)
    }

    /// The jobs of a turn.
    fn list(&self, slots: &SlotTable) -> Result<JobList, CopyError> {
        self.list_first(self.turn(slots)?, Time::MAX)
    }

    /// Those of the first jobs of a turn that are released before an instant.
    fn list_first(&self, turn: Time, until: Time) -> Result<JobList, CopyError> {
        let mut list = JobList::new(turn)?;
        let own = self.tasks.len() - self.shared.len();
        for (number, task) in self.tasks.iter().enumerate() {
            match number.checked_sub(own) {
                None => list.add_first(number, task, until, |_| Some(task.wcet))?,
                Some(shared) => {
                    let (table, cost) = (&self.instances[shared], self.shared[shared].copy_cost);
                    list.add_first(number, task, until, |k| {
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

    /// The jobs for tables as long as that of these slots, to be run in many of them.
    pub(super) fn listed(self, slots: &SlotTable, policy: Policy) -> Result<ListedJobs<'a>, CopyError> {
        let length = self.turn(slots)?;
        let reach = slots.period().saturating_mul(EARLY);
        let early = self.list_first(length, reach)?;
        Ok(ListedJobs {
            early: (early.by_release(), early),
            reach,
            whole: OnceCell::new(),
            demand: self.demand(length),
            known: RefCell::default(),
            ranks: ranks(policy, &self.tasks),
            length,
            jobs: self,
        })
    }

    /// Execution of all jobs in a turn of `length`.
    fn demand(&self, length: Time) -> u128 {
        let own = self.tasks.len() - self.shared.len();
        let of_own = |task: &Task| u128::from(length / task.period) * u128::from(task.wcet);
        let of_shared = |(copy, table): (&CopyTask, &InstanceTable)| {
            let here = table.jobs.iter().filter(|instance| instance.color == self.color);
            let demand = here.map(|instance| {
                let copying = if instance.copies { copy.copy_cost } else { 0 };
                u128::from(copy.task.wcet) + u128::from(copying)
            });
            demand.sum::<u128>() * u128::from(length / table.length)
        };
        let shared = self.shared.iter().zip(self.instances);
        self.tasks[..own].iter().map(of_own).sum::<u128>() + shared.map(of_shared).sum::<u128>()
    }

    /// Execution of jobs that are released and due in a window, in turns of `length` one after the other. Jobs that only a phase beyond a period
    /// sends round the turn to its begin are left out.
    fn demand_within(&self, window: Window, length: Time) -> u128 {
        let own = self.tasks.len() - self.shared.len();
        let of_task = |(number, task): (usize, &Task)| {
            let phase = task.phase % length;
            let first = window.from.saturating_sub(phase).div_ceil(task.period);
            let last = window.to.checked_sub(phase.saturating_add(task.deadline));
            let end = last.map_or(0, |rest| rest / task.period + 1);
            let Some(shared) = number.checked_sub(own) else {
                return u128::from(end.saturating_sub(first)) * u128::from(task.wcet);
            };
            let (table, cost) = (&self.instances[shared], self.shared[shared].copy_cost);
            let here = (first..end)
                .map(|k| table.of_job(k))
                .filter(|instance| instance.color == self.color);
            here.map(|instance| u128::from(task.wcet) + u128::from(if instance.copies { cost } else { 0 }))
                .sum()
        };
        self.tasks.iter().enumerate().map(of_task).sum()
    }

    /// Name of a job's task, and its number.
    fn name(&self, slots: &SlotTable, job: usize) -> Result<(String, u64), CopyError> {
        let job = self.list(slots)?.jobs()[job];
        Ok((self.tasks[job.task].name.clone(), job.index))
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Servers for workloads and copy tasks: as search B, with explicit jobs on the tables.

use super::CopyTask;
use super::accept::{CopyError, ListedJobs, Miss, ServerJobs};
use super::instances::{InstanceTable, Switch, assign_instances};
use super::windows::Windows;
use crate::patience::{Patience, Progress};
use crate::policy::Policy;
use crate::search::Space;
use crate::spans::Spans;
use crate::supply::SlotTable;
use crate::task::Task;
use crate::time::Time;
use crate::toplevel::{Frame, Server, TopLevel, TopLevelError};

/// For each color, whether a task meets its deadlines alone, with all the time that the color's lock and the handlers leave. With other
/// tasks it has less.
///
/// # Errors
/// More jobs than are listed.
pub fn waits_for_locks(task: &Task, policy: Policy, space: &Space) -> Result<[bool; 2], CopyError> {
    let frame = Frame::new(space.locks(), space.locks().retention());
    let mut waits = [true; 2];
    for (color, waits) in waits.iter_mut().enumerate() {
        let all = frame.table(frame.free(color));
        let server = ServerJobs::new(color, std::slice::from_ref(task), &[], &[]);
        *waits = server.listed(&all, policy)?.are_served(&all)?;
    }
    Ok(waits)
}

/// Servers, and who runs in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundWithCopies {
    /// The servers with their locks.
    pub top: TopLevel,
    /// The workload (0 or 1) that runs in each server.
    pub order: [usize; 2],
    /// Where copies are made.
    pub switch: Switch,
    /// The instances of each copy task.
    pub instances: Vec<InstanceTable>,
}

/// The servers of the longest period that [`copies_test`](super::copies_test) accepts: the first has the least budget that serves
/// it, which leaves the second the most. `None` if there are none in the space.
///
/// # Errors
/// As [`copies_test`](super::copies_test); [`TopLevelError::Stopped`].
pub fn servers_with_copies(
    workloads: [&[Task]; 2],
    shared: &[CopyTask],
    policy: Policy,
    space: &Space,
    patience: Patience<'_>,
) -> Result<Option<FoundWithCopies>, CopyError> {
    ServerSearch::new(policy, space).servers(workloads, shared, patience)
}

/// [`servers_with_copies`] for many workloads of the same tasks: what refused some refuses others without a run.
pub struct ServerSearch<'a> {
    policy: Policy,
    space: &'a Space,
    frame: Frame,
    /// With budgets as long as any period, each server has all that its lock leaves: what that does not serve, nothing does.
    all: [SlotTable; 2],
    windows: Windows,
    /// Instances of copy tasks, for each way to switch.
    instances: Vec<(CopyTask, [Option<InstanceTable>; 2])>,
    /// Runs that have been made.
    runs: u64,
}

const SWITCHES: [Switch; 2] = [Switch::Earliest, Switch::Latest];

/// What may run in the servers.
struct Case<'a> {
    switch: Switch,
    instances: &'a [InstanceTable],
    order: [usize; 2],
    jobs: [ListedJobs<'a>; 2],
}

impl<'a> ServerSearch<'a> {
    /// Of servers in this space.
    pub fn new(policy: Policy, space: &'a Space) -> Self {
        let frame = Frame::new(space.locks(), space.locks().retention());
        ServerSearch {
            policy,
            space,
            all: [0, 1].map(|color| frame.table(frame.free(color))),
            windows: Windows::new(&frame),
            frame,
            instances: Vec::new(),
            runs: 0,
        }
    }

    /// Runs of jobs in slots that have been made so far.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// As [`servers_with_copies`].
    ///
    /// # Errors
    /// As [`servers_with_copies`].
    pub fn servers(
        &mut self,
        workloads: [&[Task]; 2],
        shared: &[CopyTask],
        patience: Patience<'_>,
    ) -> Result<Option<FoundWithCopies>, CopyError> {
        let (policy, mut far) = (self.policy, self.space.locks().retention());
        let ways = self.ways(shared);
        let all = self.all.clone();
        let mut cases = Vec::new();
        for (switch, instances) in &ways {
            for order in [[0, 1], [1, 0]] {
                let listed = |color: usize| {
                    let jobs = ServerJobs::new(color, workloads[order[color]], shared, instances);
                    jobs.listed(&all[color], policy)
                };
                let first = listed(0)?;
                if self.windows.exclude(&self.frame, 0, &first) || self.miss(0, &first, &all[0], far)?.is_some() {
                    continue;
                }
                let second = listed(1)?;
                if !self.windows.exclude(&self.frame, 1, &second)
                    && self.miss(1, &second, &all[1], far).unwrap_or(None).is_none()
                {
                    cases.push(Case {
                        switch: *switch,
                        instances,
                        order,
                        jobs: [first, second],
                    });
                }
            }
        }
        for (tried, &period) in (0u64..).zip(self.space.periods().iter().rev()) {
            for case in &cases {
                let at = Progress {
                    what: "periods of servers with copies",
                    done: tried,
                    most: self.space.periods().len() as u64,
                };
                if patience.is_over(at) {
                    return Err(TopLevelError::Stopped.into());
                }
                let Some(budget) = self.least_budget(&case.jobs, period, &mut far) else {
                    continue;
                };
                let rest = rest(&self.frame, period, budget);
                if self.miss(1, &case.jobs[1], &rest, Time::MAX)?.is_none() {
                    let servers = [Server { period, budget }, Server { period, budget: period }];
                    return Ok(Some(FoundWithCopies {
                        top: TopLevel::new(servers, self.space.locks().clone())?,
                        order: case.order,
                        switch: case.switch,
                        instances: case.instances.to_vec(),
                    }));
                }
            }
        }
        Ok(None)
    }

    /// The instances of the copy tasks for each way to switch that they have, each of them once.
    fn ways(&mut self, shared: &[CopyTask]) -> Vec<(Switch, Vec<InstanceTable>)> {
        let locks = self.space.locks();
        let mut known: Vec<usize> = Vec::new();
        for copy in shared {
            let place = self.instances.iter().position(|(known, _)| known == copy);
            known.push(place.unwrap_or(self.instances.len()));
            if place.is_none() {
                let table = |switch| assign_instances(&copy.task, copy.copy_cost, locks, 0, switch).ok();
                self.instances.push((copy.clone(), SWITCHES.map(table)));
            }
        }
        let mut ways: Vec<(Switch, Vec<InstanceTable>)> = Vec::new();
        for (number, switch) in SWITCHES.into_iter().enumerate() {
            let tables = known.iter().map(|&place| self.instances[place].1[number].clone());
            if let Some(tables) = tables.collect::<Option<Vec<_>>>()
                && ways.iter().all(|(_, other)| *other != tables)
            {
                ways.push((switch, tables));
            }
        }
        ways
    }

    /// The first job that misses in slots of the server of a color, up to an instant; what window had too few of them is remembered.
    fn miss(
        &mut self,
        color: usize,
        jobs: &ListedJobs<'_>,
        slots: &SlotTable,
        until: Time,
    ) -> Result<Option<Miss>, CopyError> {
        self.runs += 1;
        let miss = jobs.first_miss(slots, until)?;
        if let Some(window) = miss.as_ref().and_then(|miss| miss.window) {
            self.windows.note(&self.frame, color, window);
        }
        Ok(miss)
    }

    /// The least budget of server 0 that serves its jobs; `None` if there is none, or as soon as it is known that what it leaves does not
    /// serve those of server 1.
    ///
    /// A larger budget only adds slots, and jobs that are served in some slots are served in more. A miss tells a window with too few slots, hence
    /// the least budget for that window: under EDF it is tried next, and after a few misses nothing misses any more. Where none is told, as with
    /// fixed priorities, budgets are bisected.
    ///
    /// A run that finds no miss lasts a whole turn or more. So at first only the beginning is run, up to `far`, and then
    /// all of it with the least budget for that; where a job misses then, `far` is as far from there on.
    fn least_budget(&mut self, [first, second]: &[ListedJobs<'_>; 2], period: Time, far: &mut Time) -> Option<Time> {
        let mut low = self.enough(first, period, 0)?;
        if !self.is_left_enough(second, period, low, *far) {
            return None;
        }
        loop {
            let mut high = period;
            let (mut misses, mut is_likely) = (0, true);
            while low < high {
                // Now and then the middle: windows may ask for little more each.
                let budget = if is_likely && misses % 4 < 3 {
                    low
                } else {
                    low + (high - low) / 2
                };
                let Some(miss) = self.first_miss(first, period, budget, *far) else {
                    high = budget;
                    continue;
                };
                misses += 1;
                is_likely = miss.window.is_some();
                low = self.enough(first, period, budget + 1)?;
                // No less will do for the first, and more leaves less.
                if !self.is_left_enough(second, period, low, *far) {
                    return None;
                }
            }
            match self.first_miss(first, period, low, Time::MAX) {
                None => return Some(low),
                Some(_) if low == period => return None,
                Some(Miss { deadline, .. }) => {
                    *far = if deadline > *far { deadline } else { Time::MAX };
                    low = self.enough(first, period, low + 1)?;
                }
            }
        }
    }

    /// The least budget from `least` on that known windows do not exclude.
    fn enough(&mut self, first: &ListedJobs<'_>, period: Time, least: Time) -> Option<Time> {
        self.windows.least(&self.frame, first, period, least)
    }

    /// The first job of the first server that misses with a budget. What cannot be listed for a budget is not served.
    fn first_miss(&mut self, first: &ListedJobs<'_>, period: Time, budget: Time, until: Time) -> Option<Miss> {
        let slots = self.frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
        let miss = self.miss(0, first, &self.frame.table(&slots), until);
        miss.unwrap_or(Some(Miss::AT_ONCE))
    }

    /// Whether it is not known that a budget of the first server leaves the second too little. Whether what cannot be listed is served is told by the
    /// budget that is found.
    fn is_left_enough(&mut self, second: &ListedJobs<'_>, period: Time, budget: Time, until: Time) -> bool {
        if self.windows.leave_too_little(&self.frame, second, period, budget) {
            return false;
        }
        let left = self.miss(1, second, &rest(&self.frame, period, budget), until);
        left.map_or(true, |miss| miss.is_none())
    }
}

/// What server 0 leaves to server 1.
fn rest(frame: &Frame, period: Time, budget: Time) -> SlotTable {
    let higher = frame.grant(Server { period, budget }, 0, &Spans::default()).slots;
    frame.table(&frame.grant(Server { period, budget: period }, 1, &higher).slots)
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a schedule, in nanoseconds, to the dispatchers of the cores, in picoseconds.

use super::Dispatcher;
use super::alone::Alone;
use super::by_color::ByColor;
use super::by_table::{ByTable, Releases, TableSlot};
use super::global::{Global, Queue};
use crate::experiment::fair::{FairDispatcher, Shares};
use crate::experiment::{Experiment, Schedule};
use fresco_dram::Ps;
use fresco_input::InputError;
use fresco_rt::executive::Table;
use fresco_rt::policy::{Order, Policy};
use fresco_rt::simulation::Dispatch;
use fresco_rt::supply::{SlotTable, Supply};
use fresco_rt::toplevel::{ColorLock, Locks, Server};

/// Picoseconds of a nanosecond.
const NS: Ps = 1000;

/// One dispatcher per core under a schedule of the experiment. `pages` are those of each task's first memory by bank color.
pub(crate) fn dispatchers(
    experiment: &Experiment,
    schedule: &Schedule,
    pages: &[Vec<(u32, u64)>],
) -> Result<Vec<Box<dyn Dispatcher>>, InputError> {
    let too_long = |what: &str| {
        experiment
            .error(format!("found {what} whose times are too long"))
            .allowed("retention times up to 2^48 ps, periods up to 2^62 ps")
            .help("give times in nanoseconds")
    };
    let cores = 0..experiment.machine.cores as usize;
    let locks = match schedule {
        Schedule::Servers { locks, .. } | Schedule::Flat { locks, .. } | Schedule::Burst { locks, .. } => {
            Some(scaled_locks(locks).ok_or_else(|| too_long("locks"))?)
        }
        Schedule::Slots { .. } | Schedule::Plain { .. } | Schedule::Table { .. } | Schedule::Fair(_) => None,
    };
    if let (true, Schedule::Plain { policy } | Schedule::Burst { policy, .. }) = (experiment.migrates, schedule) {
        let all: Vec<usize> = (0..experiment.tasks.len()).collect();
        let queue = Queue::new(*policy, ranks_of(experiment, all, *policy), cores.len());
        let core = |core| Box::new(Global::new(core, queue.clone(), locks.clone())) as Box<dyn Dispatcher>;
        return Ok(cores.map(core).collect());
    }
    let shares = match schedule {
        Schedule::Fair(_) => Some(Shares::new(experiment, pages)?),
        _ => None,
    };
    let by_color = |core: usize, policy: Policy, dispatch: Dispatch, handler: Ps| -> Box<dyn Dispatcher> {
        let colors = (schedule.colors(), schedule.is_colored());
        let ranks = ranks(experiment, core, policy);
        Box::new(ByColor::new(colors, policy, ranks, dispatch, locks.clone(), handler))
    };
    cores
        .map(|core| {
            Ok(match schedule {
                Schedule::Fair(fair) => {
                    let shares = shares.clone().expect("a fair schedule has them");
                    Box::new(FairDispatcher::new(experiment, *fair, shares)) as Box<dyn Dispatcher>
                }
                Schedule::Table { table, lock_ns } => Box::new(by_table(experiment, table, *lock_ns, core)),
                Schedule::Servers {
                    cores, idling, policy, ..
                } => {
                    let scaled = |server: &Server| {
                        let period = server.period().checked_mul(NS)?;
                        Server::new(period, server.budget().checked_mul(NS)?).ok()
                    };
                    let servers: Option<Vec<Server>> = cores[core].iter().map(scaled).collect();
                    let servers = servers.ok_or_else(|| too_long("servers"))?;
                    let dispatch = match idling {
                        true => Dispatch::Idling(servers),
                        false => Dispatch::Deferrable(servers),
                    };
                    by_color(core, *policy, dispatch, 0)
                }
                Schedule::Slots { cores, policy } => {
                    let tables: Option<Vec<SlotTable>> = cores[core].slots.iter().map(scaled_slots).collect();
                    let tables = tables.ok_or_else(|| too_long("slots"))?;
                    by_color(core, *policy, Dispatch::Slots(tables), cores[core].handler_ns * NS)
                }
                Schedule::Plain { .. } if tasks_of(experiment, core).nth(1).is_none() => {
                    let task = tasks_of(experiment, core).next();
                    Box::new(Alone { task })
                }
                Schedule::Flat { policy, .. } | Schedule::Plain { policy } | Schedule::Burst { policy, .. } => {
                    by_color(core, *policy, Dispatch::Flat, 0)
                }
            })
        })
        .collect()
}

/// The tasks of a core, by index.
fn tasks_of(experiment: &Experiment, core: usize) -> impl Iterator<Item = usize> {
    let tasks = experiment.tasks.iter().enumerate();
    tasks
        .filter(move |(_, task)| task.core as usize == core)
        .map(|(number, _)| number)
}

fn scaled_locks(locks: &Locks) -> Option<Locks> {
    let color = |lock: &ColorLock| {
        Some(ColorLock {
            phase: lock.phase.checked_mul(NS)?,
            burst: lock.burst.checked_mul(NS)?,
        })
    };
    let colors: Option<Vec<ColorLock>> = locks.colors().iter().map(color).collect();
    let [retention, lock, unlock] =
        [locks.retention(), locks.lock_cost(), locks.unlock_cost()].map(|t| t.checked_mul(NS));
    Locks::new(retention?, lock?, unlock?, colors?).ok()
}

fn scaled_slots(table: &SlotTable) -> Option<SlotTable> {
    let slots: Option<Vec<(u64, u64)>> = table
        .slots()
        .iter()
        .map(|(start, end)| Some((start.checked_mul(NS)?, end.checked_mul(NS)?)))
        .collect();
    SlotTable::new(table.period().checked_mul(NS)?, &slots?).ok()
}

/// Ranks of the tasks of a core.
fn ranks(experiment: &Experiment, core: usize, policy: Policy) -> Vec<usize> {
    ranks_of(experiment, tasks_of(experiment, core), policy)
}

/// Ranks of some tasks; batch tasks come last, in the order of the experiment.
fn ranks_of(experiment: &Experiment, tasks: impl IntoIterator<Item = usize>, policy: Policy) -> Vec<usize> {
    let order = match policy {
        Policy::FixedPriority(order) => order,
        Policy::Edf => Order::DeadlineMonotonic,
    };
    let mut ranks = vec![usize::MAX; experiment.tasks.len()];
    let timing = |task: &usize| experiment.tasks[*task].timing.periodic();
    let (periodic, batch): (Vec<usize>, Vec<usize>) = tasks.into_iter().partition(|task| timing(task).is_some());
    let timings: Vec<fresco_rt::Task> = periodic.iter().filter_map(timing).cloned().collect();
    for (task, rank) in periodic.iter().zip(order.ranks(&timings)) {
        ranks[*task] = rank;
    }
    for (place, task) in batch.into_iter().enumerate() {
        ranks[task] = periodic.len() + place;
    }
    ranks
}

fn by_table(experiment: &Experiment, table: &Table, lock_ns: u64, core: usize) -> ByTable {
    let own = table.slots.iter().filter(|slot| slot.core == core);
    let mut slots: Vec<TableSlot> = own
        .map(|slot| TableSlot {
            start: slot.start * NS,
            end: (slot.start + slot.length) * NS,
            task: slot.task,
            job: slot.job,
            instance: slot.instance,
        })
        .collect();
    slots.sort_by_key(|slot| slot.start);
    let releases = |timing: &fresco_rt::Task| Releases {
        phase: timing.phase * NS,
        period: timing.period * NS,
    };
    let timings = experiment.tasks.iter().map(|task| task.timing.periodic());
    ByTable {
        length: table.length * NS,
        slots,
        releases: timings
            .map(|timing| timing.map_or_else(Releases::default, releases))
            .collect(),
        bursts: table
            .bursts
            .iter()
            .map(|burst| (burst.start * NS, burst.color))
            .collect(),
        handler: lock_ns * NS,
        burst_lengths: table.bursts.iter().map(|burst| burst.length * NS).collect(),
    }
}

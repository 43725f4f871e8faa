// SPDX-License-Identifier: MIT OR Apache-2.0
//! The published tests on random sets: what they accept, and what of it an exact test or a simulation refutes (E22 to E26).

use super::servers::{BURSTS, locks};
use super::{failed, task};
use crate::published::{
    Rounding, accepts_as_published, auto_refresh_response_times, capacity_bound, within_utilization_bound,
};
use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_rt::edf::edf_test;
use fresco_rt::fixed_priority::fixed_priority_test;
use fresco_rt::generate::{Deadlines, Periods, Phases, Recipe, Shares};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::Density;
use fresco_rt::simulation::{Dispatch, Simulation};
use fresco_rt::supply::PeriodicResource;
use fresco_rt::toplevel::{ColorLock, Locks, Server, TopLevel};
use fresco_rt::{Task, Time};

/// Sets for each test.
const SETS: u64 = 2000;
/// Order of fixed priorities in the text.
const ORDER: Order = Order::RateMonotonic;
/// tREFI as printed, and tRP, tRCD, tRAS of the dissertation's machine, in nanoseconds.
const INTERVAL: Time = 7800;
const PRECHARGE: Time = 10;
const ACTIVATE: Time = 10;
const OPEN: Time = 35;
/// What locking and unlocking take, each.
const HANDLER: Time = 2000;

/// Sets that a test accepts, and those of them that are refuted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    accepted: u32,
    refuted: u32,
}

impl Count {
    fn add(&mut self, accepted: bool, holds: bool) {
        self.accepted += u32::from(accepted);
        self.refuted += u32::from(accepted && !holds);
    }
}

/// All tests on the sets of a seed.
pub fn soundness(seed: u64) -> Result<Vec<Row>, InputError> {
    let mut rows = Vec::new();
    let mut push = |test: &str, count: Count| {
        let row = Row::new().label("test", test);
        let row = row.value("accepted", f64::from(count.accepted));
        rows.push(row.value("refuted", f64::from(count.refuted)));
    };
    for (suffix, policy) in [("edf", Policy::Edf), ("rm", Policy::FixedPriority(ORDER))] {
        let [utilization, capacity] = in_servers(policy, seed, SETS)?;
        push(&format!("ub-{suffix}"), utilization);
        push(&format!("pcb-{suffix}"), capacity);
    }
    push("response-auto", under_auto_refresh(seed, SETS)?);
    push("response-crs", under_locks(seed, SETS)?);
    Ok(rows)
}

/// Sets of this many tasks with periods from these; times are integers of any unit.
fn recipe(tasks: usize, periods: Periods, seed: u64) -> Recipe {
    Recipe {
        tasks,
        shares: Shares::UUniFast,
        bounds: (0, 1_000_000),
        periods,
        deadlines: Deadlines::Implicit,
        phases: Phases::Zero,
        seed,
    }
}

/// Utilisation and capacity bounds against the exact test of the periodic resource, for random servers of 1 to 16 ms and
/// one to four tasks of 2 to 64 ms. Times in units of 10 us.
fn in_servers(policy: Policy, seed: u64, sets: u64) -> Result<[Count; 2], InputError> {
    let periods = |least, most, step| Periods::LogUniform { least, most, step };
    let servers = recipe(1, periods(100, 1600, 10), seed);
    let mut counts = [Count::default(); 2];
    for index in 0..sets {
        // Budgets from 20 % to 95 % of the period, tasks from 5 % to all of the budget.
        let share = 200_000 + 750_000 * (index % 16) as u32 / 15;
        let load = share / 20 * (1 + (index / 16 % 20) as u32);
        let drawn = servers.set(share, index).map_err(failed)?;
        let (period, budget) = (drawn[0].period, drawn[0].wcet);
        let server = Server::new(period, budget).map_err(failed)?;
        let tasks = recipe(1 + (index % 4) as usize, periods(200, 6400, 100), seed + 1);
        let tasks = tasks.set(load, index).map_err(failed)?;
        let resource = PeriodicResource::new(period, budget).map_err(failed)?;
        let holds = match policy {
            Policy::Edf => edf_test(&tasks, &resource).map_err(failed)?.is_schedulable(),
            Policy::FixedPriority(order) => fixed_priority_test(&tasks, order, &resource).is_some(),
        };
        counts[0].add(within_utilization_bound(&tasks, policy, server).map_err(failed)?, holds);
        let least = capacity_bound(&tasks, policy, period, Rounding::Floor).map_err(failed)?;
        counts[1].add(least.is_some_and(|least| least <= budget), holds);
    }
    Ok(counts)
}

/// Two random servers, the one of the shorter period first, with periods that double from `shortest` on.
fn two_servers(shortest: Time, count: u32, seed: u64, index: u64) -> Result<[Server; 2], InputError> {
    let utilization = 200_000 + 750_000 * (index % 16) as u32 / 15;
    let recipe = recipe(2, Periods::harmonic(shortest, count), seed);
    let mut drawn = recipe.set(utilization, index).map_err(failed)?;
    drawn.sort_by_key(|task| task.period);
    let server = |task: &Task| Server::new(task.period, task.wcet).map_err(failed);
    Ok([server(&drawn[0])?, server(&drawn[1])?])
}

/// The servers as tasks, the first with the higher priority.
fn as_tasks(servers: [Server; 2]) -> Result<[Task; 2], InputError> {
    let named = |name: &str, server: Server| task(name, server.period(), server.budget());
    Ok([named("S1", servers[0])?, named("S2", servers[1])?])
}

/// Returns true if both are done within their printed response times, which are at most their periods.
fn bounded(simulation: &Simulation<'_>, printed: [Time; 2]) -> Result<bool, InputError> {
    let outcome = simulation.run_exact().map_err(failed)?;
    let mut pairs = outcome.worst_response.iter().zip(printed);
    let within = pairs.all(|(worst, printed)| worst.is_some_and(|worst| worst <= printed));
    Ok(within && outcome.misses == 0)
}

/// Printed response times under automatic refresh against a simulation in which a refresh of tRFC + tRP + tRCD has the
/// highest priority.
fn under_auto_refresh(seed: u64, sets: u64) -> Result<Count, InputError> {
    let mut count = Count::default();
    for index in 0..sets {
        let servers = two_servers(50 * INTERVAL, 4, seed, index)?;
        let trfc = Density::ALL[index as usize % Density::ALL.len()].trfc();
        let no_locks = Locks::of_two_servers(servers[1].period(), 0, 0, 0).map_err(failed)?;
        let top = TopLevel::new(servers, no_locks).map_err(failed)?;
        let printed = auto_refresh_response_times(&top, INTERVAL, trfc + PRECHARGE + OPEN);
        let [Some(r1), Some(r2)] = printed else { continue };
        let refresh = vec![ColorLock { phase: 0, burst: 0 }];
        let refresh = Locks::new(INTERVAL, trfc + PRECHARGE + ACTIVATE, 0, refresh).map_err(failed)?;
        let tasks = as_tasks(servers)?;
        let policy = Policy::FixedPriority(ORDER);
        let simulation = Simulation::new(vec![&tasks], policy, Dispatch::Flat, Some(&refresh)).map_err(failed)?;
        count.add(true, bounded(&simulation, [r1, r2])?);
    }
    Ok(count)
}

/// Printed response times with the refresh that is not hidden against a simulation of both servers, always busy, under the
/// locks of their colors. Server periods divide the retention time.
fn under_locks(seed: u64, sets: u64) -> Result<Count, InputError> {
    let mut count = Count::default();
    for index in 0..sets {
        let servers = two_servers(super::MS, 5, seed, index)?;
        let (_, burst) = BURSTS[index as usize / 7 % 2];
        let locks = locks(burst, Density::ALL[index as usize % 7], HANDLER)?;
        let top = TopLevel::new(servers, locks).map_err(failed)?;
        let printed = accepts_as_published(&top, [&[], &[]], Policy::Edf)
            .map_err(failed)?
            .response;
        let [Some(r1), Some(r2)] = printed else { continue };
        if r1 > servers[0].period() || r2 > servers[1].period() {
            continue;
        }
        let [first, second] = as_tasks(servers)?;
        let workloads = vec![std::slice::from_ref(&first), std::slice::from_ref(&second)];
        let policy = Policy::FixedPriority(ORDER);
        let simulation = Simulation::new(workloads, policy, Dispatch::Flat, Some(top.locks())).map_err(failed)?;
        count.add(true, bounded(&simulation, [r1, r2])?);
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_edf_are_sound_and_those_of_rm_are_not() {
        let edf = in_servers(Policy::Edf, 1, 500).expect("sets");
        assert!(
            edf.iter().all(|count| count.accepted > 20 && count.refuted == 0),
            "{edf:?}"
        );
        let rm = in_servers(Policy::FixedPriority(ORDER), 1, 500).expect("sets");
        assert!(
            rm.iter().all(|count| count.accepted > 20 && count.refuted > 0),
            "E22 to E24: {rm:?}"
        );
    }

    #[test]
    fn printed_response_times_are_exceeded() {
        for count in [under_auto_refresh(1, 60), under_locks(1, 60)] {
            let count = count.expect("sets");
            assert!(count.accepted > 20 && count.refuted > 0, "E25, E26: {count:?}");
        }
    }
}

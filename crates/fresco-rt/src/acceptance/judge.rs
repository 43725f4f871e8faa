// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each method's test, with the search that goes with it.

use super::{Conditions, Method, Verdict};
use crate::aligned::RefreshDemand;
use crate::budget::Family;
use crate::executive::{Cores, NoFusion, NoPlan, Request, plan};
use crate::refresh::{Burst, COMMANDS, RETENTION};
use crate::search::{Space, assign_aligned, partition, partition_flat, partition_full};
use crate::supply::AutoRefresh;
use crate::task::Task;
use crate::toplevel::{Locks, fits};

/// Whether a method schedules a set; times are nanoseconds.
pub fn judge(method: Method, tasks: &[Task], conditions: &Conditions) -> Verdict {
    match answer(method, tasks, conditions) {
        Some(true) => Verdict::Accepted,
        Some(false) => Verdict::Rejected,
        None => Verdict::Undecided,
    }
}

fn answer(method: Method, tasks: &[Task], conditions: &Conditions) -> Option<bool> {
    let Conditions {
        density,
        policy,
        handler,
        attempts,
        ..
    } = *conditions;
    let burst = Burst::Standard.length(density);
    // Handlers too long for any burst leave nothing to schedule.
    let locks = || Locks::of_two_servers(RETENTION, burst, handler, handler).ok();
    let space = || locks().map(|locks| Space::new(locks, conditions.servers.0, conditions.servers.1));
    let servers = |family: Family| {
        let Some(space) = space() else { return Some(false) };
        let found = partition_full(tasks, None, policy, family, &space, attempts).ok()?;
        found.verdict()
    };
    match method {
        Method::AutoRefresh => match AutoRefresh::new(RETENTION, COMMANDS, density.trfc()) {
            Ok(memory) => fits(tasks, policy, &memory).ok(),
            Err(_) => Some(false),
        },
        Method::Linear => servers(Family::PeriodicLinear),
        Method::Periodic => servers(Family::Periodic),
        Method::Table => match space() {
            None => Some(false),
            Some(space) => partition(tasks, None, policy, &space, attempts).ok()?.verdict(),
        },
        Method::Aligned => {
            let demand = RefreshDemand {
                retention: RETENTION,
                commands: COMMANDS,
                trfc: density.trfc(),
                handler,
                jitter: 0,
                slice: Default::default(),
            };
            let found = assign_aligned(tasks, 1, None, policy, demand, None, attempts).ok()?;
            found.verdict()
        }
        Method::Flat => match locks() {
            None => Some(false),
            Some(locks) => partition_flat(tasks, None, policy, &locks, attempts).ok()?.verdict(),
        },
        Method::ColoredRefresh => executive(tasks, conditions),
    }
}

fn executive(tasks: &[Task], conditions: &Conditions) -> Option<bool> {
    let request = Request {
        tasks,
        memory: &vec![1; tasks.len()],
        rank_capacity: tasks.len() as u64,
        ranks: conditions.ranks,
        retention: RETENTION,
        burst: Burst::Standard.length(conditions.density) + 2 * conditions.handler,
        whole_frames: true,
        cores: Cores::ONE,
        copy_cost: &vec![None; tasks.len()],
        most_instances: 1,
        budget: conditions.no_goods,
    };
    match plan(&request) {
        Ok(_) => Some(true),
        Err(NoPlan::OutOfBudget(_) | NoPlan::Stopped | NoPlan::NoFrames(NoFusion::Problem(_))) => None,
        Err(_) => Some(false),
    }
}

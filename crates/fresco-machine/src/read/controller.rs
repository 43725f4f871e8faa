// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[memory.controller]`: policies and queues.
//!
//! A key that the chosen policy does not use is still checked and allowed, so that `--set` can change the policy of a
//! file that gives the parameters of several.

use super::core::{LATENCY, latency};
use crate::{ControllerConfig, CoreConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_dram::{Organisation, Timing};
use fresco_input::{InputError, Table};
use std::ops::RangeInclusive;

/// Requests that a queue holds.
const CAPACITY: RangeInclusive<u32> = 1..=1024;

pub(super) fn read(
    table: &Table<'_>,
    core: &CoreConfig,
    org: &Organisation,
    timing: &Timing,
) -> Result<ControllerConfig, InputError> {
    let scheduler = scheduler(table)?;
    let page = page(table)?;
    let refresh = table.choice("refresh", &RefreshPolicy::NAMES)?;
    refresh.check(org, timing).map_err(|why| {
        let found = format!("found \"{}\" for {}: {why}", refresh.name(), timing.standard);
        let can = RefreshPolicy::NAMES
            .iter()
            .filter(|(_, policy)| policy.check(org, timing).is_ok());
        let can: Vec<String> = can.map(|(name, _)| format!("\"{name}\"")).collect();
        table
            .error_at("refresh", found)
            .allowed(format!("one of {}", can.join(", ")))
            .help("choose another policy, density or refresh_table")
    })?;
    let frontend = table
        .opt_item("frontend")
        .map(|item| latency(&item, core))
        .transpose()?
        .unwrap_or(0);
    debug_assert!(LATENCY.contains(&frontend));
    let queues_table = table.table("queues")?;
    let (queues, writes) = queues(&queues_table)?;
    queues_table.finish()?;
    let high = table.item(
        "drain_high",
        &format!("an integer from 1 to {writes}, the writes of the buffer"),
    )?;
    let drain_high = high
        .integer(1..=writes)
        .map_err(|error| error.help("start draining before the write buffer is full"))?;
    let drain_low = table
        .integer("drain_low", 0..=drain_high - 1)
        .map_err(|error| error.help("stop draining below drain_high"))?;
    Ok(ControllerConfig {
        scheduler,
        page,
        queues,
        drain_high,
        drain_low,
        drain_once: table.opt_boolean("drain_once")?.unwrap_or(false),
        refresh,
        frontend,
    })
}

fn scheduler(table: &Table<'_>) -> Result<Scheduler, InputError> {
    let first_ready = table.choice("scheduler", &[("fr-fcfs", true), ("fcfs", false)])?;
    let hit_cap = 1..=1_000_000;
    Ok(match first_ready {
        true => Scheduler::FrFcfs {
            hit_cap: table.integer("hit_cap", hit_cap)?,
        },
        false => {
            table.opt_integer("hit_cap", hit_cap)?;
            Scheduler::Fcfs
        }
    })
}

fn page(table: &Table<'_>) -> Result<PagePolicy, InputError> {
    let idle = 1..=1_000_000u64;
    let policy = table.choice(
        "page",
        &[
            ("open", Some(PagePolicy::Open)),
            ("closed", Some(PagePolicy::Closed)),
            ("adaptive", None),
        ],
    )?;
    match policy {
        None => Ok(PagePolicy::Adaptive {
            idle: table.integer("page_idle", idle).map_err(of_page_idle)?,
        }),
        Some(policy) => table
            .opt_integer("page_idle", idle)
            .map(|_| policy)
            .map_err(of_page_idle),
    }
}

/// Says what `page_idle` counts: the number alone does not.
fn of_page_idle(error: InputError) -> InputError {
    let allowed = format!("{}, cycles of the command clock", error.allowed);
    error.allowed(allowed)
}

/// The queues, and how many writes they hold per channel.
fn queues(table: &Table<'_>) -> Result<(Queues, u32), InputError> {
    #[derive(Clone, Copy)]
    enum Kind {
        Global,
        PerBank,
        Front,
    }
    let kind = table.choice(
        "kind",
        &[
            ("global", Kind::Global),
            ("per-bank", Kind::PerBank),
            ("front-queue", Kind::Front),
        ],
    )?;
    let writes = table.integer("writes", CAPACITY)?;
    let needed = |key: &str| table.integer(key, CAPACITY);
    for key in ["reads", "reads_per_bank", "front"] {
        table.opt_integer(key, CAPACITY)?;
    }
    let queues = match kind {
        Kind::Global => Queues::Global {
            reads: needed("reads")?,
            writes,
        },
        Kind::PerBank => Queues::PerBank {
            reads_per_bank: needed("reads_per_bank")?,
            writes,
        },
        Kind::Front => Queues::FrontQueue {
            front: needed("front")?,
            reads_per_bank: needed("reads_per_bank")?,
            writes,
        },
    };
    Ok((queues, writes))
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plans that are compared: made by the planner where it has one, laid down as published where it refuses.

use super::Case;
use fresco_dram::Timing;
use fresco_input::InputError;
use fresco_machine::RefreshPolicy;
use fresco_plan::plan::{CoreServers, CoreSlots, LockTimes, PlannedServer, RefreshPlan, RefreshWindow, Schedule};
use fresco_plan::{Method, Plan, TaskSet, plan};
use std::path::Path;

const TABLE_4_4: &str = include_str!("../../../../../tasks/table-4.4.toml");
const TABLE_5_2: &str = include_str!("../../../../../tasks/table-5.2.toml");
/// Methods of the experiments on table 5.2.
pub(super) const METHODS_5_2: [&str; 8] = [
    "none",
    "auto-refresh",
    "crs",
    "crs-jedec",
    "aligned",
    "burst",
    "fgr-2x",
    "fgr-4x",
];
/// The published partition of table 5.2: server of each task (CRS-23).
const SERVERS_5_2: [(&str, usize); 5] = [("cnt", 0), ("compress", 1), ("lms", 0), ("matmult", 1), ("st", 0)];
/// Lock and slot handlers: 20 us, long enough to write the dirty lines of a color back.
const LOCK_NS: u64 = 20_000;
/// Unlock handlers.
const UNLOCK_NS: u64 = 2_000;
/// The published servers: 2.4 and 1.6 ms in every 4 ms; aligned slots of 2.245 and 1.755 ms.
const PERIOD_NS: u64 = 4_000_000;
const BUDGETS_NS: [u64; 2] = [2_400_000, 1_600_000];
const BORDER_NS: u64 = 2_245_000;
/// How much shorter a refresh of 2x and 4x is (the co-design's divisors, in hundredths); table 4.1 has none.
const FINER: [(&str, u64, u64); 2] = [("fgr-2x", 2, 135), ("fgr-4x", 4, 163)];

fn load(text: &str, name: &str, changes: &[String]) -> Result<TaskSet, InputError> {
    TaskSet::parse(name, text, Path::new(""), changes)
}

/// A plan of all tasks by priorities, whatever the refresh, to be changed: planned at 1 Gb, where every method has one.
fn base(set: &TaskSet, method: Method) -> Result<Plan, InputError> {
    let mut easy = set.at_density(1)?;
    easy.options.method = Some(method);
    plan(&easy).map_err(|refusal| InputError::new(set.name.clone(), refusal.reason))
}

/// Table 4.4 at a density; `None` if the planner has no colored table.
pub(super) fn table_4_4(density: u32, method: &'static str) -> Result<Option<Case>, InputError> {
    let set = load(TABLE_4_4, "table-4.4", &[])?;
    if method == "colored-refresh" {
        let mut at = set.at_density(density)?;
        at.options.method = Some(Method::ColoredRefresh);
        return Ok(plan(&at).ok().map(|plan| Case {
            density,
            method,
            policy: None,
            machine: at.machine,
            plan,
        }));
    }
    common(&set, density, method, None).map(Some)
}

/// Table 5.2 at a density.
pub(super) fn table_5_2(density: u32, method: &'static str, policy: &'static str) -> Result<Option<Case>, InputError> {
    let set = load(TABLE_5_2, "table-5.2", &[format!("plan.policy=\"{policy}\"")])?;
    match method {
        "crs" => servers(&set, density, method, policy, 8).map(Some),
        "crs-jedec" => servers(&set, density, method, policy, 1).map(Some),
        "aligned" => slots(&set, density, policy).map(Some),
        _ => common(&set, density, method, Some(policy)).map(Some),
    }
}

/// Methods that color nothing.
fn common(set: &TaskSet, density: u32, method: &'static str, policy: Option<&'static str>) -> Result<Case, InputError> {
    let mut machine = set.at_density(density)?.machine;
    let mut plan = base(
        set,
        if method == "burst" {
            Method::Burst
        } else {
            Method::AutoRefresh
        },
    )?;
    let mut by = |policy: RefreshPolicy| {
        plan.refresh = RefreshPlan::Controller {
            policy: policy.name().to_owned(),
        };
    };
    match method {
        "none" => by(RefreshPolicy::None),
        "burst" => {
            // One color, all ranks; the burst of this density in place of that of 1 Gb.
            let (commands, trfc) = (machine.memory.timing.refreshes, trfc_ns(&machine.memory.timing));
            if let Schedule::Locked { locks } = &mut plan.schedule {
                locks.burst_ns = vec![commands * trfc];
            }
        }
        _ => {
            by(RefreshPolicy::AllBankIndependent);
            if let Some(&(_, finer, divisor)) = FINER.iter().find(|(name, ..)| *name == method) {
                let timing = &mut machine.memory.timing;
                timing.rfc_ab = (timing.rfc_ab * 100).div_ceil(divisor);
                timing.refi /= finer;
                timing.refreshes *= finer;
            }
        }
    }
    Ok(Case {
        density,
        method,
        policy,
        plan,
        machine,
    })
}

/// tRFC in whole ns, rounded up.
fn trfc_ns(timing: &Timing) -> u64 {
    timing.clock.to_ps(timing.rfc_ab).div_ceil(1000)
}

/// The published servers, with bursts of 8192 / `part` commands.
fn servers(
    set: &TaskSet,
    density: u32,
    method: &'static str,
    policy: &'static str,
    part: u64,
) -> Result<Case, InputError> {
    let machine = set.at_density(density)?.machine;
    let mut plan = two_colors(set)?;
    let timing = &machine.memory.timing;
    let retention = plan.memory.retention_ns;
    let commands = timing.refreshes / part;
    let phase_ns = vec![retention / 2, 0];
    let windows = phase_ns.iter().enumerate().map(|(color, phase)| RefreshWindow {
        color,
        start_ns: phase + LOCK_NS,
        commands,
    });
    plan.refresh = RefreshPlan::Windows {
        period_ns: retention,
        windows: windows.collect(),
    };
    let server = |color: usize| PlannedServer {
        color,
        period_ns: PERIOD_NS,
        budget_ns: BUDGETS_NS[color],
        tasks: of_color(&plan, color),
    };
    let cores = vec![CoreServers {
        servers: vec![server(0), server(1)],
    }];
    plan.schedule = Schedule::Servers {
        locks: LockTimes {
            period_ns: retention,
            lock_ns: LOCK_NS,
            unlock_ns: UNLOCK_NS,
            phase_ns,
            burst_ns: vec![commands * trfc_ns(timing); 2],
        },
        cores,
    };
    plan.method = Method::Crs;
    Ok(Case {
        density,
        method,
        policy: Some(policy),
        plan,
        machine,
    })
}

/// Aligned slots with the published partition (F29).
fn slots(set: &TaskSet, density: u32, policy: &'static str) -> Result<Case, InputError> {
    let machine = set.at_density(density)?.machine;
    let mut plan = two_colors(set)?;
    let commands = (machine.memory.timing.refreshes * PERIOD_NS).div_ceil(plan.memory.retention_ns);
    let window = |color: usize, start_ns: u64| RefreshWindow {
        color,
        start_ns,
        commands,
    };
    plan.refresh = RefreshPlan::Windows {
        period_ns: PERIOD_NS,
        windows: vec![window(1, LOCK_NS), window(0, BORDER_NS + LOCK_NS)],
    };
    plan.schedule = Schedule::Slots {
        period_ns: PERIOD_NS,
        handler_ns: LOCK_NS,
        cores: vec![CoreSlots {
            border_ns: BORDER_NS,
            tasks: [of_color(&plan, 0), of_color(&plan, 1)],
        }],
    };
    plan.method = Method::Aligned;
    Ok(Case {
        density,
        method: "aligned",
        policy: Some(policy),
        plan,
        machine,
    })
}

/// A plan whose tasks have the colors of the published partition; schedule and refresh are still to come.
fn two_colors(set: &TaskSet) -> Result<Plan, InputError> {
    let mut colored = set.clone();
    for task in &mut colored.tasks {
        task.color = SERVERS_5_2
            .iter()
            .find(|(name, _)| *name == task.name)
            .map(|&(_, color)| color);
    }
    base(&colored, Method::Flat)
}

fn of_color(plan: &Plan, color: usize) -> Vec<usize> {
    (0..plan.tasks.len())
        .filter(|&task| plan.tasks[task].colors_of(0) == [color])
        .collect()
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may run when, and what is being refreshed when, worked out from the plan in the plainest way.

use super::report::Stop;
use super::spans::{Spans, union};
use crate::plan::{CoreServers, CoreSlots, LockTimes, Plan, RefreshPlan};
use fresco_rt::Time;
use fresco_rt::time::lcm_all;

/// Most events of a timeline.
const MOST_EVENTS: u64 = 1 << 22;

/// When each color is out of bounds and when handlers have the cores, in `[0, length)`, a multiple of the period.
pub(super) fn locked(locks: &LockTimes, length: Time) -> (Vec<Spans>, Spans) {
    let mut by_color = vec![Vec::new(); locks.phase_ns.len()];
    let mut handlers = Vec::new();
    for turn in 0..length / locks.period_ns {
        for (color, (&phase, &burst)) in locks.phase_ns.iter().zip(&locks.burst_ns).enumerate() {
            let start = turn * locks.period_ns + phase;
            let burst_end = start + locks.lock_ns + burst;
            by_color[color].push((start, burst_end + locks.unlock_ns));
            handlers.push((start, start + locks.lock_ns));
            handlers.push((burst_end, burst_end + locks.unlock_ns));
        }
    }
    (by_color.into_iter().map(union).collect(), union(handlers))
}

/// The length after which locks and servers of a core repeat.
pub(super) fn repeat(locks: &LockTimes, core: &CoreServers) -> Result<Time, Stop> {
    let periods = core
        .servers
        .iter()
        .map(|server| server.period_ns)
        .chain([locks.period_ns]);
    let too_long = || {
        Stop::too_long(
            "schedule.cores",
            format!(
                "until locks and servers repeat together there are more than {MOST_EVENTS} of their periods, the most that are looked at"
            ),
        )
    };
    let length = lcm_all(periods.clone()).map_err(|_| too_long())?;
    let events: u64 = periods.map(|period| length / period).fold(0, u64::saturating_add);
    if events > MOST_EVENTS {
        return Err(too_long());
    }
    Ok(length)
}

/// The slots of each idling server of a core over `[0, length)`, in the order of the servers: at every instant the first server
/// with budget, whose color is not locked, has the core, unless a handler has it (CRS-3, CRS-7).
pub(super) fn server_slots(locks: &LockTimes, core: &CoreServers, length: Time) -> Vec<Spans> {
    let (by_color, handlers) = locked(locks, length);
    let mut cuts: Vec<Time> = vec![length];
    for server in &core.servers {
        cuts.extend((0..length / server.period_ns).map(|k| k * server.period_ns));
    }
    for &(start, end) in by_color.iter().flatten().chain(&handlers) {
        cuts.extend([start, end]);
    }
    cuts.sort_unstable();
    cuts.dedup();
    let inside = |spans: &Spans, at: Time| {
        let next = spans.partition_point(|&(_, end)| end <= at);
        spans.get(next).is_some_and(|&(start, _)| start <= at)
    };
    let mut budgets = vec![0; core.servers.len()];
    let mut slots = vec![Vec::new(); core.servers.len()];
    for pair in cuts.windows(2) {
        let (mut now, end) = (pair[0], pair[1]);
        for (budget, server) in budgets.iter_mut().zip(&core.servers) {
            if now % server.period_ns == 0 {
                *budget = server.budget_ns;
            }
        }
        if inside(&handlers, now) {
            continue;
        }
        for (number, server) in core.servers.iter().enumerate() {
            if inside(&by_color[server.color], now) {
                continue;
            }
            let run = budgets[number].min(end - now);
            if run > 0 {
                slots[number].push((now, now + run));
                budgets[number] -= run;
                now += run;
            }
        }
    }
    slots.into_iter().map(union).collect()
}

/// The slot of each color of a core in one frame (F29).
pub(super) fn frame_slots(period: Time, handler: Time, core: &CoreSlots) -> [Spans; 2] {
    let slot = |start: Time, end: Time| union(vec![(start, end)]);
    [slot(handler, core.border_ns), slot(core.border_ns + handler, period)]
}

/// When each color is being refreshed, in `[0, length)`, a multiple of the period of the refresh; windows that leave the period
/// go on in the next. Nothing, where the controller refreshes by itself.
pub(super) fn refreshing(plan: &Plan, length: Time) -> Vec<Spans> {
    let mut by_color = vec![Vec::new(); plan.colors.len()];
    if let RefreshPlan::Windows { period_ns, windows } = &plan.refresh {
        for turn in 0..length / period_ns {
            for window in windows {
                let start = turn * period_ns + window.start_ns;
                // The refreshes begin at any time within the jitter.
                let end = start + window.commands * plan.memory.trfc_ns + plan.refresh_jitter_ns;
                by_color[window.color].push((start, end.min(length)));
                by_color[window.color].push((0, end.saturating_sub(length).min(length)));
            }
        }
    }
    by_color.into_iter().map(union).collect()
}

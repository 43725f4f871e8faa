// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that no task runs while memory that it owns is refreshed.

use super::report::{CheckReport, Stop, Violation, holds};
use super::spans::{Spans, first_common, first_outside, union};
use super::timeline::{frame_slots, locked, refreshing, repeat, server_slots};
use crate::Method;
use crate::plan::{LockTimes, Plan, RefreshPlan, Schedule};
use fresco_rt::Time;
use fresco_rt::executive::Table;
use fresco_rt::time::lcm;

/// Most refresh windows of a timeline, and most events of the schedule in it.
const MOST_WINDOWS: u64 = 1 << 22;

pub(super) fn check(plan: &Plan, report: &mut CheckReport) -> Result<(), Stop> {
    match &plan.schedule {
        Schedule::Priorities => {
            let counted = match plan.method {
                Method::Partition => "nothing counts them",
                _ => "the method counts them as execution time",
            };
            report.warnings.push(format!("tasks meet refreshes: {counted}"));
            return Ok(());
        }
        Schedule::Fair { .. } => {
            report
                .warnings
                .push("shares are fair; that no task meets a refresh is likely, not certain".to_owned());
            return Ok(());
        }
        Schedule::Locked { locks } => {
            let refresh = over(plan, locks.period_ns, 1)?;
            inside_locks(locks, &refresh)?;
        }
        Schedule::Servers { locks, cores } => {
            for (number, core) in cores.iter().enumerate() {
                let length = repeat(locks, core)?;
                let replenished = core.servers.iter().map(|server| length / server.period_ns);
                let events = replenished.fold(length / locks.period_ns, u64::saturating_add);
                let refresh = over(plan, length, events)?;
                inside_locks(locks, &refresh)?;
                let length = refresh.length;
                for (server, slots) in core.servers.iter().zip(server_slots(locks, core, length)) {
                    let place = format!("schedule.cores[{number}].servers");
                    apart(&place, server.color, &slots, &refresh)?;
                }
            }
        }
        Schedule::Slots {
            period_ns,
            handler_ns,
            cores,
        } => {
            let refresh = over(plan, *period_ns, 1)?;
            for (number, core) in cores.iter().enumerate() {
                let frame = frame_slots(*period_ns, *handler_ns, core);
                let repeated = frame.map(|slots| {
                    let turns = 0..refresh.length / period_ns;
                    let shifted = |k| {
                        slots
                            .iter()
                            .map(move |&(start, end)| (k * period_ns + start, k * period_ns + end))
                    };
                    turns.flat_map(shifted).collect::<Spans>()
                });
                for (color, slots) in repeated.iter().enumerate() {
                    apart(&format!("schedule.cores[{number}]"), color, slots, &refresh)?;
                }
                inside_slots(number, &repeated, &refresh)?;
            }
        }
        Schedule::Table { table, lock_ns } => {
            check_handlers(plan, table, *lock_ns)?;
            check_table(plan, table)?;
            super::table::blocked(table)?;
        }
    }
    report
        .facts
        .push("no task runs while memory that it owns is refreshed".to_owned());
    report.warnings.extend(plan.about_reopening());
    Ok(())
}

/// What is refreshed when, over a time after which the schedule and the refresh repeat.
struct Refreshing {
    length: Time,
    by_color: Vec<Spans>,
}

/// Refreshing over a multiple of `period`, in which the schedule has so many `events`, and of the refresh's own period.
fn over(plan: &Plan, period: Time, events: u64) -> Result<Refreshing, Stop> {
    let (own, windows) = match &plan.refresh {
        RefreshPlan::Windows { period_ns, windows } => (*period_ns, windows.len()),
        RefreshPlan::Controller { .. } => (plan.memory.retention_ns, plan.colors.len()),
    };
    let too_long = || {
        Stop::too_long(
            "refresh",
            format!(
                "until refresh and schedule repeat together there are more than {MOST_WINDOWS} windows, the most that are looked at"
            ),
        )
    };
    let length = lcm(own.max(1), period.max(1)).map_err(|_| too_long())?;
    let refreshes = (length / own.max(1)).saturating_mul(windows.max(1) as u64);
    if refreshes.max((length / period.max(1)).saturating_mul(events)) > MOST_WINDOWS {
        return Err(too_long());
    }
    Ok(Refreshing {
        length,
        by_color: refreshing(plan, length),
    })
}

/// Slots of a color and its refresh do not meet.
fn apart(place: &str, color: usize, slots: &[(Time, Time)], refresh: &Refreshing) -> Result<(), Violation> {
    let met = refresh.by_color.get(color).and_then(|busy| first_common(slots, busy));
    match met {
        None => Ok(()),
        Some(at) => Err(Violation::new(
            place,
            format!("tasks of color {color} may run at {at} ns, while their memory is refreshed"),
        )),
    }
}

/// Each color is refreshed only while it is locked: after the lock task and before the unlock task.
fn inside_locks(locks: &LockTimes, refresh: &Refreshing) -> Result<(), Violation> {
    for (color, busy) in refresh.by_color.iter().enumerate() {
        let turns = 0..refresh.length / locks.period_ns;
        let (phase, burst) = (locks.phase_ns[color], locks.burst_ns[color]);
        let bursts: Spans = turns
            .map(|turn| turn * locks.period_ns + phase + locks.lock_ns)
            .map(|start| (start, start + burst))
            .collect();
        let outside = first_outside(busy, &bursts);
        holds! {
            outside.is_none(), "refresh.windows",
            "color {color} is refreshed at {} ns, outside the burst that its lock allows (E19)", outside.unwrap_or(0)
        }
    }
    Ok(())
}

/// Each color is refreshed in the slots of the other: not while handlers lock it or clean the caches of its lines (F29).
fn inside_slots(core: usize, slots: &[Spans; 2], refresh: &Refreshing) -> Result<(), Violation> {
    for (color, busy) in refresh.by_color.iter().enumerate().take(2) {
        let outside = first_outside(busy, &union(slots[1 - color].clone()));
        holds! {
            outside.is_none(), "refresh.windows",
            "color {color} is refreshed at {} ns, outside the slot of color {} on core {core}", outside.unwrap_or(0), 1 - color
        }
    }
    Ok(())
}

/// No slot of an instance meets the refresh of a color it has memory in, nor, if it copies, of one it copies from. The table is
/// as long as several turns of the refresh, and its entries lie in it.
fn check_table(plan: &Plan, table: &Table) -> Result<(), Stop> {
    let refresh = over(plan, table.length, table.slots.len() as u64)?;
    for (number, slot) in table.slots.iter().enumerate() {
        let place = format!("schedule.table.slots[{number}]");
        let task = &plan.tasks[slot.task];
        let copies = task.instances.len() > 1 && task.copy_ns.is_some();
        let mut colors = task.colors_of(slot.instance);
        if copies {
            colors.extend(
                (0..task.instances.len())
                    .filter(|_| is_first_on(table, slot))
                    .flat_map(|i| task.colors_of(i)),
            );
        }
        for color in colors {
            let own = (slot.start, slot.start + slot.length);
            let met = first_common(&[own], around(&refresh.by_color[color], own.0, own.1));
            holds! { met.is_none(), &place, "{} runs at {} ns, while color {color} is refreshed", task.name, met.unwrap_or(0) }
        }
    }
    Ok(())
}

/// No slot meets the handler that locks a color at the start of its burst, and each color is refreshed inside its bursts only,
/// after that handler.
fn check_handlers(plan: &Plan, table: &Table, lock: Time) -> Result<(), Stop> {
    let handlers: Spans = union(table.bursts.iter().map(|b| (b.start, b.start + lock)).collect());
    for (number, slot) in table.slots.iter().enumerate() {
        let own = [(slot.start, slot.start + slot.length)];
        let met = first_common(&own, around(&handlers, own[0].0, own[0].1));
        holds! { met.is_none(), format!("schedule.table.slots[{number}]"), "is cut at {} ns by the handler of a lock", met.unwrap_or(0) }
    }
    let refresh = over(plan, table.length, table.slots.len() as u64)?;
    for (color, busy) in refresh.by_color.iter().enumerate() {
        let of_color = table.bursts.iter().filter(|burst| burst.color == color);
        let bursts: Spans = of_color
            .map(|burst| (burst.start + lock, burst.start + burst.length))
            .collect();
        let outside = first_outside(busy, &union(bursts));
        holds! { outside.is_none(), "refresh", "color {color} is refreshed at {} ns, outside its bursts in the table", outside.unwrap_or(0) }
    }
    Ok(())
}

/// Whether the job of this slot runs on another instance than the job before, and hence copies.
fn is_first_on(table: &Table, slot: &fresco_rt::executive::Slot) -> bool {
    let of_task = || table.slots.iter().filter(|other| other.task == slot.task);
    let jobs = of_task().map(|other| other.job).max().map_or(1, |last| last + 1);
    let before = (slot.job + jobs - 1) % jobs;
    of_task().any(|other| other.job == before && other.instance != slot.instance)
}

/// The spans that may meet `[from, to)`.
fn around(spans: &[(Time, Time)], from: Time, to: Time) -> &[(Time, Time)] {
    let first = spans.partition_point(|&(_, end)| end <= from);
    let last = spans.partition_point(|&(start, _)| start < to);
    &spans[first.min(last)..last]
}

/// When the cores are shut to each color: locked, or taken by handlers.
pub(super) fn shut(locks: &LockTimes, length: Time) -> Vec<Spans> {
    let (by_color, handlers) = locked(locks, length);
    let with_handlers = |own: Spans| union([own, handlers.clone()].concat());
    by_color.into_iter().map(with_handlers).collect()
}

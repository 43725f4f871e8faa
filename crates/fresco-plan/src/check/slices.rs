// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the jobs of a table have time for their switches: one at each begin of a slice, and their reload where they go on after another.

use super::report::{Violation, holds};
use fresco_rt::executive::{Slot, Table};
use fresco_rt::{Task, Time};

/// Of a table whose slots are in range, by core and start, and give each job all of its execution if switches take no time.
pub(super) fn check(table: &Table, tasks: &[Task], switch: Time) -> Result<(), Violation> {
    if switch == 0 && tasks.iter().all(|task| task.cache_reload == 0) {
        return Ok(());
    }
    let since = |slot: &Slot| {
        let task = &tasks[slot.task];
        let [at, length] = [slot.start, table.length].map(u128::from);
        let release = (u128::from(task.phase) + u128::from(slot.job) * u128::from(task.period)) % length;
        (at + length - release) % length
    };
    // By job, then from its release on.
    let mut slots: Vec<&Slot> = table.slots.iter().collect();
    slots.sort_by_key(|slot| (slot.task, slot.job, since(slot)));
    let jobs: Vec<&[&Slot]> = slots.chunk_by(|a, b| (a.task, a.job) == (b.task, b.job)).collect();
    for of_job in &jobs {
        let first = of_job[0];
        let task = &tasks[first.task];
        let goes_on = |a: &&Slot, b: &&Slot| {
            let follows = since(a) + u128::from(a.length) == since(b) && a.core == b.core;
            follows && a.start < b.start
        };
        let mut work = 0;
        for (place, slice) in of_job.chunk_by(goes_on).enumerate() {
            let length: u128 = slice.iter().map(|slot| u128::from(slot.length)).sum();
            let reload = if place > 0 { task.cache_reload } else { 0 };
            work += length.saturating_sub(u128::from(switch) + u128::from(reload));
        }
        let turns = table.length / task.period;
        let before = (first.job + turns - 1) % turns;
        let source = jobs.binary_search_by_key(&(first.task, before), |job| (job[0].task, job[0].job));
        let is_copied = source.is_ok_and(|source| jobs[source][0].instance != first.instance);
        let copy = table.copy_cost[first.task].filter(|_| is_copied).unwrap_or(0);
        let needed = u128::from(task.wcet) + u128::from(copy);
        let place = "schedule.table";
        holds! { work >= needed, place, "{}: job {} has {work} ns of {needed} in its slices without their switches", task.name, first.job }
    }
    Ok(())
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt cyclic tables.

use crate::mutations::edit::{table, window};
use crate::mutations::sound::Sound;
use fresco_plan::plan::Schedule;
use fresco_plan::{Method, Plan};

#[test]
fn spoilt_slots() {
    for sound in [Sound::two(Method::ColoredRefresh), Sound::copies()] {
        let place = "schedule.table";
        sound.refused(|plan| _ = table(plan).slots.remove(0), place, "");
        sound.refused(|plan| table(plan).slots[0].length -= 1, place, "gets");
        sound.refused(
            |plan| table(plan).slots[0].length = 0,
            "schedule.table.slots[0]",
            "is empty",
        );
        sound.refused(
            |plan| table(plan).slots[0].start = u64::MAX,
            "schedule.table.slots[0]",
            "leaves the table",
        );
        sound.refused(
            |plan| table(plan).slots[0].length = u64::MAX,
            "schedule.table.slots[0]",
            "leaves the table",
        );
        sound.refused(
            |plan| table(plan).slots[0].job = u64::MAX,
            "schedule.table.slots[0]",
            "jobs in a turn",
        );
        sound.refused(
            |plan| table(plan).slots[0].task = 77,
            "schedule.table.slots[0]",
            "there is no task 77",
        );
        sound.refused(
            |plan| table(plan).slots[0].instance = 7,
            "schedule.table.slots[0]",
            "has no instance 7",
        );
        sound.refused(
            |plan| table(plan).slots[0].blocked = Some(99),
            "schedule.table.slots[0]",
            "is blocked meanwhile",
        );
        let other = |plan: &mut Plan| {
            let slot = &mut table(plan).slots[0];
            slot.blocked = slot.blocked.map_or(Some(0), |_| None);
        };
        sound.refused(other, "schedule.table.slots[0]", "is blocked meanwhile");
        sound.refused(
            |plan| table(plan).slots[0].core = 1,
            "schedule.table.slots[0]",
            "is bound to core 0",
        );
        let twice = |plan: &mut Plan| {
            let slot = table(plan).slots[0];
            table(plan).slots.insert(0, slot);
        };
        sound.refused(twice, place, "the core is busy");
        let swapped = |plan: &mut fresco_plan::Plan| table(plan).slots.swap(0, 1);
        sound.refused(swapped, place, "not in the order of their starts");
        sound.refused(|plan| table(plan).slots.clear(), place, "does not run");
        sound.refused(|plan| plan.tasks[0].wcet_ns += 1, "", "");
        // A job that gets more than it needs has what it needs.
        let mut lighter = sound.plan.clone();
        lighter.tasks[0].wcet_ns /= 2;
        sound.check(&lighter).unwrap_or_else(|objection| panic!("{objection}"));
    }
    // The first slot of a begins with its release.
    let sound = Sound::two(Method::ColoredRefresh);
    let late = |plan: &mut Plan| {
        let slot = table(plan)
            .slots
            .iter_mut()
            .find(|slot| slot.task == 0 && slot.job == 2);
        slot.expect("job 2 runs").start += 7_900_000;
    };
    sound.refused(late, "schedule.table", "");
}

/// Slots moved into the refresh of their task's color.
#[test]
fn slots_in_refresh() {
    let sound = Sound::two(Method::ColoredRefresh);
    let color = sound.plan.tasks[0].colors_of(0)[0];
    let start = 8_000_000 * color as u64;
    let moved = |at: u64| {
        move |plan: &mut Plan| {
            let slots = &mut table(plan).slots;
            slots.retain(|slot| slot.task == 0 || slot.start != 2_874_200 + start);
            let slot = slots.iter_mut().find(|slot| slot.task == 0 && slot.job == color as u64);
            slot.expect("each job runs").start = at;
        }
    };
    let fact = format!("while color {color} is refreshed");
    sound.refused(moved(start + 100_000), "schedule.table.slots[", &fact);
    sound.refused(moved(start + 4_000), "schedule.table.slots[", "is cut at");
    // The unlock task has the last 2 us of the burst.
    sound.refused(
        moved(start + 2_873_000),
        "schedule.table",
        "says that no color is blocked meanwhile",
    );
    // Memory moved under a slot that meets another color's refresh.
    let recolored = |plan: &mut Plan| {
        plan.tasks[0].instances[0].rotate_left(color);
        table(plan).memory[0][0].rotate_left(color);
    };
    sound.refused(recolored, "schedule.table.slots[0]", "while color 0 is refreshed");
}

#[test]
fn spoilt_bursts() {
    let sound = Sound::two(Method::ColoredRefresh);
    let burst = "schedule.table.bursts[0]";
    sound.refused(|plan| table(plan).bursts[0].start = u64::MAX, burst, "leaves the table");
    sound.refused(
        |plan| table(plan).bursts[0].length = u64::MAX,
        burst,
        "leaves the table",
    );
    sound.refused(|plan| table(plan).bursts[0].length = 0, burst, "is empty");
    sound.refused(|plan| table(plan).bursts[0].color = 8, burst, "does not exist");
    sound.refused(|plan| table(plan).bursts[0].start += 4_000_000, "", "");
    sound.refused(
        |plan| table(plan).bursts[0].length -= 10_000,
        "refresh",
        "color 0 is refreshed at 2864200 ns",
    );
    sound.refused(
        |plan| _ = table(plan).bursts.remove(0),
        "refresh",
        "color 0 is refreshed at 5000 ns",
    );
    sound.refused(
        |plan| window(plan, 0).start_ns = 0,
        "refresh",
        "color 0 is refreshed at 0 ns",
    );
    let lock = |lock: u64| {
        move |plan: &mut Plan| match &mut plan.schedule {
            Schedule::Table { lock_ns, .. } => *lock_ns = lock,
            _ => unreachable!("has a table"),
        }
    };
    sound.refused(lock(u64::MAX), burst, "shorter than the handler");
    sound.refused(
        lock(6_000),
        "schedule.table.slots[0]",
        "is cut at 5000 ns by the handler of a lock",
    );
}

#[test]
fn tables_of_other_tasks() {
    for sound in [Sound::two(Method::ColoredRefresh), Sound::copies()] {
        let place = "schedule.table";
        sound.refused(
            |plan| table(plan).length += 1,
            "schedule.table.length",
            "refresh repeats after",
        );
        sound.refused(|plan| table(plan).length = 0, "schedule.table.length", "is 0 ns");
        sound.refused(
            |plan| table(plan).length = u64::MAX,
            "schedule.table.length",
            "refresh repeats after",
        );
        sound.refused(|plan| table(plan).length *= 2, "", "");
        sound.refused(|plan| table(plan).cores = 2, "schedule.table.cores", "are 2");
        sound.refused(|plan| table(plan).memory[0][0][0] += 1, place, "other memory");
        sound.refused(|plan| _ = table(plan).memory.pop(), place, "other memory");
        sound.refused(|plan| _ = table(plan).copy_cost.pop(), place, "other costs of copies");
        sound.refused(|plan| plan.tasks[0].phase_ns += 1_000_000, place, "");
        sound.refused(|plan| plan.tasks[0].period_ns += 1, "", "");
        sound.refused(
            |plan| plan.tasks[0].response_bound_ns = Some(1),
            "proofs[0]",
            "the proof gives",
        );
    }
    // The table counts tasks in the order of the plan.
    let sound = Sound::two(Method::ColoredRefresh);
    sound.refused(|plan| plan.proofs[0].tasks.reverse(), "proofs[0]", "out of order");
    sound.refused(|plan| plan.tasks.swap(0, 1), "", "");
    // Two cores: a task bound to one whose slots are on the other.
    let four = Sound::four(Method::ColoredRefresh);
    four.refused(
        |plan| plan.tasks[0].core = Some(1),
        "schedule.table.slots[",
        "runs on core 0, is bound to core 1",
    );
}

#[test]
fn copies_that_take_no_time() {
    let sound = Sound::copies();
    let free = |plan: &mut Plan| {
        plan.tasks[0].copy_ns = None;
        table(plan).copy_cost[0] = None;
    };
    sound.refused(free, "tasks[0] (a)", "no time to copy");
    sound.refused(
        |plan| plan.tasks[0].copy_ns = plan.tasks[0].copy_ns.map(|copy| copy + 1),
        "schedule.table",
        "other costs of copies",
    );
    let other = |plan: &mut Plan| table(plan).slots[0].instance = 1 - table(plan).slots[0].instance;
    sound.refused(other, "schedule.table", "");
    let empty = |plan: &mut Plan| {
        plan.tasks[0].instances[1].fill(0);
        table(plan).memory[0][1].fill(0);
    };
    sound.refused(empty, "schedule.table", "lacks memory");
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt executives inside servers (CRS-8): a table in which each task runs in its color's time only.

use crate::mutations::edit::{table, window};
use crate::mutations::sound::Sound;
use fresco_plan::plan::{Evidence, Schedule};
use fresco_plan::{Method, Plan};

#[test]
fn slots_of_executives() {
    let sound = Sound::executives();
    let first = "schedule.table.slots[0]";
    let count = table(&mut sound.plan.clone()).slots.len();
    assert!(count > 10, "{count} slots");
    for number in 0..count {
        sound.refused(|plan| _ = table(plan).slots.remove(number), "schedule.table", "");
        sound.refused(|plan| table(plan).slots[number].length -= 1, "schedule.table", "gets");
        sound.refused(|plan| table(plan).slots[number].task ^= 1, "", "");
        sound.refused(|plan| table(plan).slots[number].job += 1, "schedule.table", "");
        let blocked = |plan: &mut Plan| {
            let slot = &mut table(plan).slots[number];
            slot.blocked = slot.blocked.map_or(Some(0), |_| None);
        };
        let place = format!("schedule.table.slots[{number}]");
        sound.refused(blocked, &place, "is blocked meanwhile");
        sound.refused(|plan| table(plan).slots[number].core = 1, &place, "is bound to core 0");
        sound.refused(
            |plan| table(plan).slots[number].instance = 1,
            &place,
            "has no instance 1",
        );
    }
    sound.refused(|plan| table(plan).slots[0].start = u64::MAX, first, "leaves the table");
    sound.refused(|plan| table(plan).slots[0].task = 2, first, "there is no task 2");
    sound.refused(|plan| table(plan).slots.clear(), "schedule.table", "does not run");
}

/// Each server's tasks stay out of the refresh of their own color, and of the handlers of both.
#[test]
fn executives_in_refresh() {
    let sound = Sound::executives();
    for task in 0..2 {
        let color = sound.plan.tasks[task].colors_of(0)[0];
        let bursts = table(&mut sound.plan.clone()).bursts.clone();
        let burst = bursts
            .into_iter()
            .find(|burst| burst.color == color)
            .expect("is refreshed");
        let into = |plan: &mut Plan, at: u64| {
            let slots = &mut table(plan).slots;
            let number = slots.iter().position(|slot| slot.task == task).expect("runs");
            slots[number].start = at;
            slots[number].length = 10;
        };
        let fact = format!("while color {color} is refreshed");
        sound.refused(|plan| into(plan, burst.start + 100_000), "schedule.table.slots[", &fact);
        sound.refused(
            |plan| into(plan, burst.start + 4_000),
            "schedule.table.slots[",
            "by the handler of a lock",
        );
        // The same pages under the other color's schedule.
        let recolored = |plan: &mut Plan| {
            plan.tasks[task].instances[0].swap(0, 1);
            table(plan).memory[task][0].swap(0, 1);
        };
        sound.refused(recolored, "schedule.table.slots[", "is refreshed");
    }
}

#[test]
fn bursts_and_length_of_executives() {
    let sound = Sound::executives();
    let burst = "schedule.table.bursts[0]";
    sound.refused(|plan| table(plan).bursts[0].start = u64::MAX, burst, "leaves the table");
    sound.refused(|plan| table(plan).bursts[0].length = 0, burst, "is empty");
    sound.refused(|plan| table(plan).bursts[0].color = 2, burst, "does not exist");
    sound.refused(|plan| table(plan).bursts[0].color ^= 1, "", "");
    sound.refused(
        |plan| table(plan).bursts[0].length /= 2,
        "refresh",
        "outside its bursts",
    );
    sound.refused(|plan| _ = table(plan).bursts.pop(), "refresh", "outside its bursts");
    sound.refused(|plan| window(plan, 0).start_ns -= 1, "refresh", "outside its bursts");
    sound.refused(|plan| table(plan).length *= 2, "", "");
    sound.refused(|plan| table(plan).length = 0, "schedule.table.length", "is 0 ns");
    sound.refused(|plan| table(plan).cores = 2, "schedule.table.cores", "are 2");
    sound.refused(
        |plan| table(plan).memory[1][0][1] += 1,
        "schedule.table",
        "other memory",
    );
    sound.refused(
        |plan| table(plan).copy_cost[0] = Some(1),
        "schedule.table",
        "other costs of copies",
    );
    let lock = |lock: u64| {
        move |plan: &mut Plan| match &mut plan.schedule {
            Schedule::Table { lock_ns, .. } => *lock_ns = lock,
            _ => unreachable!("has a table"),
        }
    };
    sound.refused(lock(u64::MAX), burst, "shorter than the handler");
    sound.refused(lock(6_000), "", "");
    let listed = |plan: &mut Plan| plan.tasks[0].instance_of_job = vec![0; 8];
    sound.refused(listed, "tasks[0] (a)", "which this schedule does not heed");
}

#[test]
fn proofs_of_executives() {
    let sound = Sound::executives();
    sound.refused(
        |plan| plan.proofs.clear(),
        "tasks[0] (a)",
        "nothing proves its deadline",
    );
    sound.refused(
        |plan| plan.tasks[1].response_bound_ns = Some(1),
        "proofs[0]",
        "the proof gives",
    );
    sound.refused(
        |plan| plan.proofs[0].evidence = Evidence::Run { jobs: 10 },
        "proofs[0]",
        "",
    );
    sound.refused(|plan| plan.tasks[0].wcet_ns += 1, "schedule.table", "gets");
    sound.refused(|plan| plan.tasks[1].deadline_ns = 9_000_000, "", "");
    sound.refused(|plan| plan.tasks[0].phase_ns = 1_000_000, "schedule.table", "");
    // A table of servers belongs to no other method of two colors.
    sound.refused(
        |plan| plan.method = Method::Flat,
        "schedule.kind",
        "is none that flat has",
    );
}

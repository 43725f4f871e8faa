// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checker refuses a table after any single change that breaks it, and says what is broken.

use fresco_rt::Task;
use fresco_rt::executive::{Answer, CoAssign, Cores, Needs, Problem, Rotation, Slicing, Table};

const CAPACITY: [u64; 4] = [2; 4];
const MEMORY: [u64; 2] = [1, 2];

fn tasks() -> Vec<Task> {
    vec![
        Task::new("a", 0, 8, 5, 8).unwrap(),
        Task::new("b", 3, 16, 4, 14).unwrap(),
    ]
}

/// a with two instances and copies of one unit of time, b with one; 16 units in four colors.
fn table() -> Table {
    let tasks = tasks();
    let problem = Problem::new(&tasks, Rotation::frames(16, 4).unwrap(), Cores::ONE, Slicing::Anywhere).unwrap();
    let question = CoAssign {
        memory: MEMORY.to_vec(),
        capacity: CAPACITY.to_vec(),
        instances: vec![2, 1],
        copy_cost: vec![None, None],
        ..CoAssign::one_color(&problem)
    };
    match question.solve().unwrap().0 {
        Answer::Found(found) => found.table(&problem),
        other => panic!("{other:?}"),
    }
}

fn violation(table: &Table, retention: u64, burst: u64) -> String {
    violation_for(&tasks(), table, retention, burst)
}

fn violation_for(tasks: &[Task], table: &Table, retention: u64, burst: u64) -> String {
    let needs = Needs {
        tasks,
        retention,
        burst,
        memory: &MEMORY,
        capacity: &CAPACITY,
    };
    table
        .check(&needs)
        .err()
        .map(|violation| violation.to_string())
        .unwrap_or_default()
}

#[test]
fn the_table_itself_is_sound() {
    assert_eq!(violation(&table(), 16, 4), "");
}

/// The table was made for 5 units of time.
#[test]
fn a_job_may_get_more_than_it_needs() {
    let mut tasks = tasks();
    tasks[0].wcet = 3;
    assert_eq!(violation_for(&tasks, &table(), 16, 4), "");
    tasks[0].wcet = 6;
    assert!(violation_for(&tasks, &table(), 16, 4).contains("gets 5 of 6"));
}

#[track_caller]
fn refused(change: impl Fn(&mut Table), words: &str) {
    let mut table = table();
    change(&mut table);
    let found = violation(&table, 16, 4);
    assert!(found.contains(words), "`{found}` instead of `{words}`");
}

#[test]
fn every_broken_fact_is_named() {
    assert!(violation(&table(), 15, 4).contains("waits from"), "retention");
    assert!(violation(&table(), 16, 5).contains("too short"), "burst");
    refused(|t| t.length = 0, "no length");
    refused(|t| t.length = 20, "does not divide");
    refused(|t| t.bursts.retain(|burst| burst.color != 2), "never refreshed");
    refused(|t| t.bursts[1].start = 16, "leaves the table");
    refused(|t| t.bursts[1].length -= 1, "too short");
    refused(|t| t.memory[1][0].fill(2), "more than its capacity");
    refused(|t| t.memory[1][0].fill(0), "lacks memory");
    refused(|t| t.memory[1][0].push(1), "other colors");
    refused(|t| t.memory.truncate(1), "other tasks");
    refused(|t| t.slots.retain(|slot| slot.task == 0), "does not run");
    refused(|t| t.slots[0].length -= 1, "gets 4 of 5");
    refused(|t| t.slots[0].core = 1, "no such core");
    refused(|t| t.slots[0].job = 2, "no such job");
    refused(|t| t.slots[0].instance = 2, "no such instance");
    refused(|t| t.slots[1].start -= 1, "busy");
    refused(|t| t.slots.last_mut().unwrap().length += 16, "beyond the table");
    refused(|t| t.slots[0].job = 1, "outside its window");
}

#[test]
fn a_task_on_two_cores_at_once_is_refused() {
    refused(
        |t| {
            let mut twin = t.slots[0];
            (t.cores, twin.core) = (2, 1);
            t.slots.push(twin);
        },
        "two cores",
    );
}

#[test]
fn refresh_under_a_task_is_refused() {
    // Every color of b moved to where b runs.
    refused(
        |t| {
            let slot = *t.slots.iter().find(|slot| slot.task == 1).unwrap();
            t.memory[1][0].fill(0);
            t.memory[1][0][(slot.start / 4) as usize] = 2;
            t.memory[0].iter_mut().for_each(|units| units.fill(0));
            t.memory[0]
                .iter_mut()
                .for_each(|units| units[(slot.start / 4 + 1) as usize % 4] = 1);
        },
        "meets the refresh",
    );
}

#[test]
fn a_copy_must_be_paid_for() {
    let mut table = table();
    let switches = table
        .slots
        .iter()
        .filter(|slot| slot.task == 0)
        .any(|slot| slot.instance == 1);
    assert!(switches, "a cannot keep away from one color: its jobs change instance");
    table.copy_cost[0] = Some(1);
    assert!(violation(&table, 16, 4).contains("gets 5 of 6"));
}

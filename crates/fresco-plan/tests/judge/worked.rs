// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge itself: small plans of each kind, with what happens in them worked out by hand.

use super::conduct::{Conduct, Late};
use super::plan::Plan;
use super::{Harm, Seen, refresh, run};
use serde_json::{Value, json};

/// A task with memory in a color of two.
fn task(name: &str, color: usize, [phase, period, wcet, deadline]: [u64; 4]) -> Value {
    let bytes = if color == 0 { [4096, 0] } else { [0, 4096] };
    json!({
        "name": name, "phase_ns": phase, "period_ns": period, "wcet_ns": wcet, "deadline_ns": deadline, "memory_bytes": 4096,
        "global_bytes": 0, "core": 0, "instances": [bytes], "instance_of_job": [], "response_bound_ns": deadline, "copy_ns": null,
        "work": "synthetic",
    })
}

/// A plan with two ranks, a color each: a retention time of 800 ns, 8 commands of 10 ns refresh all rows.
fn plan(schedule: Value, tasks: &[Value], evidence: &str) -> Value {
    json!({
        "memory": {
            "ranks": 2, "page_bytes": 4096, "retention_ns": 800, "commands": 8, "trfc_ns": 10, "close_ps": 1500, "open_row_ps": 1200,
            "open_rows": 4, "page_rows": 1,
        },
        "policy": "Edf", "cores": 1,
        "colors": [
            { "ranks": [0], "bank_colors": "0", "bytes": 8192 },
            { "ranks": [1], "bank_colors": "1", "bytes": 8192 },
        ],
        "tasks": tasks, "schedule": schedule, "refresh": { "kind": "controller" },
        "proofs": [{ "tasks": (0..tasks.len()).collect::<Vec<_>>(), "evidence": { "kind": evidence } }],
    })
}

/// Locks of both colors, 400 ns apart; a burst of 80 ns.
fn locks() -> Value {
    json!({ "period_ns": 800, "lock_ns": 10, "unlock_ns": 5, "phase_ns": [400, 0], "burst_ns": [80, 80] })
}

/// The first pieces that run, as task, job, start and end.
#[track_caller]
fn runs(json: &Value, pieces: &[(usize, u64, u64, u64)]) {
    let plan = Plan::read(json).unwrap_or_else(|error| panic!("{error}"));
    let mut seen = Seen {
        keep: pieces.len(),
        ..Seen::default()
    };
    let conduct = Conduct {
        steps: 64,
        ..Conduct::PLANNED
    };
    run(&plan, &conduct, &mut seen).unwrap_or_else(|harm| panic!("{harm:?}"));
    let found: Vec<_> = seen
        .pieces
        .iter()
        .map(|piece| (piece.task, piece.job, piece.start, piece.end))
        .collect();
    assert_eq!(found, pieces);
}

/// A refresh every 100 ns costs 10, 1.5 until it begins and 1.2 for each row of the two tasks, in whole ns: 14.
#[test]
fn automatic_refresh() {
    let mut json = plan(
        json!({ "kind": "priorities" }),
        &[task("a", 0, [0, 400, 200, 400]), task("b", 1, [0, 800, 50, 800])],
        "demand",
    );
    json["colors"] = json!([]);
    for task in json["tasks"].as_array_mut().expect("tasks") {
        task["instances"] = json!([]);
    }
    runs(
        &json,
        &[
            (0, 0, 14, 100),
            (0, 0, 114, 200),
            (0, 0, 214, 242),
            (1, 0, 242, 292),
            (0, 1, 414, 500),
        ],
    );
}

/// One color is all of the memory: nothing runs from its lock to its unlock.
#[test]
fn a_burst() {
    let locks = json!({ "period_ns": 800, "lock_ns": 10, "unlock_ns": 5, "phase_ns": [0], "burst_ns": [80] });
    let mut json = plan(
        json!({ "kind": "locked", "locks": locks }),
        &[task("a", 0, [20, 800, 100, 800])],
        "demand",
    );
    json["colors"] = json!([{ "ranks": [0, 1], "bank_colors": "0-1", "bytes": 8192 }]);
    json["tasks"][0]["instances"] = json!([[4096]]);
    runs(&json, &[(0, 0, 95, 195), (0, 1, 895, 995)]);
}

/// Color 1 is locked from 0 to 95, color 0 from 400 to 495; handlers have the core in the first 10 and the last 5 ns of each.
#[test]
fn flat() {
    let tasks = [task("a", 0, [0, 800, 100, 800]), task("b", 1, [0, 400, 50, 400])];
    let json = plan(json!({ "kind": "locked", "locks": locks() }), &tasks, "run");
    // `b` is more urgent, but waits for its color.
    runs(
        &json,
        &[(0, 0, 10, 90), (1, 0, 95, 145), (0, 0, 145, 165), (1, 1, 410, 460)],
    );
}

/// Server 0 has 40 ns in 100, server 1 60 ns in 160; budgets are used up without work, and are kept while the color is locked.
#[test]
fn servers() {
    let servers = json!([
        { "color": 0, "period_ns": 100, "budget_ns": 40, "tasks": [0] },
        { "color": 1, "period_ns": 160, "budget_ns": 60, "tasks": [1] },
    ]);
    let schedule = json!({ "kind": "servers", "locks": locks(), "cores": [{ "servers": servers }] });
    let tasks = [task("a", 0, [0, 800, 60, 800]), task("b", 1, [0, 800, 50, 800])];
    // Server 0: 10 to 50, 100 to 140. Server 1, from its unlock on: 95 to 100, 140 to 160; renewed at 160, on to 200.
    runs(
        &plan(schedule, &tasks, "demand"),
        &[
            (0, 0, 10, 50),
            (1, 0, 95, 100),
            (0, 0, 100, 120),
            (1, 0, 140, 185),
            (0, 1, 810, 850),
        ],
    );
}

/// Jobs of a copy task take turns between the colors; the first follows the last of the list. A copy takes 7 ns.
#[test]
fn copies_in_servers() {
    let servers = json!([
        { "color": 0, "period_ns": 100, "budget_ns": 40, "tasks": [0] },
        { "color": 1, "period_ns": 100, "budget_ns": 40, "tasks": [0] },
    ]);
    let schedule = json!({ "kind": "servers", "locks": locks(), "cores": [{ "servers": servers }] });
    let mut json = plan(schedule, &[task("a", 0, [200, 400, 20, 100])], "run");
    json["tasks"][0]["instances"] = json!([[4096, 0], [0, 4096]]);
    json["tasks"][0]["instance_of_job"] = json!([0, 1]);
    json["tasks"][0]["copy_ns"] = json!(7);
    runs(&json, &[(0, 0, 200, 227), (0, 1, 640, 667), (0, 2, 1000, 1027)]);
    // With the same color for all jobs nothing is copied.
    json["tasks"][0]["instance_of_job"] = json!([0, 0]);
    runs(&json, &[(0, 0, 200, 220), (0, 1, 600, 620)]);
}

/// Color 0 from 10 to 110 and color 1 from 120 to 200 of every 200 ns.
#[test]
fn slots() {
    let schedule = json!({ "kind": "slots", "period_ns": 200, "handler_ns": 10, "cores": [{ "border_ns": 110, "tasks": [[0], [1]] }] });
    let tasks = [task("a", 0, [0, 800, 120, 800]), task("b", 1, [0, 800, 50, 800])];
    runs(
        &plan(schedule, &tasks, "demand"),
        &[(0, 0, 10, 110), (1, 0, 120, 170), (0, 0, 210, 230)],
    );
}

/// Job 1 comes at 750 and has its second slot at the beginning of the next turn; the first slot of all is nobody's.
#[test]
fn a_table() {
    let slot = |job: u64, start: u64, length: u64| json!({ "core": 0, "start": start, "length": length, "task": 0, "job": job, "instance": 0 });
    let slots = [slot(1, 20, 30), slot(0, 400, 60), slot(1, 770, 30)];
    let table = json!({ "length": 800, "slots": slots, "bursts": [{ "color": 1, "start": 0, "length": 95 }, { "color": 1, "start": 440, "length": 95 }] });
    let schedule = json!({ "kind": "table", "table": table, "lock_ns": 10 });
    let mut json = plan(schedule, &[task("a", 0, [350, 400, 50, 200])], "table");
    // The handler of the second burst cuts the slot of job 0 from 440 to 450.
    runs(
        &json,
        &[
            (0, 0, 400, 440),
            (0, 0, 450, 460),
            (0, 1, 770, 800),
            (0, 1, 820, 840),
            (0, 2, 1200, 1240),
        ],
    );
    json["tasks"][0]["deadline_ns"] = json!(89);
    json["tasks"][0]["response_bound_ns"] = json!(89);
    let harm = run(
        &Plan::read(&json).expect("a plan"),
        &Conduct::PLANNED,
        &mut Seen::default(),
    );
    let missed = Harm::Miss {
        task: "a".to_owned(),
        job: 0,
        deadline: 439,
    };
    assert_eq!(harm, Err(missed));
}

/// Equal deadlines: the shorter relative one first, then the shorter period, then the name.
#[test]
fn the_order_of_equal_deadlines() {
    let schedule = json!({ "kind": "locked", "locks": { "period_ns": 800, "lock_ns": 0, "unlock_ns": 0, "phase_ns": [0, 0], "burst_ns": [0, 0] } });
    let tasks = [
        task("z", 0, [0, 400, 10, 300]),
        task("y", 0, [0, 800, 10, 300]),
        task("x", 0, [0, 800, 10, 300]),
        task("w", 0, [100, 800, 10, 200]),
    ];
    let mut json = plan(schedule, &tasks, "run");
    json["tasks"][0]["wcet_ns"] = json!(101);
    // At 101 `w` is the first: of deadline 300 as the others, but its own is shorter.
    runs(
        &json,
        &[
            (0, 0, 0, 100),
            (3, 0, 100, 110),
            (0, 0, 110, 111),
            (2, 0, 111, 121),
            (1, 0, 121, 131),
        ],
    );
    json["policy"] = json!({ "FixedPriority": "RateMonotonic" });
    runs(
        &json,
        &[(0, 0, 0, 101), (3, 0, 101, 111), (2, 0, 111, 121), (1, 0, 121, 131)],
    );
    json["policy"] = json!({ "FixedPriority": "DeadlineMonotonic" });
    json["tasks"][3]["deadline_ns"] = json!(301);
    runs(
        &json,
        &[(0, 0, 0, 101), (2, 0, 101, 111), (1, 0, 111, 121), (3, 0, 121, 131)],
    );
}

/// Color 1 runs from 120 on, and is refreshed from 20 to 100, and up to 20 ns later.
#[test]
fn a_late_refresh_meets_its_tasks() {
    let schedule = json!({ "kind": "slots", "period_ns": 200, "handler_ns": 10, "cores": [{ "border_ns": 110, "tasks": [[], [0]] }] });
    let mut json = plan(schedule, &[task("b", 1, [0, 800, 50, 800])], "demand");
    json["refresh"] =
        json!({ "kind": "windows", "period_ns": 800, "windows": [{ "color": 1, "start_ns": 20, "commands": 8 }] });
    let mut at = |jitter: u64| {
        json["refresh_jitter_ns"] = json!(jitter);
        let conduct = Conduct {
            late: Late::Always,
            steps: 64,
            ..Conduct::PLANNED
        };
        run(&Plan::read(&json).expect("a plan"), &conduct, &mut Seen::default())
    };
    assert_eq!(at(20), Ok(()));
    let met = Harm::Met {
        task: "b".to_owned(),
        at: 120,
    };
    assert_eq!(at(21), Err(met));
}

/// Ordinary refreshes come at 0, 100, … before; windows at 150 and 550. Until then the rank of color 0 has had those of 0 and 100.
#[test]
fn rows_wait_for_their_commands() {
    let mut json = plan(json!({ "kind": "fair" }), &[task("a", 0, [0, 800, 1, 800])], "table");
    let mut found = |commands: [u64; 2], jitter: u64| {
        json["refresh"] = json!({ "kind": "windows", "period_ns": 800, "windows": [
            { "color": 0, "start_ns": 150, "commands": commands[0] }, { "color": 1, "start_ns": 550, "commands": commands[1] },
        ] });
        json["refresh_jitter_ns"] = json!(jitter);
        let conduct = Conduct {
            late: Late::AfterFirst,
            ..Conduct::PLANNED
        };
        refresh::rows(&Plan::read(&json).expect("a plan"), &conduct, 5)
    };
    assert_eq!(found([8, 8], 0), None);
    // Commands 0 to 9 are ordinary (from -800 on), 10 to 16 those of the first window; command 17 is the first of the second window, for
    // the rows of command 9: the last ordinary one.
    let waits = |rank, from, to| {
        Some(Harm::Row {
            rank,
            from,
            to: Some(to),
        })
    };
    assert_eq!(found([7, 8], 0), waits(0, 100, 950));
    // The second window begins 1 ns late: the rows of the first command wait for 801 ns. With one more command they were refreshed 10 ns later.
    assert_eq!(found([9, 8], 1), waits(1, 550, 1351));
    assert_eq!(found([9, 9], 1), None);
    assert_eq!(found([9, 9], 10), None);
    assert_eq!(found([9, 9], 11), waits(0, 160, 961));
}

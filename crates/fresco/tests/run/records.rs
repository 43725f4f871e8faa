// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco verify PLAN --records FILE`, on records written by hand.

use crate::common::{directory_with, fresco, refused, stdout};
use serde_json::Value;
use std::fmt::Write as _;
use tempfile::TempDir;

/// A task of 2 ms in each 8 ms, in a table; and records of as many frames, in each of which it began `late` ns after its slot.
fn recorded(frames: u64, late: impl Fn(u64) -> u64) -> (TempDir, u64) {
    let tasks = "machine = \"ss-rtmc\"\nplan.method = \"colored-refresh\"\n\
        [[task]]\nname = \"control\"\nperiod = \"8 ms\"\nwcet = \"2 ms\"\nmemory = \"64 KiB\"\n";
    let directory = directory_with(&[("tasks.toml", tasks)]);
    stdout(&["plan", "tasks.toml", "--out", "plan.json"], directory.path());
    let plan = std::fs::read_to_string(directory.path().join("plan.json")).expect("there");
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    let table = &plan["data"]["schedule"]["table"];
    let length = table["length"].as_u64().expect("a time");
    let mut slots: Vec<(u64, u64)> = table["slots"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|slot| {
            (
                slot["start"].as_u64().expect("a time"),
                slot["length"].as_u64().expect("a time"),
            )
        })
        .collect();
    slots.sort_unstable();
    let mut lines = String::new();
    for frame in 5..5 + frames {
        for (start, slot) in &slots {
            let begin = frame * length + start;
            let (end, started) = (begin + slot, begin + late(frame));
            _ = writeln!(
                lines,
                "{{\"frame\":{frame},\"cpu\":0,\"task\":\"control\",\"begin_ns\":{begin},\"end_ns\":{end},\"timer_ns\":{begin},\
                 \"started_ns\":{started},\"stopped_ns\":{end},\"ran_ns\":{},\"ready\":true,\"cut\":false,\"overran\":false,\
                 \"missed\":false,\"skipped\":0}}",
                end - started
            );
        }
    }
    std::fs::write(directory.path().join("r.jsonl"), lines).expect("writable");
    (directory, slots.len() as u64)
}

fn judged(directory: &TempDir, more: &[&str]) -> (Option<i32>, Value) {
    let words = [&["verify", "plan.json", "--records", "r.jsonl", "--json"], more].concat();
    let done = fresco(&words, directory.path());
    let mut report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    crate::json_reference::check(&report, &[]);
    (done.status.code(), report["data"].take())
}

fn edit(directory: &TempDir, from: &str, to: &str) {
    let file = directory.path().join("r.jsonl");
    let text = std::fs::read_to_string(&file).expect("there");
    let edited = text.replacen(from, to, 1);
    assert_ne!(edited, text, "{from}");
    std::fs::write(file, edited).expect("writable");
}

#[test]
fn slots_that_began_in_time_hold() {
    let (directory, slots) = recorded(4, |frame| frame * 10_000);
    let (status, data) = judged(&directory, &[]);
    assert_eq!((status, &data["holds"]), (Some(0), &Value::from(true)), "{data}");
    assert_eq!(data["frames"], 4);
    let task = &data["tasks"][0];
    assert_eq!(task["slots"], 4 * slots);
    assert_eq!(task["start"]["count"], 4 * slots);
    // 50, 60, 70 and 80 us.
    assert_eq!(
        (&task["start"]["min_ns"], &task["start"]["max_ns"]),
        (&50_000.into(), &80_000.into())
    );
    // A bound of its own: in two of the four frames it is exceeded.
    let (status, data) = judged(&directory, &["--late", "65us"]);
    assert_eq!(
        (status, &data["tasks"][0]["late"]),
        (Some(1), &Value::from(2 * slots)),
        "{data}"
    );
    // Without what began in the first millisecond.
    let (status, data) = judged(&directory, &["--late", "65us", "--after", "1ms"]);
    assert_eq!(
        (status, &data["tasks"][0]["late"]),
        (Some(1), &Value::from(2 * slots)),
        "{data}"
    );
    assert!(data["tasks"][0]["slots"].as_u64() < Some(4 * slots), "{data}");
    let shown = fresco(&["verify", "plan.json", "--records", "r.jsonl"], directory.path());
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        text.contains("Slots of the plan") && text.contains("more than 100000 ns after the planned one"),
        "{text}"
    );
}

/// Changes each record.
fn change(directory: &TempDir, change: impl Fn(&mut Value)) {
    let file = directory.path().join("r.jsonl");
    let mut changed = String::new();
    for line in std::fs::read_to_string(&file).expect("there").lines() {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        change(&mut record);
        _ = writeln!(changed, "{record}");
    }
    std::fs::write(file, changed).expect("writable");
}

#[test]
fn what_is_not_as_planned_is_counted() {
    let counted = |count: &str, by: &dyn Fn(&mut Value)| {
        let (directory, slots) = recorded(3, |_| 20_000);
        change(&directory, by);
        let (status, data) = judged(&directory, &[]);
        assert_eq!(status, Some(1), "{data}");
        (data["tasks"][0][count].as_u64().expect("a number"), 3 * slots)
    };
    let idle = |record: &mut Value| {
        record["started_ns"] = Value::Null;
        record["stopped_ns"] = Value::Null;
        record["ran_ns"] = 0.into();
    };
    // It was ready in each slot, and ran in none.
    let (missed, slots) = counted("missed", &idle);
    assert_eq!(missed, slots);
    let (missed, slots) = counted("missed", &|record| {
        idle(record);
        (record["ready"], record["missed"]) = (false.into(), true.into());
    });
    assert_eq!(missed, slots);
    let (early, slots) = counted("early", &|record| {
        record["started_ns"] = (record["begin_ns"].as_u64().expect("a time") - 1).into();
    });
    assert_eq!(early, slots);
    // Whatever the flag says: a job ends in each 8 ms.
    let (directory, _) = recorded(3, |_| 20_000);
    let frame_ns = judged(&directory, &[]).1["frame_ns"].as_u64().expect("a time");
    let (overran, _) = counted("overran", &|record| record["cut"] = true.into());
    assert_eq!(overran, 3 * frame_ns / 8_000_000);
    for (edited, to) in [
        ("\"cpu\":0", "\"cpu\":1"),
        ("\"frame\":5", "\"frame\":6"),
        ("\"skipped\":0", "\"skipped\":1000000"),
    ] {
        let (directory, _) = recorded(3, |_| 20_000);
        edit(&directory, edited, to);
        let (status, data) = judged(&directory, &[]);
        assert_eq!((status, &data["not_planned"]), (Some(1), &Value::from(1)), "{data}");
    }
    // On another processor, as --cpus says.
    let (directory, _) = recorded(3, |_| 20_000);
    change(&directory, |record| record["cpu"] = 3.into());
    assert_eq!(judged(&directory, &["--cpus", "3"]).0, Some(0));
    assert_eq!(judged(&directory, &[]).0, Some(1));
}

#[test]
fn what_was_not_written_to_its_end_is_left_out() {
    let (directory, slots) = recorded(3, |_| 20_000);
    let file = directory.path().join("r.jsonl");
    let text = std::fs::read_to_string(&file).expect("there");
    for (written, left, told) in [
        (
            &text[..text.len() - 30],
            1,
            format!(
                "fresco verify: r.jsonl:{}: the last line is incomplete, and left out\n",
                3 * slots
            ),
        ),
        (
            &format!("{text}\n\n")[..],
            0,
            "fresco verify: r.jsonl: blank lines at the end are left out\n".to_owned(),
        ),
    ] {
        std::fs::write(&file, written).expect("writable");
        let done = fresco(
            &["verify", "plan.json", "--records", "r.jsonl", "--json"],
            directory.path(),
        );
        let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        assert_eq!(done.status.code(), Some(0));
        assert_eq!(report["data"]["records"], 3 * slots - left);
        assert_eq!(String::from_utf8_lossy(&done.stderr), told);
    }
}

#[test]
fn an_unsound_plan_is_not_judged() {
    let (directory, _) = recorded(2, |_| 0);
    let file = directory.path().join("plan.json");
    let sound: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("there")).expect("JSON");
    let no_slots = |plan: &mut Value| plan["data"]["schedule"]["table"]["slots"] = Value::Array(Vec::new());
    let other_core = |plan: &mut Value| plan["data"]["schedule"]["table"]["slots"][0]["core"] = 1.into();
    let other_task = |plan: &mut Value| plan["data"]["schedule"]["table"]["slots"][0]["task"] = 9.into();
    let twice = |plan: &mut Value| {
        let task = plan["data"]["tasks"][0].clone();
        plan["data"]["tasks"].as_array_mut().expect("a list").push(task);
    };
    for edit in [&no_slots as &dyn Fn(&mut Value), &other_core, &other_task, &twice] {
        let mut plan = sound.clone();
        edit(&mut plan);
        std::fs::write(&file, plan.to_string()).expect("writable");
        let told = refused(&["verify", "plan.json", "--records", "r.jsonl"], directory.path());
        let of_live = refused(&["verify", "plan.json"], directory.path());
        assert!(told.contains("plan.json"), "{told}");
        assert_eq!(told, of_live);
    }
}

#[test]
fn what_are_no_records_is_told() {
    let (directory, _) = recorded(2, |_| 0);
    let refused = |words: &[&str]| refused(&[&["verify"], words].concat(), directory.path());
    let (plan, records) = (["plan.json"], ["plan.json", "--records", "r.jsonl"]);
    for (words, wanted) in [
        (
            &["-", "--records", "-"][..],
            "--records: found - for the records and for the plan",
        ),
        (&[&records[..], &["--late", "soon"]].concat(), "--late: "),
        (&[&records[..], &["--least", "50"]].concat(), "--least"),
        (&[&plan[..], &["--late", "5us"]].concat(), "--records"),
        (&[&plan[..], &["--after", "5us"]].concat(), "--records"),
        (&[&plan[..], &["--cpus", "1"]].concat(), "--records"),
    ] {
        let told = refused(words);
        assert!(told.contains(wanted), "{told}");
    }
    assert_eq!(judged(&directory, &["--late", "0ns"]).0, Some(0));
    edit(&directory, "\"cpu\":0", "\"cpu\":-1");
    let told = refused(&records);
    assert!(
        told.contains("r.jsonl:1: found no record of a slot")
            && told.contains("allowed: lines of JSON")
            && !told.contains("column"),
        "{told}"
    );
    std::fs::write(directory.path().join("r.jsonl"), "").expect("writable");
    let told = refused(&records);
    assert!(told.contains("r.jsonl: found no record in it"), "{told}");
    stdout(
        &[
            "plan",
            "tasks.toml",
            "--set",
            "plan.method=auto-refresh",
            "--out",
            "plan.json",
        ],
        directory.path(),
    );
    let told = refused(&records);
    assert!(
        told.contains("plan.json: --records: found a schedule that is the first ready task by the policy")
            && told.contains("allowed: a table, slots, servers or lock windows")
            && told.contains("leave out --records")
            && !told.contains("--schedule"),
        "{told}"
    );
}

/// Under a burst in each 64 ms two tasks share what it leaves: a with 8 ms from its begin on, b with 64 ms.
#[test]
fn jobs_of_tasks_that_share_slots_are_judged() {
    let task = |name: &str, period: u32| {
        format!(
            "[[task]]\nname = \"{name}\"\nperiod = \"{period} ms\"\nwcet = \"2 ms\"\nmemory = \"64 KiB\"\ncore = 0\n"
        )
    };
    let tasks = format!(
        "machine = \"ss-rtmc\"\nplan.method = \"burst\"\n{}{}",
        task("a", 32),
        task("b", 64)
    );
    let directory = directory_with(&[("tasks.toml", &tasks)]);
    stdout(&["plan", "tasks.toml", "--out", "plan.json"], directory.path());
    let plan = std::fs::read_to_string(directory.path().join("plan.json")).expect("there");
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    let locks = &plan["data"]["schedule"]["locks"];
    let ns = |value: &Value| value.as_u64().expect("a time");
    let begin = ns(&locks["phase_ns"][0]) + ns(&locks["lock_ns"]) + ns(&locks["burst_ns"][0]) + ns(&locks["unlock_ns"]);
    let ms = 1_000_000;
    let mut lines = String::new();
    for frame in 3..6 {
        let start = frame * 64 * ms;
        let (first, end) = (start + begin, start + 64 * ms);
        _ = writeln!(
            lines,
            "{{\"frame\":{frame},\"cpu\":0,\"task\":\"core0\",\"begin_ns\":{first},\"end_ns\":{end},\"timer_ns\":{first},\"started_ns\":{},\
             \"stopped_ns\":{},\"ran_ns\":{ms},\"ready\":true,\"cut\":false,\"overran\":false,\"missed\":false,\"skipped\":0}}",
            first + 20_000,
            start + 40 * ms
        );
        for (task, number, at, period, from, to) in [
            ("a", 2 * frame, start, 32, first + 20_000, first + ms),
            ("b", frame, start, 64, first + ms, first + 2 * ms),
            (
                "a",
                2 * frame + 1,
                start + 32 * ms,
                32,
                start + 32 * ms + 10_000,
                start + 33 * ms,
            ),
        ] {
            _ = writeln!(
                lines,
                "{{\"job\":{number},\"cpu\":0,\"task\":\"{task}\",\"thread\":7,\"arrived_ns\":{at},\"ready_ns\":{},\"deadline_ns\":{},\
                 \"started_ns\":{from},\"ended_ns\":{to},\"ran_ns\":{},\"exits\":false,\"pager\":false}}",
                at + 5_000,
                at + period * ms,
                to - from
            );
        }
    }
    std::fs::write(directory.path().join("r.jsonl"), &lines).expect("writable");
    let (status, data) = judged(&directory, &[]);
    assert_eq!((status, &data["holds"]), (Some(0), &Value::from(true)), "{data}");
    // The first one's first job arrived before recording began.
    let counts = |data: &Value| {
        let of = |task: usize, key: &str| data["jobs"][task][key].as_u64().expect("a number");
        (0..2)
            .map(|task| ["jobs", "missed", "overran", "out_of_turn"].map(|key| of(task, key)))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&data), [[5, 0, 0, 0], [2, 0, 0, 0]]);
    let text = stdout(&["verify", "plan.json", "--records", "r.jsonl"], directory.path());
    assert!(text.contains("Jobs of tasks that share slots"), "{text}");
    // The last job of a ends 1 ns after its deadline.
    let last = 5 * 64 * ms + 33 * ms;
    edit(
        &directory,
        &format!("\"ended_ns\":{last}"),
        &format!("\"ended_ns\":{}", 6 * 64 * ms + 1),
    );
    let (status, data) = judged(&directory, &[]);
    assert_eq!((status, counts(&data)[0]), (Some(1), [5, 1, 0, 0]), "{data}");
    std::fs::write(
        directory.path().join("r.jsonl"),
        lines.replace("\"job\":4,", "\"job\":40,"),
    )
    .expect("writable");
    let (status, data) = judged(&directory, &[]);
    assert_eq!(
        (status, &data["jobs_not_planned"]),
        (Some(1), &Value::from(1)),
        "{data}"
    );
}

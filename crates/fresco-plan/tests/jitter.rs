// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timer that starts refreshes may be late: plans make up for it, and the checker counts with it.

use fresco_plan::plan::{RefreshPlan, Schedule};
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use std::path::Path;

const TWO: &str = r#"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "5 us"
    plan.handler = "5 us"
    task = [
        { name = "a", period = "8 ms", wcet = "1 ms" },
        { name = "b", period = "32 ms", wcet = "9 ms", deadline = "30 ms", memory = "256 KiB" },
    ]
"#;

const HIDING: [Method; 5] = [
    Method::Aligned,
    Method::Crs,
    Method::ColoredRefresh,
    Method::Flat,
    Method::Burst,
];

fn planned(method: Method, changes: &[&str]) -> (TaskSet, Plan) {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let mut set = TaskSet::parse("t.toml", TWO, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"));
    set.options.method = Some(method);
    let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
    (set, plan)
}

/// Refreshes of a color in each retention time.
fn commands(plan: &Plan, color: usize) -> u64 {
    let RefreshPlan::Windows { period_ns, windows } = &plan.refresh else {
        panic!("hidden refresh is in windows")
    };
    let own = windows.iter().filter(|window| window.color == color);
    own.map(|window| window.commands).sum::<u64>() * (plan.memory.retention_ns / period_ns)
}

/// If nothing is said the timer may be late by a refresh interval, 7800 ns on this clock, and 23 refreshes of 350 ns and one more make up for that.
#[test]
fn every_method_makes_up_for_a_late_timer() {
    for method in HIDING {
        let (set, late) = planned(method, &[]);
        assert_eq!(late.refresh_jitter_ns, 7800);
        let (_, exact) = planned(method, &["plan.refresh_jitter=0 ns"]);
        assert_eq!(
            (exact.refresh_jitter_ns, commands(&exact, 0)),
            (0, 8192),
            "{}",
            method.name()
        );
        assert!(commands(&late, 0) >= 8192 + 24, "{}", method.name());
        let report = check(&late, &set.machine).unwrap_or_else(|violation| panic!("{}: {violation}", method.name()));
        assert!(report.longest_row_gap_ns <= Some(64_000_000), "{report:?}");
        let note = "refreshes are assumed to begin no more than 7800 ns late";
        assert!(report.warnings.iter().any(|text| text == note), "{report:?}");
        let note = "exactly when the plan says; a timer that starts them with more jitter than 0 ns";
        let report = check(&exact, &set.machine).unwrap_or_else(|violation| panic!("{}: {violation}", method.name()));
        assert!(report.warnings.iter().any(|text| text.contains(note)), "{report:?}");
    }
    // An automatic refresh has no timer of the plan's.
    assert_eq!(planned(Method::AutoRefresh, &[]).1.refresh_jitter_ns, 0);
}

/// The locks of an exact plan leave no time for late refreshes; where they do, rows wait too long.
#[test]
fn a_later_timer_than_planned_for_is_refused() {
    for method in HIDING {
        let (set, mut plan) = planned(method, &["plan.refresh_jitter=0 ns"]);
        plan.refresh_jitter_ns = 1;
        let objection = check(&plan, &set.machine).expect_err("locks are too short");
        let violation = objection.violation().expect("a fact");
        assert!(
            violation.fact.contains("is refreshed"),
            "{}: {violation}",
            method.name()
        );
    }
    let (set, mut plan) = planned(Method::Flat, &["plan.refresh_jitter=0 ns"]);
    let Schedule::Locked { locks } = &mut plan.schedule else {
        panic!("flat plans have locks")
    };
    locks.burst_ns.iter_mut().for_each(|burst| *burst += 1);
    plan.refresh_jitter_ns = 1;
    let objection = check(&plan, &set.machine).expect_err("rows wait for 64 ms and 1 ns");
    let violation = objection.violation().expect("a fact");
    assert!(violation.place.starts_with("refresh.windows"), "{violation}");
    assert!(violation.fact.contains("not again until"), "{violation}");
}

/// In the first frames after ordinary refresh a segment has no more lead than those before it have gained: of 7 commands a frame here,
/// which is less than the timer may be late.
#[test]
fn a_late_second_segment_is_in_time() {
    for jitter in [60_000, 88_912, 400_000] {
        let jitter = format!("plan.refresh_jitter={jitter} ns");
        let (set, plan) = planned(
            Method::Aligned,
            &[&jitter, "memory.density=32", "plan.longest_period=4 ms"],
        );
        check(&plan, &set.machine).unwrap_or_else(|violation| panic!("{jitter}: {violation}"));
    }
}

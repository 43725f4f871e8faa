// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two criticality levels: plans of both modes, and what is wrong with them when a part of either is changed.

use fresco_plan::plan::{Evidence, RefreshPlan, SCHEMA, Schedule};
use fresco_plan::refusal::Kind;
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use std::path::Path;

const TWO_MODES: &str = r#"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "8 us"
    plan.high_retention = "32 ms"
    task = [
        { name = "control", period = "20 ms", wcet = "2 ms", criticality = "high", wcet_high = "5 ms" },
        { name = "vision", period = "40 ms", wcet = "8 ms", memory = "256 KiB", criticality = "high", wcet_high = "12 ms" },
        { name = "log", period = "30 ms", wcet = "9 ms", memory = "256 KiB", criticality = "low" },
    ]
"#;

const METHODS: [Method; 3] = [Method::Aligned, Method::AutoRefresh, Method::Burst];

fn set(method: Method, changes: &[&str]) -> TaskSet {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let mut set =
        TaskSet::parse("two.toml", TWO_MODES, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"));
    set.options.method = Some(method);
    set
}

fn planned(method: Method, changes: &[&str]) -> (TaskSet, Plan) {
    let set = set(method, changes);
    let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
    (set, plan)
}

fn each() -> impl Iterator<Item = (Method, &'static str)> {
    METHODS
        .into_iter()
        .flat_map(|method| [(method, "plan.policy=edf"), (method, "plan.policy=dm")])
}

#[test]
fn both_modes_are_proved_and_checked() {
    for (method, policy) in each() {
        let (set, found) = planned(method, &[policy]);
        let high = found.high.as_ref().expect("a high mode");
        assert_eq!(high.retention_ns, 32_000_000);
        let mut proved = high
            .proofs
            .iter()
            .flat_map(|proof| proof.tasks.clone())
            .collect::<Vec<usize>>();
        proved.sort_unstable();
        assert_eq!(proved, [0, 1]);
        assert_eq!(
            found.tasks.iter().map(|task| task.wcet_high_ns).collect::<Vec<_>>(),
            [5_000_000, 12_000_000, 0]
        );
        let early: Vec<bool> = found.tasks.iter().map(|task| task.virtual_deadline_ns > 0).collect();
        assert_eq!(
            early,
            [policy.ends_with("edf"), policy.ends_with("edf"), false],
            "{:?}",
            found.tasks
        );
        let report = check(&found, &set.machine).unwrap_or_else(|wrong| panic!("{} {policy}: {wrong}", method.name()));
        let told = |text: &str| report.warnings.iter().any(|warning| warning.starts_with(text));
        assert!(
            told("nothing is promised to log once the mode has changed") && told("heat is assumed"),
            "{report:?}"
        );
        let document = serde_json::json!({ "schema": SCHEMA, "data": found });
        assert_eq!(Plan::parse("plan.json", &document.to_string()).unwrap(), found);
    }
}

/// A burst of 8192 commands of 350 ns and those that make up for a timer 7800 ns late, 24, all at once after the lock.
#[test]
fn rows_are_refreshed_at_once_when_the_mode_changes() {
    let (_, found) = planned(Method::Burst, &[]);
    let high = found.high.expect("a high mode");
    assert_eq!(high.settled_ns, 8_000 + (8192 + 24) * 350 + 7_800);
    let Schedule::Locked { locks } = &high.schedule else {
        panic!("bursts: {:?}", high.schedule);
    };
    assert_eq!((locks.period_ns, &locks.phase_ns[..]), (32_000_000, &[0][..]));
}

#[test]
fn without_heat_refresh_stays_as_it_is() {
    for method in METHODS {
        let (set, found) = planned(method, &["plan.high_retention=64 ms"]);
        let high = found.high.as_ref().expect("a high mode");
        assert_eq!((&high.refresh, &high.schedule), (&found.refresh, &found.schedule));
        let report = check(&found, &set.machine).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(
            !report.warnings.iter().any(|text| text.starts_with("heat")),
            "{report:?}"
        );
    }
}

/// What a plan says of high mode is what the checker needs: each change of it is found.
#[test]
fn a_wrong_high_mode_is_found() {
    type Change = fn(&mut Plan);
    let changes: [(&str, Change); 12] = [
        ("a job takes longer", |plan| plan.tasks[0].wcet_high_ns = 13_000_000),
        ("a job takes less than in low mode", |plan| {
            plan.tasks[0].wcet_high_ns = 1_000_000
        }),
        ("a task is of high criticality that none serves", |plan| {
            plan.tasks[2].wcet_high_ns = 9_000_000
        }),
        ("a task is dropped that is proved", |plan| {
            plan.tasks[1].wcet_high_ns = 0
        }),
        ("no proof", |plan| high(plan).proofs.clear()),
        ("a proof leaves a task out", |plan| _ = high(plan).proofs[0].tasks.pop()),
        ("rows wait longer", |plan| high(plan).retention_ns = 16_000_000),
        ("no turn ends at the change", |plan| {
            high(plan).retention_ns = 30_000_000
        }),
        ("rows are said to be refreshed earlier", |plan| {
            high(plan).settled_ns -= 2_000_000
        }),
        ("the mode is forgotten", |plan| plan.high = None),
        ("a proof ends early", |plan| match &mut high(plan).proofs[0].evidence {
            Evidence::Demand(certificate) => _ = certificate.steps.pop(),
            Evidence::Responses(certificate) => *certificate.responses.last_mut().unwrap() -= 1,
            other => panic!("{other:?}"),
        }),
        ("a proof of another core", |plan| high(plan).proofs[0].core = Some(1)),
    ];
    for (method, policy) in each() {
        let (set, found) = planned(method, &[policy]);
        for (name, change) in changes {
            let mut wrong = found.clone();
            change(&mut wrong);
            assert!(
                check(&wrong, &set.machine).is_err(),
                "{} {policy}: {name}",
                method.name()
            );
        }
    }
}

fn high(plan: &mut Plan) -> &mut fresco_plan::plan::HighMode {
    plan.high.as_mut().expect("a high mode")
}

#[test]
fn virtual_deadlines_are_a_part_of_both_proofs() {
    for method in METHODS {
        let (set, found) = planned(method, &[]);
        let of = |deadline: u64| {
            let mut wrong = found.clone();
            wrong.tasks[0].virtual_deadline_ns = deadline;
            check(&wrong, &set.machine).err().map(|wrong| wrong.to_string())
        };
        assert!(of(0).is_some_and(|wrong| wrong.contains("proofs[0]")), "{:?}", of(0));
        assert!(of(1_000_000).is_some());
        let (set, mut fixed) = planned(method, &["plan.policy=dm"]);
        fixed.tasks[0].virtual_deadline_ns = 19_000_000;
        let wrong = check(&fixed, &set.machine).unwrap_err().to_string();
        assert!(wrong.contains("by which no fixed priority goes"), "{wrong}");
    }
}

/// The burst of high mode later than that of low mode: sound by itself, and with time that low mode does not have. Rows, too, wait longer than they may.
#[test]
fn the_time_until_the_change_counts() {
    let (set, found) = planned(Method::Burst, &["plan.refresh_jitter=0 ns"]);
    let mut moved = found.clone();
    let Some(mode) = &mut moved.high else {
        panic!("a high mode")
    };
    let (Schedule::Locked { locks }, RefreshPlan::Windows { windows, .. }) = (&mut mode.schedule, &mut mode.refresh)
    else {
        panic!("bursts");
    };
    locks.phase_ns[0] += 10_000_000;
    windows[0].start_ns += 10_000_000;
    mode.settled_ns += 10_000_000;
    let wrong = check(&moved, &set.machine).unwrap_err().to_string();
    assert!(wrong.contains("when low mode does not"), "{wrong}");
}

#[test]
fn what_no_proof_of_two_modes_counts_is_refused() {
    for (method, change, why) in [
        (
            Method::Crs,
            "plan.attempts=1",
            "divides the time of a core by what tasks need in one mode",
        ),
        (
            Method::Flat,
            "plan.attempts=1",
            "no proof for jobs that take longer than known",
        ),
        (Method::AutoRefresh, "plan.context_switch=4 us", "counts switches"),
        (
            Method::Burst,
            "task.1.jitter=1 ms",
            "counts the jitter or the critical section of vision",
        ),
        (Method::Burst, "task.2.critical_section=1 ms", "of log"),
    ] {
        let refused = plan(&set(method, &[change])).unwrap_err();
        assert!(
            refused.reason.contains("not applicable") && refused.reason.contains(why),
            "{refused}"
        );
    }
    for (changes, why) in [
        (
            ["task.0.wcet_high=10 ms", "task.2.wcet=17 ms"],
            "after the mode changes",
        ),
        (["task.0.wcet_high=13 ms", "task.2.wcet=1 ms"], "need as much time as"),
        (
            ["task.0.wcet_high=2 ms", "task.2.wcet=20 ms"],
            "the tasks need 0.9667 of a core",
        ),
    ] {
        let refused = plan(&set(Method::AutoRefresh, &changes)).unwrap_err();
        assert_eq!(refused.kind, Kind::Load, "{refused}");
        assert!(refused.reason.contains(why), "{refused}");
    }
}

/// Numbers that no planner writes are refused at once, however large or small.
#[test]
fn absurd_numbers_of_high_mode_are_refused() {
    for method in METHODS {
        let (set, found) = planned(method, &["plan.policy=edf"]);
        for deadline in [20_000_001, 40_000_001, u64::MAX] {
            let mut wrong = found.clone();
            wrong.tasks[0].virtual_deadline_ns = deadline;
            let refused = check(&wrong, &set.machine)
                .expect_err("beyond the deadline")
                .to_string();
            assert!(refused.contains("virtual deadline"), "{refused}");
        }
        for retention in [1, 1000, 100_000] {
            let mut wrong = found.clone();
            high(&mut wrong).retention_ns = retention;
            assert!(check(&wrong, &set.machine).is_err(), "{retention}");
        }
    }
}

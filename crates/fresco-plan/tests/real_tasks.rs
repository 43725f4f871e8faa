// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts, late jobs, critical sections, switches and reloads: methods with proofs for sporadic tasks count them, others say that they do not.

use fresco_plan::refusal::Kind;
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use fresco_rt::Time;
use std::path::Path;

const REAL: &str = r#"
    memory.density = 8
    memory.density_scales_refresh_only = true
    plan.lock = "8 us"
    plan.handler = "8 us"
    plan.context_switch = "4 us"
    task = [
        { name = "a", period = "8 ms", wcet = "1 ms", jitter = "200 us", critical_section = "50 us", cache_reload = "20 us" },
        { name = "b", period = "32 ms", wcet = "4 ms", deadline = "30 ms", memory = "256 KiB", critical_section = "300 us", cache_reload = "80 us" },
        { name = "c", period = "16 ms", wcet = "500 us", arrival_jitter = "40 ms", min_distance = "2 ms", memory = "256 KiB" },
    ]
"#;

/// Methods whose proofs hold for sporadic tasks.
const SPORADIC: [Method; 4] = [Method::Aligned, Method::Crs, Method::AutoRefresh, Method::Burst];

fn set(method: Method, changes: &[&str]) -> TaskSet {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let mut set = TaskSet::parse("real.toml", REAL, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"));
    set.options.method = Some(method);
    set
}

fn planned(method: Method, changes: &[&str]) -> (TaskSet, Plan) {
    let set = set(method, changes);
    let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
    (set, plan)
}

#[test]
fn sporadic_proofs_count_what_tasks_cost_besides() {
    for (method, policy) in SPORADIC
        .into_iter()
        .flat_map(|method| [(method, "edf"), (method, "dm")])
    {
        let (set, found) = planned(method, &[&format!("plan.policy={policy}")]);
        let c = &found.tasks[2];
        assert_eq!((c.arrival_jitter_ns, c.min_distance_ns), (40_000_000, 2_000_000));
        let a = &found.tasks[0];
        assert_eq!(
            (a.jitter_ns, a.critical_section_ns, a.cache_reload_ns),
            (200_000, 50_000, 20_000)
        );
        assert_eq!((a.wcet_ns, found.context_switch_ns), (1_000_000, 4_000));
        let report = check(&found, &set.machine).unwrap_or_else(|found| panic!("{} {policy}: {found}", method.name()));
        let note = "jobs are assumed to arrive and to be ready no later";
        assert!(report.warnings.iter().any(|text| text.starts_with(note)), "{report:?}");
    }
}

/// In a plan that was made without it, each fact breaks the proof once it is large enough.
#[test]
fn a_proof_without_them_is_refused() {
    type Worse = fn(&mut Plan, Time);
    let worse: [(&str, Worse); 6] = [
        ("jitter", |plan, time| plan.tasks[1].jitter_ns = time),
        ("arrivals", |plan, time| plan.tasks[0].arrival_jitter_ns = time),
        ("section", |plan, time| {
            plan.tasks[1].critical_section_ns = time.min(4_000_000);
            plan.tasks[1].cache_reload_ns = time;
        }),
        ("switch", |plan, time| plan.context_switch_ns = time),
        ("reload", |plan, time| plan.tasks[1].cache_reload_ns = time),
        ("distance", |plan, _| {
            plan.tasks[2].arrival_jitter_ns = 15_000_000_000;
            plan.tasks[2].min_distance_ns = 0;
        }),
    ];
    for method in SPORADIC {
        let (set, found) = planned(method, &[]);
        for (name, worse) in worse {
            let broken = (10..34).map(|bits| 1 << bits).find(|&time| {
                let mut spoilt = found.clone();
                worse(&mut spoilt, time);
                check(&spoilt, &set.machine).is_err()
            });
            assert!(broken.is_some(), "{}: {name} is never refused", method.name());
        }
    }
}

/// A handler waits for a switch that is under way when the slot before it ends.
#[test]
fn handlers_have_time_for_a_switch() {
    for method in [Method::Aligned, Method::Crs, Method::Burst] {
        let (set, mut found) = planned(
            method,
            &["plan.context_switch=3 us", "plan.lock=5 us", "plan.handler=5 us"],
        );
        found.context_switch_ns = 4_000;
        let objection = check(&found, &set.machine).expect_err("5 us for 4 us and 1625 ns");
        assert!(
            objection
                .to_string()
                .contains("and a switch under way when a color is locked take up to 5625 ns"),
            "{objection}"
        );
        let late = ["plan.context_switch=4 us", "plan.handler=5 us", "plan.lock=5 us"];
        let refusal = plan(&self::set(method, &late)).expect_err("too short");
        assert!(
            refusal.reason.contains("reads, writes and a switch under way"),
            "{refusal}"
        );
    }
    // If omitted, it is longer by a switch.
    let text = REAL
        .replace("plan.lock = \"8 us\"", "")
        .replace("plan.handler = \"8 us\"", "");
    let handler = |switch: &str| {
        let set = TaskSet::parse(
            "real.toml",
            &text,
            Path::new(""),
            &[format!("plan.context_switch={switch}")],
        )
        .expect("tasks");
        (set.options.handler_ns, set.options.lock_ns)
    };
    let ((handler_0, lock_0), (handler_50, lock_50)) = (handler("0 us"), handler("50 us"));
    assert_eq!((handler_50, lock_50), (handler_0 + 50_000, lock_0 + 50_000));
}

/// Less of anything is sound. A chain of demand under EDF is for the instants at which demand rises, and these move with jitter: there the checker wants
/// another chain, and says so.
#[test]
fn less_of_anything_is_accepted() {
    for (method, policy) in SPORADIC
        .into_iter()
        .flat_map(|method| [(method, "edf"), (method, "dm")])
    {
        let (set, found) = planned(method, &[&format!("plan.policy={policy}")]);
        let mut less = found.clone();
        less.context_switch_ns = 1_000;
        for task in &mut less.tasks {
            task.critical_section_ns /= 2;
            task.cache_reload_ns /= 2;
        }
        check(&less, &set.machine).unwrap_or_else(|found| panic!("{} {policy}: {found}", method.name()));
        for task in &mut less.tasks {
            task.arrival_jitter_ns /= 2;
            task.jitter_ns /= 2;
        }
        match (check(&less, &set.machine), policy) {
            (Err(objection), "edf") => {
                assert!(
                    objection.to_string().contains("is left out"),
                    "{}: {objection}",
                    method.name()
                );
            }
            (found, _) => _ = found.unwrap_or_else(|found| panic!("{} {policy}: {found}", method.name())),
        }
    }
}

#[test]
fn methods_of_known_instants_say_that_they_do_not_apply() {
    for method in [Method::Flat, Method::ColoredRefresh] {
        let refusal = plan(&set(method, &[])).expect_err("it knows nothing of jitter");
        assert_eq!(refusal.kind, Kind::Form);
        assert!(
            refusal.reason.contains("task a has jitter or a critical section"),
            "{refusal}"
        );
    }
    // Nobody takes a run or a table for a proof of such tasks.
    let free = [
        "plan.context_switch=0 ns",
        "task.0.cache_reload=0 ns",
        "task.1.cache_reload=0 ns",
    ];
    let (set, mut found) = planned(Method::Flat, &[&PLAIN[..], &free].concat());
    check(&found, &set.machine).expect("sound as it is");
    found.tasks[2].jitter_ns = 1;
    let objection = check(&found, &set.machine).expect_err("not shown by a run");
    assert!(objection.to_string().contains("counts no jitter"), "{objection}");
}

/// Tasks that are ready when they arrive, with switches and reloads.
const PLAIN: [&str; 5] = [
    "task.0.jitter=0 ns",
    "task.0.critical_section=0 ns",
    "task.1.critical_section=0 ns",
    "task.2.arrival_jitter=0 ns",
    "task.2.min_distance=16 ms",
];

/// Each dispatch is paid for where jobs have known instants, too: by runs, in tables, and in executives inside servers. Whoever makes switches
/// longer afterwards finds no time for them.
#[test]
fn known_instants_count_switches() {
    for (method, policy) in [
        (Method::Flat, "edf"),
        (Method::Flat, "dm"),
        (Method::ColoredRefresh, "edf"),
        (Method::Crs, "executive"),
    ] {
        let name = method.name();
        let (set, found) = planned(
            method,
            &[&PLAIN[..], &[&format!("plan.policy={policy}"), "plan.lock=800 us"]].concat(),
        );
        check(&found, &set.machine).unwrap_or_else(|objection| panic!("{name} {policy}: {objection}"));
        assert_eq!((found.tasks[0].wcet_ns, found.context_switch_ns), (1_000_000, 4_000));
        let said = |reason: &String| reason.starts_with("a switch takes 4000 ns: each job");
        assert!(found.reasons.iter().any(said), "{:?}", found.reasons);
        let mut more = found.clone();
        more.context_switch_ns = 700_000;
        let objection = check(&more, &set.machine).expect_err(name).to_string();
        let told = [
            "without their switches",
            "misses its deadline",
            "with its switches",
            "the response of",
        ];
        assert!(
            told.iter().any(|told| objection.contains(told)),
            "{name} {policy}: {objection}"
        );
    }
}

/// A table is looked at slice by slice: with one nanosecond more for each switch some job lacks time.
#[test]
fn a_table_has_just_the_time_for_its_switches() {
    let (set, found) = planned(Method::ColoredRefresh, &PLAIN);
    let mut more = found.clone();
    more.context_switch_ns += 1;
    let objection = check(&more, &set.machine).expect_err("each job has its time and no more");
    let told = "in its slices without their switches";
    assert!(objection.to_string().contains(told), "{objection}");
    // A job that another cuts in two reloads.
    let mut more = found;
    let slices: Vec<usize> = (0..3).map(|task| table(&more).most_slices(task)).collect();
    let cut = slices.iter().position(|&slices| slices > 1).expect("some job is cut");
    more.tasks[cut].cache_reload_ns += 1;
    let objection = check(&more, &set.machine).expect_err("a reload longer than there is time for");
    assert!(objection.to_string().contains(told), "{objection}");
}

fn table(plan: &Plan) -> &fresco_rt::executive::Table {
    let fresco_plan::plan::Schedule::Table { table, .. } = &plan.schedule else {
        panic!("{} is no table", plan.method.name());
    };
    table
}

/// The tasks of a plan are read back with all that they have.
#[test]
fn the_tasks_of_a_plan_are_planned_anew() {
    let (_, found) = planned(Method::Aligned, &[]);
    let data = serde_json::to_string(&found).expect("a plan is JSON");
    let text = format!("{{\"schema\": \"fresco-plan/1\", \"data\": {data}}}");
    let source = fresco_scenario::Source::of_text("plan.json", text, Path::new("")).expect("a plan");
    let again = TaskSet::of(&source, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.timing(), set(Method::Aligned, &[]).timing());
    assert_eq!(again.options.context_switch_ns, 4_000);
}

#[test]
fn impossible_times_are_refused_at_their_key() {
    let refused = [
        ("task.0.jitter=7500 us", "task.a.jitter", "at most 7 ms"),
        ("task.2.min_distance=17 ms", "task.c.min_distance", "at most the period"),
        ("task.2.arrival_jitter=20 s", "task.c.arrival_jitter", "1000 periods"),
        (
            "task.0.critical_section=2 ms",
            "task.a.critical_section",
            "at most wcet",
        ),
        (
            "task.2.arrival_jitter=0 ns",
            "task.c.min_distance",
            "beside arrival_jitter",
        ),
        ("plan.context_switch=2 ms", "plan.context_switch", "1 ms"),
    ];
    for (change, place, allowed) in refused {
        let error = TaskSet::parse("real.toml", REAL, Path::new(""), &[change.to_owned()]).expect_err(change);
        let text = error.to_string();
        assert!(text.contains(place) && text.contains(allowed), "{change}: {text}");
    }
    let text = "[[task]]\nname = 'a'\nmemory = '64 KiB'\ncache_reload = '1 us'";
    let error = TaskSet::parse("batch.toml", text, Path::new(""), &[]).expect_err("no period");
    assert!(error.to_string().contains("without a period"), "{error}");
    // Switches that leave no time are the load's fault.
    let refusal = plan(&set(
        Method::Aligned,
        &["plan.context_switch=1 ms", "task.0.deadline=2 ms"],
    ))
    .expect_err("5 ms of 1.8");
    assert_eq!(refusal.kind, Kind::Load);
    assert!(
        refusal.reason.contains("with its switches a job of a takes"),
        "{refusal}"
    );
}

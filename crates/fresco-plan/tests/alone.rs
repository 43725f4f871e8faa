// SPDX-License-Identifier: MIT OR Apache-2.0
//! WCETs measured alone: what other cores cost is in the plan, and the checker finds a plan without it.

use fresco_plan::refusal::Kind;
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use std::path::Path;

/// Two cores in order with one miss register each, on a controller with a small cap and one drain before a read.
const ALONE: &str = r#"
    machine = "gem5-2core"
    core.mshrs = 1
    memory.controller.hit_cap = 2
    memory.controller.drain_once = true
    plan.wcet_is = "alone"
    task = [
        { name = "a", period = "20 ms", wcet = "2 ms", reads = 2000, write_backs = 0 },
        { name = "b", period = "40 ms", wcet = "4 ms", reads = 5000, write_backs = 0 },
        { name = "c", period = "32 ms", wcet = "3 ms", reads = 1000, write_backs = 0 },
    ]
"#;

fn set(changes: &[&str]) -> TaskSet {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    TaskSet::parse("alone.toml", ALONE, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"))
}

fn planned(changes: &[&str]) -> (TaskSet, Plan) {
    let set = set(changes);
    let plan = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    (set, plan)
}

/// Each read of a job adds the bound of a read less the time of its data.
#[test]
fn each_read_takes_the_longest_that_it_can() {
    for method in [Method::Aligned, Method::AutoRefresh, Method::Crs] {
        let (set, found) = planned(&[&format!("plan.method={}", method.name())]);
        let together = fresco_bound::Together::new(&set.machine, 2, false, None).expect("bounded");
        for task in &found.tasks {
            let longest = together.job(task.wcet_alone_ns * 1000, task.reads, 0).longest_ps;
            assert_eq!(task.wcet_ns, longest.div_ceil(1000));
            let more = task.wcet_ns - task.wcet_alone_ns;
            let each = more as f64 / task.reads as f64;
            // More than a row cycle, 48.75 ns, less than its data; no more than the bound of a read.
            assert!(
                each > 30.0 && each * 1000.0 <= together.read_ps() as f64 + 1000.0,
                "{each}"
            );
        }
        let report = check(&found, &set.machine).unwrap_or_else(|found| panic!("{}: {found}", method.name()));
        assert!(
            report
                .warnings
                .iter()
                .any(|text| text.starts_with("jobs are assumed to read")),
            "{report:?}"
        );
    }
}

#[test]
fn with_one_core_nothing_is_added() {
    let (set, found) = planned(&["plan.cores=1"]);
    assert_eq!(
        (found.tasks[0].wcet_ns, found.tasks[0].wcet_alone_ns),
        (2_000_000, 2_000_000)
    );
    check(&found, &set.machine).expect("sound");
}

/// Others that may move little in a period cost little, however long a read can take.
#[test]
fn budgets_make_it_less() {
    let wcet = |changes: &[&str]| planned(changes).1.tasks[1].wcet_ns;
    // Cores in order: others go on with what is in their window.
    let far = [
        "machine=imx8m-mini",
        "memory.controller.hit_cap=16",
        "task.1.reads=1000",
    ];
    let budgets = [&far[..], &["bandwidth.period=1 ms", "bandwidth.reserve=5 MB/s"]].concat();
    let (without, with) = (wcet(&far), wcet(&budgets));
    assert!(with < without, "{with} {without}");
    let (set, found) = planned(&budgets);
    check(&found, &set.machine).expect("sound");
    // Larger budgets than the plan was made with are found.
    let mut more = found.clone();
    let budgets = more.bandwidth.as_mut().expect("there are budgets");
    budgets.lines.iter_mut().for_each(|lines| *lines *= 2);
    let objection = check(&more, &set.machine).expect_err("others move more");
    assert!(
        objection.to_string().contains("beside other cores up to"),
        "{objection}"
    );
}

#[test]
fn a_plan_without_what_others_cost_is_refused() {
    let (set, found) = planned(&[]);
    type Spoil = fn(&mut Plan);
    let spoilt: [(Spoil, &str); 6] = [
        (|plan| plan.tasks[0].wcet_ns -= 1, "beside other cores up to"),
        (|plan| plan.tasks[0].reads += 1, "beside other cores up to"),
        (|plan| plan.tasks[2].write_backs = 1, "beside other cores up to"),
        (|plan| plan.tasks[0].wcet_alone_ns = u64::MAX, "more than its WCET"),
        (|plan| plan.tasks[0].reads = u64::MAX, "beyond all use"),
        (|plan| plan.tasks[1].wcet_alone_ns = 0, "beside other cores up to"),
    ];
    for (spoil, why) in spoilt {
        let mut plan = found.clone();
        spoil(&mut plan);
        let objection = check(&plan, &set.machine).expect_err(why);
        assert!(objection.to_string().contains(why), "{why}: {objection}");
    }
}

#[test]
fn what_has_no_bound_is_refused_with_what_would_bound_it() {
    let refusal = |changes: &[&str]| plan(&set(changes)).expect_err("no bound");
    let limited = refusal(&["fabric.node.in_flight=4"]);
    assert_eq!(limited.kind, Kind::Machine);
    assert!(limited.reason.contains("remove [fabric]"), "{limited}");
    let drains = refusal(&["memory.controller.drain_once=false", "task.0.write_backs=1"]);
    assert!(drains.reason.contains("drain_once"), "{drains}");
    let short = refusal(&["task.1.reads=1000000"]);
    assert_eq!(short.kind, Kind::Load);
    assert!(short.reason.contains("a job of b takes up to"), "{short}");
    let parse = |changes: &[&str]| {
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        TaskSet::parse(
            "alone.toml",
            &ALONE.replace(", reads = 2000, write_backs = 0", ""),
            Path::new(""),
            &changes,
        )
        .expect_err("no reads")
        .to_string()
    };
    assert!(parse(&[]).contains("task.a.reads"), "{}", parse(&[]));
    assert!(parse(&["task.a.write_backs=5"]).contains("without reads"));
}

/// The tasks of a plan are planned anew from what they take alone.
#[test]
fn the_tasks_of_a_plan_are_read_back() {
    let (set, found) = planned(&[]);
    let data = serde_json::to_string(&found).expect("a plan is JSON");
    let text = format!("{{\"schema\": \"fresco-plan/1\", \"data\": {data}}}");
    let source = fresco_scenario::Source::of_text("plan.json", text, Path::new("")).expect("a plan");
    let again = TaskSet::of(&source, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.timing(), set.timing());
    assert_eq!(again.options.alone, set.options.alone);
    let anew = plan(&again).expect("planned anew");
    assert_eq!(anew.tasks[1].wcet_ns, found.tasks[1].wcet_ns);
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! E35: a refresh costs every row that it closes, not only the one in use. Planner and checker count the same.

use fresco_plan::plan::{Evidence, Work};
use fresco_plan::{Plan, RankMemory, Refusal, TaskSet, check, plan};
use fresco_rt::certificate::EdfStep;
use fresco_rt::edf::{EdfVerdict, edf_test};
use fresco_rt::supply::{AutoRefresh, Supply};
use std::path::Path;

/// One access at a time, row hits in 16 banks in turn. Alone a job takes 662.4 us; in the model each refresh costs it 756.7 ns.
const HITS: &str = r#"
    machine = "gem5-2core"
    core.mshrs = 1
    plan.method = "auto-refresh"
    plan.cores = 1
    memory.map = { bank = [6, 7, 8], rank = [9], column = ["3-5", "10-16"], row = "rest" }
    [[task]]
    name = "hits"
    program = "bandwidth"
    parameters.bytes = "2 MiB"
    memory = "2 MiB"
    period = "4 ms"
    wcet = "670 us"
"#;

fn set(changes: &[&str]) -> TaskSet {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    TaskSet::parse("hits.toml", HITS, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"))
}

fn planned(set: &TaskSet) -> Result<Plan, Refusal> {
    let plan = plan(set)?;
    check(&plan, &set.machine).unwrap_or_else(|violation| panic!("{violation}"));
    Ok(plan)
}

#[test]
fn every_row_that_a_task_keeps_open_counts() {
    let program = Work::Program {
        name: "bandwidth".to_owned(),
        parameters: String::new(),
    };
    let of = |changes: &[&str]| RankMemory::of(&set(changes).machine);
    // tRFC 530 ns; 61 clocks of 1.25 ns: PRE, ACT and WR of a begun access and its recovery (11 + 11 + 8 + 4 + 12), tRP (11) and two
    // commands for each of two ranks; tRCD 13.75 ns.
    let interleaved = of(&[]);
    assert_eq!((interleaved.close_ps, interleaved.open_row_ps), (76_250, 13_750));
    assert_eq!(interleaved.stall_ns([(1 << 21, &program)]), 827);
    // A page of 4 KiB lies in all banks here, and in one bank with the machine's own map.
    assert_eq!(interleaved.stall_ns([(4096, &Work::Synthetic)]), 827);
    let own = RankMemory::of(&fresco_machine::builtin("gem5-2core").expect("built in"));
    assert_eq!(own.stall_ns([(4096, &Work::Synthetic)]), 620);
    let three = [(8192, &Work::Synthetic), (4096, &Work::Synthetic)];
    assert_eq!(own.stall_ns(three), 648);
    assert_eq!(own.stall_ns([(1 << 20, &Work::Synthetic)]), 827);
    // Under the closed page no row is open that could be lost.
    let closed = of(&["memory.controller.page=closed"]);
    assert_eq!(closed.stall_ns([(1 << 21, &program)]), 620);
    // Page tables lie anywhere.
    let walked = of(&["core.tlb.entries=64", "core.tlb.ways=4"]);
    assert_eq!(walked.page_rows, 16);
}

/// In the model the job takes 733.48 us. Counted as one row for each refresh, a deadline of 725 us would hold.
#[test]
fn a_deadline_that_one_row_for_each_refresh_would_meet_is_refused() {
    let late = set(&["task.0.deadline=725 us"]);
    let refusal = planned(&late).expect_err("too late");
    assert!(
        refusal.reason.contains("each refresh of which costs 827 ns"),
        "{refusal}"
    );
    let in_time = set(&["task.0.deadline=760 us"]);
    let mut plan = planned(&in_time).unwrap_or_else(|refusal| panic!("{refusal}"));

    let supply = AutoRefresh::new(64_000_000, 8192, 558).expect("leaves time");
    let EdfVerdict::Schedulable(mut certificate) = edf_test(&late.timing(), &supply).expect("small") else {
        panic!("one row for each refresh would leave enough")
    };
    // Far enough for either cost; the only deadline before it is the first.
    certificate.horizon = 1_000_000;
    let reached = supply.tbf(670_000).expect("supplied");
    assert!(reached <= 725_000, "one row for each refresh: {reached}");
    certificate.steps = vec![EdfStep { t: 725_000, reached }];
    plan.tasks[0].deadline_ns = 725_000;
    plan.tasks[0].response_bound_ns = Some(725_000);
    plan.proofs[0].evidence = Evidence::Demand(certificate);
    let violation = check(&plan, &late.machine).expect_err("too late");
    assert_eq!(
        violation.violation().expect("a fact").fact,
        "the demand of an interval of 725000 ns is not supplied, that of hits"
    );
}

/// Refreshes that a plan hides close rows, too: who plans or checks is told what the WCETs have to contain.
#[test]
fn hidden_refreshes_name_what_their_rows_cost() {
    let changes = [
        "plan.method=aligned",
        "memory.map.bank=[13, 14, 15]",
        "memory.map.rank=[16]",
    ];
    let changes = [&changes[..], &["memory.map.column=['3-12']"]].concat();
    let hidden = set(&changes);
    let plan = planned(&hidden).unwrap_or_else(|refusal| panic!("{refusal}"));
    // The eight banks of a rank: 8 x 13.75 ns.
    assert_eq!(plan.reopening_ns(), 110);
    let told = |texts: &[String]| texts.iter().any(|text| text.contains("up to 110 ns"));
    assert!(told(&plan.reasons), "{:?}", plan.reasons);
    let report = check(&plan, &hidden.machine).expect("sound");
    assert!(told(&report.warnings), "{:?}", report.warnings);
    let closed = set(&[&changes[..], &["memory.controller.page=closed"]].concat());
    let plan = planned(&closed).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!((plan.reopening_ns(), plan.about_reopening()), (0, None));
}

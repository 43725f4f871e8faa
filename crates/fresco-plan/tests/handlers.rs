// SPDX-License-Identifier: MIT OR Apache-2.0
//! Handlers that lock colors: too short ones are refused, by planner and checker alike, and what others rest on is said.

use fresco_plan::plan::Schedule;
use fresco_plan::{TaskSet, check, plan};
use std::path::Path;

fn table_5_2(changes: &[&str]) -> TaskSet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks/table-5.2.toml");
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    TaskSet::load(path, &changes).unwrap_or_else(|error| panic!("{error}"))
}

/// On ss-rtmc what is under way takes up to 1625 ns. With 100 ns for a handler `fresco sim` found rows that were late.
#[test]
fn handlers_shorter_than_what_is_under_way_are_refused() {
    for (method, key) in [
        ("aligned", "plan.handler"),
        ("crs", "plan.lock"),
        ("flat", "plan.lock"),
        ("burst", "plan.lock"),
        ("colored-refresh", "plan.lock"),
    ] {
        for (time, fits) in [
            ("1 ns", false),
            ("100 ns", false),
            ("1624 ns", false),
            ("1625 ns", true),
        ] {
            let changes = [format!("plan.method={method}"), format!("{key}={time}")];
            let set = table_5_2(&[&changes[0], &changes[1]]);
            match plan(&set) {
                Ok(plan) => {
                    assert!(fits, "{method} with {time}");
                    check(&plan, &set.machine).unwrap_or_else(|violation| panic!("{method}, {time}: {violation}"));
                }
                Err(refusal) => {
                    assert!(!fits, "{method} with {time}: {refusal}");
                    let words = ["reads and writes under way", "take up to 1625 ns", key];
                    assert!(words.iter().all(|words| refusal.reason.contains(words)), "{refusal}");
                }
            }
        }
    }
}

#[test]
fn the_checker_finds_short_handlers_by_itself() {
    let set = table_5_2(&["plan.method=aligned"]);
    let mut plan = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    let Schedule::Slots { handler_ns, .. } = &mut plan.schedule else {
        panic!("aligned plans have slots")
    };
    // 2 us and 2304 lines at 7.5 ns each. Slots grow by what the handlers lose, so that nothing else is wrong.
    assert_eq!(std::mem::replace(handler_ns, 100), 19_280);
    let objection = check(&plan, &set.machine).expect_err("too short");
    let violation = objection.violation().expect("a fact");
    assert_eq!(violation.place, "schedule.handler_ns");
    assert!(
        violation.fact.contains("is 100 ns") && violation.fact.contains("1625 ns"),
        "{violation}"
    );
}

#[test]
fn what_a_handler_does_not_cover_is_said() {
    let notes = |changes: &[&str]| {
        let set = table_5_2(&[&["plan.method=aligned"], changes].concat());
        let plan = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
        let report = check(&plan, &set.machine).unwrap_or_else(|violation| panic!("{violation}"));
        let about = |text: &String| text.starts_with("handlers of");
        report.warnings.into_iter().find(about)
    };
    // (2000 - 1625) / 50 lines; the caches hold 2304, at a row cycle of 50 ns each.
    let short = notes(&["plan.handler=2 us"]).expect("an assumption");
    assert!(short.contains("sure to write back 7 dirty lines"), "{short}");
    assert!(short.contains("2304 of them, which take 116825 ns"), "{short}");
    let own = notes(&[]).expect("an assumption");
    assert!(own.contains("sure to write back 353 dirty lines"), "{own}");
    assert_eq!(notes(&["plan.handler=116825 ns"]), None);
}

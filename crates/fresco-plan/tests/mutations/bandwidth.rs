// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt budgets of bandwidth.

use crate::mutations::sound::Sound;
use fresco_plan::plan::PlannedBandwidth;
use fresco_plan::{Method, Plan};

fn budgets(plan: &mut Plan) -> &mut PlannedBandwidth {
    plan.bandwidth.as_mut().expect("the plan has budgets")
}

#[test]
fn budgets_that_are_others() {
    let sound = Sound::four_with_budgets(Method::Flat);
    assert!(
        sound
            .plan
            .reasons
            .iter()
            .any(|reason| reason.contains("stalls included"))
    );
    let (lines, period) = ("bandwidth.lines", "bandwidth.period_ns");
    sound.refused(
        |plan| _ = budgets(plan).lines.pop(),
        lines,
        "are of 1 cores, the plan has 2",
    );
    sound.refused(
        |plan| budgets(plan).lines[1] = 0,
        "bandwidth.lines[1]",
        "could never go on",
    );
    // All of r_min is given: a line more is too much, but one core may have what the other has not.
    sound.refused(|plan| budgets(plan).lines[0] += 2, lines, "at worst");
    sound.refused(|plan| budgets(plan).lines[0] = u64::MAX, lines, "at worst");
    let mut moved = sound.plan.clone();
    budgets(&mut moved).lines[0] += budgets(&mut moved).lines[1] - 1;
    budgets(&mut moved).lines[1] = 1;
    assert!(sound.check(&moved).is_ok());
    sound.refused(|plan| budgets(plan).period_ns = 1_000, period, "10 us to 1 s");
    sound.refused(|plan| budgets(plan).period_ns -= 1_000, lines, "at worst");
    sound.refused(|plan| budgets(plan).period_ns = u64::MAX, period, "10 us to 1 s");
    sound.refused(|plan| budgets(plan).line_bytes = 32, "bandwidth.line_bytes", "have 64");
    sound.refused(
        |plan| budgets(plan).interrupt_cycles = u64::MAX,
        "bandwidth.interrupt_cycles",
        "million",
    );
    // With write-backs a line takes a bank for longer.
    sound.refused(|plan| budgets(plan).count_write_backs = true, lines, "at worst");
}

#[test]
fn a_plan_with_budgets_is_read_as_it_is_written() {
    let plan = Sound::four_with_budgets(Method::AutoRefresh).plan;
    let text = |plan: &Plan| {
        let data = serde_json::to_string(plan).expect("plans serialise");
        format!("{{\"schema\": \"fresco-plan/1\", \"data\": {data}}}")
    };
    assert_eq!(Plan::parse("p.json", &text(&plan)).ok().as_ref(), Some(&plan));
    let wrong = text(&plan).replace("\"count_write_backs\":false", "\"count_write_backs\":3");
    let error = Plan::parse("p.json", &wrong).expect_err("3 is neither");
    assert_eq!(error.field, "data.bandwidth.count_write_backs", "{error}");
    let without = Sound::four(Method::AutoRefresh).plan;
    assert!(!text(&without).contains("bandwidth"));
}

#[test]
fn banks_that_are_refreshed_one_by_one_have_no_budget_meanwhile() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks/batch.toml");
    let batch = std::fs::read_to_string(path).expect("is there");
    let plan = |budgets: &str| {
        let set = fresco_plan::TaskSet::parse("t.toml", &format!("{budgets}\n{batch}"), std::path::Path::new(""), &[]);
        fresco_plan::plan(&set.unwrap_or_else(|error| panic!("{error}")))
    };
    assert!(plan("").is_ok());
    let refusal = plan("bandwidth.reserve = \"100 MB/s\"").expect_err("a bank is without bandwidth");
    assert!(refusal.reason.contains("it has no bandwidth"), "{refusal}");
}

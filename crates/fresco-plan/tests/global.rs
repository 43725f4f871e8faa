// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans whose jobs migrate: which methods have them, and what the checker refuses.

use fresco_plan::plan::{Evidence, Migration};
use fresco_plan::refusal::Kind;
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use std::path::Path;

const SHARED: &str = r#"
    machine = "gem5-2core"
    memory = { density = 8, density_scales_refresh_only = true }
    plan = { migration = "global", policy = "rm", method = "auto-refresh" }
    task = [
        { name = "a", period = "10 ms", wcet = "3 ms" },
        { name = "b", period = "40 ms", wcet = "22 ms" },
        { name = "c", period = "44 ms", wcet = "24 ms" },
        { name = "d", period = "100 ms", wcet = "15 ms" },
    ]
"#;

fn set(changes: &[&str]) -> TaskSet {
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    TaskSet::parse("shared.toml", SHARED, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"))
}

fn planned(changes: &[&str]) -> (TaskSet, Plan) {
    let set = set(changes);
    let found = plan(&set).unwrap_or_else(|refusal| panic!("{changes:?}: {refusal}"));
    (set, found)
}

fn objection(set: &TaskSet, found: &Plan) -> String {
    check(found, &set.machine).expect_err("it is not sound").to_string()
}

#[test]
fn both_methods_prove_and_the_checker_agrees() {
    for method in ["auto-refresh", "burst"] {
        for policy in ["rm", "dm", "edf"] {
            let (method_key, policy_key) = (format!("plan.method={method}"), format!("plan.policy={policy}"));
            let light = ["task.b.wcet=4 ms", "task.c.wcet=4 ms"];
            let (set, found) = planned(&[&method_key, &policy_key, light[0], light[1]]);
            assert_eq!(found.migration, Migration::Global);
            assert!(
                found
                    .tasks
                    .iter()
                    .all(|task| task.core.is_none() && task.response_bound_ns.is_some())
            );
            assert_eq!(found.proofs.len(), 1, "one proof for all");
            check(&found, &set.machine).unwrap_or_else(|found| panic!("{method} {policy}: {found}"));
        }
    }
}

/// Light tasks of nearly one deadline: each may find a job of all others before it, and two of the shorter ones.
#[test]
fn many_light_tasks_have_a_plan_by_density() {
    let task = |number: u32| {
        let period = 16_000 + 200 * number;
        format!("{{ name = \"t{number}\", period = \"{period} us\", wcet = \"1 ms\" }}")
    };
    let tasks: Vec<String> = (0..26).map(task).collect();
    let text = format!(
        "machine = \"gem5-2core\"\nmemory = {{ density = 8, density_scales_refresh_only = true }}\n\
         plan = {{ migration = \"global\", method = \"burst\" }}\ntask = [{}]",
        tasks.join(", ")
    );
    let set = TaskSet::parse("t.toml", &text, Path::new(""), &[]).unwrap();
    let mut found = plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(found.proofs[0].evidence, Evidence::GlobalDensity);
    check(&found, &set.machine).unwrap_or_else(|found| panic!("{found}"));
    found.tasks[3].wcet_ns = 10_000_000;
    assert!(objection(&set, &found).contains("densities exceed"));
    found.tasks[3].wcet_ns = 1_000_000;
    found.tasks[3].cache_reload_ns = 1;
    assert!(objection(&set, &found).contains("not served"));
}

#[test]
fn what_does_not_apply_says_why() {
    for method in [
        Method::Aligned,
        Method::Crs,
        Method::Flat,
        Method::ColoredRefresh,
        Method::Codesign,
    ] {
        let refusal = plan(&set(&[&format!("plan.method={}", method.name())])).expect_err("it has cores of its own");
        assert_eq!(refusal.kind, Kind::Form, "{}", method.name());
        assert!(refusal.to_string().contains("not applicable: "), "{refusal}");
    }
    let refusal = plan(&set(&["task.a.critical_section=1 us"])).expect_err("sections are not covered");
    assert!(
        refusal.to_string().contains("task a has a critical section"),
        "{refusal}"
    );
    let refusal = plan(&set(&["plan.method=auto", "task.a.critical_section=1 us"])).expect_err("by none");
    assert!(
        refusal.to_string().contains("auto-refresh: not applicable"),
        "{refusal}"
    );
    // Jobs of a burst may wait for each other.
    let refusal = plan(&set(&["task.d.arrival_jitter=90 ms", "task.d.min_distance=16 ms"])).expect_err("they overlap");
    assert!(refusal.to_string().contains("to the earliest next"), "{refusal}");
}

/// Each fact of the plan is needed for the proof.
#[test]
fn the_checker_finds_what_does_not_hold() {
    for method in ["auto-refresh", "burst"] {
        let (set, sound) = planned(&[
            &format!("plan.method={method}"),
            "task.b.wcet=10 ms",
            "task.c.wcet=10 ms",
        ]);
        let of = |change: &dyn Fn(&mut Plan)| {
            let mut other = sound.clone();
            change(&mut other);
            objection(&set, &other)
        };
        let last = sound.tasks.len() - 1;
        assert!(
            of(&|plan| {
                if let Evidence::GlobalResponses(certificate) = &mut plan.proofs[0].evidence {
                    certificate.responses[last] -= 1;
                }
                plan.tasks[last].response_bound_ns = plan.tasks[last].response_bound_ns.map(|bound| bound - 1);
            })
            .contains(&format!("{} is not served", sound.tasks[last].name))
        );
        assert!(of(&|plan| plan.tasks[last].response_bound_ns = Some(1)).contains("is bounded by 1 ns"));
        assert!(of(&|plan| plan.tasks[0].wcet_ns += 1).contains("is not served"));
        assert!(of(&|plan| plan.tasks[0].jitter_ns = 1_000_000).contains("is not served"));
        assert!(of(&|plan| plan.tasks[0].arrival_jitter_ns = 9_000_000).contains("is not served"));
        assert!(of(&|plan| plan.tasks[1].cache_reload_ns = 1_000_000).contains("is not served"));
        // Locks are too short for such switches, too.
        let told = of(&|plan| plan.context_switch_ns = 1_000_000);
        assert!(told.contains("is not served") || method == "burst", "{told}");
        assert!(of(&|plan| plan.tasks[0].critical_section_ns = 1).contains("critical section"));
        assert!(of(&|plan| plan.cores = 1).contains("is not served"));
        assert!(of(&|plan| plan.proofs[0].tasks.truncate(3)).contains("leaves out d"));
        assert!(of(&|plan| plan.proofs[0].core = Some(0)).contains("names a core"));
        assert!(of(&|plan| plan.tasks[0].core = Some(0)).contains("is bound to a core"));
        assert!(of(&|plan| plan.migration = Migration::None).contains("is bound to no core"));
        assert!(of(&|plan| plan.proofs[0].evidence = Evidence::GlobalDensity).contains("densities"));
        assert!(of(&|plan| plan.proofs[0].evidence = Evidence::Run { jobs: 1 }).contains("cores of their own"));
        of(&|plan| plan.method = Method::Partition);
    }
}

/// What a plan says is read back, and planned anew as it was.
#[test]
fn a_plan_is_planned_anew() {
    let (_, found) = planned(&["task.b.wcet=10 ms", "task.c.wcet=10 ms", "plan.context_switch=3 us"]);
    let text = serde_json::to_string(&found).unwrap();
    assert!(text.contains("\"migration\":\"global\""));
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), found);
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Periods without a common multiple within 64 bits: what is proved for sporadic tasks needs none.

use fresco_plan::{Method, Plan, Refusal, TaskSet, check, plan};
use std::path::Path;

/// Six tasks with periods that share few factors; their hyperperiod is some 10^13 years.
const SIX: [(u64, u64); 6] = [
    (7_919_000, 800_000),
    (15_485_867, 1_500_000),
    (32_452_843, 3_000_000),
    (67_867_967, 7_000_000),
    (104_395_301, 10_000_000),
    (179_424_673, 18_000_000),
];

fn planned(method: &str) -> (TaskSet, Result<Plan, Refusal>) {
    let mut text = format!(
        "machine = \"ss-rtmc\"\nplan.method = \"{method}\"\n[memory]\ndensity = 2\ndensity_scales_refresh_only = true\n"
    );
    for (number, (period, wcet)) in SIX.into_iter().enumerate() {
        text += &format!("[[task]]\nname = \"t{number}\"\nperiod = \"{period} ns\"\nwcet = \"{wcet} ns\"\n");
    }
    let set = TaskSet::parse("six.toml", &text, Path::new(""), &[]).expect("a set like others");
    let found = plan(&set);
    (set, found)
}

#[test]
fn sporadic_proofs_need_no_hyperperiod() {
    for method in ["auto", "aligned", "crs", "auto-refresh", "burst"] {
        let (set, found) = planned(method);
        let found = found.unwrap_or_else(|refusal| panic!("{method}: {refusal}"));
        if method == "auto" {
            assert_eq!(found.method, Method::Aligned);
        }
        check(&found, &set.machine).unwrap_or_else(|violation| panic!("{method}: {violation}"));
    }
}

#[test]
fn methods_that_look_at_every_job_are_not_applicable() {
    for method in ["colored-refresh", "flat"] {
        let refusal = planned(method).1.expect_err(method);
        let told = "not applicable: hyperperiod of ";
        assert!(refusal.reason.starts_with(told), "{method}: {refusal}");
        assert!(refusal.reason.contains("exceeds 584 years"), "{method}: {refusal}");
    }
}

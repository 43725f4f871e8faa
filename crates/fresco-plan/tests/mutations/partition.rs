// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spoilt partitions.

use crate::mutations::sound::Sound;
use crate::partition::PARTITION;
use fresco_plan::Method;
use fresco_plan::plan::{Evidence, Proof, RefreshPlan, Schedule};

#[test]
fn partitions_that_are_none() {
    let sound = Sound::of(PARTITION, Method::Partition, &[]);
    sound.refused(
        |plan| plan.colors[0].bank_colors = "0-2".into(),
        "colors[1]",
        "which another color has too",
    );
    sound.refused(
        |plan| plan.colors[1].llc_colors = Some("2,128".into()),
        "colors[1].llc_colors",
        "128",
    );
    sound.refused(
        |plan| plan.colors[1].llc_colors = Some("2".into()),
        "colors[1]",
        "its bank colors have 8388608",
    );
    sound.refused(
        |plan| plan.colors[1].bytes += 1,
        "colors[1]",
        "its bank colors have 16777216",
    );
    sound.refused(|plan| plan.colors[2].ranks = vec![0], "colors[2]", "lie in rank 1");
    sound.refused(
        |plan| plan.tasks[1].instances[0][1] = 17 << 20,
        "colors[1]",
        "its capacity is",
    );
    sound.refused(|plan| plan.tasks[1].instances[0][1] = 0, "tasks[1]", "holds 0 bytes");
    sound.refused(
        |plan| plan.tasks[1].instances[0][0] = 4096,
        "tasks[1]",
        "has memory in colors 0, 1",
    );
    sound.refused(|plan| plan.tasks[1].core = Some(4), "tasks[1]", "does not have");
    sound.refused(|plan| plan.tasks[1].core = None, "tasks[1]", "is bound to no core");
    let run = || Proof {
        core: Some(0),
        color: None,
        tasks: vec![0],
        evidence: Evidence::Run { jobs: 1 },
    };
    sound.refused(
        |plan| plan.proofs = vec![run()],
        "proofs",
        "a partition counts no interference",
    );
    let policy = |name: &str| RefreshPlan::Controller {
        policy: name.to_owned(),
    };
    sound.refused(
        |plan| plan.refresh = policy("none"),
        "refresh",
        "is not that of the machine",
    );
    let windows = RefreshPlan::Windows {
        period_ns: 1,
        windows: Vec::new(),
    };
    sound.refused(|plan| plan.refresh = windows, "refresh", "is not that of the machine");
    let fair = Schedule::Fair {
        slice_ns: 1,
        candidates: 1,
    };
    sound.refused(|plan| plan.schedule = fair, "schedule.kind", "partition");
    let budgets = |plan: &mut fresco_plan::Plan, core: usize| {
        plan.bandwidth.as_mut().expect("budgets").lines[core] = 0;
    };
    sound.refused(|plan| budgets(plan, 1), "bandwidth.lines[1]", "could never go on");
    for method in [Method::AutoRefresh, Method::Aligned, Method::Codesign] {
        sound.refused(|plan| plan.method = method, "schedule.kind", method.name());
    }
    // Colors of the cache are for partitions alone.
    let flat = Sound::two(Method::Flat);
    flat.refused(
        |plan| plan.colors[0].llc_colors = Some("0".into()),
        "colors[0].llc_colors",
        "heeds none",
    );
}

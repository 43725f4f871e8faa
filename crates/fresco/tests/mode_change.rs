// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random plans of two criticality levels on the simulated machine: whenever the mode changes, no promise is broken.

use fresco_plan::{Plan, TaskSet, plan};
use fresco_system::planned::{Run, simulate};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;
use std::path::Path;

const MS: u64 = 1_000_000;

/// A set of tasks with a method and a policy, as a file.
fn set(draw: &mut Pcg64) -> String {
    let method = ["auto-refresh", "burst", "aligned"][draw.random_range(0..3)];
    let policy = ["edf", "dm"][draw.random_range(0..2)];
    let hot = [16, 32, 64][draw.random_range(0..3)];
    let mut text = format!(
        "memory = {{ density = 2, density_scales_refresh_only = true }}\n\
         plan = {{ method = \"{method}\", policy = \"{policy}\", high_retention = \"{hot} ms\", attempts = 20 }}\n"
    );
    let count = draw.random_range(2..=4);
    for number in 0..count {
        let period = [10, 16, 20, 32, 40, 50][draw.random_range(0..6)] * 1000;
        let wcet = draw.random_range(period / 20..=period * 3 / 4 / count);
        let deadline = draw.random_range(period * 3 / 4..=period);
        _ = write!(
            text,
            "[[task]]\nname = \"t{number}\"\nperiod = \"{period} us\"\nwcet = \"{wcet} us\"\ndeadline = \"{deadline} us\"\n"
        );
        if number == 0 || draw.random_range(0..2) == 0 {
            let high = draw.random_range(wcet..=(wcet * 3).min(deadline));
            _ = write!(text, "criticality = \"high\"\nwcet_high = \"{high} us\"\n");
        }
    }
    text
}

/// An instant in the first two retention times: a multiple of the retention time of either mode, one close to it or to the end of a burst, or any.
fn instant(plan: &Plan, draw: &mut Pcg64) -> u64 {
    let hot = plan.high.as_ref().expect("a high mode").retention_ns;
    let multiple = draw.random_range(1..2 * plan.memory.retention_ns / hot) * hot;
    let burst = plan.memory.commands * plan.memory.trfc_ns;
    match draw.random_range(0..6) {
        0 => multiple,
        1 => multiple + 1,
        2 => multiple - draw.random_range(1..20_000),
        3 => multiple + draw.random_range(0..20_000),
        4 => multiple + (burst + draw.random_range(0..40_000)).min(hot) - 10_000,
        _ => draw.random_range(1..2 * plan.memory.retention_ns),
    }
}

/// `MODE_RUNS` sets the number of runs; there are more until each method had some.
#[test]
fn no_promise_is_broken_whenever_the_mode_changes() {
    let runs: u32 = std::env::var("MODE_RUNS").map_or(18, |runs| runs.parse().expect("a number"));
    let draw = &mut Pcg64::seed_from_u64(5);
    let (mut made, mut methods, mut abandoned) = (0, std::collections::BTreeSet::new(), 0);
    while made < runs || methods.len() < 3 {
        let text = set(draw);
        let tasks =
            TaskSet::parse("drawn.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}: {text}"));
        let Ok(found) = plan(&tasks) else { continue };
        fresco_plan::check(&found, &tasks.machine).unwrap_or_else(|wrong| panic!("{wrong}: {text}"));
        for _ in 0..3 {
            let at = instant(&found, draw);
            let run = Run {
                mode_change_ns: Some(at),
                horizon_ns: Some(at.next_multiple_of(found.memory.retention_ns) + 50 * MS),
                seed: draw.random_range(0..1000),
                record_ns: 0,
                ..Run::default()
            };
            let result = simulate(&found, &tasks.machine, run).unwrap_or_else(|error| panic!("{error}: {text}"));
            let run = &result.points[0].runs[0];
            let broken: Vec<_> = run.promises.iter().filter(|promise| !promise.kept).collect();
            assert!(
                broken.is_empty() && run.promises.len() >= 5,
                "change at {at} ns: {broken:#?}\n{text}"
            );
            assert!(run.not_looked_at.is_empty());
            let jobs = run.tasks.iter().filter_map(|task| task.jobs.as_ref());
            abandoned += jobs.map(|jobs| jobs.abandoned).sum::<u64>();
            made += 1;
        }
        methods.insert(found.method.name());
    }
    assert!(abandoned > 0, "{methods:?}, {abandoned} jobs abandoned");
}

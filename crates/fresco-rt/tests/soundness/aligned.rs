// SPDX-License-Identifier: MIT OR Apache-2.0
//! Aligned segmented refresh on one to three cores: a plan ⇒ no miss, no task runs while its color is refreshed, every row is
//! refreshed in time.

use fresco_rt::aligned::{AlignedPlan, RefreshDemand, plan};
use fresco_rt::retention::{RetentionRule, check_retention};
use fresco_rt::simulation::{Activity, Dispatch, Horizon, Simulation, Trace};
use fresco_rt::{Task, Time};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::jobs::{Deviation, RandomJobs};
use super::{POLICIES, tasks};

/// End of the observation.
const END: Time = 3000;

/// Draws the set of a seed and checks every claim about it; whether there was a plan.
pub fn check(seed: u64) -> bool {
    let rng = &mut Pcg64::seed_from_u64(seed);
    let policy = POLICIES[rng.random_range(0..POLICIES.len())];
    let retention: Time = [192, 240, 384][rng.random_range(0..3)];
    let period = [8, 12, 16, 24, 48][rng.random_range(0..5)];
    let demand = RefreshDemand {
        retention,
        commands: rng.random_range(1..=retention / 4),
        trfc: rng.random_range(1..=2),
        handler: rng.random_range(0..=1),
        jitter: 0,
        slice: Default::default(),
    };
    let load = rng.random_range(10..55);
    let cores: Vec<[Vec<Task>; 2]> = (0..rng.random_range(1..=3))
        .map(|core| ["a", "b"].map(|color| tasks(rng, &format!("{color}{core}"), 3, load)))
        .collect();
    let context = format!("seed {seed}: {period} {demand:?} {policy:?} {cores:?}");
    let slices: Vec<[&[Task]; 2]> = cores.iter().map(|[a, b]| [a.as_slice(), b.as_slice()]).collect();
    let Ok(plan) = plan(&slices, policy, period, demand) else {
        return false;
    };

    let rule = RetentionRule {
        retention,
        bins: demand.commands as usize,
        trfc: demand.trfc,
    };
    let windows = [0, 1].map(|color| {
        let commands: Vec<Time> = plan.commands(color).take_while(|&at| at < END).collect();
        let kept = check_retention(commands.iter().copied(), rule, (0, END));
        // Rows count as refreshed at 0, though the first frame refreshes them a little into it: auto-refresh precedes it.
        assert!(kept.is_ok(), "color {color}: {kept:?}: {context}");
        assert!(kept.unwrap().longest_command_gap <= 2 * period, "{context}");
        commands
            .into_iter()
            .map(|at| (at, at + demand.trfc))
            .collect::<Vec<_>>()
    });
    // A segment begins after the handler that starts it and ends before the next one.
    let (first, last) = (
        plan.borders().iter().min().unwrap(),
        plan.borders().iter().max().unwrap(),
    );
    for (color, from, to) in [(0, *last, period), (1, 0, *first)] {
        let inside = |&(start, end): &(Time, Time)| {
            start % period >= from + demand.handler && start % period + (end - start) <= to
        };
        assert!(windows[color].iter().all(inside), "color {color}: {context}");
    }
    for (core, workloads) in slices.iter().enumerate() {
        for deviation in Deviation::ALL {
            let trace = run(rng, &plan, core, workloads, policy, deviation, &context);
            no_conflict(&trace, &windows, &context);
        }
    }
    true
}

fn run(
    rng: &mut Pcg64,
    plan: &AlignedPlan,
    core: usize,
    workloads: &[&[Task]; 2],
    policy: fresco_rt::policy::Policy,
    deviation: Deviation,
    context: &str,
) -> Trace {
    let dispatch = Dispatch::Slots(plan.slots(core).to_vec());
    let simulation = Simulation::new(workloads.to_vec(), policy, dispatch, None).unwrap();
    let mut trace = Trace::default();
    let horizon = Horizon {
        phase: 0,
        repeat: END / 2,
        repeats: 2,
    };
    let outcome = simulation
        .run(horizon, &mut RandomJobs { rng, deviation }, &mut trace)
        .unwrap();
    assert_eq!(outcome.misses, 0, "core {core}, {deviation:?}: {context}");
    trace
}

/// No job runs during a refresh of its color.
fn no_conflict(trace: &Trace, windows: &[Vec<(Time, Time)>; 2], context: &str) {
    for segment in &trace.segments {
        let Activity::Run { color, .. } = segment.activity else {
            continue;
        };
        let next = windows[color].partition_point(|&(_, end)| end <= segment.start);
        let meets = windows[color].get(next).is_some_and(|&(start, _)| start < segment.end);
        assert!(
            !meets,
            "{segment:?} meets the refresh {:?}: {context}",
            windows[color][next]
        );
    }
}

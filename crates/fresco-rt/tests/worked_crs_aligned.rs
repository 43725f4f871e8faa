// SPDX-License-Identifier: MIT OR Apache-2.0
//! The published task sets under aligned segmented refresh: schedulable at every density with the burst of the standard.

use fresco_rt::aligned::{AlignedError, RefreshDemand, longest_plan, plan};
use fresco_rt::oracle::json::Record;
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::Burst;
use fresco_rt::refresh::{COMMANDS, Density, RETENTION};
use fresco_rt::retention::{RetentionRule, check_retention};
use fresco_rt::search::{MemoryNeed, Space, assign_aligned, rest_of_table};
use fresco_rt::simulation::{Activity, Dispatch, Periodic, Simulation, Trace};
use fresco_rt::toplevel::{Locks, Server};
use fresco_rt::{Task, Time};
use serde_json::Value;

const MS: Time = 1_000_000;
/// Cost of a handler at the start of each slot in the recorded plans.
const HANDLER: Time = 5_000;

fn example(name: &str) -> (Value, [Vec<Task>; 2], Policy) {
    let all: Value = serde_json::from_str(include_str!("data/crs_examples.json")).unwrap();
    let example = all[name].clone();
    let workloads = ["W1", "W2"].map(|w| Record::new(&example).tasks(w).unwrap());
    let policy = if example["policy"] == "edf" {
        Policy::Edf
    } else {
        Policy::FixedPriority(Order::DeadlineMonotonic)
    };
    (example, workloads, policy)
}

fn demand(density: Density) -> RefreshDemand {
    RefreshDemand {
        retention: RETENTION,
        commands: COMMANDS,
        trfc: density.trfc(),
        handler: HANDLER,
        jitter: 0,
        slice: Default::default(),
    }
}

/// The recorded border and segment at every density under both readings of the burst; no miss, no conflict, every row in time.
fn holds_at_every_density(name: &str) {
    let (example, workloads, policy) = example(name);
    for density in Density::ALL {
        for (reading, commands) in [("jedec", COMMANDS), ("text", COMMANDS / 8)] {
            let recorded = &example["dens"][format!("{reading}_{}Gb", density.gigabits())]["aligned"];
            holds(
                recorded,
                &workloads,
                policy,
                RefreshDemand {
                    commands,
                    ..demand(density)
                },
            );
        }
    }
}

fn holds(recorded: &Value, workloads: &[Vec<Task>; 2], policy: Policy, demand: RefreshDemand) {
    let period = recorded["p"].as_u64().unwrap();
    let plan = plan(&[[&workloads[0], &workloads[1]]], policy, period, demand).unwrap();
    assert_eq!(recorded["e1"], plan.borders()[0], "{demand:?}");
    assert_eq!(recorded["seg"], plan.segment_length(), "{demand:?}");

    let rule = RetentionRule {
        retention: RETENTION,
        bins: demand.commands as usize,
        trfc: demand.trfc,
    };
    let end = 2 * RETENTION;
    let windows = [0, 1].map(|color| {
        let commands: Vec<Time> = plan.commands(color).take_while(|&at| at < end).collect();
        let report = check_retention(commands.iter().copied(), rule, (0, end)).unwrap();
        assert!(report.longest_row_gap <= RETENTION && report.longest_command_gap <= period);
        commands
    });
    let dispatch = Dispatch::Slots(plan.slots(0).to_vec());
    let simulation = Simulation::new(vec![&workloads[0], &workloads[1]], policy, dispatch, None).unwrap();
    let mut trace = Trace::default();
    let outcome = simulation
        .run(simulation.horizon().unwrap(), &mut Periodic, &mut trace)
        .unwrap();
    assert_eq!((outcome.misses, outcome.converged), (0, true), "{demand:?}");
    for segment in trace.segments.iter().take_while(|segment| segment.end < end) {
        if let Activity::Run { color, .. } = segment.activity {
            let next = windows[color].partition_point(|&at| at + demand.trfc <= segment.start);
            assert!(
                windows[color].get(next).is_none_or(|&at| at >= segment.end),
                "{demand:?}: {segment:?}"
            );
        }
    }
}

#[test]
fn table_5_2() {
    holds_at_every_density("table5_2");
    let (_, workloads, policy) = example("table5_2");
    let plan = plan(&[[&workloads[0], &workloads[1]]], policy, 4 * MS, demand(Density::Gb64)).unwrap();
    // 1 - 0.93 - 2 * 5 us / 4 ms = 6.75 % of the time is left.
    assert_eq!(plan.slack(), [270_000]);
}

#[test]
fn section_5_3_5() {
    holds_at_every_density("section5_3_5");
}

/// The fixed burst holds §5.3.5 with the second server on top, up to 16 Gb; with the published, shorter burst at any density.
#[test]
fn section_5_3_5_with_servers_exchanged() {
    let (_, workloads, policy) = example("section5_3_5");
    let search = |burst: Burst, density| {
        let locks = Locks::of_two_servers(RETENTION, burst.length(density), 0, 0).unwrap();
        let space = Space::new(locks, 2_560_000, 8 * MS);
        rest_of_table([&workloads[0], &workloads[1]], policy, &space, false).unwrap()
    };
    for density in Density::ALL {
        let found = search(Burst::Standard, density);
        assert_eq!(found.is_some(), density <= Density::Gb16, "{density:?}");
        for found in found
            .into_iter()
            .chain([search(Burst::AsPublished { ranks: 8 }, density).unwrap()])
        {
            // 37.5 % of the time for the two slower tasks.
            assert_eq!(found.order, [1, 0], "{density:?}");
            assert_eq!(
                found.top.servers()[0],
                Server::new(8 * MS, 3 * MS).unwrap(),
                "{density:?}"
            );
        }
    }
}

/// A device that allows nine refresh intervals between commands needs short frames, and gets them while handlers fit.
#[test]
fn a_limit_on_the_gap_shortens_the_frame() {
    let (_, workloads, policy) = example("table5_2");
    let cores = [[workloads[0].as_slice(), workloads[1].as_slice()]];
    let free = longest_plan(&cores, policy, demand(Density::Gb8), None).unwrap();
    assert!(free.period() >= 4 * MS);
    let limit = 9 * RETENTION / COMMANDS;
    let cheap = RefreshDemand {
        handler: 500,
        ..demand(Density::Gb8)
    };
    let bound = longest_plan(&cores, policy, cheap, Some(limit)).unwrap();
    assert!(bound.period() <= limit);
    assert!(matches!(
        longest_plan(&cores, policy, demand(Density::Gb8), Some(limit)),
        Err(AlignedError::Full(0, ..))
    ));
}

/// Four cores with the set of Table 5.2 each: the frame is common, the refresh lies in the slots of all.
#[test]
fn four_cores() {
    let (_, workloads, policy) = example("table5_2");
    let cores = [[workloads[0].as_slice(), workloads[1].as_slice()]; 4];
    for density in Density::ALL {
        let plan = plan(&cores, policy, 4 * MS, demand(density)).unwrap();
        assert_eq!(plan.borders(), [2_245_000; 4]);
    }
    // Exchanged workloads on one core put its border elsewhere; then the segments of both colors need room on all cores.
    let mixed = [cores[0], [workloads[1].as_slice(), workloads[0].as_slice()]];
    let plan = plan(&mixed, policy, 4 * MS, demand(Density::Gb64)).unwrap();
    let latest = plan.borders().iter().max().unwrap();
    let first = plan.commands(0).next().unwrap();
    assert_eq!(first, latest + HANDLER);
    assert!(first + plan.segment_length() <= 4 * MS);
}

/// Four times the set of Table 5.2 on four cores, which task where being free: a frame exists at 64 Gb.
#[test]
fn tasks_are_assigned_to_cores_and_colors() {
    let (_, workloads, policy) = example("table5_2");
    let tasks: Vec<Task> = std::iter::repeat_n(workloads.concat(), 4).flatten().collect();
    let demand = RefreshDemand {
        handler: HANDLER,
        ..demand(Density::Gb64)
    };
    let found = assign_aligned(&tasks, 4, None, policy, demand, Some(4 * MS), 100)
        .unwrap()
        .found()
        .unwrap();
    let mut all: Vec<usize> = found.cores.iter().flatten().flatten().copied().collect();
    all.sort_unstable();
    assert_eq!(all, (0..20).collect::<Vec<usize>>());
    assert_eq!(found.plan.borders().len(), 4);
    // Memory of the second color for eight tasks in all; refused where a task has none.
    let memory = |capacity| MemoryNeed {
        bytes: vec![1; 20],
        capacity,
    };
    let tight = assign_aligned(&tasks, 4, Some(&memory([13, 8])), policy, demand, Some(4 * MS), 100)
        .unwrap()
        .found()
        .unwrap();
    let count = |color: usize| tight.cores.iter().map(|core| core[color].len()).sum::<usize>();
    assert!(count(0) <= 13 && count(1) <= 8);
    assert_eq!(
        assign_aligned(&tasks, 4, Some(&memory([10, 9])), policy, demand, Some(4 * MS), 100)
            .unwrap()
            .verdict(),
        None
    );
    assert_eq!(
        assign_aligned(&tasks, 3, None, policy, demand, Some(4 * MS), 100)
            .unwrap()
            .verdict(),
        Some(false),
        "load 3.72"
    );
    assert_eq!(
        assign_aligned(&tasks, 0, None, policy, demand, None, 100),
        Err(AlignedError::Empty)
    );
}

#[test]
fn impossible_frames_say_why() {
    let (_, workloads, policy) = example("table5_2");
    let cores = [[workloads[0].as_slice(), workloads[1].as_slice()]];
    assert_eq!(
        plan(&cores, policy, 3 * MS, demand(Density::Gb8)),
        Err(AlignedError::Period(3 * MS, RETENTION))
    );
    assert_eq!(
        plan(&[], policy, 4 * MS, demand(Density::Gb8)),
        Err(AlignedError::Empty)
    );
    let slow = RefreshDemand {
        trfc: 4000,
        ..demand(Density::Gb8)
    };
    let error = plan(&cores, policy, 4 * MS, slow).unwrap_err();
    assert!(
        matches!(
            error,
            AlignedError::Segment(0, 2_053_000, _) | AlignedError::Full(0, ..)
        ),
        "{error:?}"
    );
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Planning executives from tasks, memory and density; times in ns.

use crate::executive_sets::{sets, settings};
use fresco_rt::executive::{
    Bandwidth, CoAssign, Cores, DEFAULT_BUDGET, ExecutivePlan, Needs, NoPlan, Problem, Request, Rotation, Slicing,
    candidates, plan,
};
use fresco_rt::refresh::{Burst, Density, RETENTION};
use fresco_rt::{Task, Time};
use proptest::prelude::*;

const MS: Time = 1_000_000;

fn table_4_4() -> Vec<Task> {
    [
        ("lms", 20, 4),
        ("compress", 32, 6),
        ("cnt", 32, 8),
        ("st", 40, 8),
        ("matmult", 80, 10),
    ]
    .map(|(name, period, wcet)| Task::new(name, 0, period * MS, wcet * MS, period * MS).unwrap())
    .to_vec()
}

fn request<'a>(tasks: &'a [Task], memory: &'a [u64], copy_cost: &'a [Option<Time>], density: Density) -> Request<'a> {
    Request {
        tasks,
        memory,
        rank_capacity: 1000,
        ranks: 8,
        retention: RETENTION,
        burst: Burst::Standard.length(density),
        whole_frames: true,
        cores: Cores::ONE,
        copy_cost,
        most_instances: 2,
        budget: DEFAULT_BUDGET,
    }
}

fn checked(request: &Request) -> ExecutivePlan {
    let plan = plan(request).unwrap();
    let colors = plan.problem.rotation().colors();
    let needs = Needs {
        tasks: request.tasks,
        retention: request.retention,
        burst: request.burst,
        memory: request.memory,
        capacity: &vec![request.rank_capacity * (request.ranks / colors) as u64; colors],
    };
    assert_eq!(plan.assignment.table(&plan.problem).check(&needs), Ok(()));
    assert_eq!(
        plan.instances,
        plan.assignment.colors.iter().map(Vec::len).collect::<Vec<_>>()
    );
    plan
}

#[test]
fn table_4_4_at_every_density_hides_all_refresh() {
    let (tasks, memory) = (table_4_4(), [500; 5]);
    let plans = Density::ALL.map(|density| checked(&request(&tasks, &memory, &[None; 5], density)));
    let colors = plans.each_ref().map(|plan| plan.problem.rotation().colors());
    assert_eq!(colors, [8, 8, 8, 8, 8, 4, 2], "rule 6");
    for plan in &plans[..6] {
        assert_eq!(plan.instances, [1; 5], "no copies up to 32 Gb");
    }
    assert!(plans[6].instances.contains(&2), "two colors need copies");
}

#[test]
fn copies_that_cost_are_in_the_table() {
    let (tasks, memory) = (table_4_4(), [500; 5]);
    let cost = Bandwidth::Copied(10_000_000_000).copy_time(500_000);
    let costs = [cost; 5];
    let frames = request(&tasks, &memory, &costs, Density::Gb64);
    // With two colors in frame mode one of them is always blocked: there is no moment to copy (F10).
    assert!(plan(&frames).is_err());
    let plan = checked(&Request {
        whole_frames: false,
        ..frames
    });
    assert!(plan.assignment.copying.iter().any(|&copy| Some(copy) == cost));
}

#[test]
fn bursts_instead_of_frames_need_fewer_copies() {
    let (tasks, memory) = (table_4_4(), [500; 5]);
    let frames = request(&tasks, &memory, &[None; 5], Density::Gb64);
    let bursts = Request {
        whole_frames: false,
        ..frames.clone()
    };
    let total = |request: &Request| checked(request).instances.iter().sum::<usize>();
    assert!(total(&bursts) < total(&frames), "F9");
}

#[test]
fn two_cores_share_the_colors() {
    let mut tasks = table_4_4();
    tasks.extend(table_4_4());
    let memory = [500; 10];
    let base = request(&tasks, &memory, &[None; 10], Density::Gb8);
    checked(&Request {
        cores: Cores::Global(2),
        ..base.clone()
    });
    let core_of = (0..10).map(|task| task / 5).collect();
    checked(&Request {
        cores: Cores::Partitioned(core_of),
        ..base
    });
}

#[test]
fn no_plan_comes_with_its_reason() {
    let tasks = table_4_4();
    let memory = [500; 5];
    let base = request(&tasks, &memory, &[None; 5], Density::Gb64);
    let reason = |request: Request| plan(&request).unwrap_err().to_string();
    let forbidden = reason(Request {
        most_instances: 1,
        ..base.clone()
    });
    assert!(
        forbidden.contains("with 2 colors, lms, compress, cnt, st can stay away from no color"),
        "{forbidden}"
    );
    let long = reason(Request {
        burst: 33 * MS,
        ..base.clone()
    });
    assert!(long.contains("exceeds the longest color frame, 32000000"), "{long}");
    let huge = [5000; 5];
    let crowded = reason(Request {
        memory: &huge,
        ..base.clone()
    });
    let words =
        "with 2 colors, lms, compress need 10000 units of memory, but the colors they can avoid, [0, 1], hold 8000";
    assert_eq!(crowded, words);
    let twice: Vec<Task> = tasks.iter().chain(&tasks).cloned().collect();
    let overload = reason(Request {
        tasks: &twice,
        memory: &[1; 10],
        copy_cost: &[None; 10],
        ..base
    });
    assert!(overload.contains("together, but only"), "{overload}");
}

proptest! {
    #![proptest_config(settings(300, 6))]

    /// There is a plan iff some color frame that holds the burst has an assignment; every plan passes the checker; with
    /// one instance each iff that is possible.
    #[test]
    fn plans_are_complete(
        tasks in sets(4, 2),
        memory in prop::collection::vec(1u64..5, 4),
        rank_capacity in 2u64..8,
        burst in 1u64..20,
        whole_frames in any::<bool>(),
        cost in prop::option::of(0u64..3),
    ) {
        let copy_cost = vec![cost; tasks.len()];
        let memory = &memory[..tasks.len()];
        let request = Request {
            tasks: &tasks, memory, rank_capacity, ranks: 4, retention: 48, burst, whole_frames, cores: Cores::ONE,
            copy_cost: &copy_cost, most_instances: 2, budget: DEFAULT_BUDGET,
        };
        let possible = |instances: usize| {
            candidates(48, 4).iter().filter(|rotation| rotation.frame() >= burst).any(|rotation| {
                let (frame, colors) = (rotation.frame(), rotation.colors());
                let blocked = if whole_frames { frame } else { burst };
                let rotation = Rotation::bursts(48, colors, blocked).unwrap();
                let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
                let question = CoAssign {
                    memory: memory.to_vec(),
                    capacity: vec![rank_capacity * (4 / colors) as u64; colors],
                    copy_cost: copy_cost.clone(),
                    ..CoAssign::instances(&problem, instances)
                };
                crate::executive_sets::solve(&question).is_some()
            })
        };
        match plan(&request) {
            Ok(_) => prop_assert_eq!(checked(&request).instances.iter().all(|&count| count == 1), possible(1)),
            Err(NoPlan::OutOfBudget(_)) => prop_assert!(false, "out of budget"),
            Err(_) => prop_assert!(!possible(2)),
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-assignment finds a solution iff there is one: against enumeration, and every solution against the checker.

use crate::executive_sets::{rotations, sets, settings, solve};
use fresco_rt::Task;
use fresco_rt::executive::{Answer, CoAssign, Cores, Job, NoAssignment, Problem, Rotation, Slicing, assign_memory};
use proptest::prelude::*;

/// Every way to choose one of `options` for each of `places`.
fn choices(options: usize, places: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..options.pow(places as u32))
        .map(move |number| (0..places).map(|k| number / options.pow(k as u32) % options).collect())
}

/// One instance each: tries all sets of colors for all tasks.
fn one_instance_by_enumeration(problem: &Problem, memory: &[u64], capacity: &[u64]) -> bool {
    let colors = problem.rotation().colors();
    choices(1 << colors, problem.tasks().len()).any(|sets| {
        let owned: Vec<Vec<usize>> = sets
            .iter()
            .map(|set| (0..colors).filter(|color| set >> color & 1 == 1).collect())
            .collect();
        assign_memory(memory, capacity, &owned).is_ok()
            && problem.place(|job, color| sets[job.task] >> color & 1 == 1).is_ok()
    })
}

/// Up to two instances with one unit each: tries all pairs of colors for all tasks, and all choices of all jobs.
fn two_instances_by_enumeration(problem: &Problem, capacity: u64, dependent: bool) -> bool {
    let (tasks, colors, jobs) = (problem.tasks().len(), problem.rotation().colors(), problem.jobs());
    let number = |job: &Job| problem.jobs_of_task(job.task).start + job.index as usize;
    let before = |job: &Job| {
        let of_task = problem.jobs_of_task(job.task);
        if number(job) == of_task.start {
            of_task.end - 1
        } else {
            number(job) - 1
        }
    };
    choices(colors, 2 * tasks).any(|pairs| {
        choices(2, jobs.len()).any(|picks| {
            let color_of = |job: usize| pairs[2 * jobs[job].task + picks[job]];
            let mut owned: Vec<(usize, usize)> = (0..jobs.len()).map(|job| (jobs[job].task, picks[job])).collect();
            owned.sort_unstable();
            owned.dedup();
            let used = |color: usize| {
                owned
                    .iter()
                    .filter(|(task, pick)| pairs[2 * task + pick] == color)
                    .count()
            };
            let avoids =
                |job: &Job, color: usize| color_of(number(job)) == color || dependent && color_of(before(job)) == color;
            (0..colors).all(|color| used(color) as u64 <= capacity) && problem.place(avoids).is_ok()
        })
    })
}

proptest! {
    #![proptest_config(settings(600, 3))]

    #[test]
    fn one_instance_is_exact(
        tasks in sets(3, 1), rotation in rotations(1), memory in prop::collection::vec(0u64..4, 3), capacity in 1u64..5,
    ) {
        let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
        let question = CoAssign {
            memory: memory[..tasks.len()].to_vec(),
            capacity: vec![capacity; rotation.colors()],
            ..CoAssign::one_color(&problem)
        };
        let expected = one_instance_by_enumeration(&problem, &question.memory, &question.capacity);
        prop_assert_eq!(solve(&question).is_some(), expected);
    }
}

proptest! {
    #![proptest_config(settings(120, 4))]

    #[test]
    fn two_instances_are_exact(
        tasks in sets(2, 1), rotation in rotations(1), capacity in 1u64..5, dependent in any::<bool>(),
    ) {
        let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
        prop_assume!(problem.jobs().len() <= 8);
        let question = CoAssign {
            capacity: vec![capacity; rotation.colors()],
            copy_cost: vec![dependent.then_some(0); tasks.len()],
            ..CoAssign::instances(&problem, 2)
        };
        let expected = two_instances_by_enumeration(&problem, capacity, dependent);
        prop_assert_eq!(solve(&question).is_some(), expected);
    }
}

proptest! {
    #![proptest_config(settings(1500, 5))]

    /// Anything the search returns passes the checker, with copies that cost, tight memory and several cores; and more
    /// instances, more memory or cheaper copies never lose a solution.
    #[test]
    fn solutions_are_sound_and_monotone(
        tasks in sets(5, 2),
        rotation in rotations(2),
        instances in prop::collection::vec(1usize..4, 5),
        memory in prop::collection::vec(0u64..5, 5),
        capacity in 3u64..20,
        costs in prop::collection::vec(prop::option::of(0u64..4), 5),
        cores in 0usize..3,
    ) {
        let n = tasks.len();
        let cores = match cores {
            0 => Cores::ONE,
            1 => Cores::Global(2),
            _ => Cores::Partitioned((0..n).map(|task| task % 2).collect()),
        };
        let problem = Problem::new(&tasks, rotation, cores, Slicing::Anywhere).unwrap();
        let question = CoAssign {
            memory: memory[..n].to_vec(),
            capacity: vec![capacity; rotation.colors()],
            instances: instances[..n].iter().map(|&count| count.min(rotation.colors())).collect(),
            copy_cost: costs[..n].to_vec(),
            ..CoAssign::one_color(&problem)
        };
        if solve(&question).is_some() {
            let roomier = CoAssign { capacity: vec![capacity + 1; rotation.colors()], ..question.clone() };
            prop_assert!(solve(&roomier).is_some());
            let cheaper = CoAssign { copy_cost: vec![None; n], ..question.clone() };
            prop_assert!(solve(&cheaper).is_some());
        }
    }
}

#[test]
fn a_task_larger_than_a_color_avoids_several() {
    let tasks = [Task::new("huge", 0, 64, 32, 64).unwrap()];
    let rotation = Rotation::frames(64, 8).unwrap();
    let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
    let question = |memory| CoAssign {
        memory: vec![memory],
        capacity: vec![10; 8],
        ..CoAssign::one_color(&problem)
    };
    let found = solve(&question(40)).expect("half of the time, half of the colors");
    assert_eq!(found.colors[0][0].len(), 4);
    assert_eq!(solve(&question(41)), None, "a fifth color takes time it needs");
}

#[test]
fn impossible_questions_are_errors() {
    let tasks = [Task::new("t", 0, 16, 4, 16).unwrap()];
    let rotation = Rotation::frames(64, 8).unwrap();
    let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
    let base = CoAssign::one_color(&problem);
    let message = |question: CoAssign| question.solve().unwrap_err().to_string();
    assert_eq!(
        message(CoAssign {
            capacity: vec![1],
            ..base.clone()
        }),
        "1 entries of capacity were given, 8 are needed"
    );
    assert_eq!(
        message(CoAssign {
            instances: vec![9],
            ..base.clone()
        }),
        "task t is to have 9 instances; with 8 colors 1 to 8 are possible"
    );
    assert!(
        message(CoAssign {
            copy_cost: vec![Some(u64::MAX)],
            ..base
        })
        .contains("64 bits")
    );
}

#[test]
fn a_search_may_give_up_but_never_lies() {
    // Two tasks that cannot both own the one color they can avoid: any verdict takes a conflict.
    let tasks = [
        Task::new("a", 0, 16, 8, 16).unwrap(),
        Task::new("b", 0, 16, 8, 16).unwrap(),
    ];
    let problem = Problem::new(&tasks, Rotation::frames(16, 2).unwrap(), Cores::ONE, Slicing::Anywhere).unwrap();
    let base = CoAssign {
        capacity: vec![2, 0],
        ..CoAssign::one_color(&problem)
    };
    assert_eq!(
        CoAssign {
            budget: 0,
            ..base.clone()
        }
        .solve()
        .unwrap()
        .0,
        Answer::Unknown
    );
    assert!(matches!(
        base.solve().unwrap().0,
        Answer::Impossible(NoAssignment::Exhausted(_))
    ));
}

#[test]
fn tables_that_cannot_be_laid_out_are_errors() {
    let rotation = Rotation::frames(64, 8).unwrap();
    let task = |period| Task::new("t", 0, period, 1, period).unwrap();
    let message =
        |tasks: &[Task], cores, slicing| Problem::new(tasks, rotation, cores, slicing).unwrap_err().to_string();
    let cases = [
        (message(&[], Cores::ONE, Slicing::Anywhere), "no task"),
        (message(&[task(8)], Cores::Global(0), Slicing::Anywhere), "no core"),
        (
            message(&[task(8)], Cores::Global(usize::MAX), Slicing::Anywhere),
            "at most 1024",
        ),
        (
            message(&[task(8)], Cores::Partitioned(vec![usize::MAX]), Slicing::Anywhere),
            "at most 1024",
        ),
        (
            message(&[task(8)], Cores::Partitioned(vec![0, 0]), Slicing::Anywhere),
            "cores of 2 tasks, the set has 1",
        ),
        (
            message(&[task(8)], Cores::ONE, Slicing::Frames(3)),
            "does not divide the color frame 8",
        ),
        (
            message(&[task(8)], Cores::ONE, Slicing::Frames(0)),
            "does not divide the color frame 8",
        ),
        (
            message(&[task(1_000_003)], Cores::ONE, Slicing::Anywhere),
            "at most 200000",
        ),
        (
            message(&[task(u64::MAX), task(u64::MAX - 1)], Cores::ONE, Slicing::Anywhere),
            "exceed 64 bits",
        ),
    ];
    for (found, words) in cases {
        assert!(found.contains(words), "`{found}` instead of `{words}`");
    }
}

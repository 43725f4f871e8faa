// SPDX-License-Identifier: MIT OR Apache-2.0
//! What must hold for every task set: flows, frames, cells and theorems of cyclic executives.

use crate::executive_sets::{rotations, sets, settings};
use fresco_rt::executive::{
    CoAssign, Cores, Job, Needs, NoFusion, Problem, Rotation, Slicing, antipodal, candidates, first_fit, fuse,
    holds_a_frame, lossless_frame,
};
use fresco_rt::{Task, Time};
use proptest::prelude::*;

fn problem(tasks: &[Task], rotation: Rotation, slicing: Slicing) -> Problem {
    Problem::new(tasks, rotation, Cores::ONE, slicing).unwrap()
}

fn feasible(problem: &Problem) -> bool {
    problem.place(|_, _| false).is_ok()
}

proptest! {
    #![proptest_config(settings(2000, 1))]

    /// F4: filling by deadline is as good as the flow, and both give tables.
    #[test]
    fn flow_is_edf_fill(tasks in sets(5, 1), rotation in rotations(1)) {
        let problem = problem(&tasks, rotation, Slicing::Anywhere);
        let fill = problem.edf_fill();
        let flow = problem.place(|_, _| false);
        prop_assert_eq!(flow.is_ok(), fill.missing.is_empty());
        let nothing = vec![0; tasks.len()];
        let room = vec![0; rotation.colors()];
        let needs = Needs {
            tasks: &tasks, retention: rotation.retention(), burst: rotation.blocked(), memory: &nothing, capacity: &room,
        };
        for placement in flow.iter().chain(fill.missing.is_empty().then_some(&fill.placement)) {
            prop_assert_eq!(problem.uncolored_table(placement).check(&needs), Ok(()));
        }
    }

    /// F4 in frames: exact too, whatever the frame.
    #[test]
    fn flow_is_edf_fill_in_frames(tasks in sets(5, 1), rotation in rotations(1), parts in 1u64..7) {
        let parts = (1..=parts).rev().find(|&parts| rotation.frame().is_multiple_of(parts)).unwrap();
        let problem = problem(&tasks, rotation, Slicing::Frames(rotation.frame() / parts));
        prop_assert_eq!(feasible(&problem), problem.edf_fill().missing.is_empty());
    }

    /// F2: rule 3 as corrected says exactly whether every window holds a whole frame.
    #[test]
    fn rule_three_is_a_frame_in_every_window(tasks in sets(1, 1), frame in 1u64..30) {
        let task = &tasks[0];
        let releases = (0..frame).map(|k| task.phase + k * task.period);
        let mut holds = releases.map(|r| r.next_multiple_of(frame) + frame <= r + task.deadline);
        prop_assert_eq!(holds_a_frame(task, frame), holds.all(|one| one));
    }

    /// T1': whatever can be scheduled preemptively can be scheduled in lossless frames; hence in none longer than needed.
    #[test]
    fn lossless_frames_lose_nothing(tasks in sets(5, 4), rotation in rotations(4)) {
        let rotation = Rotation::frames(rotation.retention(), rotation.colors()).unwrap();
        let frame = lossless_frame(&tasks, rotation.frame());
        prop_assert!(tasks.iter().all(|task| holds_a_frame(task, frame)));
        let framed = problem(&tasks, rotation, Slicing::Frames(frame));
        let free = problem(&tasks, rotation, Slicing::Anywhere);
        prop_assert_eq!(feasible(&framed), feasible(&free));
        prop_assert_eq!(framed.avoidable_colors(), free.avoidable_colors());
    }

    /// F5: fusion finds frames iff there is a preemptive schedule, and every job fits them.
    #[test]
    fn fusion_is_exact(tasks in sets(5, 4), ranks in 2usize..9, burst in 1u64..12) {
        let rotations: Vec<Rotation> = candidates(96, ranks);
        let fits: Vec<&Rotation> = rotations.iter().filter(|rotation| rotation.frame() >= burst).collect();
        match fuse(&tasks, 96, ranks, burst, &Cores::ONE) {
            Ok(fusion) => {
                prop_assert!(fits.iter().all(|rotation| rotation.frame() >= fusion.rotation.frame()));
                prop_assert!(feasible(&problem(&tasks, fusion.rotation, Slicing::Frames(fusion.frame))));
                prop_assert!(tasks.iter().all(|task| holds_a_frame(task, fusion.frame)));
            }
            Err(NoFusion::BurstTooLong { .. }) => prop_assert!(fits.is_empty()),
            Err(_) => prop_assert!(!feasible(&problem(&tasks, *fits[0], Slicing::Anywhere))),
        }
    }

    /// F9: a burst forbids less than its frame.
    #[test]
    fn bursts_allow_what_frames_allow(tasks in sets(4, 2), rotation in rotations(2)) {
        let frames = Rotation::frames(rotation.retention(), rotation.colors()).unwrap();
        let (coarse, fine) = (problem(&tasks, frames, Slicing::Anywhere), problem(&tasks, rotation, Slicing::Anywhere));
        if let (Ok(coarse), Ok(fine)) = (coarse.avoidable_colors(), fine.avoidable_colors()) {
            for (few, many) in coarse.iter().zip(&fine) {
                prop_assert!(few.iter().all(|color| many.contains(color)));
            }
        }
        let found = |problem: &Problem| crate::executive_sets::solve(&CoAssign::one_color(problem)).is_some();
        prop_assert!(!found(&coarse) || found(&fine));
    }

    /// T2': with deadlines up to R/2 − B and two instances in opposite colors, colors restrict nothing.
    #[test]
    fn antipodal_copies_cost_nothing_but_copies(
        tasks in sets(4, 1), colors in 1usize..4, blocked in 1u64..9, costs in prop::collection::vec(0u64..3, 4),
    ) {
        let rotation = Rotation::bursts(96, 2 * colors, blocked.min(48 / colors as u64)).unwrap();
        let limit = 48 - rotation.blocked();
        prop_assume!(tasks.iter().all(|task| task.deadline <= limit));
        let problem = problem(&tasks, rotation, Slicing::Anywhere);
        let question = CoAssign::instances(&problem, 2);
        let independent = antipodal(&problem, &question.memory, &question.capacity, &question.copy_cost);
        prop_assert_eq!(independent.is_ok(), feasible(&problem));
        if let Ok(found) = &independent {
            crate::executive_sets::check(&question, found);
        }
        // Dependent jobs: two copies per retention period, each in the window of one job.
        let copies: Vec<Option<Time>> = tasks
            .iter()
            .zip(&costs)
            .map(|(task, &cost)| (task.period + task.deadline <= limit && cost > 0).then_some(cost))
            .collect();
        let dependent = CoAssign { copy_cost: copies.clone(), ..question };
        if let Ok(found) = antipodal(&problem, &dependent.memory, &dependent.capacity, &copies) {
            crate::executive_sets::check(&dependent, &found);
            for (task, cost) in copies.iter().enumerate() {
                let switches = problem.jobs_of_task(task).filter(|&job| found.copying[job] > 0).count() as Time;
                prop_assert_eq!(switches, if cost.is_some() { 2 * problem.length() / 96 } else { 0 });
            }
        }
    }

    /// McNaughton: what fits so many cores by flow has a table on them; more cores never hurt; a partition is a special case.
    #[test]
    fn several_cores(tasks in sets(6, 1), rotation in rotations(1), cores in 1usize..4) {
        let heavy: Vec<Task> = tasks
            .iter()
            .map(|t| Task::new(&t.name, t.phase, t.period, (t.wcet * 2).min(t.deadline), t.deadline).unwrap())
            .collect();
        let on = |cores: Cores| Problem::new(&heavy, rotation, cores, Slicing::Anywhere).unwrap();
        let needs = |memory, capacity| Needs {
            tasks: &heavy, retention: rotation.retention(), burst: rotation.blocked(), memory, capacity,
        };
        let (nothing, room) = (vec![0; heavy.len()], vec![0; rotation.colors()]);
        let global = on(Cores::Global(cores));
        let placed = global.place(|_, _| false);
        if let Ok(placement) = &placed {
            prop_assert_eq!(global.uncolored_table(placement).check(&needs(&nothing, &room)), Ok(()));
            prop_assert!(feasible(&on(Cores::Global(cores + 1))));
        }
        if let Some(core_of) = first_fit(&heavy, rotation, cores).unwrap() {
            prop_assert!(placed.is_ok());
            let parts = on(Cores::Partitioned(core_of));
            let placement = parts.place(|_, _| false);
            prop_assert!(placement.is_ok());
            let table = parts.uncolored_table(&placement.unwrap());
            prop_assert_eq!(table.check(&needs(&nothing, &room)), Ok(()));
            // Colors are common to all cores: what the partition can hide, any placement on as many cores can.
            if let Some(found) = crate::executive_sets::solve(&CoAssign::one_color(&parts)) {
                let same = |job: usize, color: usize| found.colors[global.jobs()[job].task][0].contains(&color);
                let number = |job: &Job| {
                    global.jobs_of_task(job.task).start + job.index as usize
                };
                prop_assert!(global.place(|job, color| same(number(job), color)).is_ok());
            }
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples of Colored Refresh (CR-14, CR-25): what the text states, where it fails, and what holds.
//! Times in ms unless a test says otherwise; colors count from 0, so that k₁ and c₁ are 0.

use fresco_rt::executive::{
    Answer, Assignment, CoAssign, Cores, Needs, Problem, Rotation, Rules, Slicing, burst_fits, candidates, fuse,
    holds_a_frame,
};
use fresco_rt::refresh::{COMMANDS, Density, RETENTION, padded, refresh_interval};
use fresco_rt::supply::Ratio;
use fresco_rt::{Task, Time};

fn set(tasks: &[(&str, Time, Time)]) -> Vec<Task> {
    tasks
        .iter()
        .map(|&(name, period, wcet)| Task::new(name, 0, period, wcet, period).unwrap())
        .collect()
}

fn example_1() -> Vec<Task> {
    set(&[("A", 16, 4), ("B", 32, 12), ("C", 64, 16)])
}

fn example_2() -> Vec<Task> {
    set(&[("A", 20, 8), ("B", 40, 16)])
}

fn table_4_4() -> Vec<Task> {
    set(&[
        ("lms", 20, 4),
        ("compress", 32, 6),
        ("cnt", 32, 8),
        ("st", 40, 8),
        ("matmult", 80, 10),
    ])
}

fn problem(tasks: &[Task], colors: usize, slicing: Slicing) -> Problem {
    Problem::new(tasks, Rotation::frames(64, colors).unwrap(), Cores::ONE, slicing).unwrap()
}

fn flow(problem: &Problem) -> (Time, Time) {
    let flow = problem.max_flow(|_, _| false);
    (flow.placed, flow.demand)
}

/// Returns true if all jobs can run while each task keeps away from its colors.
fn avoids(problem: &Problem, colors: &[&[usize]]) -> bool {
    problem.place(|job, color| colors[job.task].contains(&color)).is_ok()
}

/// The solution, checked; `None` if there is none.
fn solve(question: &CoAssign) -> Option<Assignment> {
    match question.solve().unwrap().0 {
        Answer::Found(found) => {
            let problem = question.problem;
            let needs = Needs {
                tasks: problem.tasks(),
                retention: 64,
                burst: problem.rotation().blocked(),
                memory: &question.memory,
                capacity: &question.capacity,
            };
            assert_eq!(found.table(problem).check(&needs), Ok(()));
            Some(*found)
        }
        Answer::Impossible(_) => None,
        Answer::Unknown => panic!("out of budget"),
    }
}

#[test]
fn least_color_frame_by_density() {
    let least = |density: Density| {
        let rotations = candidates(RETENTION, 8);
        let fits = |rotation: &&Rotation| burst_fits(rotation.frame(), COMMANDS * density.trfc());
        rotations.iter().rev().find(fits).unwrap().frame() / 1_000_000
    };
    assert_eq!(
        Density::ALL.map(least),
        [8, 8, 8, 8, 8, 16, 32],
        "E2: 8 ms do not hold a burst at 32 Gb"
    );
}

#[test]
fn example_1_frame_rules() {
    let tasks = example_1();
    let allowed: Vec<Time> = (1..=64)
        .filter(|&f| {
            let rules = Rules::of(&tasks, f, 64, 8);
            rules.short_frame && rules.divides_retention && rules.multiple_of_rank_share
        })
        .collect();
    assert_eq!(allowed, [8]);
    let rules = Rules::of(&tasks, 8, 64, 8);
    assert!(rules.whole_frame && rules.whole_frame_published);
    assert!(!rules.unsliced, "B and C are sliced");
    assert!(Rules::of(&tasks[..1], 8, 64, 8).unsliced, "A is not");
}

#[test]
fn example_1_table_4_2() {
    let problem = problem(&example_1(), 8, Slicing::Frames(8));
    assert_eq!(problem.length(), 64);
    assert_eq!(flow(&problem), (56, 56));
    // The frames of Table 4.2 and no others.
    assert!(avoids(&problem, &[&[1, 3, 5, 7], &[2, 3, 6, 7], &[0, 1, 4, 5, 7]]));
    // (A, k2), (B, k3), (C, k5)
    assert!(avoids(&problem, &[&[1], &[2], &[4]]));
    assert_eq!(problem.avoidable_colors().unwrap(), vec![(0..8).collect::<Vec<_>>(); 3]);
    let naive = problem.naive_plan(&[1, 1, 1], &[1; 8]).unwrap();
    assert!(
        naive.tasks_to_copy().is_empty() && naive.memory.is_ok(),
        "a harmonic set needs no more than the text's way"
    );
    assert!(solve(&CoAssign::one_color_private(&problem)).is_some());
}

#[test]
fn example_1_with_longer_color_frames() {
    let problem = problem(&example_1(), 4, Slicing::Anywhere);
    assert!(solve(&CoAssign::one_color(&problem)).is_none());
    assert!(solve(&CoAssign::instances(&problem, 2)).is_some());
}

#[test]
fn example_2_needs_no_copies() {
    let tasks = example_2();
    assert!(!Rules::of(&tasks, 8, 64, 8).unsliced, "E9: rule 5 fails for B");
    let problem = problem(&tasks, 8, Slicing::Frames(8));
    assert_eq!((problem.length(), flow(&problem)), (320, (256, 256)));
    let naive = problem.naive_plan(&[1, 1], &[1; 8]).unwrap();
    assert_eq!(naive.occupied, vec![(0..8).collect::<Vec<_>>(); 2], "Table 4.3");
    assert_eq!(naive.tasks_to_copy(), [0, 1]);
    assert!(avoids(&problem, &[&[7], &[3]]), "E10: A in c8, B in c4");
    assert!(solve(&CoAssign::one_color_private(&problem)).is_some());
}

#[test]
fn example_2_with_longer_color_frames_needs_copies() {
    for colors in [4, 2] {
        let problem = problem(&example_2(), colors, Slicing::Anywhere);
        assert!(solve(&CoAssign::one_color(&problem)).is_none(), "{colors} colors");
        assert!(solve(&CoAssign::instances(&problem, 2)).is_some(), "{colors} colors");
    }
}

#[test]
fn table_4_4_frames_and_colors() {
    let tasks = table_4_4();
    let fusion = fuse(&tasks, 64, 8, 3, &Cores::ONE).unwrap();
    assert_eq!((fusion.rotation.frame(), fusion.frame), (8, 8), "CR-25");
    let problem = problem(&tasks, 8, Slicing::Frames(8));
    assert_eq!((problem.length(), flow(&problem)), (320, (308, 308)));
    assert_eq!(308 * 80, 77 * 320, "U = 77/80");
    // Table 4.5: the frames each task leaves free there.
    assert!(avoids(&problem, &[&[], &[1, 5], &[0, 1, 4, 5], &[0, 2, 4, 6], &[0, 4]]));
    // Table 4.6 for all but lms; E11: lms can keep away from any one color besides.
    for color in 0..8 {
        assert!(
            avoids(&problem, &[&[color], &[1], &[0], &[2], &[4]]),
            "lms in c{}",
            color + 1
        );
    }
    assert!(avoids(&problem, &[&[0], &[5], &[2], &[4], &[3]]));
    assert!(solve(&CoAssign::one_color(&problem)).is_some());
    assert!(solve(&CoAssign::one_color_private(&problem)).is_some());
}

#[test]
fn table_4_6_with_its_copy() {
    // lms in c7, its copy in c8 for every job whose window meets the refresh of c7; others as in the table.
    let problem = problem(&table_4_4(), 8, Slicing::Anywhere);
    let meets_c7 = |release: Time| (release..release + 20).any(|t| t % 64 / 8 == 6);
    let others = [1, 0, 2, 4];
    let placement = problem.place(|job, color| match job.task {
        0 => color == if meets_c7(job.release) { 7 } else { 6 },
        task => color == others[task - 1],
    });
    assert!(placement.is_ok());
}

#[test]
fn the_copy_cannot_run_from_180_with_frames_of_8() {
    let tasks = table_4_4();
    let at_180 = |frame| {
        problem(&tasks, 8, Slicing::Frames(frame))
            .jobs()
            .iter()
            .find(|j| j.release == 180)
            .cloned()
    };
    let (coarse, fine) = (at_180(8).unwrap(), at_180(4).unwrap());
    assert_eq!(
        (coarse.task, coarse.start),
        (0, 184),
        "E12: frame 176..184 begins before the release"
    );
    assert_eq!(fine.start, 180);
}

#[test]
fn table_4_4_with_longer_color_frames() {
    let four = problem(&table_4_4(), 4, Slicing::Anywhere);
    assert!(avoids(&four, &[&[1], &[3], &[2], &[2], &[0]]), "16 ms, as 32 Gb needs");
    assert!(solve(&CoAssign::one_color(&four)).is_some());
    let two = problem(&table_4_4(), 2, Slicing::Anywhere);
    assert!(solve(&CoAssign::one_color(&two)).is_none(), "32 ms, as 64 Gb needs");
    assert!(solve(&CoAssign::instances(&two, 2)).is_some());
}

#[test]
fn table_4_4_in_burst_mode_shares_colors() {
    // In us; F9: with the standard burst of 8 to 32 Gb no copies, and all tasks in two colors.
    let tasks: Vec<Task> = table_4_4()
        .iter()
        .map(|t| Task::new(&t.name, 0, t.period * 1000, t.wcet * 1000, t.deadline * 1000).unwrap())
        .collect();
    for density in [Density::Gb8, Density::Gb16, Density::Gb32] {
        let burst = (COMMANDS * density.trfc()).div_ceil(1000);
        let rotation = Rotation::bursts(64_000, 2, burst).unwrap();
        let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).unwrap();
        let (answer, _) = CoAssign::one_color(&problem).solve().unwrap();
        assert!(matches!(answer, Answer::Found(_)), "{density:?}");
    }
}

#[test]
fn table_4_4_under_auto_refresh() {
    // In ns. Utilisation with every execution padded by the refreshes it may meet (F15), in ten thousandths.
    let utilization = |pad: &dyn Fn(Time) -> Time| {
        let hyperperiod = 160_000_000;
        let padded = table_4_4()
            .into_iter()
            .map(|t| pad(t.wcet * 1_000_000) * (hyperperiod / (t.period * 1_000_000)));
        (padded.sum::<Time>() * 10_000 + hyperperiod / 2) / hyperperiod
    };
    let by_density = |interval: Ratio| {
        Density::ALL.map(|density| utilization(&|wcet| padded(wcet, density.trfc(), interval).unwrap()))
    };
    let rounded = Ratio::new(7800, 1).unwrap();
    assert_eq!(
        by_density(rounded),
        [9763, 9827, 9957, 10077, 10356, 11041, 12946],
        "with tREFI rounded as published"
    );
    assert_eq!(
        by_density(refresh_interval(RETENTION)),
        [9763, 9826, 9957, 10077, 10354, 11039, 12939]
    );
    let once = utilization(&|wcet| wcet + wcet.div_ceil(7800) * Density::Gb8.trfc());
    assert_eq!(once, 10_057, "infeasible from 8 Gb on even so, not from 16");
}

#[test]
fn a_standard_executive_cannot_use_frames_of_12_either() {
    // E13: 12 does not divide H = 160, and over lcm(160, 12) = 480 unsliced jobs do not fit 40 frames:
    let (frames, jobs) = (480 / 12, |period: Time| 480 / period);
    let alone = jobs(80); // 10 leaves no room for any other
    let with_lms_at_most = jobs(32) + jobs(40); // 8 leaves room for one lms
    let compress = jobs(32).div_ceil(2); // two of 6 fill a frame
    assert!(alone + with_lms_at_most + compress > frames);
    // With 10 over 160: matmult alone, 8 alone, one compress with one lms each, and three lms are left over.
    let jobs = |period: Time| 160 / period;
    let rest = 160 / 10 - jobs(80) - jobs(32) - jobs(40) - jobs(32);
    assert_eq!(rest, 0);
    assert!(jobs(20) > jobs(32), "more lms than frames with room for one");
}

#[test]
fn theorem_1_needs_a_frame_that_divides_windows() {
    // (10, 9.5) in halves: every f up to D/2 satisfies rule 3, few can schedule.
    let task = [Task::new("t", 0, 20, 19, 20).unwrap()];
    let rotation = |frame: Time| Rotation::frames(frame * 20, 20).unwrap();
    let room = |frame: Time| {
        assert!(holds_a_frame(&task[0], frame));
        Problem::new(&task, rotation(frame), Cores::ONE, Slicing::Frames(frame)).unwrap()
    };
    assert!(room(10).place(|_, _| false).is_ok(), "f = 5");
    let least = |frame| room(frame).jobs().iter().map(|job| job.length).min().unwrap();
    assert_eq!(
        (least(8), least(6)),
        (16, 12),
        "f = 4: 8 ms, f = 3: 6 ms of whole frames in a window of 10"
    );
    assert!(room(8).place(|_, _| false).is_err());
    assert!(room(6).place(|_, _| false).is_err());
}

#[test]
fn theorem_2_case_2a_fails_and_fine_frames_with_copies_hold() {
    let task = set(&[("t", 12, 11)]);
    let coarse = problem(&task, 8, Slicing::Frames(8));
    assert_eq!(flow(&coarse), (128, 176));
    // The theorem's own help: two tasks of twice the period.
    let doubled = [
        Task::new("t", 0, 24, 11, 12).unwrap(),
        Task::new("copy", 12, 24, 11, 12).unwrap(),
    ];
    assert_eq!(flow(&problem(&doubled, 8, Slicing::Frames(8))), (128, 176));
    let fine = problem(&task, 8, Slicing::Frames(4));
    assert_eq!(flow(&fine), (176, 176));
    assert!(solve(&CoAssign::instances(&fine, 2)).is_some());
}

#[test]
fn infeasible_sets_come_with_the_jobs_that_do_not_fit() {
    let tasks = set(&[("a", 8, 5), ("b", 16, 7)]);
    let bottleneck = problem(&tasks, 8, Slicing::Anywhere).place(|_, _| false).unwrap_err();
    assert_eq!((bottleneck.demand, bottleneck.room), (17, 16));
    let text = bottleneck.to_string();
    assert!(
        text.starts_with("a (job 0, 1), b (job 0) need 17 together, but only 16 is left"),
        "{text}"
    );
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets with short tables, and proptest's settings, for the tests of cyclic executives.

use fresco_rt::executive::{Answer, Assignment, CoAssign, Needs, Rotation};
use fresco_rt::{Task, Time};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A fixed seed: the same cases on every machine. The environment's `FRESCO_SOAK=n` runs n times as many.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn settings(cases: u32, seed: u64) -> ProptestConfig {
    let soak = std::env::var("FRESCO_SOAK")
        .ok()
        .and_then(|times| times.parse().ok())
        .unwrap_or(1);
    ProptestConfig {
        cases: cases.saturating_mul(soak),
        max_global_rejects: cases.saturating_mul(soak).saturating_mul(4),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    }
}

/// One to `most` tasks with periods that divide 48 times `scale`, any phase, constrained deadlines and loads around one.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn sets(most: usize, scale: Time) -> impl Strategy<Value = Vec<Task>> {
    const PERIODS: [Time; 6] = [6, 8, 12, 16, 24, 48];
    let task = (0..PERIODS.len(), 0..1000u64, 0..1000u64, 1..1000u64);
    prop::collection::vec(task, 1..=most).prop_map(move |tasks| {
        let share = tasks.len() as u64;
        let make = |(number, &(period, phase, deadline, wcet)): (usize, &(usize, u64, u64, u64))| {
            let period = PERIODS[period] * scale;
            // Half of the deadlines are implicit, half of the phases zero.
            let deadline = if deadline < 500 {
                period
            } else {
                period - period * (deadline - 500) / 1000
            };
            let phase = if phase < 500 { 0 } else { phase % period };
            let wcet = (period * wcet * 3 / 2 / share / 1000).clamp(1, deadline);
            Task::new(&format!("t{number}"), phase, period, wcet, deadline).unwrap()
        };
        tasks.iter().enumerate().map(make).collect()
    })
}

/// Rotations of 16, 24 or 48 units times `scale` with two to four colors, in frame mode or burst mode.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn rotations(scale: Time) -> impl Strategy<Value = Rotation> {
    let retention = prop::sample::select(vec![16 * scale, 24 * scale, 48 * scale]);
    (retention, 2..5usize, 0..4u64).prop_filter_map("even frames", |(retention, colors, part)| {
        let frame = retention / colors as Time;
        let blocked = if part == 0 { frame } else { (frame * part / 4).max(1) };
        Rotation::bursts(retention, colors, blocked).ok()
    })
}

/// The solution after the checker has passed it; `None` if there is none.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn solve(question: &CoAssign) -> Option<Assignment> {
    match question.solve().unwrap().0 {
        Answer::Found(found) => {
            check(question, &found);
            Some(*found)
        }
        Answer::Impossible(_) => None,
        Answer::Unknown => panic!("out of budget"),
    }
}

/// Passes the table of a solution through the checker.
#[allow(dead_code, reason = "each test binary uses its part")]
pub fn check(question: &CoAssign, found: &Assignment) {
    let problem = question.problem;
    let needs = Needs {
        tasks: problem.tasks(),
        retention: problem.rotation().retention(),
        burst: problem.rotation().blocked(),
        memory: &question.memory,
        capacity: &question.capacity,
    };
    if let Err(violation) = found.table(problem).check(&needs) {
        panic!("{violation}\n{found:?}\n{:?}", problem.tasks());
    }
}

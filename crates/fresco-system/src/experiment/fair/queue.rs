// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task of a queue runs next (COD-6, COD-7, COD-9; algorithm 3 as corrected by CON-19).

use super::FairSchedule;
use fresco_dram::Ps;

/// A task in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Its index.
    pub task: usize,
    /// How long it has run.
    pub virtual_run_time: Ps,
    /// Share of its pages in the bank whose turn comes, in millionths; 0 only if it has none there.
    pub share_ppm: u64,
}

/// The next task; `None` for an empty queue. Equal virtual run times go by index.
pub(super) fn pick_next(queue: &mut [Candidate], schedule: &FairSchedule) -> Option<usize> {
    queue.sort_unstable_by_key(|candidate| (candidate.virtual_run_time, candidate.task));
    let most = usize::try_from(schedule.eta_thresh).unwrap_or(usize::MAX).max(1);
    let looked_at = &queue[..queue.len().min(most)];
    let free = looked_at.iter().find(|candidate| candidate.share_ppm == 0);
    let least = || looked_at.iter().min_by_key(|candidate| candidate.share_ppm);
    let chosen = free
        .or_else(|| if schedule.best_effort { least() } else { None })
        .or_else(|| looked_at.first());
    chosen.map(|candidate| candidate.task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn queue(tasks: &[(Ps, u64)]) -> Vec<Candidate> {
        let candidate = |(task, &(virtual_run_time, share_ppm))| Candidate {
            task,
            virtual_run_time,
            share_ppm,
        };
        tasks.iter().enumerate().map(candidate).collect()
    }

    fn pick(tasks: &[(Ps, u64)], eta_thresh: u32, best_effort: bool) -> Option<usize> {
        let schedule = FairSchedule {
            eta_thresh,
            best_effort,
            guard_ns: 0,
        };
        pick_next(&mut queue(tasks), &schedule)
    }

    #[test]
    fn the_first_without_data_in_the_bank_within_the_threshold() {
        let tasks = [(30, 0), (10, 500_000), (20, 250_000), (40, 0)];
        // By run time: 1, 2, 0, 3.
        assert_eq!(pick(&tasks, 4, false), Some(0));
        assert_eq!(pick(&tasks, 3, false), Some(0));
        // Nobody among two: the first, or the one with the smaller share.
        assert_eq!(pick(&tasks, 2, false), Some(1));
        assert_eq!(pick(&tasks, 2, true), Some(2));
        // Off.
        assert_eq!(pick(&tasks, 1, true), Some(1));
        assert_eq!(pick(&tasks, 0, true), Some(1));
        assert_eq!(pick(&[], 3, true), None);
        assert_eq!(pick(&[(5, 0), (5, 0)], 3, true), Some(0));
    }

    /// A line that `fresco-scheduler refresh --records` writes.
    #[derive(serde::Deserialize)]
    struct Decision {
        eta: u32,
        best_effort: bool,
        candidates: Vec<Seen>,
        chosen: usize,
    }

    #[derive(serde::Deserialize)]
    struct Seen {
        virtual_time_ns: Ps,
        share_ppm: u64,
    }

    /// What the scheduler of `kernel/schedulers` decided on Linux; FRESCO_DECISIONS is another file of such records.
    #[test]
    fn linux_decides_as_the_model() {
        let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/linux-decisions.jsonl");
        let file = std::env::var("FRESCO_DECISIONS").unwrap_or_else(|_| stored.to_owned());
        let text = std::fs::read_to_string(&file).expect("readable");
        let (mut passed_over, mut nobody_free) = (0, 0);
        for (number, line) in (1..).zip(text.lines()) {
            let decision: Decision =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}:{number}: {error}"));
            let seen = &decision.candidates;
            let in_order = seen
                .windows(2)
                .all(|two| two[0].virtual_time_ns <= two[1].virtual_time_ns);
            assert!(in_order, "{file}:{number}: {line}");
            let tasks: Vec<(Ps, u64)> = seen.iter().map(|one| (one.virtual_time_ns, one.share_ppm)).collect();
            let chosen = pick(&tasks, decision.eta, decision.best_effort);
            assert_eq!(chosen, Some(decision.chosen), "{file}:{number}: {line}");
            let is_free = seen.iter().any(|one| one.share_ppm == 0);
            passed_over += usize::from(is_free && decision.chosen > 0);
            nobody_free += usize::from(!is_free && seen.len() > 1);
        }
        // Else nothing was asked.
        assert!(
            passed_over > 20 && nobody_free > 20,
            "{file}: {passed_over}, {nobody_free}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 500, rng_seed: proptest::test_runner::RngSeed::Fixed(3), failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// Whoever is chosen, nobody in front of it was better, and it is no further back than the threshold.
        #[test]
        fn nobody_better_is_passed_over(
            tasks in prop::collection::vec((0u64..6, prop_oneof![Just(0u64), 1u64..5]), 1..8),
            eta in 1u32..9, best_effort in any::<bool>(),
        ) {
            let chosen = pick(&tasks, eta, best_effort).expect("a task");
            let mut order: Vec<usize> = (0..tasks.len()).collect();
            order.sort_by_key(|&task| (tasks[task].0, task));
            let place = order.iter().position(|&task| task == chosen).expect("in the queue");
            prop_assert!(place < eta as usize);
            let looked_at = &order[..order.len().min(eta as usize)];
            let share = tasks[chosen].1;
            if looked_at.iter().any(|&task| tasks[task].1 == 0) {
                prop_assert_eq!(share, 0);
                prop_assert!(order[..place].iter().all(|&task| tasks[task].1 > 0));
            } else if best_effort {
                prop_assert!(looked_at.iter().all(|&task| tasks[task].1 >= share));
            } else {
                prop_assert_eq!(place, 0);
            }
        }
    }
}

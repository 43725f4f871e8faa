// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of bandwidth under schedules (MG-1): synthetic work fits its WCET with them, and handlers use up none.

use crate::experiment_support::{MS, US, budget, experiment, task};
use fresco_rt::policy::{Order, Policy};
use fresco_system::experiment::{Schedule, Work, run};

const DM: Policy = Policy::FixedPriority(Order::DeadlineMonotonic);

#[test]
fn synthetic_work_fits_its_wcet_under_a_budget() {
    let work = || Work::Synthetic {
        bytes: 1 << 20,
        write_percent: 20,
    };
    let mut experiment = experiment(Schedule::Plain { policy: DM });
    experiment.tasks = vec![
        task("a", (0, 2 * MS, MS), 0, work()),
        task("b", (300 * US, 8 * MS, 3 * MS), 1, work()),
    ];
    experiment.horizon_ns = 48 * MS;
    let free = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    experiment.regulation = Some(budget(&experiment, &[0], 60));
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let of_core = &result.regulation.as_ref().expect("it is regulated").cores[0];
    println!(
        "{:?}, stalled {:.3}",
        of_core.budget.counts, of_core.budget.stalled_share
    );
    assert_eq!((of_core.core, of_core.budget.counts.periods), (0, 479));
    assert!(of_core.budget.counts.exhausted > 200 && of_core.budget.stalled_share > 0.3);
    for (regulated, free) in result.tasks.iter().zip(&free.tasks) {
        assert_eq!((regulated.misses, free.misses), (0, 0), "{}", regulated.name);
        assert!(
            regulated.synthetic_operations < free.synthetic_operations,
            "there is less time for it"
        );
        assert_eq!(regulated.completed, free.completed);
    }
    // Nobody is between a job of the first task and its end: 1 ms, and a bit for what the other left in the caches.
    let response = result.tasks[0].response.expect("jobs ended");
    assert!(
        response.max_ps <= MS * 1000 && response.max_ps > 700 * US * 1000,
        "{response:?}"
    );
}

#[test]
fn a_wcet_shorter_than_a_period_of_budgets_is_refused() {
    let mut experiment = experiment(Schedule::Plain { policy: DM });
    let work = Work::Synthetic {
        bytes: 1 << 20,
        write_percent: 0,
    };
    experiment.tasks = vec![task("t", (0, 2 * MS, 90 * US), 0, work)];
    experiment.regulation = Some(budget(&experiment, &[0], 60));
    let error = run(&experiment)
        .expect_err("it may have to wait for a period")
        .to_string();
    assert!(
        error.contains("whose WCET no access to memory fits") && error.contains("budgets"),
        "{error}"
    );
}

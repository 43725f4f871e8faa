// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several tasks on a core, on the machine of the dissertation: response times that are known.

use crate::experiment_support::{MS, US, experiment, task};
use fresco_rt::policy::{Order, Policy};
use fresco_system::experiment::{Schedule, Work, run};

const DM: Policy = Policy::FixedPriority(Order::DeadlineMonotonic);

/// Registers alone: every response time is that of the theory, to the picosecond.
#[test]
fn work_in_registers_takes_exactly_its_time() {
    let mut experiment = experiment(Schedule::Plain { policy: DM });
    experiment.tasks = vec![
        task("high", (0, 4 * MS, MS), 0, Work::Registers),
        task("low", (0, 10 * MS, 5 * MS), 0, Work::Registers),
    ];
    experiment.horizon_ns = 20 * MS;
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let [high, low] = &result.tasks[..] else {
        panic!("two tasks")
    };
    assert_eq!((high.released, high.completed, high.misses), (5, 5, 0));
    assert_eq!((low.released, low.completed, low.misses), (2, 2, 0));
    let responses: Vec<u64> = low.jobs.iter().filter_map(|job| job.response_ps()).collect();
    // [1, 4) and [5, 7); released at 10, it gets [10, 12), [13, 16).
    assert_eq!(responses, [7 * MS * 1000, 6 * MS * 1000]);
    assert!(high.jobs.iter().all(|job| job.response_ps() == Some(MS * 1000)));
    assert_eq!(low.jobs[0].preemptions, 1);
    let core = &result.cores[0];
    assert_eq!(core.run_ps, 15 * MS * 1000);
    assert_eq!(core.run_ps + core.idle_ps + core.handler_ps, 20 * MS * 1000);
    assert_eq!(core.longest_drain_ps, 0);
}

/// Synthetic work fits its WCET less the margin, and nearly fills it.
#[test]
fn synthetic_work_fits_its_wcet() {
    let mut experiment = experiment(Schedule::Plain { policy: DM });
    let work = Work::Synthetic {
        bytes: 1 << 20,
        write_percent: 0,
    };
    experiment.tasks = vec![task("t", (0, 2 * MS, 500 * US), 0, work)];
    experiment.horizon_ns = 20 * MS;
    let result = run(&experiment).unwrap_or_else(|error| panic!("{error}"));
    let took = result.tasks[0].execution.expect("jobs ended");
    assert_eq!((result.tasks[0].completed, result.tasks[0].misses), (10, 0));
    assert!(took.max_ps <= 500 * US * 1000, "{took:?}");
    assert!(took.min_ps >= 470 * US * 1000, "{took:?}");
}

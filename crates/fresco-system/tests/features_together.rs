// SPDX-License-Identifier: MIT OR Apache-2.0
//! Features of the engine that each have their own tests, here together.

mod multitask_support;

use fresco_frames::{Config, CostModel, Policy, Tintmalloc};
use fresco_system::multitask::{JobRecord, MultitaskResult, Paging};
use multitask_support::planned::{result, servers};

/// The checker passed all commands, and no access met a refresh.
fn is_clean(result: &MultitaskResult) {
    let checker = result.checker.as_ref().expect("it was asked");
    assert!(checker.clean, "{}", checker.report);
    for task in &result.tasks {
        assert_eq!(task.met_refresh.accesses(), 0, "{}: {:?}", task.name, task.met_refresh);
    }
}

/// Servers and locks of the Colored Refresh Server (CRS-2 to 7), pages that get their frames when they are touched first
/// (TINT-19), from the lists of TintMalloc (TINT-8).
#[test]
fn servers_with_page_faults_from_tintmallocs_lists() {
    let mut experiment = servers(16);
    let mapped_before = result(&experiment);
    experiment.frames = Config {
        cost: CostModel::at(experiment.machine.core.mhz),
        ..Config::pristine(Policy::Tintmalloc(Tintmalloc::default()))
    };
    experiment
        .tasks
        .iter_mut()
        .for_each(|task| task.paging = Paging::OnTouch);
    let faulting = result(&experiment);
    is_clean(&faulting);
    let banks = |result: &MultitaskResult| result.tasks.iter().map(|task| task.banks.clone()).collect::<Vec<_>>();
    assert_eq!(banks(&faulting), banks(&mapped_before));
    for (task, before) in faulting.tasks.iter().zip(&mapped_before.tasks) {
        assert_eq!((task.misses, task.released), (0, before.released), "{}", task.name);
        assert_eq!(before.page_faults.count, 0);
        // 256 KiB, all of which the jobs touch sooner or later.
        let pages: u64 = task.pages_by_bank.iter().map(|(_, pages)| pages).sum();
        assert_eq!((pages, task.page_faults.count), (64, 64), "{}", task.name);
        assert!(task.page_faults.time_ps > 0);
        // The first job pays for them: it takes longer than before, the last one does not.
        let first = |of: &[JobRecord]| of[0].execution_ps;
        assert!(
            first(&task.jobs) > first(&before.jobs) + task.page_faults.time_ps / 4,
            "{}: {} {} {:?}",
            task.name,
            first(&task.jobs),
            first(&before.jobs),
            task.page_faults
        );
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refresh by plan on the machine of the dissertation: nobody meets it, every row gets it, and a fault in the plan shows.

use crate::experiment_support::planned::{EXAMPLE, RM, TABLE_5_2, aligned, result, servers, tasks};
use crate::experiment_support::{MS, RANKS, US, experiment, machine};
use fresco_frames::PageTables;
use fresco_machine::{Tlb, TlbLevel};
use fresco_rt::policy::Policy;
use fresco_system::experiment::{Experiment, RefreshPlan, RefreshWindow, RunOutcome, Schedule, TaskOutcome};

fn met(result: &RunOutcome) -> u64 {
    result.tasks.iter().map(|task| task.met_refresh.accesses()).sum()
}

fn misses(result: &RunOutcome) -> u64 {
    result.tasks.iter().map(|task| task.misses).sum()
}

/// No access meets a refresh, no job misses, no row waits for a cycle too long, no window is late.
fn is_sound(result: &RunOutcome) {
    let checker = result.checker.as_ref().expect("it was asked");
    assert!(checker.clean, "{}", checker.report);
    assert_eq!(
        (met(result), misses(result)),
        (0, 0),
        "{:?}",
        result.tasks.iter().map(|t| t.met_refresh).collect::<Vec<_>>()
    );
    let kept = result.windows[0];
    assert!(kept.windows > 0);
    assert_eq!((kept.late, kept.late_ps), (0, 0), "{kept:?}");
    let core = &result.cores[0];
    assert_eq!((core.writes_into_windows, core.handlers_missed), (0, 0), "{core:?}");
    assert!(
        result
            .tasks
            .iter()
            .all(|task| task.completed > 0 && task.reads.count > 1000)
    );
}

/// CRS-10 under aligned slots (F29).
#[test]
fn the_example_of_two_servers_never_meets_a_refresh() {
    for density in [1, 64] {
        let (experiment, plan) = aligned(&EXAMPLE, RM, 8 * MS, density);
        let result = result(&experiment);
        is_sound(&result);
        // Silence of a rank lasts from the end of a segment to the next.
        let gap = 8 * MS * 1000
            - (plan.commands_per_frame() - 1) * (plan.segment_length() / plan.commands_per_frame()) * 1000;
        let longest = result.ranks.iter().map(|rank| rank.longest_gap_ps).max();
        assert_eq!(longest, Some(gap));
    }
}

#[test]
fn table_5_2_never_meets_a_refresh() {
    for density in [1, 64] {
        let (experiment, _) = aligned(&TABLE_5_2, Policy::Edf, 4 * MS, density);
        is_sound(&result(&experiment));
    }
}

/// RLIM-7: stores too, whose lines leave the caches before their color is refreshed.
#[test]
fn dirty_lines_leave_before_their_color_is_refreshed() {
    let (mut experiment, _) = aligned(&EXAMPLE, RM, 8 * MS, 16);
    experiment.tasks = tasks(&EXAMPLE, 40);
    let sound = result(&experiment);
    is_sound(&sound);
    assert!(sound.cores[0].lines_cleaned > 100);
    // Without handlers the lines of the one color leave when the other color's tasks need the room.
    if let Schedule::Slots { cores, .. } = &mut experiment.schedule {
        cores[0].handler_ns = 0;
    }
    let unsound = result(&experiment);
    assert_eq!(unsound.cores[0].lines_cleaned, 0);
    assert!(unsound.cores[0].writes_into_windows > 100);
    assert!(unsound.tasks.iter().any(|task| task.met_refresh.writes > 0));
}

/// RLIM-6: a schedule that is sound keeps tasks off ranks under refresh, but not their page walks, if page tables lie anywhere in the memory. In
/// frames of the task's color they meet none either.
#[test]
fn page_tables_of_no_color_meet_refreshes() {
    let (mut experiment, _) = aligned(&EXAMPLE, RM, 8 * MS, 16);
    let level = TlbLevel { entries: 2, ways: 2 };
    experiment.machine.core.tlb = Some(Tlb {
        first: level,
        second: None,
        walk_cache: 0,
    });
    let mut met_with = |tables: PageTables| {
        experiment.frames.page_tables = tables;
        let result = result(&experiment);
        assert!(result.checker.as_ref().is_some_and(|checker| checker.violations == 0));
        let reads = |task: &TaskOutcome| task.tlb.as_ref().map_or(0, |tlb| tlb.reads[0].memory);
        assert!(
            result.tasks.iter().map(reads).sum::<u64>() > 100,
            "tables are read from the memory"
        );
        met(&result)
    };
    assert_eq!(met_with(PageTables::Colored), 0);
    let leak = met_with(PageTables::Uncolored);
    assert!(leak > 10, "{leak}");
}

/// A window in the slot of its own color.
#[test]
fn a_window_in_the_wrong_slot_is_met() {
    let (mut experiment, plan) = aligned(&EXAMPLE, RM, 8 * MS, 16);
    if let RefreshPlan::Windows { windows, .. } = &mut experiment.refresh {
        windows[0].start_ns += plan.borders()[0];
        windows[0].ranks = RANKS[1];
        windows.pop();
        windows.push(RefreshWindow {
            start_ns: 20_000,
            ranks: RANKS[0],
            commands: plan.commands_per_frame(),
        });
    }
    let result = result(&experiment);
    // A job that runs into a segment of 563 µs waits for its end.
    let long = |task: usize| result.tasks[task].met_refresh.longest_read_wait_ps > 500 * US * 1000;
    assert!(long(0) && long(2), "both colors");
    assert!(met(&result) >= 30, "{}", met(&result));
    // Windows wait for accesses under way, so that rows wait too: by less than a refresh interval.
    let kept = result.windows[0];
    assert!(kept.latest_ps < 9_000_000, "{kept:?}");
    assert!(result.checker.as_ref().is_some_and(|checker| checker.violations == 0));
}

/// REF-17: auto-refresh, more at a higher density.
#[test]
fn auto_refresh_is_met_and_more_so_by_denser_devices() {
    let wait = |density: u32| {
        let mut experiment = experiment(Schedule::Plain { policy: RM });
        experiment.machine = machine(density);
        experiment.tasks = tasks(&EXAMPLE, 10);
        let result = result(&experiment);
        assert!(result.checker.as_ref().is_some_and(|checker| checker.clean));
        let sum = |of: fn(&fresco_system::experiment::Met) -> u64| -> u64 {
            result.tasks.iter().map(|task| of(&task.met_refresh)).sum()
        };
        (sum(|met| met.reads), sum(|met| met.read_wait_ps))
    };
    let (thin, dense) = (wait(1), wait(64));
    assert!(thin.0 > 20 && dense.0 > 4 * thin.0, "{thin:?} {dense:?}");
    assert!(dense.1 > 20 * thin.1, "{thin:?} {dense:?}");
}

/// CRS-9, E34: the first color keeps its usual refresh until its first burst, half a retention time after the start.
#[test]
fn the_start_keeps_retention() {
    let experiment = servers(8);
    let result = result(&experiment);
    is_sound(&result);
    let spans = &result.timeline.refreshes;
    let before = |rank: u32| {
        let early = spans
            .iter()
            .filter(|span| span.rank == rank && span.end_ps < 32 * MS * 1000);
        early.map(|span| span.commands).sum::<u64>()
    };
    assert!((4096..4110).contains(&before(0)), "{}", before(0));
    assert_eq!(before(4), 2 + 8192, "the second color begins with a burst at 20 µs");
    let bursts: Vec<_> = spans
        .iter()
        .filter(|span| span.rank == 0 && span.commands > 1)
        .collect();
    assert_eq!(bursts[0].start_ps, (32 * MS + 20_000) * 1000);
    assert_eq!(bursts[0].commands, 8192);
    assert_eq!(result.timeline.locks.len(), 5);
}

/// RLIM-7: a handler too short for the lines that it cleans. The window begins when they have been written, and says so.
#[test]
fn a_window_waits_for_the_lines_that_a_handler_cleans() {
    let (mut experiment, _) = aligned(&EXAMPLE, RM, 8 * MS, 16);
    experiment.tasks = tasks(&EXAMPLE, 60);
    if let Schedule::Slots { cores, .. } = &mut experiment.schedule {
        cores[0].handler_ns = 1000;
    }
    let result = result(&experiment);
    let kept = result.windows[0];
    let core = &result.cores[0];
    assert!(core.lines_cleaned > 100 && core.writes_into_windows == 0, "{core:?}");
    assert!(
        kept.late > 20 && kept.latest_ps > 100_000 && kept.latest_ps < 9_000_000,
        "{kept:?}"
    );
    let written: u64 = result.tasks.iter().map(|task| task.met_refresh.writes).sum();
    assert_eq!(written, 0, "they go first");
}

#[test]
fn the_same_experiment_gives_the_same_bytes() {
    let mut experiment = servers(16);
    experiment.horizon_ns = 40 * MS;
    let text = |experiment: &Experiment| format!("{:?}", result(experiment));
    let first = text(&experiment);
    assert_eq!(first, text(&experiment));
    experiment.seed = 2;
    assert_ne!(first, text(&experiment));
}

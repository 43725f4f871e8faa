// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-design's scheduler on the command-level simulator (COD-6 to COD-11, COD-14).

use crate::experiment_support::budget;
use fresco_frames::{Codesign, ColorSet, Coloring, FramesConfig, Partition, Policy};
use fresco_machine::{Machine, RefreshPolicy};
use fresco_system::experiment::fair::{FairResult, FairSchedule, Untiled, Variant, check_tiling, place};
use fresco_system::experiment::{
    Activity, Experiment, Instance, Paging, RunOutcome, Schedule, TaskOutcome, TaskSpec, Timing, Work, run,
};

/// One rank of four banks, with a refresh window so short that a test sees many turns: 64 commands per bank and 64 tREFI,
/// so that a turn takes 124.8 µs.
fn four_banks(cores: u32, policy: RefreshPolicy) -> Machine {
    let refi = 6240;
    let set = |key: &str, value: String| (key.to_owned(), value);
    let overrides = [
        set("cores", cores.to_string()),
        set("l2.size", "\"256 KiB\"".to_owned()),
        set("memory.density_scales_refresh_only", "true".to_owned()),
        set("memory.organisation.ranks", "1".to_owned()),
        set("memory.organisation.banks", "4".to_owned()),
        set("memory.organisation.rows", "4096".to_owned()),
        set("memory.map.rank", "[]".to_owned()),
        set("memory.map.bank", "[13, 14]".to_owned()),
        set("memory.timing.refi", refi.to_string()),
        set("memory.timing.refreshes", "64".to_owned()),
        set("memory.timing.bank_refreshes", "64".to_owned()),
        set("memory.timing.refw", (77 * refi).to_string()),
    ];
    let mut machine = fresco_machine::load_with("gem5-2core", &overrides).unwrap_or_else(|error| panic!("{error}"));
    machine.memory.controller.refresh = policy;
    machine
}

/// Length of a turn in nanoseconds.
const TURN: u64 = 124_800;

fn banks(banks: &[u32]) -> ColorSet {
    banks.iter().copied().collect()
}

/// A task that reads and writes random lines of `kib` KiB.
fn task(name: &str, core: u32, banks: Option<ColorSet>, kib: u64) -> TaskSpec {
    let coloring = banks.map_or(Coloring::Off, |banks| Coloring::Explicit {
        banks: Some(banks),
        llc: None,
    });
    let work = Work::program("random", &format!("bytes = '{kib} KiB'\nwrite_percent = 20\ngap = 20"))
        .expect("takes these parameters");
    TaskSpec::new(name, core, Timing::Batch, work, Instance::new(0, coloring))
}

fn experiment(machine: Machine, schedule: FairSchedule, partition: Partition, tasks: Vec<TaskSpec>) -> Experiment {
    let colored = tasks.iter().any(|task| task.instances[0].coloring != Coloring::Off);
    let policy = if colored {
        Policy::Codesign(Codesign { partition })
    } else {
        Policy::Buddy
    };
    Experiment {
        tasks,
        horizon_ns: 16 * TURN,
        check: true,
        record_ns: 16 * TURN,
        context_switch_ns: 1000,
        ..Experiment::new(machine, Schedule::Fair(schedule), FramesConfig::pristine(policy))
    }
}

fn outcome(experiment: &Experiment) -> (RunOutcome, FairResult) {
    let result = run(experiment).unwrap_or_else(|error| panic!("{error}"));
    let fair = FairResult::new(experiment, &result);
    (result, fair)
}

/// The tasks of figure 9: T0 and T2 in banks 0 and 2, T1 and T3 in banks 1 and 3, where [`place`] puts them.
fn figure_9(colored: bool) -> Vec<TaskSpec> {
    let masks = [banks(&[0, 2]), banks(&[1, 3]), banks(&[0, 2]), banks(&[1, 3])];
    let cores = place(&masks, 2, 4);
    let tasks = masks.iter().zip(&cores).enumerate();
    tasks
        .map(|(number, (mask, &core))| task(&format!("T{number}"), core, colored.then(|| mask.clone()), 4096))
        .collect()
}

fn reads_that_met_refresh(fair: &FairResult) -> u64 {
    fair.tasks.iter().map(|task| task.met_refresh.reads).sum()
}

/// Instructions, operations, time on cores, reads, write-backs, accesses that met a refresh, of all tasks one after the other.
fn counters(result: &RunOutcome) -> Vec<[u64; 6]> {
    let of = |task: &TaskOutcome| {
        let (reads, met) = (task.reads.count, task.met_refresh.accesses());
        [
            task.instructions,
            task.operations,
            task.executing_ps,
            reads,
            task.write_backs,
            met,
        ]
    };
    result.tasks.iter().map(of).collect()
}

#[test]
fn what_is_counted_from_a_time_on_is_all_less_what_came_before() {
    // All tasks leave their cores before each turn ends; pages in all banks meet refreshes.
    let run_of = |turns: u64, from: u64, schedule: FairSchedule| {
        let machine = four_banks(2, RefreshPolicy::PerBankSequential);
        let mut experiment = experiment(machine, schedule, Partition::Soft, figure_9(true));
        (experiment.horizon_ns, experiment.count_from_ns) = (turns * TURN, from * TURN);
        outcome(&experiment)
    };
    let blind = FairSchedule {
        guard_ns: FairSchedule::GUARD_NS,
        ..FairSchedule::blind()
    };
    for schedule in [FairSchedule::refresh_aware(), blind] {
        let (all, _) = run_of(12, 0, schedule);
        let (first, _) = run_of(4, 0, schedule);
        let (rest, fair) = run_of(12, 4, schedule);
        let pairs = counters(&all).into_iter().zip(counters(&first)).zip(counters(&rest));
        for ((all, first), rest) in pairs {
            assert!(first[..4].iter().all(|&count| count > 0), "{first:?}");
            assert_eq!(rest, std::array::from_fn(|of| all[of] - first[of]));
        }
        assert_eq!(reads_that_met_refresh(&fair) > 0, schedule == blind);
        assert_eq!(rest.counted_ps, (4 * TURN * 1000, 12 * TURN * 1000));
        let reads = |result: &RunOutcome| result.controllers.iter().map(|one| one.reads).sum::<u64>();
        assert_eq!(reads(&rest), reads(&all) - reads(&first));
        assert_eq!(all.timeline.runs, rest.timeline.runs, "the same run");
        assert!(
            fair.tasks.iter().all(|task| (0.48..=0.5).contains(&task.share_of_time)),
            "{fair:#?}"
        );
        assert!(rest.banks_at_work >= 1.0);
    }
}

#[test]
fn counters_that_begin_at_the_end_are_refused() {
    let machine = four_banks(2, RefreshPolicy::PerBankSequential);
    let mut experiment = experiment(machine, FairSchedule::blind(), Partition::Soft, figure_9(true));
    experiment.count_from_ns = experiment.horizon_ns;
    let error = run(&experiment).expect_err("nothing is counted").to_string();
    assert!(error.contains("found counters that begin at 1996800 ns"), "{error}");
    assert!(error.contains("allowed: 0 to 1996799 ns"), "{error}");
}

#[test]
fn figure_9_no_read_meets_a_refresh() {
    let machine = four_banks(2, RefreshPolicy::PerBankSequential);
    let tasks = figure_9(true);
    let masks: Vec<(u32, ColorSet)> = figure_9(true)
        .iter()
        .zip([[0, 2], [1, 3], [0, 2], [1, 3]])
        .map(|(task, mask)| (task.core, banks(&mask)))
        .collect();
    assert_eq!(check_tiling(&machine, &masks).expect("colors"), Ok(()));
    let experiment = experiment(machine, FairSchedule::refresh_aware(), Partition::Soft, tasks);
    let (result, fair) = outcome(&experiment);

    // While bank 0 or 2 is refreshed T1 and T3 run, else T0 and T2.
    for span in &result.timeline.runs {
        let Activity::Run { task, .. } = span.activity else {
            continue;
        };
        let turn = (span.start_ps + span.end_ps) / 2 / 1000 / TURN;
        assert_eq!(task as u64 % 2, (turn + 1) % 2, "{span:?}");
    }
    assert_eq!(
        result
            .cores
            .iter()
            .map(|core| core.context_switches)
            .collect::<Vec<_>>(),
        [16, 16]
    );
    assert!(fair.tasks.iter().all(|task| task.reads > 5_000), "{fair:#?}");
    assert_eq!(reads_that_met_refresh(&fair), 0, "{fair:#?}");
    // Each has half of its core, but for guards and switches.
    assert!(
        fair.tasks.iter().all(|task| (0.48..=0.5).contains(&task.share_of_time)),
        "{fair:#?}"
    );
    assert!(fair.unfairness_ps.iter().all(|&ps| ps < 10_000_000), "{fair:#?}");
    let checker = result.checker.expect("asked for");
    assert_eq!((checker.violations, checker.late_rows), (0, 0), "{}", checker.report);
}

#[test]
fn without_the_co_design_reads_meet_refreshes() {
    let met = |policy, colored, schedule| {
        let experiment = experiment(four_banks(2, policy), schedule, Partition::Soft, figure_9(colored));
        let (_, fair) = outcome(&experiment);
        (reads_that_met_refresh(&fair), fair.harmonic_mean_ipc)
    };
    let (co_design, ipc) = met(RefreshPolicy::PerBankSequential, true, FairSchedule::refresh_aware());
    let (all_bank, ipc_all_bank) = met(RefreshPolicy::AllBankIndependent, false, FairSchedule::blind());
    let (per_bank, _) = met(RefreshPolicy::PerBank, false, FairSchedule::blind());
    // The refresh schedule alone does not do it: the scheduler has to heed it.
    let (heedless, _) = met(RefreshPolicy::PerBankSequential, true, FairSchedule::blind());
    assert_eq!(co_design, 0);
    assert!(
        all_bank > 1000 && per_bank > 1000 && heedless > 1000,
        "{all_bank} {per_bank} {heedless}"
    );
    // Not a gain here: the tasks that run at the same time are those of one group, and share its two banks, so that
    // random accesses are slower than with all-bank refresh and all four banks at work.
    assert!(ipc > 0.0 && ipc < ipc_all_bank, "{ipc} against {ipc_all_bank}");
}

#[test]
fn hard_partitions_of_one_bank_each() {
    // Four tasks on one core, a bank each: at any time three may run, in turn.
    let tasks = || {
        (0..4)
            .map(|n| task(&format!("T{n}"), 0, Some(ColorSet::one(n)), 2048))
            .collect()
    };
    let runs = |policy, schedule| outcome(&experiment(four_banks(1, policy), schedule, Partition::Hard, tasks())).1;
    let fair = runs(RefreshPolicy::PerBankSequential, FairSchedule::refresh_aware());
    assert_eq!(reads_that_met_refresh(&fair), 0, "{fair:#?}");
    assert!(
        fair.tasks
            .iter()
            .all(|task| (0.23..=0.25).contains(&task.share_of_time)),
        "{fair:#?}"
    );
    for (bank, task) in (0..).zip(&fair.tasks) {
        assert_eq!(task.pages_by_bank, [(bank, 512)]);
    }
    // With nobody beside them, what they do not lose to refresh is a gain over all-bank refresh in the same banks.
    let all_bank = runs(RefreshPolicy::AllBankIndependent, FairSchedule::blind());
    let gain = fair.harmonic_mean_ipc / all_bank.harmonic_mean_ipc;
    assert!((1.02..1.15).contains(&gain), "{gain}");
}

#[test]
fn best_effort_takes_the_smallest_share() {
    // Both have pages in bank 0 in the end: of 24 MiB and of 20 MiB in banks of 32 MiB each, the first spills nothing, the
    // second is in banks 0 to 3 alike.
    let machine = || four_banks(1, RefreshPolicy::PerBankSequential);
    let tasks = || {
        vec![
            task("narrow", 0, Some(banks(&[0, 1])), 4096),
            task("wide", 0, Some(banks(&[0, 1, 2, 3])), 4096),
        ]
    };
    let runs = |schedule| {
        let (result, fair) = outcome(&experiment(machine(), schedule, Partition::Soft, tasks()));
        let of_turn = |turn: u64| {
            let middle = (2 * turn + 1) * TURN * 500;
            let mut runs = result.timeline.runs.iter();
            runs.find(|run| run.start_ps <= middle && middle < run.end_ps)
                .map(|run| match run.activity {
                    Activity::Run { task, .. } => task,
                    _ => usize::MAX,
                })
        };
        (
            (0..16).map(|turn| of_turn(turn).expect("somebody")).collect::<Vec<_>>(),
            fair,
        )
    };
    let (order, fair) = runs(FairSchedule::refresh_aware());
    // Half of narrow lies in bank 0, a quarter of wide: wide runs in the turns of banks 0 and 1. In those of banks 2 and 3,
    // of which narrow has nothing, narrow runs.
    assert_eq!(order, [1, 1, 0, 0].repeat(4));
    assert_eq!(fair.tasks[1].pages_by_bank, [(0, 256), (1, 256), (2, 256), (3, 256)]);
    // Without it the queue decides in the turns of banks 0 and 1.
    let schedule = FairSchedule {
        best_effort: false,
        ..FairSchedule::refresh_aware()
    };
    let (order, _) = runs(schedule);
    assert_eq!(order[0], 0, "the first of the queue");
    // COD-7: 1 switches the heed of refresh off, fair shares remain.
    let off = FairSchedule {
        eta_thresh: 1,
        ..FairSchedule::refresh_aware()
    };
    let (order, fair) = runs(off);
    assert_eq!(order, [0, 1].repeat(8));
    assert!(fair.unfairness_ps[0] < 5_000_000);
}

#[test]
fn a_bank_that_no_task_leaves_free_is_named() {
    let machine = four_banks(2, RefreshPolicy::PerBankSequential);
    let tasks = [
        (0, banks(&[0, 1])),
        (0, banks(&[2, 3])),
        (1, banks(&[0, 1])),
        (1, banks(&[1, 2, 3])),
    ];
    let untiled = check_tiling(&machine, &tasks).expect("colors").unwrap_err();
    let expected = Untiled {
        core: 1,
        rank: 0,
        bank: 1,
        colors: vec![1],
    };
    assert_eq!(untiled, expected);
    assert!(
        untiled
            .to_string()
            .starts_with("core 1 has no task that leaves bank 1 of rank 0 free (bank colors 1)")
    );
}

/// COD-14: each variant tiles, and places as many tasks on each core; the confinement is that of the paper.
#[test]
fn the_variants_of_the_paper_tile_the_banks() {
    for variant in Variant::all() {
        let machine = fresco_machine::load_with("gem5-2core", &variant.overrides()).unwrap_or_else(|e| panic!("{e}"));
        let masks: Vec<(u32, ColorSet)> = (0..variant.cores)
            .flat_map(|core| (0..variant.tasks_per_core).map(move |number| (core, number)))
            .map(|(core, number)| (core, variant.banks(&machine, number).expect("colors")))
            .collect();
        let all = 16 * variant.dimms as usize;
        let share = if variant.tasks_per_core == 4 { 6 } else { 4 };
        assert!(
            masks.iter().all(|(_, mask)| mask.len() == all * share / 8),
            "{variant:?}: {masks:?}"
        );
        assert_eq!(check_tiling(&machine, &masks).expect("colors"), Ok(()), "{variant:?}");
        let colors: Vec<ColorSet> = masks.iter().map(|(_, mask)| mask.clone()).collect();
        let placed: Vec<(u32, ColorSet)> = place(&colors, variant.cores, all as u32)
            .into_iter()
            .zip(colors)
            .collect();
        assert_eq!(
            check_tiling(&machine, &placed).expect("colors"),
            Ok(()),
            "{variant:?} placed: {placed:?}"
        );
    }
}

#[test]
fn what_cannot_be_scheduled_is_refused() {
    let refused = |schedule, timing| {
        let mut task = task("t", 0, None, 64);
        task.timing = timing;
        let machine = four_banks(2, RefreshPolicy::PerBankSequential);
        run(&experiment(machine, schedule, Partition::Soft, vec![task]))
            .unwrap_err()
            .to_string()
    };
    let with = |eta_thresh, guard_ns| FairSchedule {
        eta_thresh,
        guard_ns,
        best_effort: true,
    };
    assert!(refused(with(0, 0), Timing::Batch).contains("looks at no task"));
    assert!(refused(with(2, TURN), Timing::Batch).contains("found a guard of 124800 ns in slices of 124800 ns"));
    let periodic = fresco_rt::Task::new("t", 0, 1000, 100, 1000).expect("a task");
    assert!(refused(with(2, 0), Timing::Periodic(periodic)).contains("with deadlines in a fair schedule"));
}

/// Budgets of bandwidth (MG-1) in the co-design's slices: a core that has used its budget up stands still in its slice, and no read
/// meets a refresh nevertheless.
#[test]
fn budgets_go_with_slices() {
    let machine = four_banks(2, RefreshPolicy::PerBankSequential);
    let mut experiment = experiment(machine, FairSchedule::refresh_aware(), Partition::Soft, figure_9(true));
    let (free, _) = outcome(&experiment);
    experiment.regulation = Some(budget(&experiment, &[0, 1], 200));
    let (result, fair) = outcome(&experiment);
    assert_eq!(reads_that_met_refresh(&fair), 0, "{fair:#?}");
    let cores = &result.regulation.as_ref().expect("it is regulated").cores;
    for core in cores {
        let (budget, most) = (&core.budget, 200 + core.budget.counts.overshoot);
        assert!(
            budget.counts.exhausted >= 10 && budget.stalled_share > 0.3,
            "{budget:?}"
        );
        assert!(budget.lines_by_period.iter().all(|lines| *lines <= most) && budget.counts.overshoot < 100);
    }
    // Both tasks of a core have had slices, and less memory in them than without budgets.
    for (task, free) in result.tasks.iter().zip(&free.tasks) {
        assert!(
            task.reads.count > 1000 && task.reads.count < free.reads.count,
            "{}",
            task.name
        );
    }
    assert!(result.checker.is_some_and(|checker| checker.clean));
}

/// Pages that come while a task runs: its dispatcher heeds them from its next choice on.
#[test]
fn slices_heed_pages_that_fault_in() {
    let met = |schedule: FairSchedule| {
        let machine = four_banks(2, RefreshPolicy::PerBankSequential);
        let mut experiment = experiment(machine, schedule, Partition::Soft, figure_9(true));
        experiment
            .tasks
            .iter_mut()
            .for_each(|task| task.paging = Paging::OnTouch);
        let (result, fair) = outcome(&experiment);
        assert!(result.tasks.iter().all(|task| task.page_faults.count > 100));
        reads_that_met_refresh(&fair)
    };
    let (aware, blind) = (met(FairSchedule::refresh_aware()), met(FairSchedule::blind()));
    // In the first slices a task has no page in the bank whose turn it is, and gets some.
    assert!(aware * 5 < blind, "{aware} {blind}");
}

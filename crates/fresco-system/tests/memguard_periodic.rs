// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of bandwidth for cores with periodic tasks (MG-1 to MG-7): a budget is its core's, whatever job runs on it.

use crate::common::{parse, results, results_on};
use fresco_system::experiment::{Activity, Timeline};
use fresco_system::results::{JobsResult, RunResult};

/// Core 0 of the slides' machine has 312 lines in 100 us. Its low task wants 1024 lines for a job, its high task computes.
const TWO: &str = r#"
name = "two"
machine = "core2-q8400"
check = true
[policy]
bandwidth = "memguard"
context_switch = "0 us"
[bandwidth]
period = "100 us"
count_write_backs = true
[warm_up]
jobs = 0
[measure]
time = "4 ms"
[[task]]
name = "high"
program = "idle"
core = 0
period = "130 us"
parameters.instructions = 30000
[[task]]
name = "low"
program = "random"
core = 0
period = "1 ms"
reserve = "200 MB/s"
reservation = "hard"
parameters = { bytes = "16 MiB", accesses = 1024 }
"#;

fn run(text: &str) -> RunResult {
    results(text).points[0].runs[0].clone()
}

fn timeline(run: &RunResult) -> &Timeline {
    run.timeline.as_ref().expect("tasks are periodic")
}

fn jobs(run: &RunResult, task: usize) -> &JobsResult {
    run.tasks[task].jobs.as_ref().expect("it is periodic")
}

/// How long two spans overlap.
fn common_ps(one: (u64, u64), other: (u64, u64)) -> u64 {
    one.1.min(other.1).saturating_sub(one.0.max(other.0))
}

#[test]
fn time_stalled_is_response_and_no_execution() {
    let (before, after) = TWO.split_once("[[task]]\nname = \"high\"").expect("a task");
    let low = after.split_once("[[task]]").expect("another").1;
    let run = run(&format!("{before}[[task]]{low}").replace("\"1 ms\"", "\"2 ms\""));
    let timeline = timeline(&run);
    let core = run.tasks[0].regulation.as_ref().expect("it is regulated");
    assert_eq!(core.reserved_lines, 312);
    let mut checked = 0;
    for job in &jobs(&run, 0).jobs {
        let (Some(start), Some(end)) = (job.start_ps, job.end_ps) else {
            continue;
        };
        let stalled: u64 = timeline
            .stalls
            .iter()
            .map(|stall| common_ps((stall.start_ps, stall.end_ps), (start, end)))
            .sum();
        assert_eq!(job.execution_ps, end - start - stalled, "{job:?}");
        // 1024 lines are three budgets, with what is under way when they are used up.
        assert!(stalled > 180_000_000 && end - start > 200_000_000, "{job:?}");
        checked += 1;
    }
    assert_eq!(checked, 2);
    assert!(core.stalled_share > 0.05, "{}", core.stalled_share);
}

#[test]
fn a_stalled_core_stays_stalled_when_its_job_changes() {
    let run = run(TWO);
    let timeline = timeline(&run);
    assert!(timeline.stalls.len() > 5, "{:?}", timeline.stalls);
    let runs = timeline.runs.iter();
    for one in runs {
        assert!(matches!(one.activity, Activity::Run { .. }));
        for stall in timeline.stalls.iter().filter(|stall| stall.core == one.core) {
            let overlap = common_ps((one.start_ps, one.end_ps), (stall.start_ps, stall.end_ps));
            assert_eq!(overlap, 0, "{one:?} {stall:?}");
        }
    }
    // A job of the high task that is released in a stall begins when it is over, with the next period.
    let mut waited = 0;
    for job in &jobs(&run, 0).jobs {
        let inside = |stall: &&_| {
            let stall: &fresco_system::experiment::StallSpan = stall;
            stall.start_ps < job.release_ps && job.release_ps < stall.end_ps
        };
        let Some(stall) = timeline.stalls.iter().find(inside) else {
            continue;
        };
        assert_eq!(stall.end_ps % 100_000_000, 0);
        assert_eq!(job.start_ps, Some(stall.end_ps));
        waited += 1;
    }
    assert!(waited > 2, "{waited}");
    // It leaves the core to it at once: the low task is preempted, and its jobs end all the same.
    assert!(jobs(&run, 1).jobs.iter().any(|job| job.preemptions > 0));
    assert_eq!(jobs(&run, 1).misses, 0);
    // Both tasks show the budget of their core.
    assert_eq!(run.tasks[0].regulation, run.tasks[1].regulation);
}

/// Two periodic tasks on each core, which want more than there is.
fn greedy() -> String {
    let mut text = TWO.split_once("[[task]]").expect("tasks").0.to_owned();
    for core in 0..4 {
        text += &format!(
            "[[task]]\nname = \"a{core}\"\nprogram = \"random\"\ncore = {core}\nperiod = \"{} us\"\n\
             parameters = {{ bytes = \"8 MiB\", accesses = 200, write_percent = 30 }}\n\
             [[task]]\nname = \"b{core}\"\nprogram = \"bandwidth\"\ncore = {core}\nperiod = \"5 ms\"\nreservation = \"hard\"\n\
             reserve = \"{} MB/s\"\nparameters.bytes = \"8 MiB\"\n",
            150 + 70 * core,
            100 + 100 * core,
        );
    }
    text
}

#[test]
fn each_core_has_its_budget_whoever_runs() {
    let run = run(&greedy());
    let of_run = run.regulation.as_ref().expect("it is regulated");
    assert_eq!(of_run.nodes[0].reserved_bytes_per_s, 1_000_000_000);
    assert_eq!(of_run.from_ps, 0, "no warm-up: the first period counts");
    for task in run.tasks.iter().skip(1).step_by(2) {
        let core = task.regulation.as_ref().expect("it is regulated");
        let budget = core.reserved_lines;
        assert_eq!(budget, [156, 312, 468, 625][task.core as usize]);
        assert!((39..=40).contains(&core.counts.periods));
        let most = budget + core.counts.overshoot;
        assert!(
            core.lines_by_period.iter().all(|lines| (budget..=most).contains(lines)),
            "{core:?}"
        );
        assert!(core.counts.overshoot < 100, "{}", core.counts.overshoot);
    }
    assert!(
        run.tasks
            .iter()
            .any(|task| task.jobs.as_ref().is_some_and(|jobs| jobs.completed > 0))
    );
}

#[test]
fn soft_cores_lend_and_all_go_on() {
    let with = |keys: &str| {
        let text = greedy()
            .replace("hard", "soft")
            .replace("[warm_up]", &format!("{keys}\n[warm_up]"));
        let moved = |task: &fresco_system::results::TaskResult| Some(task.regulation.as_ref()?.achieved_bytes_per_s);
        run(&text)
            .tasks
            .iter()
            .skip(1)
            .step_by(2)
            .filter_map(moved)
            .sum::<f64>()
    };
    let (alone, shared) = (with("reclaim = true"), with("share = \"best-effort\""));
    println!("{alone} {shared}");
    assert!(shared > 1.2 * alone, "{shared} {alone}");
}

#[test]
fn threads_change_nothing_and_no_regulation_leaves_everything_as_it_was() {
    let json = |threads, text: &str| serde_json::to_string(&results_on(threads, text)).expect("results serialise");
    assert_eq!(json(1, TWO), json(2, TWO));
    let none = TWO.replace("\"memguard\"", "\"none\"");
    let keys = ["reserv", "count_", "[bandwidth]", "bandwidth =", "period = \"100 us\""];
    let bare: Vec<&str> = none
        .lines()
        .filter(|line| !keys.iter().any(|key| line.starts_with(key)))
        .collect();
    assert_eq!(json(1, &none), json(1, &bare.join("\n")));
    assert_ne!(json(1, TWO), json(1, &none));
}

#[test]
fn two_tasks_of_a_core_that_ask_for_different_budgets_are_refused() {
    let text = TWO.replace("period = \"130 us\"", "period = \"130 us\"\nreserve = \"100 MB/s\"");
    let error = parse(&text).err().expect("two budgets").to_string();
    assert!(
        error.contains("another reserve than that of high, on core 0"),
        "{error}"
    );
    assert!(parse(&text.replace("100 MB/s", "200 MB/s")).is_ok());
}

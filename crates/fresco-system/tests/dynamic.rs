// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic BPM and BPM+: banks and channels that are divided anew while programs run (BPM-6 to 12).

use crate::common::{parse, results};
use fresco_system::results::{RunResult, TaskResult};

/// Two programs on a small machine of 16 colors with 2 MiB each: a large one and a small one, eight colors each.
const TWO: &str = r#"
name = "two"
machine = "small.toml"
check = true
[policy]
frames = "bpm"
POLICY
[warm_up]
time = "1 us"
[measure]
time = "2 ms"
[[task]]
name = "large"
program = "random"
core = 0
pages = "on-touch"
parameters = { bytes = "LARGE", write_percent = 50 }
[[task]]
name = "small"
program = "random"
core = 2
parameters.bytes = "SMALL"
"#;

fn run(text: &str) -> RunResult {
    results(text).points[0].runs[0].clone()
}

fn two(policy: &str, large: &str, small: &str) -> String {
    TWO.replace("POLICY", policy)
        .replace("LARGE", large)
        .replace("SMALL", small)
}

fn task<'r>(run: &'r RunResult, name: &str) -> &'r TaskResult {
    run.tasks
        .iter()
        .find(|task| task.name == name)
        .expect("there is such a task")
}

#[test]
fn a_scan_lends_banks_before_memory_runs_out() {
    // Four nodes of 16 colors: 32 colors each, of 2 MiB. The large program wants 80 MiB, 16 MiB more than its colors have.
    let dynamic = run(&two("dynamic = true\ninterval = \"500 us\"", "80 MiB", "8 MiB"));
    let (large, small) = (task(&dynamic, "large"), task(&dynamic, "small"));
    assert_eq!(large.banks, "0-7,16-23,32-39,48-63");
    // Eight colors go from the small one, whose pages in them move.
    assert!(small.pages.recolored > 0, "{:?}", small.pages);
    assert_eq!(large.pages.recolored, 0);
    // A program that has enough is left alone.
    let content = run(&two("dynamic = true\ninterval = \"500 us\"", "32 MiB", "8 MiB"));
    assert!(content.tasks.iter().all(|task| task.pages.recolored == 0));
}

#[test]
fn moving_pages_costs_time() {
    let time = |policy: &str, large: &str| {
        let text = two(policy, large, "32 MiB").replace("time = \"2 ms\"", "operations = 3000");
        let run = run(&text);
        (
            task(&run, "small").run_time_ps,
            task(&run, "small").pages.recolored,
            run.controllers.iter().map(|c| c.writes).sum::<u64>(),
        )
    };
    let scan = "dynamic = true\ninterval = \"20 us\"";
    let (still, none, _) = time(scan, "32 MiB");
    let (moved, pages, _) = time(scan, "72 MiB");
    let per_page = (moved - still).checked_div(pages).unwrap_or(0);
    println!("{pages} pages moved: {still} ps become {moved} ps, {per_page} ps per page");
    assert_eq!(none, 0);
    // Each page is 64 loads and stores and a shootdown of a microsecond.
    assert!(pages > 100, "{pages}");
    assert!(moved > still + pages * 1_000_000, "{moved} {still} {pages}");
}

#[test]
fn pages_that_move_use_up_the_budget_of_the_core_that_moves_them() {
    // The small program hardly accesses memory by itself; of its pages those move whose banks the large one gets.
    let text = |large: &str, reserve: &str| {
        let text = two(
            "dynamic = true\ninterval = \"100 us\"\nbandwidth = \"memguard\"",
            large,
            "32 MiB",
        );
        let text = text.replace(
            "[warm_up]",
            "[bandwidth]\nperiod = \"100 us\"\ncount_write_backs = true\n[warm_up]",
        );
        let gap = format!("core = 2\nreserve = \"{reserve}\"\nreservation = \"hard\"\nparameters.gap = 20000");
        text.replace("core = 2", &gap)
    };
    let core = |run: &RunResult| task(run, "small").regulation.clone().expect("it is regulated");
    let still = run(&text("32 MiB", "100 MB/s"));
    assert_eq!(task(&still, "small").pages.recolored, 0);
    // A line each 3.3 us, and what of it is written.
    let core_of_small = core(&still);
    assert!(
        core_of_small.lines_by_period.iter().all(|lines| *lines < 60),
        "{core_of_small:?}"
    );
    let moves = run(&text("72 MiB", "100 MB/s"));
    let (pages, budget) = (task(&moves, "small").pages.recolored, core(&moves));
    println!(
        "{pages} pages moved under {} lines a period: {:?}",
        budget.reserved_lines, budget.counts
    );
    // A page is 64 lines to load and 64 to own: many more than a budget of 156, so that moving goes on at its rate.
    assert!(pages * 128 > 10 * budget.reserved_lines, "{pages}");
    let most = budget.reserved_lines + budget.counts.overshoot;
    let busy = budget
        .lines_by_period
        .iter()
        .filter(|lines| **lines >= budget.reserved_lines);
    // The first millisecond goes by with shootdowns, a microsecond for each page.
    assert!(busy.count() >= 8, "{budget:?}");
    assert!(budget.lines_by_period.iter().all(|lines| *lines <= most) && budget.counts.overshoot < 100);
    // With ten times the budget there is more of it.
    let faster = core(&run(&text("72 MiB", "1 GB/s")));
    assert!(
        faster.counts.used > 3 * budget.counts.used,
        "{} {}",
        faster.counts.used,
        budget.counts.used
    );
}

#[test]
fn static_shares_that_are_too_small_are_refused() {
    let error = parse(&two("", "80 MiB", "8 MiB"))
        .err()
        .expect("does not fit")
        .to_string();
    assert!(error.contains("80 MiB"), "{error}");
    let error = parse(&two("dynamic = true\nllc = true", "1 MiB", "1 MiB"))
        .err()
        .expect("is refused")
        .to_string();
    assert!(error.contains("dynamic"), "{error}");
}

/// Three heavy programs and an idle one on two channels.
const CHANNELS: &str = r#"
name = "channels"
machine = "i7-860-channels"
check = true
[policy]
frames = "bpm+"
dynamic = true
interval = "INTERVAL"
[warm_up]
time = "WARM"
[measure]
time = "100 us"
[[task]]
name = "a"
program = "bandwidth"
core = 0
parameters.bytes = "16 MiB"
[[task]]
name = "b"
program = "BOTHER"
core = 1
[[task]]
name = "c"
program = "bandwidth"
core = 2
parameters.bytes = "12 MiB"
[[task]]
name = "d"
program = "idle"
core = 3
"#;

#[test]
fn channels_are_balanced_by_the_smallest_program() {
    // a and c are on channel 0, b and d on channel 1 and idle: c, the smaller one, moves. It stands still for some
    // milliseconds, so scans must be further apart.
    let text = CHANNELS.replace("BOTHER", "idle").replace("12 MiB", "9 MiB");
    let run = run(&text.replace("INTERVAL", "8 ms").replace("WARM", "8100 us"));
    let banks: Vec<&str> = run.tasks.iter().map(|task| task.banks.as_str()).collect();
    // Then a has its channel alone, and three divide the other.
    assert_eq!(banks, ["0-31", "32-41", "42-52", "53-63"]);
    let moved: Vec<u64> = run.tasks.iter().map(|task| task.pages.recolored).collect();
    assert_eq!((moved[0], moved[2]), (0, 2304), "9 MiB");
}

#[test]
fn channels_that_nobody_presses_are_not_partitioned() {
    // BPM-12: below 2 GB/s banks alone are divided, over all channels.
    let text = CHANNELS.replace("BOTHER", "idle");
    let text = text.replace("program = \"bandwidth\"", "program = \"latency\"");
    let text = text.replace("16 MiB", "64 KiB").replace("12 MiB", "64 KiB");
    let run = run(&text.replace("INTERVAL", "50 us").replace("WARM", "100 us"));
    let banks: Vec<&str> = run.tasks.iter().map(|task| task.banks.as_str()).collect();
    assert_eq!(banks, ["0-15", "16-31", "32-47", "48-63"]);
    assert!(task(&run, "c").pages.recolored > 0);
}

/// Two threads of one program with 24 MiB each, and a program that wants more than its share of a third.
const TEAM: &str = r#"
name = "team"
machine = "small.toml"
check = true
[policy]
frames = "bpm"
dynamic = true
interval = "3 ms"
[warm_up]
passes = 0
[measure]
passes = 2
[[task]]
name = "team"
program = "strides-parallel"
cores = [0, 2]
parameters = { bytes = "24 MiB", step = 4096, writes = 6144 }
[[task]]
name = "large"
program = "random"
core = 4
role = "background"
pages = "on-touch"
parameters.bytes = "60 MiB"
"#;

#[test]
fn threads_of_one_program_move_in_all_page_tables() {
    let run = run(TEAM);
    let threads = &run.tasks[..2];
    assert!(
        threads.iter().all(|thread| thread.pages.recolored > 0),
        "{} {}",
        threads[0].banks,
        threads[1].banks
    );
    // Three of the twenty colors of each are lent.
    assert_eq!(threads[0].banks, "0-4,16-20,32-36,48-49");
    assert_eq!(run.tasks[2].pages.recolored, 0);
    assert_eq!(
        (threads[0].from_ps, threads[0].to_ps),
        (threads[1].from_ps, threads[1].to_ps)
    );
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regulated cores on the model of a machine: budgets hold, phases are what they were asked to be (MG-1 to MG-8).

use crate::common::{parse, point, results, results_on, task};
use fresco_system::results::{CoreRegulation, RunResult};

/// One hog, or four, on the slides' machine.
const TEXT: &str = r#"
name = "test"
machine = "core2-q8400"
check = true
[policy]
bandwidth = "memguard"
[bandwidth]
period = "100 us"
total = "800 MB/s"
count_write_backs = true
[warm_up]
time = "100 us"
[measure]
time = "2 ms"
[[task]]
name = "fg"
program = "bandwidth"
core = 0
reserve = "200 MB/s"
reservation = "hard"
parameters.bytes = "8 MiB"
[[task]]
name = "bg"
program = "random"
cores = "1-3"
role = "background"
reserve = "200 MB/s"
parameters = { bytes = "16 MiB", write_percent = 50 }
"#;

fn cores(run: &RunResult) -> Vec<&CoreRegulation> {
    run.tasks.iter().filter_map(|task| task.regulation.as_ref()).collect()
}

#[test]
fn nobody_moves_more_than_its_budget_and_what_was_under_way() {
    let result = results(TEXT);
    let run = &result.points[0].runs[0];
    let of_run = run.regulation.as_ref().expect("it is regulated");
    assert_eq!(of_run.nodes[0].reserved_bytes_per_s, 800_000_000);
    for core in cores(run) {
        // 200 MB/s in 100 us: 312 lines of 64 bytes.
        assert_eq!(core.reserved_lines, 312);
        assert!((18..=20).contains(&core.counts.periods), "{core:?}");
        assert_eq!(core.counts.exhausted, core.counts.periods, "each wants more");
        assert_eq!(core.lines_by_period.len() as u64, core.counts.periods);
        let most = core.reserved_lines + core.counts.overshoot;
        assert!(
            core.lines_by_period.iter().all(|lines| (312..=most).contains(lines)),
            "{core:?}"
        );
        // Misses in flight, and what waits in the window.
        assert!(core.counts.overshoot < 100, "{}", core.counts.overshoot);
        assert!((0.3..0.95).contains(&core.stalled_share), "{}", core.stalled_share);
    }
}

#[test]
fn phases_are_as_long_as_they_were_asked_to_be() {
    let operations = TEXT.replace("time = \"2 ms\"", "operations = 3000");
    let run = &results(&operations).points[0].runs[0];
    assert_eq!(run.tasks[0].operations, 3000);
    assert!(
        cores(run)[0].counts.exhausted > 3,
        "stalls lie in the middle of the phase"
    );
    let passes = TEXT.replace("time = \"2 ms\"", "passes = 1").replace("8 MiB", "1 MiB");
    let passes = passes.replace("time = \"100 us\"", "passes = 1");
    let run = &results(&passes).points[0].runs[0];
    assert_eq!(run.tasks[0].passes, 1);
}

#[test]
fn threads_change_nothing() {
    let json = |threads| serde_json::to_string(&results_on(threads, TEXT)).expect("results serialise");
    assert_eq!(json(1), json(2));
}

#[test]
fn no_regulation_leaves_everything_as_it_was() {
    let none = TEXT.replace("\"memguard\"", "\"none\"");
    let bare: Vec<&str> = none
        .lines()
        .filter(|line| {
            ![
                "reserve",
                "period",
                "total",
                "count_",
                "[bandwidth]",
                "bandwidth =",
                "[policy]",
            ]
            .iter()
            .any(|key| line.starts_with(key))
        })
        .collect();
    let json = |text: &str| serde_json::to_string(&results(text)).expect("results serialise");
    assert_eq!(json(&none), json(&bare.join("\n")));
}

#[test]
fn shared_bandwidth_goes_to_all_or_by_weight() {
    let with = |share: &str| {
        let text = TEXT.replace("[warm_up]", &format!("share = \"{share}\"\n[warm_up]"));
        let text = text.replace("core = 0\n", "core = 0\nweight = 4\n");
        results(&text).points[0].runs[0].clone()
    };
    let run = with("best-effort");
    for core in cores(&run) {
        assert!(core.achieved_bytes_per_s > 1.2 * 200e6, "{core:?}");
    }
    let run = with("weights");
    let shared: Vec<u64> = cores(&run).iter().map(|core| core.counts.shared).collect();
    assert_eq!(shared[0], 4 * shared[1]);
    assert!(shared[1] > 0 && shared[1] == shared[3], "{shared:?}");
}

#[test]
fn idle_bandwidth_is_reclaimed() {
    let text = TEXT.replace("[warm_up]", "reclaim = true\n[warm_up]");
    let text = text.replace(
        "program = \"random\"\ncores = \"1-3\"",
        "program = \"random\"\ncores = \"1\"",
    );
    let idle = "[[task]]\nname = \"idle\"\nprogram = \"idle\"\ncores = \"2-3\"\nrole = \"background\"\nreserve = \"200 MB/s\"\n";
    let run = results(&format!("{text}{idle}")).points[0].runs[0].clone();
    let cores = cores(&run);
    assert_eq!(cores[0].counts.extra, 0, "hard cores take nothing");
    assert!(cores[1].achieved_bytes_per_s > 550e6, "{:?}", cores[1]);
    assert_eq!(cores[2].counts.donated, cores[2].counts.periods * 312);
    assert!(cores.iter().all(|core| core.counts.errors == 0));
}

#[test]
fn too_much_is_refused_unless_asked_for() {
    let text = TEXT.replace("reservation = \"hard\"", "reservation = \"hard\"\nweight = 2");
    assert!(parse(&text).is_ok());
    let more = text
        .replace("\"800 MB/s\"", "\"r_min\"")
        .replace("reserve = \"200 MB/s\"", "reserve = \"300 MB/s\"");
    let error = parse(&more).err().expect("1.2 GB/s are more than r_min");
    assert!(
        error
            .to_string()
            .contains("1200 MB/s on controller 0: fg 300 MB/s, bg.0 300 MB/s"),
        "{error}"
    );
    let over = more.replace("count_write_backs", "over_reserve = true\ncount_write_backs");
    let run = results(&over).points[0].runs[0].clone();
    assert!(cores(&run).iter().all(|core| core.guaranteed_bytes_per_s == 0.0));
}

#[test]
fn slowdowns_stay_below_the_bound() {
    let text = TEXT.replace(
        "[[task]]\nname = \"fg\"",
        "[sweep]\ncorunners = [0, 3]\n[[task]]\nname = \"fg\"",
    );
    let result = results(&text.replace("\"bandwidth\"\ncore", "\"latency\"\ncore"));
    let fg = task(point(&result, &["3"]), "fg");
    let (slowdown, bound) = (
        fg.slowdown.expect("a baseline").max,
        fg.slowdown_bound.expect("a bound"),
    );
    assert!(slowdown <= bound, "{slowdown} {bound}");
    assert!(bound < 20.0);
    println!("slowdown {slowdown:.3}, bound {bound:.3}");
    // What coherence does depends on others: no bound is given.
    let mesi = "coherence = { protocol = \"mesi\", transfer = \"12 ns\" }\n";
    let coherent = results(&format!(
        "{mesi}{}",
        text.replace("\"bandwidth\"\ncore", "\"latency\"\ncore")
    ));
    let fg = task(point(&coherent, &["3"]), "fg");
    assert!(fg.slowdown.is_some() && fg.slowdown_bound.is_none());
}

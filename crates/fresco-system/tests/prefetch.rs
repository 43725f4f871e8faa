// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prefetchers in whole runs: what they hide, and what they do to others.

use crate::common::{point, results, results_on};
use fresco_system::results::{ScenarioResult, TaskResult};

fn of<'r>(result: &'r ScenarioResult, values: &[&str], number: usize) -> &'r TaskResult {
    &point(result, values).runs[0].tasks[number]
}

/// Prefetchers as an axis, of [cores in order](IN_ORDER): these have registers left.
const KINDS: &str = "
[[variant]]
name = \"off\"
set.core.mshrs = 1
[[variant]]
name = \"next-line\"
set.core.mshrs = 8
set.core.prefetch.next_line = true
[[variant]]
name = \"stride\"
set.core.mshrs = 8
set.core.prefetch.stride.degree = 2
[[variant]]
name = \"stream\"
set.core.mshrs = 8
set.core.prefetch.stream.distance = 6
";

/// A core that awaits one access of its program at a time.
const IN_ORDER: &str = "core = { kind = \"in-order\", window = 1, mshrs = 1 }";

/// One task on the small machine; its 32 KiB lie in the last-level cache and in none above.
fn alone(program: &str) -> String {
    format!(
        "
name = \"alone\"
machine = \"small.toml\"
check = true
warm_up.operations = 30000
measure.operations = 20000
{IN_ORDER}
[sweep]
kind = [\"off\", \"next-line\", \"stride\", \"stream\"]
{KINDS}
[[task]]
name = \"one\"
core = 0
{program}
"
    )
}

/// A page of 4 KiB has 64 lines. The next line misses the first of each page, stride and stream the first three, whatever the core has in flight:
/// a stream that begins anew has to be known first.
#[test]
fn a_sequential_stream_misses_only_while_it_is_learned() {
    let result = results(&alone("program = \"bandwidth\"\nparameters.bytes = \"1 MiB\""));
    let misses = |kind| {
        let caches = of(&result, &[kind], 0).caches;
        let (l1, l2) = (caches.l1.expect("there is one"), caches.l2.expect("there is one"));
        (l1.misses as f64, l2.misses as f64, caches.prefetch)
    };
    let (all, _, none) = misses("off");
    assert_eq!(none, None);
    for (kind, of_page) in [("next-line", 1.0), ("stride", 3.0), ("stream", 3.0)] {
        let (l1, l2, counts) = misses(kind);
        let counts = counts.expect("it has a prefetcher");
        // Misses of the level that is filled, of those without: as many of 64 as are learned from.
        let missed = if kind == "stream" { l2 } else { l1 };
        assert!(
            (missed / all * 64.0 - of_page).abs() < 0.2,
            "{kind}: {} of 64",
            missed / all * 64.0
        );
        assert!(
            counts.issued as f64 > all * 0.9 && counts.useless < counts.issued / 100,
            "{kind}: {counts:?}"
        );
        assert!(
            counts.useful.abs_diff(counts.issued) < counts.issued / 20,
            "{kind}: {counts:?}"
        );
        assert!(
            counts.late <= counts.useful && counts.from_memory <= counts.issued,
            "{kind}: {counts:?}"
        );
    }
}

/// Lines used at random in 16 MiB: two of a page seldom come soon one after the other, and no three in a direction.
#[test]
fn random_accesses_make_no_stream() {
    let result = results(&alone("program = \"random\"\nparameters.bytes = \"16 MiB\""));
    let counts = |kind| of(&result, &[kind], 0).caches.prefetch.expect("it has a prefetcher");
    let misses = of(&result, &["off"], 0).caches.l2.expect("there is one").misses;
    assert!(misses > 15_000);
    for kind in ["stride", "stream"] {
        assert!(counts(kind).issued < misses / 1000, "{kind}: {:?}", counts(kind));
    }
    // The next line is wanted whatever comes after.
    let next = counts("next-line");
    assert!(
        next.issued > misses / 2 && next.useless > next.issued * 9 / 10,
        "{next:?}"
    );
}

/// Two streams through one bank, which has a row open for one of them at a time; each core awaits one access of its program at a time.
/// Without prefetcher each line finds the row of the other stream. With one a core asks for several lines of a row together, and the controller
/// serves them from the open row: what was conflicts is bandwidth.
#[test]
fn a_stream_prefetcher_turns_conflicts_into_bandwidth() {
    let result = results(&beside("bandwidth"));
    let conflicts = |values: &[&str]| {
        let rows = point(&result, values).runs[0].controllers[0].rows;
        rows.conflicts as f64 / (rows.hits + rows.misses + rows.conflicts) as f64
    };
    let bandwidth = |values: &[&str]| point(&result, values).runs[0].controllers[0].bandwidth_bytes_per_s;
    let (off, on) = (["off", "1"], ["stream", "1"]);
    assert!(conflicts(&off) > 0.9, "{}", conflicts(&off));
    assert!(conflicts(&on) < 0.3, "{}", conflicts(&on));
    assert!(
        bandwidth(&on) > 2.0 * bandwidth(&off),
        "{} {}",
        bandwidth(&on),
        bandwidth(&off)
    );
}

/// Prefetches of one core are in the way of the demands of another (Ebrahimi, Mutlu, Lee, Patt: Coordinated Control of Multiple Prefetchers in
/// Multi-Core Systems, MICRO 2009): who waits for each access, and is prefetched nothing, suffers more from a stream that is prefetched.
#[test]
fn what_one_core_prefetches_slows_others_down() {
    let result = results(&beside("latency"));
    let time = |kind, corunners| of(&result, &[kind, corunners], 0).run_time_ps as f64;
    let slowdown = |kind| time(kind, "1") / time(kind, "0");
    assert!(
        (time("stream", "0") / time("off", "0") - 1.0).abs() < 0.01,
        "a chase makes no stream"
    );
    let (off, on) = (slowdown("off"), slowdown("stream"));
    assert!(off > 1.1 && on - 1.0 > 1.8 * (off - 1.0), "{on} {off}");
}

/// A task that is measured, alone or beside a stream through the same bank, on cores in order with and without a stream prefetcher.
fn beside(program: &str) -> String {
    format!(
        "
name = \"beside\"
machine = \"small.toml\"
check = true
policy = {{ frames = \"palloc\", boot = \"pristine\" }}
warm_up.operations = 4000
measure.operations = 20000
{IN_ORDER}
[sweep]
kind = [\"off\", \"stream\"]
corunners = [0, 1]
{KINDS}
[[task]]
name = \"one\"
program = \"{program}\"
core = 0
banks = 0
parameters.bytes = \"1 MiB\"
[[task]]
name = \"other\"
program = \"bandwidth\"
role = \"background\"
core = 1
banks = 0
parameters.bytes = \"1 MiB\"
"
    )
}

/// A counter of misses of the last-level cache counts those of prefetches too, and so they use up the budget that is counted by it (MG-1).
#[test]
fn prefetches_use_up_a_budget_of_bandwidth() {
    let text = format!(
        "
name = \"budget\"
machine = \"small.toml\"
check = true
policy.bandwidth = \"memguard\"
bandwidth.total = \"400 MB/s\"
bandwidth.period = \"100us\"
warm_up.time = \"200us\"
measure.time = \"2ms\"
{IN_ORDER}
[sweep]
kind = [\"off\", \"stream\"]
{KINDS}
[[task]]
name = \"one\"
program = \"bandwidth\"
core = 0
reserve = \"200 MB/s\"
parameters.bytes = \"1 MiB\"
"
    );
    let result = results(&text);
    for (kind, share) in [("off", 0.0), ("stream", 0.9)] {
        let run = &point(&result, &[kind]).runs[0];
        let core = run.tasks[0].regulation.as_ref().expect("it is regulated");
        let moved = run.controllers[0].bandwidth_bytes_per_s;
        assert!((190e6..215e6).contains(&moved), "{kind}: the controller moved {moved}");
        assert!(
            (core.achieved_bytes_per_s / moved - 1.0).abs() < 0.02,
            "{kind}: {core:?}"
        );
        let caches = run.tasks[0].caches;
        let of_prefetches = caches.prefetch.map_or(0, |counts| counts.from_memory) as f64;
        let misses = caches.llc.expect("there is one").misses as f64;
        assert!(of_prefetches / misses >= share, "{kind}: {of_prefetches} of {misses}");
    }
}

/// Whatever else the machine and the programs do: the same on any number of threads, and lines are where the kind of cache says (debug builds
/// check it).
#[test]
fn prefetchers_go_together_with_everything() {
    let text = "
name = \"together\"
machine = \"small.toml\"
check = true
warm_up.operations = 2000
measure.operations = 3000
fill.operations = 500
[core]
prefetch = { next_line = true, stride = { degree = 2 }, stream = { streams = 4, degree = 4, distance = 16 } }
[sweep]
llc.inclusion = [\"non-inclusive\", \"inclusive\", \"exclusive\"]
kind = [\"blocked\", \"in-order\", \"budgets\"]
[[variant]]
name = \"blocked\"
set.llc.mshrs = 20
[[variant]]
name = \"in-order\"
set.core.kind = \"in-order\"
set.core.window = 1
[[variant]]
name = \"budgets\"
set.policy.bandwidth = \"memguard\"
[[task]]
name = \"random\"
program = \"random\"
cores = [0, 1, 4]
parameters = { bytes = \"96 KiB\", write_percent = 40 }
[[task]]
name = \"writer\"
program = \"bandwidth\"
role = \"background\"
core = 2
parameters = { bytes = \"1 MiB\", access = \"write\" }
[[task]]
name = \"team\"
program = \"strides-parallel\"
role = \"background\"
cores = \"5-6\"
parameters.bytes = \"128 KiB\"
parameters.writes = 2000
[[task]]
name = \"multiply\"
program = \"matmult\"
core = 3
parameters.n = 40
";
    let result = results_on(1, text);
    for point in &result.points {
        for task in &point.runs[0].tasks {
            let counts = task.caches.prefetch.expect("there are prefetchers");
            assert!(
                counts.late <= counts.useful,
                "{:?} {}: {counts:?}",
                point.values,
                task.name
            );
        }
        let counts = point.runs[0].tasks.iter().filter_map(|task| task.caches.prefetch);
        let (issued, dropped) = counts.fold((0, 0), |(issued, dropped), counts| {
            (issued + counts.issued, dropped + counts.dropped)
        });
        assert!(issued > 100 && dropped > 0, "{:?}: {issued} {dropped}", point.values);
    }
    assert_eq!(format!("{:?}", results_on(2, text)), format!("{result:?}"));
}

/// In a scenario as in a machine file.
#[test]
fn an_empty_table_is_a_prefetcher_with_its_defaults() {
    let of_table = |table: &str| {
        let result = results(&format!(
            "
name = \"defaults\"
machine = \"small.toml\"
check = true
warm_up.operations = 1000
measure.operations = 2000
[core]
kind = \"in-order\"
window = 1
mshrs = 8
{table}
[[task]]
name = \"one\"
core = 0
program = \"bandwidth\"
parameters.bytes = \"1 MiB\"
"
        ));
        of(&result, &[], 0).caches.prefetch.expect("there is a prefetcher")
    };
    let with_header = of_table("[core.prefetch.stream]");
    assert!(with_header.issued > 0, "{with_header:?}");
    assert_eq!(of_table("prefetch.stream = {}"), with_header);
}

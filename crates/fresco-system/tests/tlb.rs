// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLBs and page walks in whole runs: what they take, where their reads go, and who notices.

use crate::common::{parse, point, results, results_on};
use fresco_system::Role;
use fresco_system::results::{LevelReads, ScenarioResult, TaskResult, TlbResult};

fn of<'r>(result: &'r ScenarioResult, values: &[&str], number: usize) -> &'r TaskResult {
    &point(result, values).runs[0].tasks[number]
}

fn tlb<'r>(result: &'r ScenarioResult, values: &[&str]) -> &'r TlbResult {
    of(result, values, 0).tlb.as_ref().expect("its core has a TLB")
}

/// What holds whatever the program: each miss is answered by one of the two, each walk reads the table of the pages, and none above it more than
/// once. A task in the background is not stopped as counting begins and ends, so that `under_way` walks may be looked up and not over.
fn adds_up(tlb: &TlbResult, under_way: u64) {
    assert_eq!(tlb.misses, tlb.l2_hits + tlb.walks, "{tlb:?}");
    assert!(tlb.misses <= tlb.lookups, "{tlb:?}");
    let reads: Vec<u64> = tlb.reads.iter().map(all).collect();
    assert!(reads[0].abs_diff(tlb.walks) <= under_way, "{tlb:?}");
    assert!(reads.windows(2).all(|pair| pair[1] <= pair[0] + under_way), "{tlb:?}");
}

fn all(level: &LevelReads) -> u64 {
    level.private + level.llc + level.memory
}

/// One line of each page, page after page: the middle one first, then outwards; every pass the same.
fn pages(bytes: u64, passes: u64) -> String {
    format!(
        "
[[task]]
name = \"one\"
program = \"strides\"
core = 0
parameters = {{ bytes = {bytes}, step = 4096, writes = {} }}
[warm_up]
passes = 1
[measure]
passes = {passes}
",
        bytes / 4096
    )
}

/// 256 pages in 64 sets of four: all hit. One page more, and its set has five, which LRU forgets in turn: five walks in a pass, and no others. The
/// second level has room for all.
#[test]
fn pages_within_and_just_beyond_the_reach() {
    let walks = |bytes: u64, second: &str| {
        let text = format!(
            "
name = \"reach\"
machine = \"small.toml\"
check = true
core.tlb = {{ entries = 256, ways = 4{second} }}
{}",
            pages(bytes, 3)
        );
        let result = results(&text);
        let found = tlb(&result, &[]).clone();
        adds_up(&found, 0);
        assert_eq!(found.lookups, of(&result, &[], 0).operations);
        (found.misses, found.walks)
    };
    assert_eq!(walks(256 * 4096, ""), (0, 0));
    assert_eq!(walks(257 * 4096, ""), (3 * 5, 3 * 5));
    let second = ", l2 = { entries = 512, ways = 4, latency = \"7 cycles\" }";
    assert_eq!(walks(257 * 4096, second), (3 * 5, 0));
}

/// On a core in order without private caches each store waits for four reads of tables and for its line: five reads of the memory, one after the
/// other. With a last-level cache that has all, each of the four takes its latency.
#[test]
fn a_walk_takes_the_sum_of_its_reads() {
    let text = |llc: &str| {
        format!(
            "
name = \"sum\"
machine = \"bare.toml\"
check = true
core.tlb = {{ entries = 1, ways = 1 }}
{llc}
{}",
            pages(256 * 4096, 2)
        )
    };
    let bare = results(&text(""));
    let (task, walked) = (of(&bare, &[], 0), tlb(&bare, &[]));
    adds_up(walked, 0);
    assert_eq!(walked.walks, task.operations);
    assert!(walked.reads.iter().all(|level| level.memory == walked.walks));
    assert_eq!(task.reads.count, 5 * task.operations);
    // A cycle for each instruction without access, and for each operation the rounding of five arrivals to cycles.
    let read = task.reads.latency.mean_ns * task.reads.count as f64;
    let rest = task.run_time_ps as f64 / 1000.0 - read;
    let least = (task.instructions - task.operations) as f64 * 0.5;
    let most = least + 5.0 * 0.5 * task.operations as f64;
    assert!((least..=most).contains(&rest), "{rest} is not in {least}..={most}");
    let data = task.run_time_ps as f64 / 1000.0 - least - walked.walk_ns * walked.walks as f64;
    // With the row closed a read takes 23 cycles of 1.5 ns, 10 ns and up to an edge of the clock; if the bank was opened just before, tRC, 33 cycles.
    let data = data / task.operations as f64;
    assert!((44.5..=34.5 + 49.5).contains(&data), "{data}");

    let cached = results(&text(
        "llc = { size = \"2 MiB\", ways = 16, line = 64, latency = \"26 ns\", replacement = \"lru\", cores_per_cache = 2 }",
    ));
    let walked = tlb(&cached, &[]);
    assert!(walked.reads.iter().all(|level| level.llc == walked.walks), "{walked:?}");
    assert_eq!(walked.walk_ns, 4.0 * 26.0);
}

/// Tables whose lines stay in level 2 are read at its latency of 15 cycles; with a walk cache only the table of the pages is.
#[test]
fn walks_in_level_2_and_the_walk_cache() {
    let text = "
name = \"walk-cache\"
machine = \"small.toml\"
check = true
warm_up.operations = 4000
measure.operations = 8000
[sweep]
cache = [\"without\", \"with\"]
[[variant]]
name = \"without\"
set.core.tlb = { entries = 2, ways = 2 }
[[variant]]
name = \"with\"
set.core.tlb = { entries = 2, ways = 2, walk_cache.entries = 4 }
[[task]]
name = \"one\"
program = \"random\"
core = 0
parameters.bytes = \"12 KiB\"
";
    let result = results(text);
    let (without, with) = (tlb(&result, &["without"]), tlb(&result, &["with"]));
    adds_up(without, 0);
    assert_eq!(without.walks, with.walks, "who misses depends on the program alone");
    assert!(without.walks > 2000);
    // What was under way as counting began may be missing, and some of what is counted may not be over.
    let near = |found: u64, expected: u64| found.abs_diff(expected) < 20;
    assert!(
        without.reads.iter().all(|level| near(level.private, without.walks)),
        "{without:?}"
    );
    assert!((without.walk_ns / 30.0 - 1.0).abs() < 0.01, "{}", without.walk_ns);
    assert!(near(with.reads[0].private, with.walks) && with.reads[1..].iter().all(|level| all(level) == 0));
    assert!((with.walk_ns / 7.5 - 1.0).abs() < 0.01, "{}", with.walk_ns);
    assert!(of(&result, &["with"], 0).run_time_ps < of(&result, &["without"], 0).run_time_ps);
}

/// A task with a bank and half of the last-level cache of its own, whose data and tables fit there, beside three that stream through the other half.
/// With tables of its colors it does not notice. With the kernel's it does: its walks find tables displaced, and go to memory (RLIM-6).
#[test]
fn colored_tables_isolate_and_others_do_not() {
    let text = "
name = \"tables\"
machine = \"small.toml\"
check = true
core = { kind = \"in-order\", window = 1, mshrs = 1, tlb = { entries = 16, ways = 4 } }
policy = { frames = \"tintmalloc\", variant = \"mem+llc\", boot = \"pristine\" }
warm_up.passes = 8
measure.passes = 8
[sweep]
policy.page_tables = [\"uncolored\", \"colored\"]
corunners = [0, 3]
[[task]]
name = \"one\"
program = \"strides\"
core = 0
banks = \"0,2,4,6\"
llc = 0
parameters = { bytes = \"1536 KiB\", step = 4160, writes = 378 }
[[task]]
name = \"other\"
program = \"bandwidth\"
role = \"background\"
cores = \"1-3\"
banks = \"1,3,5,7\"
llc = 1
parameters.bytes = \"1 MiB\"
";
    let result = results(text);
    let at = |tables, corunners| (of(&result, &[tables, corunners], 0), tlb(&result, &[tables, corunners]));
    let (alone, _) = at("colored", "0");
    let (beside, walked) = at("colored", "3");
    adds_up(walked, 0);
    assert_eq!(beside.run_time_ps, alone.run_time_ps, "nobody is in its way");
    assert_eq!(beside.reads.count, 0);
    assert!(
        walked
            .tables
            .by_bank
            .iter()
            .all(|(bank, _)| [0, 2, 4, 6].contains(bank)),
        "{walked:?}"
    );
    let memory = |tlb: &TlbResult| tlb.reads.iter().map(|level| level.memory).sum::<u64>();
    let (alone, quiet) = at("uncolored", "0");
    let (beside, walked) = at("uncolored", "3");
    assert_eq!(memory(quiet), 0);
    assert!(
        walked
            .tables
            .by_bank
            .iter()
            .any(|(bank, _)| ![0, 2, 4, 6].contains(bank)),
        "{walked:?}"
    );
    assert!(memory(walked) > 100, "{walked:?}");
    assert_eq!(beside.reads.count, memory(walked), "its data are where they were");
    assert!(beside.caches.llc.expect("there is one").evictions_by_others > 100);
    assert!(beside.run_time_ps > alone.run_time_ps + alone.run_time_ps / 100);
}

/// Whatever else the machine and the programs do: the same on any number of threads, what is counted adds up, and lines are where the kind of cache says
/// (debug builds check it).
#[test]
fn walks_go_together_with_everything() {
    let text = "
name = \"together\"
machine = \"small.toml\"
check = true
warm_up.operations = 2000
measure.operations = 3000
fill.operations = 500
[core]
tlb = { entries = 8, ways = 2, l2 = { entries = 32, ways = 4, latency = \"7 cycles\" }, walk_cache.entries = 4 }
[sweep]
llc.inclusion = [\"non-inclusive\", \"inclusive\", \"exclusive\"]
kind = [\"prefetch\", \"in-order\", \"budgets\", \"colors\"]
[[variant]]
name = \"prefetch\"
set.core.prefetch = { next_line = true, stride = { degree = 2 }, stream = { distance = 16 } }
set.llc.mshrs = 20
[[variant]]
name = \"in-order\"
set.core.kind = \"in-order\"
set.core.window = 1
set.core.mshrs = 1
[[variant]]
name = \"budgets\"
set.policy.bandwidth = \"memguard\"
[[variant]]
name = \"colors\"
set.policy.frames = \"bpm\"
set.policy.page_tables = \"colored\"
[[task]]
name = \"random\"
program = \"random\"
cores = [0, 1, 4]
parameters = { bytes = \"512 KiB\", write_percent = 40 }
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
            let tlb = task.tlb.as_ref().expect("its core has a TLB");
            adds_up(tlb, if task.role == Role::Measured { 0 } else { 72 });
            assert!(
                tlb.lookups > 0 && tlb.tables.count >= 4,
                "{:?} {}: {tlb:?}",
                point.values,
                task.name
            );
        }
        let random = point.runs[0].tasks[0].tlb.as_ref().expect("its core has a TLB");
        assert!(
            random.walks > 500 && random.walk_ns > 7.0,
            "{:?}: {random:?}",
            point.values
        );
    }
    assert_eq!(format!("{:?}", results_on(2, text)), format!("{result:?}"));
}

/// Two periodic tasks in turns on one core, whose pages all fit the TLB: entries carry the number of their address space, so that a switch flushes
/// nothing, and each page is walked to once in the whole run.
#[test]
fn a_switch_of_tasks_flushes_nothing() {
    let task = |name: &str, phase: u32| {
        format!(
            "
[[task]]
name = \"{name}\"
program = \"strides\"
core = 0
period = \"1 ms\"
phase = \"{phase} us\"
wcet = \"500 us\"
parameters = {{ bytes = \"1 MiB\", step = 4096, writes = 256 }}
"
        )
    };
    let text = format!(
        "
name = \"switches\"
machine = \"small.toml\"
check = true
measure.time = \"10 ms\"
core.tlb = {{ entries = 512, ways = 8 }}
policy.scheduler = \"rm\"
{}{}",
        task("one", 0),
        task("other", 500)
    );
    let result = results(&text);
    for number in 0..2 {
        let task = of(&result, &[], number);
        let tlb = task.tlb.as_ref().expect("its core has a TLB");
        assert!(
            task.jobs.as_ref().is_some_and(|jobs| jobs.completed >= 9),
            "{:?}",
            task.jobs
        );
        assert_eq!((tlb.walks, tlb.misses), (256, 256), "{tlb:?}");
        assert_eq!(tlb.lookups, task.operations);
    }
}

/// Pages that move lose their entries: with room for all of them, those that have moved are walked to once more, and no others.
#[test]
fn pages_that_move_are_walked_to_again() {
    let text = "
name = \"moves\"
machine = \"small.toml\"
check = true
core.tlb = { entries = 4096, ways = 8 }
policy = { frames = \"bpm\", dynamic = true, interval = \"500 us\" }
warm_up.time = \"200 us\"
measure.time = \"4 ms\"
[[task]]
name = \"large\"
program = \"random\"
core = 0
pages = \"on-touch\"
parameters = { bytes = \"80 MiB\", write_percent = 50 }
[[task]]
name = \"small\"
program = \"random\"
core = 2
parameters.bytes = \"512 KiB\"
";
    let result = results(text);
    let task = of(&result, &[], 1);
    let (pages, moved) = (task.pages.faults, task.pages.recolored);
    let walks = task.tlb.as_ref().expect("its core has a TLB").walks;
    assert!(pages == 128 && moved > 0, "{pages} {moved}");
    assert_eq!(walks, moved, "all were walked to before counting began");
}

/// With large pages the tables are fewer, and several share a frame.
#[test]
fn large_pages_need_fewer_reads() {
    let text = |page: &str| {
        format!(
            "
name = \"large\"
machine = \"bare.toml\"
check = true
page = \"{page}\"
core.tlb = {{ entries = 1, ways = 1 }}
{}",
            pages(16 << 20, 1)
        )
    };
    for (page, levels, tables) in [("4 KiB", 4, 3 + 8), ("64 KiB", 4, 4), ("2 MiB", 3, 3)] {
        let result = results(&text(page));
        let walked = tlb(&result, &[]);
        assert_eq!(walked.reads.len(), levels);
        assert!(
            walked.walks > 0 && walked.reads.iter().all(|level| level.memory == walked.walks),
            "{walked:?}"
        );
        // The data may begin within what a table of pages covers.
        assert!(
            (tables..tables + 2).contains(&walked.tables.count),
            "{page}: {walked:?}"
        );
        let frames: u64 = walked.tables.by_bank.iter().map(|(_, frames)| frames).sum();
        assert_eq!(frames, if page == "4 KiB" { walked.tables.count } else { 1 });
    }
}

/// What does not suit is told with the place.
#[test]
fn wrong_keys_are_refused() {
    let text = |keys: &str| {
        format!(
            "name = \"wrong\"\nmachine = \"small.toml\"\n{keys}\n{}",
            pages(1 << 20, 1)
        )
    };
    let refused = |keys: &str| parse(&text(keys)).map(drop).expect_err("it is wrong");
    let error = refused("core.tlb = { entries = 12, ways = 4 }");
    assert_eq!(error.field, "core.tlb.ways");
    let error = refused("core.tlb = { entries = 16, ways = 4, l2 = { entries = 64, ways = 4 } }");
    assert_eq!(error.field, "core.tlb.l2.latency");
    let error = refused("policy.page_tables = \"mine\"");
    assert_eq!(error.field, "policy.page_tables");
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interference in a last-level cache that colors do not take away.

use crate::common::{point, results, results_on, task};
use fresco_system::results::{ScenarioResult, TaskResult};

/// A task whose 24 KiB lie in its own half of the last-level cache, in none above, and in its own bank; three neighbours that read far more
/// through the other half, each in a bank of its own.
fn scenario(axes: &str) -> String {
    let neighbour = |name: &str, core: u32, banks: &str| {
        format!(
            "
[[task]]
name = \"{name}\"
program = \"bandwidth\"
role = \"background\"
core = {core}
banks = \"{banks}\"
llc = 1
parameters.bytes = \"1 MiB\"
"
        )
    };
    format!(
        "
name = \"blocked\"
machine = \"small.toml\"
check = true
policy.frames = \"bpm\"
warm_up.operations = 2000
measure.operations = 4000
[sweep]
{axes}
[[task]]
name = \"victim\"
program = \"latency\"
core = 0
banks = 0
llc = 0
parameters.bytes = \"24 KiB\"
{}{}{}",
        neighbour("a", 1, "1-3"),
        neighbour("b", 2, "4-5"),
        neighbour("c", 3, "6-7"),
    )
}

/// Valsan, Yun, Farshchi (RTAS 2016): partitions of a cache do not isolate while its miss registers are shared, and do where there are as
/// many as all cores together can have misses.
#[test]
fn hits_in_a_partition_wait_for_the_misses_of_others_until_registers_suffice() {
    let result = results(&scenario("corunners = [0, 3]\nllc.mshrs = [4, 8, 32]"));
    let victim = |corunners: &str, mshrs: &str| task(point(&result, &[corunners, mshrs]), "victim");
    let time = |corunners, mshrs| victim(corunners, mshrs).access_time_ns.mean;
    let slowdown = |mshrs| time("3", mshrs) / time("0", mshrs);
    // Four cores of eight registers each: nobody waits, alone or not, and it is as if registers were not counted.
    assert_eq!(time("3", "32"), time("0", "32"));
    let unbounded = results(&scenario("corunners = [0, 3]"));
    let run_time = |result: &ScenarioResult, values: &[&str]| {
        let run = &point(result, values).runs[0];
        run.tasks.iter().map(|task| task.run_time_ps).collect::<Vec<_>>()
    };
    assert_eq!(run_time(&result, &["3", "32"]), run_time(&unbounded, &["3"]));
    // With fewer a hit waits for whole misses of others, the longer the fewer there are.
    assert!(slowdown("8") > 5.0, "{}", slowdown("8"));
    assert!(slowdown("4") > 15.0, "{}", slowdown("4"));
    let caches = |mshrs| point(&result, &["3", mshrs]).runs[0].tasks[0].caches;
    for (mshrs, waits) in [("4", true), ("32", false)] {
        let (llc, blocked) = (caches(mshrs).llc.expect("there is one"), caches(mshrs).blocked);
        let blocked = blocked.expect("registers are counted");
        assert_eq!((llc.misses, llc.evictions_by_others), (0, 0), "its lines stay");
        assert_eq!(blocked.reads > llc.hits * 9 / 10, waits, "{blocked:?}");
    }
}

/// Jaleel, Borch, Bhandaru, Steely, Emer (MICRO 2010): an inclusive cache takes lines away that are in use above it, since it sees only
/// misses of these; others do not.
#[test]
fn neighbours_displace_lines_in_use_only_under_an_inclusive_cache() {
    let text = "
name = \"victims\"
machine = \"small.toml\"
check = true
warm_up.operations = 100000
measure.operations = 400000
[sweep]
llc.inclusion = [\"non-inclusive\", \"inclusive\", \"exclusive\"]
corunners = [0, 3]
[[task]]
name = \"victim\"
program = \"random\"
core = 0
parameters = { bytes = \"4 KiB\", write_percent = 25 }
[[task]]
name = \"neighbour\"
program = \"bandwidth\"
role = \"background\"
cores = [1, 2, 3]
parameters.bytes = \"1 MiB\"
";
    let result = results(text);
    let run = |inclusion: &str, corunners: &str| &point(&result, &[inclusion, corunners]).runs[0].tasks[0];
    for (inclusion, displaces) in [("non-inclusive", false), ("inclusive", true), ("exclusive", false)] {
        let (alone, shared) = (run(inclusion, "0"), run(inclusion, "3"));
        let misses = |task: &TaskResult| task.caches.l1.expect("there is one").misses;
        assert_eq!(misses(alone), 0, "{inclusion}: 4 KiB fit in the first level");
        let slowdown = shared.run_time_ps as f64 / alone.run_time_ps as f64;
        if displaces {
            // Each line comes from memory again, since its copy in the last level was what it lost first.
            assert!(misses(shared) > 1000 && slowdown > 1.3, "{} {slowdown}", misses(shared));
            assert!(
                shared
                    .caches
                    .invalidated
                    .is_some_and(|lost| lost.abs_diff(misses(shared)) <= 64)
            );
            assert!(shared.write_backs > 0, "a quarter of its lines are dirty");
        } else {
            assert_eq!((misses(shared), shared.caches.invalidated), (0, None), "{inclusion}");
            assert!((slowdown - 1.0).abs() < 1e-4, "{inclusion}: {slowdown}");
        }
    }
}

/// Lines are where the kind of cache says throughout (debug builds check it), and the same on any number of threads, whatever
/// else the machine and the programs do: blocked caches, threads that share lines, budgets, cores of both kinds.
#[test]
fn levels_keep_their_relation() {
    let text = "
name = \"levels\"
machine = \"small.toml\"
check = true
warm_up.operations = 2000
measure.operations = 3000
fill.operations = 500
[sweep]
llc.inclusion = [\"inclusive\", \"exclusive\"]
llc.mshrs = [2, 64]
kind = [\"out-of-order\", \"in-order\", \"budgets\"]
[[variant]]
name = \"out-of-order\"
set.core.kind = \"out-of-order\"
[[variant]]
name = \"in-order\"
set.core.kind = \"in-order\"
set.core.window = 1
set.core.mshrs = 1
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
parameters.bytes = \"1 MiB\"
[[task]]
name = \"team\"
program = \"strides-parallel\"
role = \"background\"
cores = \"5-6\"
parameters.bytes = \"128 KiB\"
parameters.writes = 2000
[[task]]
name = \"chase\"
program = \"latency\"
core = 3
parameters.bytes = \"32 KiB\"
";
    let result = results_on(1, text);
    for point in &result.points {
        let [inclusion, mshrs, kind] = &point.values[..] else {
            panic!("three axes")
        };
        let tasks = &point.runs[0].tasks;
        let lost: u64 = tasks.iter().filter_map(|task| task.caches.invalidated).sum();
        assert_eq!(lost > 0, inclusion == "inclusive", "{:?}", point.values);
        let waited = tasks
            .iter()
            .any(|task| task.caches.blocked.is_some_and(|blocked| blocked.reads > 0));
        assert_eq!(waited, mshrs == "2", "{:?}: {kind}", point.values);
    }
    assert_eq!(format!("{:?}", results_on(2, text)), format!("{result:?}"));
}

/// Masks of ways, as Intel's CAT: neighbors with other ways displace nothing, whatever the policy; while miss registers are shared, hits still wait
/// for their misses, as they do with colors (Valsan, Yun, Farshchi, RTAS 2016).
#[test]
fn ways_keep_lines_apart_and_not_misses() {
    let text = "
name = \"ways\"
machine = \"small.toml\"
check = true
warm_up.operations = 2000
measure.operations = 4000
[sweep]
corunners = [0, 3]
ways = [\"all\", \"own\", \"own, few registers\"]
llc.replacement = [\"lru\", \"tree-plru\", \"srrip\", \"drrip\", \"qlru-h11-m1-r0-u0\"]
[[variant]]
name = \"all\"
set.llc.mshrs = 32
[[variant]]
name = \"own\"
set.llc.mshrs = 32
set.task.victim.ways = \"0-3\"
set.task.neighbor.ways = \"4-7\"
[[variant]]
name = \"own, few registers\"
set.llc.mshrs = 4
set.task.victim.ways = \"0-3\"
set.task.neighbor.ways = \"4-7\"
[[task]]
name = \"victim\"
program = \"latency\"
core = 0
parameters.bytes = \"24 KiB\"
[[task]]
name = \"neighbor\"
program = \"bandwidth\"
role = \"background\"
cores = [1, 2, 3]
parameters.bytes = \"1 MiB\"
";
    let result = results(text);
    for policy in ["lru", "tree-plru", "srrip", "drrip", "qlru-h11-m1-r0-u0"] {
        let victim = |corunners, ways| &point(&result, &[corunners, ways, policy]).runs[0].tasks[0];
        let taken = |ways| victim("3", ways).caches.llc.expect("there is one").evictions_by_others;
        let slowdown = |ways| victim("3", ways).run_time_ps as f64 / victim("0", ways).run_time_ps as f64;
        assert!(taken("all") > 100, "{policy}: {}", taken("all"));
        assert_eq!((taken("own"), taken("own, few registers")), (0, 0), "{policy}");
        // Pages at random lie closer in some sets than four ways hold, alone as well: those lines come from memory.
        assert!(
            slowdown("own") < 1.2 && slowdown("own") < slowdown("all"),
            "{policy}: {}",
            slowdown("own")
        );
        assert!(
            slowdown("own, few registers") > 4.0,
            "{policy}: {}",
            slowdown("own, few registers")
        );
    }
}

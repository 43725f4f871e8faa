// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interference in a last-level cache that colors do not take away.

use crate::common::{point, results, task};
use fresco_system::results::ScenarioResult;

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

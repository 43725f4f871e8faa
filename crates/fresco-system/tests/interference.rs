// SPDX-License-Identifier: MIT OR Apache-2.0
//! The orderings that the source papers state come out of the mechanism, on a small machine.

use crate::common::{point, results, task};

const HEAD: &str = "
name = \"test\"
machine = \"small.toml\"
check = true
[warm_up]
operations = 2000
[measure]
operations = 4000
";

fn latency_with(sweep: &str) -> String {
    format!(
        "{HEAD}
        [sweep]
        {sweep}
        [[variant]]
        name = \"samebank\"
        set.policy.frames = \"palloc\"
        set.task.fg.banks = 0
        set.task.a.banks = 0
        set.task.b.banks = 0
        set.task.c.banks = 0
        [[variant]]
        name = \"diffbank\"
        set.policy.frames = \"palloc\"
        set.task.fg.banks = 0
        set.task.a.banks = 1
        set.task.b.banks = 2
        set.task.c.banks = 3
        [[variant]]
        name = \"diffcontroller\"
        set.policy.frames = \"palloc\"
        set.task.fg.banks = 0
        set.task.a.banks = 16
        set.task.b.banks = 32
        set.task.c.banks = 48
        [[task]]
        name = \"fg\"
        program = \"latency\"
        core = 0
        parameters.bytes = \"256 KiB\"
        [[task]]
        name = \"a\"
        program = \"latency\"
        role = \"background\"
        core = 2
        parameters.bytes = \"256 KiB\"
        [[task]]
        name = \"b\"
        program = \"latency\"
        role = \"background\"
        core = 4
        parameters.bytes = \"256 KiB\"
        [[task]]
        name = \"c\"
        program = \"latency\"
        role = \"background\"
        core = 6
        parameters.bytes = \"256 KiB\"
        "
    )
}

/// PALLOC figure 4, CAMC figure 2.6.
#[test]
fn a_shared_bank_slows_down_with_every_task_and_private_ones_do_not() {
    let result = results(&latency_with(
        "policy = [\"samebank\", \"diffbank\", \"diffcontroller\"]\ncorunners = [0, 1, 2, 3]",
    ));
    let time = |policy: &str, n: usize| {
        task(point(&result, &[policy, &n.to_string()]), "fg")
            .access_time_ns
            .mean
    };
    let same: Vec<f64> = (0..4).map(|n| time("samebank", n)).collect();
    assert!(
        same.windows(2).all(|pair| pair[1] > pair[0] * 1.05),
        "grows with co-runners: {same:?}"
    );
    assert!(same[3] > 1.8 * same[0], "{same:?}");
    for n in 1..4 {
        let (diff_bank, diff_controller) = (time("diffbank", n), time("diffcontroller", n));
        assert!(
            diff_bank < 1.1 * same[0],
            "private banks stay flat: {diff_bank} against {}",
            same[0]
        );
        assert!(
            diff_controller < 1.001 * same[0],
            "private controllers are as if alone: {diff_controller}"
        );
    }
    // The time goes where it should: to the bank, and only if it is shared.
    let bank = |policy: &str| task(point(&result, &[policy, "3"]), "fg").reads.anatomy.bank_ns;
    assert!(
        bank("samebank") > 10.0 * bank("diffbank").max(1.0),
        "{} {}",
        bank("samebank"),
        bank("diffbank")
    );
    let slowdown = |policy: &str| {
        task(point(&result, &[policy, "3"]), "fg")
            .slowdown
            .expect("a solo run is there")
            .mean
    };
    assert!(slowdown("samebank") > 1.8 && slowdown("diffcontroller") < 1.001);
}

/// CAMC table 2.1: local, one hop, two hops, each by as much as the interconnect says.
#[test]
fn latency_grows_with_the_hops() {
    let text = format!(
        "{HEAD}
        [policy]
        frames = \"palloc\"
        [sweep]
        \"task.fg.banks\" = [0, 16, 32, 48]
        [[task]]
        name = \"fg\"
        program = \"latency\"
        core = 1
        parameters.bytes = \"256 KiB\"
        "
    );
    let result = results(&text);
    let reads = |banks: &str| &task(point(&result, &[banks]), "fg").reads;
    let [local, near, far, also_far] = ["0", "16", "32", "48"].map(|banks| reads(banks).latency.p50_ns);
    assert!(local < near && near < far, "{local} {near} {far}");
    assert_eq!(far, also_far);
    let remote = ["0", "16", "32"].map(|banks| reads(banks).anatomy.remote_ns);
    assert_eq!(remote, [0.0, 40.0, 80.0], "both ways");
    // 40 ns is no whole number of controller cycles: the phase of the clock may shift by one of 1.5 ns.
    assert!(
        (near - local - 40.0).abs() < 1.6 && (far - local - 80.0).abs() < 1.6,
        "{local} {near} {far}"
    );
}

/// CAMC: colors of the local node that nobody else has, chosen by the allocator (CAMC-3).
#[test]
fn camc_gives_each_task_a_bank_of_its_own_node() {
    let text = format!(
        "{HEAD}
        [policy]
        frames = \"camc\"
        [[task]]
        name = \"t\"
        program = \"strides\"
        cores = [0, 1, 4, 7]
        parameters = {{ bytes = \"1 MiB\", writes = 4096 }}
        "
    );
    let result = results(&text);
    let run = &result.points[0].runs[0];
    let banks: Vec<&str> = run.tasks.iter().map(|task| task.banks.as_str()).collect();
    assert_eq!(banks, ["0", "1", "32", "48"]);
    assert!(
        run.tasks
            .iter()
            .all(|task| task.reads.count > 3000 && task.reads.remote == 0)
    );
    assert!(
        run.tasks
            .iter()
            .all(|task| task.write_backs > 3000 && task.pages.spilled == 0)
    );
}

/// Independent misses overlap: the out-of-order core hides latency, the in-order core does not.
#[test]
fn independent_accesses_overlap_up_to_the_banks_and_mshrs() {
    let text = |program: &str| {
        format!("{HEAD}[[task]]\nname = \"t\"\nprogram = \"{program}\"\ncore = 0\nparameters.bytes = \"1 MiB\"\n")
    };
    let time = |program: &str| results(&text(program)).points[0].tasks[0].access_time_ns.mean;
    let (chase, random) = (time("latency"), time("random"));
    assert!(random * 3.0 < chase, "{random} {chase}");
}

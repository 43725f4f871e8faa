// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same scenario gives the same bytes, whatever the threads do; another seed gives others.

use crate::common::{parse, results_on};
use fresco_system::Batch;

const TEXT: &str = "
name = \"test\"
machine = \"small.toml\"
check = true
repetitions = 3
[policy]
boot = \"aged\"
[measure]
operations = 3000
[warm_up]
operations = 500
[sweep]
corunners = [0, 2]
[[task]]
name = \"chase\"
program = \"latency\"
core = 0
parameters.bytes = \"256 KiB\"
[[task]]
name = \"noise\"
program = \"random\"
role = \"background\"
cores = \"1-2\"
parameters = { bytes = \"512 KiB\", write_percent = 30 }
";

fn json(threads: usize, text: &str) -> String {
    serde_json::to_string(&results_on(threads, text)).expect("results serialise")
}

#[test]
fn threads_change_nothing() {
    assert_eq!(json(1, TEXT), json(2, TEXT));
}

#[test]
fn controllers_beside_the_cores_change_nothing() {
    let run = |beside: bool, text: &str| {
        let scenario = parse(text).unwrap_or_else(|error| panic!("{error}"));
        let batch = Batch {
            threads: 2,
            beside,
            ..Batch::default()
        };
        let result = batch.run(&scenario).unwrap_or_else(|error| panic!("{error}"));
        serde_json::to_string(&result.expect("nobody stops it")).expect("results serialise")
    };
    const CORES: &str = "
name = \"test\"
machine = \"opteron-6128\"
warm_up.operations = 300
measure.operations = 2000
[[task]]
name = \"all\"
program = \"random\"
cores = \"0-15\"
parameters = { bytes = \"16 MiB\", write_percent = 30 }
";
    let small = TEXT.replace("repetitions = 3", "").replace("check = true", "");
    let small = small.replace("[sweep]\ncorunners = [0, 2]", "");
    let budgets = CORES.replace("[[task]]", "policy.bandwidth = \"memguard\"\n[[task]]");
    let in_order = CORES.replace("opteron-6128", "gem5-2core").replace("0-15", "0-1");
    for text in [&small, CORES, &budgets, &in_order] {
        assert_eq!(run(false, text), run(true, text), "{text}");
    }
}

#[test]
fn seeds_change_something_and_repetitions_have_their_own() {
    let result = results_on(2, TEXT);
    let times: Vec<_> = result.points[1]
        .runs
        .iter()
        .map(|run| run.tasks[0].run_time_ps)
        .collect();
    assert!(times[0] != times[1] && times[1] != times[2], "{times:?}");
    let seeds: Vec<_> = result.points[1].runs.iter().map(|run| run.seed).collect();
    assert_eq!(seeds, [1, 2, 3]);
    let later = results_on(2, &TEXT.replace("repetitions = 3", "repetitions = 1\nseed = 2"));
    assert_eq!(
        later.points[1].runs[0].tasks[0].run_time_ps, times[1],
        "a repetition is the run of its seed"
    );
}

#[test]
fn a_repetition_by_itself_is_the_scenario_with_its_seed_alone() {
    let result = results_on(2, TEXT);
    let scenario = parse(TEXT).expect("sound");
    let by_seed = result.by_seed(&scenario);
    assert_eq!(by_seed.len(), 3);
    for (alone, seed) in by_seed.iter().zip(1..) {
        let text = TEXT.replace("repetitions = 3", &format!("repetitions = 1\nseed = {seed}"));
        let alone = serde_json::to_string(alone).expect("serialises");
        assert_eq!(alone, json(2, &text), "seed {seed}");
    }
}

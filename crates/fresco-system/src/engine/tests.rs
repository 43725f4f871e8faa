// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far cores run ahead of each other is a matter of the simulator's speed, not of the machine simulated.

use super::Engine;
use crate::Scenario;
use crate::results::Measured;
use fresco_dram::Ps;
use std::path::Path;

const TEXT: &str = r#"
name = "test"
machine = "small.toml"
[warm_up]
passes = 1
[measure]
passes = 2
[[task]]
name = "stores"
program = "strides"
core = 0
parameters = { bytes = "1 MiB", writes = 2000 }
[[task]]
name = "mixed"
program = "random"
core = 1
parameters = { bytes = "32 KiB", write_percent = 40, gap = 3, accesses = 4000 }
[[task]]
name = "multiply"
program = "matmult"
core = 4
parameters.n = 24
[[task]]
name = "chase"
program = "latency"
core = 5
role = "background"
parameters.bytes = "256 KiB"
"#;

/// Programs that displace dirty lines by hits and by misses faster than memory takes them, above caches that do not hold what the ones above have.
const FLOOD: &str = r#"
name = "flood"
machine = "small.toml"
l2 = { size = "16 KiB", ways = 2, line = 64, latency = "10 cycles", replacement = "lru" }
llc.size = "16 KiB"
llc.ways = 1
policy.frames = "palloc"
memory.controller.queues.writes = 1
memory.controller.drain_high = 1
memory.controller.drain_low = 0
[warm_up]
passes = 1
[measure]
passes = 1
[[task]]
name = "near"
program = "random"
core = 0
banks = "0-1"
parameters = { bytes = "24 KiB", write_percent = 100, gap = 0, accesses = 20000 }
[[task]]
name = "writer"
program = "bandwidth"
core = 1
banks = "0-1"
parameters = { bytes = "1 MiB", access = "write" }
[[task]]
name = "mixed"
program = "random"
core = 4
banks = "0-1"
parameters = { bytes = "1 MiB", write_percent = 60, gap = 0, accesses = 4000 }
[[task]]
name = "chase"
program = "latency"
core = 5
banks = "0-1"
role = "background"
parameters.bytes = "256 KiB"
"#;

/// What the measured tasks of a scenario did, and at how many events a core stood still. `run_ahead` is the engine's own if omitted.
fn outcome(text: &str, overrides: &[&str], run_ahead: Option<Ps>) -> (String, u64) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let overrides: Vec<String> = overrides.iter().map(|one| (*one).to_owned()).collect();
    let scenario = Scenario::parse("test.toml", text, &directory, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let spec = &scenario.runs()[0];
    let experiment = crate::runs::experiment(spec).unwrap_or_else(|error| panic!("{error}"));
    let mut engine = Engine::new(&experiment, &[0; 4]).unwrap_or_else(|error| panic!("{error}"));
    engine.run_ahead = run_ahead.unwrap_or(engine.run_ahead);
    engine.timer = engine.next_timer();
    let (mut done, mut stood) = (Vec::new(), 0);
    while engine.go_on(&mut done).unwrap_or_else(|error| panic!("{error}")) {
        stood += u64::from((0..8).any(|core| engine.memory.stands(core)));
    }
    let result = engine.finish(&mut done).unwrap_or_else(|error| panic!("{error}"));
    let measured = result.tasks.into_iter().filter_map(|task| task.measured);
    let key = |task: Measured| {
        assert!(task.phase.1 > task.phase.0);
        let reads = task.recorder.reads();
        (task.phase, task.operations, reads.rows, reads.anatomy)
    };
    (format!("{:?}", measured.map(key).collect::<Vec<_>>()), stood)
}

#[test]
fn the_run_ahead_changes_no_measured_time() {
    let usual = outcome(TEXT, &[], None);
    for run_ahead in [0, 1, 7_000, 100_000_000] {
        assert_eq!(outcome(TEXT, &[], Some(run_ahead)).0, usual.0, "{run_ahead} ps");
    }
}

#[test]
fn nor_does_it_where_cores_stand_still() {
    let in_order: &[&str] = &["core.kind=in-order", "core.window=1", "core.mshrs=1"];
    for kind in [in_order, &[]] {
        let usual = outcome(FLOOD, kind, None);
        assert!(usual.1 > 1000, "{kind:?}: cores stood still at {} events", usual.1);
        for run_ahead in [0, 1, 7_000, 100_000_000] {
            let other = outcome(FLOOD, kind, Some(run_ahead));
            assert_eq!(other.0, usual.0, "{kind:?}, {run_ahead} ps");
        }
    }
}

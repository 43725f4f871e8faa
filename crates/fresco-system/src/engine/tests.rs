// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far cores run ahead of each other is a matter of the simulator's speed, not of the machine simulated.

use super::Engine;
use crate::Scenario;
use crate::results::Measured;
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

#[test]
fn the_run_ahead_changes_no_measured_time() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let scenario = Scenario::parse("test.toml", TEXT, &directory, &[]).unwrap_or_else(|error| panic!("{error}"));
    let spec = &scenario.runs()[0];
    let experiment = crate::runs::experiment(spec).unwrap_or_else(|error| panic!("{error}"));
    let times = |run_ahead| {
        let mut engine = Engine::new(&experiment, &[0; 4]).unwrap_or_else(|error| panic!("{error}"));
        engine.run_ahead = run_ahead;
        let result = engine
            .run(&|| false)
            .unwrap_or_else(|error| panic!("{error}"))
            .expect("it is not given up");
        let measured = result.tasks.into_iter().take(3).filter_map(|task| task.measured);
        let key = |task: Measured| {
            let reads = task.recorder.reads();
            (task.phase, task.operations, reads.rows, reads.anatomy)
        };
        measured.map(key).collect::<Vec<_>>()
    };
    let usual = times(super::RUN_AHEAD);
    assert!(usual.iter().all(|task| task.0.1 > task.0.0));
    for run_ahead in [0, 1, 7_000, 100_000_000] {
        assert_eq!(times(run_ahead), usual, "{run_ahead} ps");
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sweeps whose points take a millisecond.

use fresco_input::InputError;
use fresco_sweep::{Effects, Index, Progress, Runner, Shard, Store, Sweep, Tool, look, merge};
use std::fs;
use std::path::Path;

/// A small machine, `./small.toml` below.
pub const MACHINE: &str = include_str!("../../fresco-system/tests/data/small.toml");

/// A pointer chase and a stream beside it.
pub const SCENARIO: &str = r#"name = "tiny"
machine = "./small.toml"
policy.frames = "palloc"
measure.operations = 300
[[task]]
name = "chase"
program = "latency"
core = 0
banks = 0
parameters.bytes = "64 KiB"
[[task]]
name = "noise"
program = "random"
core = 2
role = "background"
banks = 0
parameters.bytes = "256 KiB"
"#;

/// Twelve points, of which the last four do not fit the colors of their task.
pub const SWEEP: &str = r#"scenario = "./tiny.toml"
[grid]
corunners = [0, 1]
task.chase.parameters.bytes = ["16 KiB", "64 KiB", "4 GiB"]
seed = [1, 2]
"#;

/// A directory with these.
pub fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in [("small.toml", MACHINE), ("tiny.toml", SCENARIO), ("s.toml", SWEEP)] {
        fs::write(directory.path().join(name), text).expect("written");
    }
    directory
}

pub fn sweep(directory: &Path) -> Sweep {
    Sweep::load(directory.join("s.toml"), &[]).expect("a sweep")
}

/// Runs what is missing of a shard into `out`.
pub fn run(sweep: &Sweep, out: &Path, shard: Shard, retry_failed: bool) -> Result<Progress, InputError> {
    let store = Store::open(out, sweep, false)?;
    let runner = Runner {
        sweep,
        store: &store,
        shard,
        threads: 2,
        retry_failed,
        progress: &|_| {},
        stop: &|| false,
        is_given_up: &|| false,
    };
    runner.run()
}

pub const TOOL: fn() -> Tool = || Tool {
    version: "0".to_owned(),
    revision: None,
};

/// The merged tables: observations and points.
pub fn merged(sweep: &Sweep, out: &Path) -> [Vec<u8>; 2] {
    let index: Index = look(out).expect("a sweep");
    let mut effects = Effects::of(sweep);
    merge(sweep, &index, 0..sweep.points(), (out, ""), &TOOL(), Some(&mut effects)).expect("merged");
    ["observations", "points"].map(|name| fs::read(out.join(format!("{name}.parquet"))).expect("written"))
}

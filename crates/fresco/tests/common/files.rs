// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that several tests give to the program.

/// A small machine of four nodes, `./small.toml` in the scenarios below.
pub const MACHINE: &str = include_str!("../../../fresco-system/tests/data/small.toml");

/// Two points: a pointer chase alone, and beside a stream in the background, both with budgets.
pub const SWEPT: &str = r#"name = "s"
machine = "./small.toml"
policy.frames = "palloc"
policy.bandwidth = "memguard"
bandwidth = { period = "10 us", count_write_backs = true }
measure.operations = 20000
sweep.corunners = [0, 1]
[[task]]
name = "chase"
program = "latency"
core = 0
banks = 0
parameters.bytes = "256 KiB"
[[task]]
name = "noise"
program = "strides"
core = 2
role = "background"
banks = 0
parameters.bytes = "1 MiB"
"#;

/// Two tasks that every planning method but the co-design has a plan for.
pub const TASKS: &str = r#"name = "two"

[memory]
density = 8
density_scales_refresh_only = true

[[task]]
name = "a"
period = "8 ms"
wcet = "1 ms"

[[task]]
name = "b"
period = "32 ms"
wcet = "2 ms"
"#;

/// A periodic task on core 0 and one in the background on core `beside`; `keys` are added to those of the scenario.
pub fn periodic(beside: u32, keys: &str) -> String {
    format!(
        r#"name = "p"
machine = "./small.toml"
measure.jobs = 5
{keys}[[task]]
name = "hard"
program = "latency"
core = 0
period = "100 us"
parameters.bytes = "16 KiB"
[[task]]
name = "rest"
program = "random"
core = {beside}
role = "background"
parameters.bytes = "256 KiB"
"#
    )
}

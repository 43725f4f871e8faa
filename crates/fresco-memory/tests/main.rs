// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod adaptive_refresh;
mod bandwidth;
mod bench_machine;
mod checker_banks;
mod checker_columns;
mod checker_controller;
mod checker_input;
mod checker_refresh;
mod checker_required;
mod checker_retention;
mod checker_standards;
mod checker_support;
mod embedded;
mod exactness;
mod latency;
mod lines_of_bursts;
mod low_load;
mod progress;
mod refresh_management;
mod refresh_policies;
mod refresh_schemes;
mod refresh_windows;
mod support;
mod tightness;
mod tightness_cases;
#[path = "../benches/bench_traces/mod.rs"]
mod traces;
mod two_buses;
mod waits;

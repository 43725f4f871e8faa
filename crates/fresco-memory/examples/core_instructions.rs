// SPDX-License-Identifier: MIT OR Apache-2.0
//! One of the comparison traces through the memory core alone, to be counted by callgrind (`scripts/bench-instructions`).
//!
//! Usage: core_instructions random|stream|sparse|mixed|idle REQUESTS [RANKS]

#[path = "../benches/bench_traces/mod.rs"]
mod bench_traces;

use bench_traces::{LINE, Trace, machine, machine_of, run};
use std::process::ExitCode;

/// Most memory the process has had resident, in KiB, as Linux tells it.
fn peak_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let trace = |name: &str| {
        Trace::NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, trace)| *trace)
    };
    let parsed = match &arguments[..] {
        [name, count] => trace(name).zip(count.parse().ok()).zip(Some(None)),
        [name, count, ranks] => trace(name).zip(count.parse().ok()).zip(ranks.parse().ok().map(Some)),
        _ => None,
    };
    let Some(((trace, n), ranks)) = parsed else {
        eprintln!("usage: core_instructions random|stream|sparse|mixed|idle REQUESTS [RANKS]");
        return ExitCode::from(2);
    };
    let machine = ranks.map_or_else(machine, machine_of);
    let outcome = run(&machine, trace, n);
    let seconds = machine.memory.timing.clock.to_ps(outcome.cycles) as f64 / 1e12;
    println!(
        "cycles {} mean_latency {:.6} hits {} misses {} conflicts {} gigabytes_per_second {:.3} resident_kib {}",
        outcome.cycles,
        outcome.latencies.sum as f64 / outcome.latencies.count as f64,
        outcome.stats.row_hits,
        outcome.stats.row_misses,
        outcome.stats.row_conflicts,
        (n * LINE) as f64 / seconds / 1e9,
        peak_resident().unwrap_or(0),
    );
    ExitCode::SUCCESS
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The comparison of simulators (machine `ddr4-2400-bench`, traces `random` and `stream`, 32 reads outstanding): cycles
//! and bandwidth within 2 percent of the simulators that stagger refreshes alike, Ramulator 2.1 and DRAMSys 5.1. The
//! benchmarks run the whole million; here a tenth must be at the same pace.

use crate::traces::{Trace, machine, run};
use fresco_dram::CommandKind;

/// Cycles for the million reads: Ramulator 2.1, DRAMSys 5.1.
const RANDOM: [u64; 2] = [4_561_604, 4_599_422];
const STREAM: [u64; 2] = [6_398_551, 6_383_456];

/// A hundred thousand reads, and what they would take at the pace of the million.
fn assert_pace(trace: Trace, cycles: u64, of_a_million: [u64; 2]) {
    const READS: u64 = 100_000;
    let outcome = run(&machine(), trace, READS);
    assert_eq!(outcome.latencies.count, READS);
    assert_eq!(
        outcome.cycles, cycles,
        "{trace:?}: not the commands of the last release"
    );
    for theirs in of_a_million {
        let ratio = (10 * outcome.cycles) as f64 / theirs as f64;
        assert!((0.98..=1.02).contains(&ratio), "{trace:?}: {ratio:.4} of {theirs}");
    }
}

#[test]
fn random_reads() {
    assert_pace(Trace::Random, 456_736, RANDOM);
}

/// Random lines, a third of them written: 2 percent of Ramulator 2.1, which lets bursts of two ranks overlap on the data bus when it is
/// not mended, and no row is opened that does not serve the request it was opened for.
#[test]
fn random_reads_and_writes() {
    const MENDED: u64 = 1_478_035;
    let outcome = run(&machine(), Trace::Mixed, 300_000);
    let ratio = outcome.cycles as f64 / MENDED as f64;
    assert!(
        (0.98..=1.02).contains(&ratio),
        "{} cycles, {ratio:.4} of theirs",
        outcome.cycles
    );
    let stats = outcome.stats;
    assert_eq!(stats.reads + stats.writes + stats.forwarded + stats.merged, 300_000);
    assert_eq!(
        stats.commands[CommandKind::Act as usize],
        stats.row_misses + stats.row_conflicts
    );
}

#[test]
fn a_stream() {
    assert_pace(Trace::Stream, 638_985, STREAM);
}

/// Two reads 10^8 cycles apart: the second comes when no refresh is under way, and the time between has cost nothing
/// but the refreshes.
#[test]
fn idle_time() {
    let outcome = run(&machine(), Trace::Idle, 2);
    assert_eq!(outcome.latencies.sum, (1 + 16 + 16 + 4) * 2);
    assert_eq!(outcome.cycles, 100_000_000 + 37);
}

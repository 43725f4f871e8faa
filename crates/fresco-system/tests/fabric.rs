// SPDX-License-Identifier: MIT OR Apache-2.0
//! What clusters and nodes may move to and from memory is what they move, and who asks for little does not wait for it.

use crate::common::results;
use fresco_system::results::RunResult;

/// A chaser of pointers on core 0 beside streams on the others.
fn run(limits: &str, streams: u32) -> RunResult {
    run_with(limits, streams, 80)
}

/// With `reads` percent of reads in the traffic of the streams.
fn run_with(limits: &str, streams: u32, reads: u32) -> RunResult {
    let text = format!(
        "name = \"fabric\"
        machine = \"small.toml\"
        check = true
        corunners = {streams}
        fill.operations = 4000
        warm_up.operations = 500
        measure.operations = 4000
        {limits}
        [[task]]
        name = \"chase\"
        program = \"latency\"
        core = 0
        parameters.bytes = \"512 KiB\"
        [[task]]
        name = \"stream\"
        program = \"traffic\"
        role = \"background\"
        cores = \"1-7\"
        parameters = {{ bytes = \"256 KiB\", reads = {reads} }}"
    );
    results(&text).points[0].runs[0].clone()
}

/// Bytes per second of all nodes.
fn moved(run: &RunResult) -> f64 {
    run.controllers.iter().map(|one| one.bandwidth_bytes_per_s).sum()
}

#[test]
fn a_limit_is_kept_and_used() {
    let free = moved(&run("", 7));
    assert!(free > 12e9, "{free}");
    // Two clusters, 2 GB/s each; what is under way at both ends of the window is less than 1 %.
    let clusters = moved(&run("fabric.cluster.traffic = \"2 GB/s\"", 7));
    assert!((clusters / 4e9 - 1.0).abs() < 0.01, "{clusters}");
    // Each of four nodes 1.5 GB/s, but pages of a task need not lie equally on them.
    let nodes = moved(&run("fabric.node.traffic = \"1.5 GB/s\"", 7));
    assert!(nodes < 6.06e9 && nodes > 3e9, "{nodes}");
}

#[test]
fn writes_alone_may_be_limited() {
    let limited = run_with("fabric.cluster.writes = \"1.5 GB/s\"", 7, 50);
    let writes = |run: &RunResult| run.controllers.iter().map(|one| one.writes).sum::<u64>() as f64;
    let seconds = limited.controllers[0].window_ns / 1e9;
    let rate = writes(&limited) * 64.0 / seconds;
    assert!((rate / 3e9 - 1.0).abs() < 0.02, "{rate}");
}

#[test]
fn who_asks_for_little_waits_for_a_round_at_most() {
    let latency = |run: &RunResult| run.tasks[0].access_time_ns;
    let alone = latency(&run("fabric.cluster.traffic = \"2 GB/s\"", 0));
    let beside = latency(&run("fabric.cluster.traffic = \"2 GB/s\"", 7));
    // A line takes 32 ns at 2 GB/s; the three streams of its cluster read and write, and one line is on its way.
    assert!(beside < alone + 7.0 * 32.0, "{alone} {beside}");
    // The streams wait for much longer than that: eight misses each share 2 GB/s.
    let stream = run("fabric.cluster.traffic = \"2 GB/s\"", 7).tasks[1]
        .reads
        .latency
        .mean_ns;
    assert!(stream > 500.0, "{stream}");
}

/// Little's law: a device that has more lines under way than the node lets through moves as much as one that has so many itself.
#[test]
fn lines_under_way_bound_what_is_moved() {
    let agent = |limits: &str, in_flight: u32| {
        let text = format!(
            "name = \"littles-law\"
            machine = \"small.toml\"
            check = true
            measure.time = \"200 us\"
            {limits}
            [[task]]
            name = \"chase\"
            program = \"latency\"
            core = 6
            parameters.bytes = \"64 KiB\"
            [[agent]]
            name = \"dma\"
            bytes = \"1 MiB\"
            in_flight = {in_flight}"
        );
        results(&text).points[0].runs[0].agents[0].clone()
    };
    let law = |lines: f64, latency_ns: f64| lines * 64.0 / (latency_ns * 1e-9);
    for lines in [4, 8] {
        let limited = agent(&format!("fabric.node.in_flight = {lines}"), 64);
        let own = agent("", lines);
        let rate = limited.bandwidth_bytes_per_s;
        assert!((rate / own.bandwidth_bytes_per_s - 1.0).abs() < 0.02, "{rate} {own:?}");
        // All 64 wait or are under way.
        assert!(
            (rate / law(64.0, limited.reads.latency.mean_ns) - 1.0).abs() < 0.02,
            "{limited:?}"
        );
        assert!(
            (rate / law(lines.into(), own.reads.latency.mean_ns) - 1.0).abs() < 0.02,
            "{own:?}"
        );
    }
    // More than the controller can use is no limit.
    let (free, wide) = (agent("", 64), agent("fabric.node.in_flight = 65", 64));
    assert_eq!(free.reads, wide.reads);
}

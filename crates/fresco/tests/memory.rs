// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco memory` as a user runs it.

use crate::common::{fresco, json};
use fresco_load::generate::{Pattern, write_dramsim3, write_fresco};
use fresco_load::trace::ftrace::Header;
use std::path::Path;

fn write_trace(directory: &Path, name: &str, pattern: Pattern, requests: u64, seed: u64) {
    let file = std::fs::File::create(directory.join(name)).expect("a file");
    write_dramsim3(pattern.generate(requests, seed), std::io::BufWriter::new(file)).expect("a trace");
}

#[test]
fn a_sparse_trace_gives_the_closed_formulas_latency() {
    let directory = tempfile::tempdir().expect("a directory");
    write_trace(directory.path(), "sparse.trace", Pattern::Sparse, 200_000, 3);
    let found = json(
        &[
            "memory",
            "sparse.trace",
            "--machine",
            "ddr4-2400-bench",
            "--json",
            "--check",
        ],
        directory.path(),
    );
    let data = &found["data"];
    assert_eq!(data["reads"]["count"], 200_000);
    // The mean of a closed-form replay of the same trace without queueing: 50.943 cycles, rows 4 / 153,029 / 46,967.
    assert_eq!(
        (data["reads"]["mean_cycles"].as_f64().expect("a number") * 1000.0).floor(),
        50_943.0
    );
    let rows = [&data["row_hits"], &data["row_misses"], &data["row_conflicts"]];
    assert_eq!(
        rows.map(serde_json::Value::as_u64),
        [Some(4), Some(153_029), Some(46_967)]
    );
}

#[test]
fn the_command_trace_is_whole_and_legal_and_the_table_says_what_was_run() {
    let directory = tempfile::tempdir().expect("a directory");
    write_trace(directory.path(), "mix.trace", Pattern::Mix, 3000, 7);
    let arguments = [
        "memory",
        "mix.trace",
        "--machine",
        "opteron-6128",
        "--check",
        "--commands",
        "out.cmd",
    ];
    let done = fresco(&arguments, directory.path());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let table = String::from_utf8(done.stdout).expect("text");
    for part in ["row conflicts", "fresco memory mix.trace", "opteron-6128 (digest "] {
        assert!(table.contains(part), "no {part:?} in\n{table}");
    }
    let commands = std::fs::read_to_string(directory.path().join("out.cmd")).expect("the commands");
    let columns = commands
        .lines()
        .filter(|line| line.contains(" RD ") || line.contains(" WR "))
        .count();
    assert!(columns > 2000, "{columns} column commands");
    assert!(!directory.path().join("out.cmd.part").exists());
}

/// Two reads, some seconds apart: rows that nobody refreshed for so long are lost, which the checker does not judge where that is the policy.
#[test]
fn it_is_said_that_refresh_was_not_judged() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("far.trace"), "0x0 READ 0\n0x40 READ 2000000000\n").expect("a file");
    let run = ["memory", "far.trace", "--machine", "zcu102", "--check", "--json"];
    let none = [&run[..], &["--set", "memory.controller.refresh=none"]].concat();
    for (arguments, is_judged) in [(&run[..], true), (&none[..], false)] {
        let checker = &json(arguments, directory.path())["data"]["checker"];
        assert_eq!(
            (&checker["clean"], &checker["refresh_judged"]),
            (&true.into(), &is_judged.into())
        );
        assert_eq!(
            [&checker["late_rows"], &checker["short_banks"], &checker["long_pauses"]],
            [0, 0, 0]
        );
        let said = String::from_utf8(fresco(arguments, directory.path()).stderr).expect("text");
        let caveat = "refresh was not judged, as the machine's policy is \"none\"";
        assert_eq!(said.matches(caveat).count(), usize::from(!is_judged), "{said}");
        assert_eq!(checker["report"].as_str().expect("text").contains(caveat), !is_judged);
    }
}

#[test]
fn formats_agree_and_a_bound_on_outstanding_requests_slows_down() {
    let directory = tempfile::tempdir().expect("a directory");
    write_trace(directory.path(), "random.trace", Pattern::Random, 5000, 1);
    let file = std::fs::File::create(directory.path().join("random.ftrace")).expect("a file");
    write_fresco(Pattern::Random.generate(5000, 1), &Header::default(), file).expect("a trace");
    let cycles = |trace: &str, outstanding: &str| {
        let arguments = [
            "memory",
            trace,
            "--machine",
            "ddr4-2400-bench",
            "--json",
            "--outstanding",
            outstanding,
        ];
        json(&arguments, directory.path())["data"]["cycles"]
            .as_u64()
            .expect("cycles")
    };
    assert_eq!(cycles("random.trace", "32"), cycles("random.ftrace", "32"));
    let alone = cycles("random.trace", "1");
    // One at a time: every read takes its own latency, at least that of an open row (21 cycles).
    assert!(
        alone > 5000 * 21 && alone > 5 * cycles("random.trace", "32"),
        "{alone} cycles"
    );
}

#[test]
fn a_failing_run_leaves_an_earlier_command_trace_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("out.cmd"), "good").expect("a file");
    std::fs::write(
        directory.path().join("bad.trace"),
        "0x40 READ 0\n0x80 READ 1\n0x8F READ x\n",
    )
    .expect("a file");
    let arguments = [
        "memory",
        "bad.trace",
        "--machine",
        "ddr4-2400-bench",
        "--commands",
        "out.cmd",
    ];
    let done = fresco(&arguments, directory.path());
    assert_eq!(done.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&done.stderr).contains("bad.trace:3"),
        "{done:?}"
    );
    assert_eq!(
        std::fs::read_to_string(directory.path().join("out.cmd")).expect("a file"),
        "good"
    );
    assert!(!directory.path().join("out.cmd.part").exists());
}

#[test]
fn the_verdict_of_the_checker_is_in_the_json() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.trace"), "0x1000 R\n0x2000 W\n").expect("a trace");
    let run = |more: &[&str]| {
        let arguments = ["memory", "a.trace", "--machine", "xeon-w3530", "--json"];
        let done = fresco(&[&arguments, more].concat(), directory.path());
        assert!(done.status.success());
        let found: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        found["data"].get("checker").cloned()
    };
    assert_eq!(run(&[]), None);
    let verdict = run(&["--check"]).expect("asked for");
    assert_eq!((&verdict["clean"], &verdict["violations"]), (&true.into(), &0.into()));
    assert_eq!(verdict["own_timing"], serde_json::json!([]));
    let verdict = run(&["--check", "--set", "memory.timing.faw=40"]).expect("asked for");
    assert_eq!(verdict["own_timing"], serde_json::json!(["faw"]));
    assert!(
        verdict["report"]
            .as_str()
            .is_some_and(|text| text.ends_with("no violation"))
    );
}

#[test]
fn what_was_not_measured_is_not_there_and_what_was_left_out_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a trace");
    write("reads.trace", "0x1000 R\n0x2000 R\n");
    write("writes.trace", "0x1000 W\n");
    write("program.trace", "100 0x1000\n100 0x2000 0x3000\n");
    let run = |trace: &str| {
        let done = fresco(
            &["memory", trace, "--machine", "ddr4-2400-bench", "--json"],
            directory.path(),
        );
        assert!(done.status.success());
        let found: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        let told = String::from_utf8(done.stderr).expect("text");
        (found["data"].clone(), told)
    };
    let (reads, told) = run("reads.trace");
    assert_eq!(reads["writes"], serde_json::json!({ "count": 0 }));
    assert!(reads["reads"]["mean_cycles"].is_number() && reads["gaps_left_out"] == false && told.is_empty());
    let (writes, _) = run("writes.trace");
    assert_eq!((&writes["reads"]["count"], writes.get("read_wait")), (&0.into(), None));
    let (program, told) = run("program.trace");
    assert_eq!(program["gaps_left_out"], true);
    assert!(
        told.contains("instructions between the accesses of program.trace are left out"),
        "{told}"
    );
}

#[test]
fn a_memory_that_does_little_but_refresh_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("one.trace"), "0x1000 R\n").expect("a trace");
    let told = |refi: &str| {
        let set = format!("memory.timing.refi={refi}");
        let commands: [&[&str]; 2] = [&["memory", "one.trace", "--machine"], &["machine", "show"]];
        commands.map(|command| {
            let done = fresco(
                &[command, &["ddr4-2400-bench", "--set", &set]].concat(),
                directory.path(),
            );
            assert!(done.status.success(), "{command:?}");
            String::from_utf8(done.stderr).expect("text")
        })
    };
    // One cycle is left between two refreshes of 420, which is less than their precharge takes.
    for text in told("421") {
        assert!(
            text.contains("closed for refreshes for 421 of each 421 cycles, more than half of the time"),
            "{text}"
        );
    }
    for text in told("900") {
        assert_eq!(text, "");
    }
}

/// A read finds what is to be written to its line, whichever bytes of it either names.
#[test]
fn an_address_names_its_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let counted = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("a trace");
        let arguments = ["memory", name, "--machine", "ddr4-2400-bench", "--json"];
        json(&arguments, directory.path())["data"].take()
    };
    let within = counted("within.trace", "0x1000 W\n0x1008 R\n0x103f R\n");
    assert_eq!(within["forwarded"], 2);
    assert_eq!(within, counted("lines.trace", "0x1000 W\n0x1000 R\n0x1000 R\n"));
}
